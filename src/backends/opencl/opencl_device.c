/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices: which physical device a handle means (a UUID or a PCI address where there is one, so that
 * two processes on one device are seen as such), its place in the record, its clock.
 */
#include <stdio.h>
#include <string.h>

#include "opencl.h"

#define NAME_BYTES 256
#define TIMER_PERIOD_NS 1000000000u /* the device timer is read at most once a second */

static struct opencl_device devices[OPENCL_DEVICES];
static uint32_t devices_used;
static uint32_t devices_lock;

static void device_text(enum opencl_variant level, cl_handle device, uint32_t param, char *text)
{
	size_t bytes = opencl_info(level, OPENCL_OWN_clGetDeviceInfo, device, param, NAME_BYTES - 1, text);

	text[bytes < NAME_BYTES ? bytes : NAME_BYTES - 1] = '\0';
}

/* Place of the device among its platform's, as clGetDeviceIDs lists them. */
static uint32_t device_ordinal(enum opencl_variant level, cl_handle platform, cl_handle device)
{
	int32_t (*list)(cl_handle, uint64_t, uint32_t, cl_handle *, uint32_t *) =
		opencl_own_call(level, OPENCL_OWN_clGetDeviceIDs);
	cl_handle found[OPENCL_DEVICES];
	uint32_t token = rec_guard_enter();
	uint32_t count = 0;

	if (!list || list(platform, CL_DEVICE_TYPE_ALL, OPENCL_DEVICES, found, &count) != CL_SUCCESS)
		count = 0;
	rec_guard_leave(token);
	if (count > OPENCL_DEVICES)
		count = OPENCL_DEVICES;
	for (uint32_t i = 0; i < count; i++)
		if (found[i] == device)
			return i;
	return 0;
}

static bool uuid_key(enum opencl_variant level, cl_handle device, char *key)
{
	unsigned char uuid[16] = { 0 };
	bool any = false;

	if (opencl_info(level, OPENCL_OWN_clGetDeviceInfo, device, CL_DEVICE_UUID_KHR, sizeof(uuid), uuid) !=
	    sizeof(uuid))
		return false;
	key += sprintf(key, "uuid ");
	for (size_t i = 0; i < sizeof(uuid); i++) {
		any |= uuid[i] != 0;
		key += sprintf(key, "%02x", uuid[i]);
	}
	return any;
}

static bool pci_key(enum opencl_variant level, cl_handle device, char *key)
{
	uint32_t pci[4]; /* domain, bus, device, function */
	uint32_t bus = 0, slot = 0;

	if (opencl_info(level, OPENCL_OWN_clGetDeviceInfo, device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof(pci), pci) ==
	    sizeof(pci)) {
		sprintf(key, "pci %04x:%02x:%02x.%x", pci[0], pci[1], pci[2], pci[3]);
		return true;
	}
	if (!opencl_info(level, OPENCL_OWN_clGetDeviceInfo, device, CL_DEVICE_PCI_BUS_ID_NV, sizeof(bus), &bus) ||
	    !opencl_info(level, OPENCL_OWN_clGetDeviceInfo, device, CL_DEVICE_PCI_SLOT_ID_NV, sizeof(slot), &slot))
		return false;
	sprintf(key, "pci 0000:%02x:%02x.0", bus, slot);
	return true;
}

/* How many-th sub-device of its parent; devices_lock is held. */
static unsigned sub_device_number(const struct opencl_device *device)
{
	unsigned number = 0;

	for (const struct opencl_device *other = devices; other != device; other++)
		number += other->parent == device->parent;
	return number;
}

/* Key and name of a device in the record; devices_lock is held. */
static uint32_t register_device(const struct opencl_device *device)
{
	enum opencl_variant level = device->level;
	cl_handle whole = device->parent ? device->parent : device->handle;
	cl_handle platform = opencl_info_word(level, OPENCL_OWN_clGetDeviceInfo, whole, CL_DEVICE_PLATFORM);
	uint32_t ordinal = device_ordinal(level, platform, whole);
	char name[NAME_BYTES + 32], key[3 * NAME_BYTES];
	char vendor[NAME_BYTES];
	size_t bytes;

	device_text(level, whole, CL_DEVICE_NAME, name);
	if (!uuid_key(level, whole, key) && !pci_key(level, whole, key)) {
		bytes = opencl_info(level, OPENCL_OWN_clGetPlatformInfo, platform, CL_PLATFORM_NAME,
				    sizeof(vendor) - 1, vendor);
		vendor[bytes] = '\0';
		sprintf(key, "%s: %.255s %u", vendor, name, ordinal);
	}
	if (device->parent) {
		unsigned number = sub_device_number(device);

		sprintf(key + strlen(key), " sub-device %u", number);
		sprintf(name + strlen(name), " sub-device %u", number);
	}
	return rec_device(&opencl_backend, key, name, ordinal);
}

static struct opencl_device *find_locked(enum opencl_variant level, cl_handle handle)
{
	struct opencl_device *device = devices;

	while (device < devices + devices_used && (device->handle != handle || device->level != level))
		device++;
	if (device == devices + OPENCL_DEVICES)
		return NULL;
	if (device == devices + devices_used) {
		device->handle = handle;
		device->level = level;
		device->parent = opencl_info_word(level, OPENCL_OWN_clGetDeviceInfo, handle, CL_DEVICE_PARENT_DEVICE);
		devices_used++;
	}
	if (device->generation != opencl_generation) {
		device->recorded = register_device(device);
		device->generation = opencl_generation;
	}
	return device;
}

struct opencl_device *opencl_device_of(enum opencl_variant level, cl_handle handle)
{
	struct opencl_device *device;

	if (!handle)
		return NULL;
	rec_lock(&devices_lock);
	device = find_locked(level, handle);
	rec_unlock(&devices_lock);
	return device;
}

struct opencl_device *opencl_device_of_context(enum opencl_variant level, cl_handle context)
{
	cl_handle list[OPENCL_DEVICES] = { 0 };

	opencl_info(level, OPENCL_OWN_clGetContextInfo, context, CL_CONTEXT_DEVICES, sizeof(list), list);
	return opencl_device_of(level, list[0]);
}

void opencl_devices_reset(void)
{
	for (uint32_t i = 0; i < devices_used; i++)
		devices[i].lock = 0;
}

/* ---- time -------------------------------------------------------------------------------------- */

static void read_timer(struct opencl_device *device, uint64_t now)
{
	int32_t (*get)(cl_handle, uint64_t *, uint64_t *);
	uint64_t device_ns = 0, host_ns = 0, before;
	uint32_t token;
	int32_t error;

	if (device->clock.timer == 2 || (device->clock.timer && now - device->clock.timer_asked < TIMER_PERIOD_NS))
		return;
	get = opencl_own_call(device->level, OPENCL_OWN_clGetDeviceAndHostTimer);
	token = rec_guard_enter();
	before = rec_raw_ns();
	error = get ? get(device->handle, &device_ns, &host_ns) : CL_INVALID_OPERATION;
	rec_guard_leave(token);
	opencl_clock_read(&device->clock, error == CL_SUCCESS ? device_ns : 0, before, rec_raw_ns());
}

void opencl_device_span(struct opencl_device *device, const struct opencl_stamps *stamps, struct rec_span *span,
			bool *valid_out)
{
	struct opencl_host_clocks hosts = { 0 };

	*valid_out = false;
	if (!rec_try_lock(&device->lock))
		return;
	read_timer(device, stamps->host_end);
	*valid_out = opencl_clock_convert(&device->clock, &hosts, stamps, span);
	rec_unlock(&device->lock);
}
