/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices: which physical device a handle means (by its UUID, so that two processes on one device are seen as such),
 * its place in the record, its clock.
 */
#include <stdio.h>
#include <string.h>

#include "ze.h"

#define DEVICES 128u
#define DRIVERS 16u
#define READINGS 4 /* of the clock at a time: the narrowest counts */

static struct zed_device devices[DEVICES];
static uint32_t devices_used, devices_lock;

typedef uint32_t list_call(zed_handle of, uint32_t *count, zed_handle *out);

/* Place of the device, or of the one whose sub-device it is, among those of its driver. */
static uint32_t ordinal_of(zed_handle device)
{
	uint32_t (*get_drivers)(uint32_t *, zed_handle *) =
		(uint32_t (*)(uint32_t *, zed_handle *))ZED_REAL(zeDriverGet);
	list_call *get = (list_call *)ZED_REAL(zeDeviceGet), *get_parts = (list_call *)ZED_REAL(zeDeviceGetSubDevices);
	zed_handle driver[DRIVERS], whole[DEVICES], part[DEVICES];
	uint32_t drivers = DRIVERS;

	if (!get_drivers || !get || get_drivers(&drivers, driver) != ZED_SUCCESS)
		return 0;
	for (uint32_t d = 0; d < drivers && d < DRIVERS; d++) {
		uint32_t count = DEVICES;

		if (get(driver[d], &count, whole) != ZED_SUCCESS)
			continue;
		for (uint32_t i = 0; i < count && i < DEVICES; i++) {
			uint32_t parts = DEVICES;

			if (whole[i] == device)
				return i;
			if (!get_parts || get_parts(whole[i], &parts, part) != ZED_SUCCESS)
				continue;
			for (uint32_t n = 0; n < parts && n < DEVICES; n++)
				if (part[n] == device)
					return i;
		}
	}
	return 0;
}

/* devices_lock is held. False: it is none. */
static bool learn(struct zed_device *device)
{
	struct zed_device_properties properties = { .stype = ZED_STYPE_DEVICE_PROPERTIES_1_2 };
	uint32_t (*get)(zed_handle, struct zed_device_properties *) =
		(uint32_t (*)(zed_handle, struct zed_device_properties *))ZED_REAL(zeDeviceGetProperties);
	char key[64] = "uuid ", *end = key + strlen(key), name[sizeof(properties.name) + 32];
	uint32_t ordinal;

	if (!get || get(device->handle, &properties) != ZED_SUCCESS)
		return false;
	properties.name[sizeof(properties.name) - 1] = '\0';
	for (size_t i = 0; i < sizeof(properties.uuid); i++)
		end += sprintf(end, "%02x", properties.uuid[i]);
	ordinal = ordinal_of(device->handle);
	strcpy(name, properties.name);
	if (properties.flags & ZED_DEVICE_SUBDEVICE) {
		sprintf(end, " sub-device %u", properties.subdevice);
		sprintf(name + strlen(name), " sub-device %u", properties.subdevice);
	}
	device->clock.hz = (double)properties.timer_resolution;
	device->clock.bits = properties.kernel_timestamp_bits;
	device->clock.device_bits = properties.timestamp_bits;
	device->recorded = rec_device(&ze_backend, key, name, ordinal);
	return true;
}

struct zed_device *zed_device_of(zed_handle handle)
{
	struct zed_device *found = NULL;
	uint32_t token;

	if (!handle)
		return NULL;
	token = rec_guard_enter();
	rec_lock(&devices_lock);
	for (uint32_t i = 0; i < devices_used && !found; i++)
		if (devices[i].handle == handle)
			found = &devices[i];
	if (!found && devices_used < DEVICES) {
		devices[devices_used] = (struct zed_device){ .handle = handle };
		if (learn(&devices[devices_used]))
			found = &devices[devices_used++];
	}
	rec_unlock(&devices_lock);
	rec_guard_leave(token);
	return found;
}

void zed_devices_reset(void)
{
	devices_used = devices_lock = 0;
}

/* ---- time -------------------------------------------------------------------------------------- */

static void read_clock(struct zed_device *device)
{
	uint32_t (*get)(zed_handle, uint64_t *, uint64_t *) =
		(uint32_t (*)(zed_handle, uint64_t *, uint64_t *))ZED_REAL(zeDeviceGetGlobalTimestamps);
	uint64_t narrowest = UINT64_MAX, best_before = 0, best_after = 0, best_ticks = 0;
	uint32_t token = rec_guard_enter();

	for (int i = 0; get && i < READINGS; i++) {
		uint64_t host = 0, ticks = 0, before = rec_raw_ns(), after;

		if (get(device->handle, &host, &ticks) != ZED_SUCCESS)
			break;
		after = rec_raw_ns();
		if (after - before >= narrowest)
			continue;
		narrowest = after - before;
		best_before = before;
		best_after = after;
		best_ticks = ticks;
	}
	rec_guard_leave(token);
	if (best_after)
		zed_clock_read(&device->clock, best_ticks, best_before, best_after);
}

enum zed_stamp zed_device_span(struct zed_device *device, const struct zed_stamps *stamps,
			       const struct zed_window *window, struct rec_span *span_out)
{
	enum zed_stamp result;

	if (!rec_try_lock(&device->lock))
		return ZED_STAMP_WRONG;
	if (zed_clock_is_due(&device->clock, window->end))
		read_clock(device);
	result = zed_clock_convert(&device->clock, stamps->global.begin, stamps->global.end, window, span_out);
	rec_unlock(&device->lock);
	return result;
}
