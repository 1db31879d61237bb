/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sampler of NVIDIA's GPUs, main() of sonde-sample-nvml: which devices there are, and what each is asked for.
 * Throughputs come from counters of bytes where the driver has them, and are then the mean since the sample before;
 * see also nvml_pcie_asked().
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvml.h"
#include "sample/sample.h"

#define GO_ROUND_NS 60000000 /* what a 32-bit counter of bytes lasts at 64 GB/s, the speed of 16 lanes of PCIe 5 */

enum counter {
	POWER, CLOCK_SM, CLOCK_MEMORY, BUSY, BUSY_MEMORY, MEMORY, TEMPERATURE, PCIE_RECEIVED, PCIE_SENT,
	NVLINK_RECEIVED, NVLINK_SENT, COUNTERS
};

static const struct fmt_counter counters[COUNTERS] = {
	[POWER] = {.name = "power", .unit = "W", .divisor = 1000},
	[CLOCK_SM] = {.name = "SM clock", .unit = "MHz", .divisor = 1},
	[CLOCK_MEMORY] = {.name = "memory clock", .unit = "MHz", .divisor = 1},
	[BUSY] = {.name = "GPU utilisation", .unit = "%", .divisor = 1},
	[BUSY_MEMORY] = {.name = "memory utilisation", .unit = "%", .divisor = 1},
	[MEMORY] = {.name = "memory used", .unit = "bytes", .divisor = 1},
	[TEMPERATURE] = {.name = "temperature", .unit = "degrees C", .divisor = 1},
	[PCIE_RECEIVED] = {.name = "PCIe received", .unit = "bytes/s", .divisor = 1},
	[PCIE_SENT] = {.name = "PCIe sent", .unit = "bytes/s", .divisor = 1},
	[NVLINK_RECEIVED] = {.name = "NVLink received", .unit = "bytes/s", .divisor = 1},
	[NVLINK_SENT] = {.name = "NVLink sent", .unit = "bytes/s", .divisor = 1},
};

/* A counter of bytes, for throughput. */
struct total {
	uint32_t field;
	enum counter counter;
	uint64_t unit; /* bytes */
};

static const struct total totals[] = {
	{NVML_FIELD_PCIE_RECEIVED, PCIE_RECEIVED, 1}, {NVML_FIELD_PCIE_SENT, PCIE_SENT, 1},
	{NVML_FIELD_NVLINK_RECEIVED, NVLINK_RECEIVED, 1024}, {NVML_FIELD_NVLINK_SENT, NVLINK_SENT, 1024},
};
#define TOTALS (sizeof(totals) / sizeof(totals[0]))

struct gpu {
	void *handle;
	bool power_field;            /* it has NVML_FIELD_POWER */
	bool no_total[TOTALS];       /* it lacks that field */
	bool counting[TOTALS];       /* last is valid */
	uint64_t last[TOTALS], last_ns[TOTALS];
};

static struct nvml_library nvml;
static struct gpu gpu[FMT_SAMPLES_DEVICES];
static uint32_t gpus, pcie_turn;
static int lost; /* the result that says so of the device being asked */

/* ---- which devices ---- */

/* "GPU-0a1b2c3d-..." -> "0a1b2c3d...", as CUDA's and OpenCL's 16 bytes are written. */
static void uuid_digits(const char *uuid, char digits[64])
{
	size_t used = 0;

	if (!strncmp(uuid, "GPU-", 4))
		uuid += 4;
	for (; *uuid && used < 32; uuid++)
		if (isxdigit((unsigned char)*uuid))
			digits[used++] = (char)tolower((unsigned char)*uuid);
	digits[used] = '\0';
}

static void describe(void *handle, uint32_t index, struct fmt_sample_device *device)
{
	char uuid[96] = "";
	struct nvml_pci pci = {.domain = 0};

	device->ordinal = index;
	if (!nvml.name || nvml.name(handle, device->name, sizeof(device->name) - 1) != NVML_OK)
		snprintf(device->name, sizeof(device->name), "NVIDIA GPU");
	if (nvml.uuid && nvml.uuid(handle, uuid, sizeof(uuid) - 1) == NVML_OK) {
		uuid_digits(uuid, device->key[0]);
		snprintf(device->key[1], sizeof(device->key[1]), "uuid %.32s", device->key[0]);
	}
	if (nvml.pci && nvml.pci(handle, &pci) == NVML_OK)
		snprintf(device->key[2], sizeof(device->key[2]), "pci %04x:%02x:%02x.0", pci.domain, pci.bus,
			 pci.device);
}

/* Is it named in a list of the form of CUDA_VISIBLE_DEVICES by its UUID, or the beginning of it? */
static bool is_listed(const char *list, const char *digits)
{
	char wanted[64];
	size_t length;

	for (; *list; list += length + (list[length] == ',')) {
		char word[96];

		length = strcspn(list, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, list);
		uuid_digits(word, wanted);
		if (*wanted && !strncmp(wanted, digits, strlen(wanted)))
			return true;
	}
	return false;
}

/*
 * CUDA_VISIBLE_DEVICES where it names devices by what they are. Numbers in it are CUDA's own, by default the fastest
 * first, which is an order that is not known here: all devices are sampled then, and those that the program used shown.
 */
static const char *visible(bool alone)
{
	const char *list = alone ? getenv("CUDA_VISIBLE_DEVICES") : NULL, *at = list;

	while (at && *at) {
		if (strncmp(at, "GPU-", 4) != 0)
			return NULL;
		at += strcspn(at, ",");
		at += *at == ',';
	}
	return list && *list ? list : NULL;
}

static uint32_t fail(char trouble[FMT_SAMPLES_TEXT], const char *what, const char *why)
{
	snprintf(trouble, FMT_SAMPLES_TEXT, "%s%s%s", what, *what ? ": " : "", why);
	return 0;
}

static uint32_t open_all(struct fmt_sample_device *device, char trouble[FMT_SAMPLES_TEXT], bool alone)
{
	const char *why = nvml_load(&nvml), *list = visible(alone);
	uint32_t count = 0, i;
	int result;

	if (why)
		return fail(trouble, "", why);
	result = nvml.init();
	if (result != NVML_OK)
		return fail(trouble, "NVML cannot be started", nvml.error(result));
	result = nvml.count(&count);
	if (result != NVML_OK)
		return fail(trouble, "NVML does not say which GPUs there are", nvml.error(result));
	for (i = 0; i < count && gpus < FMT_SAMPLES_DEVICES; i++) {
		struct gpu *now = &gpu[gpus];

		result = nvml.handle(i, &now->handle); /* containers and batch systems hide GPUs in this way */
		if (result != NVML_OK)
			continue;
		memset(&device[gpus], 0, sizeof(*device));
		describe(now->handle, i, &device[gpus]);
		now->power_field = nvml.fields != NULL;
		gpus += !list || is_listed(list, device[gpus].key[0]);
	}
	if (!gpus)
		memset(device, 0, sizeof(*device));
	return gpus ? gpus : fail(trouble, "", count ? "none of the GPUs may be asked" : "there is no GPU");
}

/* ---- one device ---- */

/* What a call's result means for its counter; true: there is a value. */
static bool is_known(struct fmt_sample_device *device, enum counter counter, int result)
{
	if (result == NVML_NOT_SUPPORTED || result == NVML_FUNCTION_NOT_FOUND)
		device->state[counter] = FMT_COUNTER_ABSENT;
	else if (result == NVML_NO_PERMISSION)
		device->state[counter] = FMT_COUNTER_DENIED;
	else if (result == NVML_GPU_IS_LOST || result == NVML_RESET_REQUIRED)
		lost = result;
	return result == NVML_OK; /* other errors pass: this sample is missing */
}

static bool is_asked(const struct fmt_sample_device *device, enum counter counter)
{
	return !lost && device->state[counter] == FMT_COUNTER_READ;
}

static bool field_read(void *handle, struct nvml_field *field)
{
	int result = nvml.fields(handle, 1, field);

	if (result == NVML_OK)
		result = (int)field->result;
	if (result == NVML_GPU_IS_LOST || result == NVML_RESET_REQUIRED)
		lost = result;
	return result == NVML_OK;
}

static uint64_t field_value(const struct nvml_field *field)
{
	return field->type == NVML_TYPE_U32 ? field->value.u32 : field->value.u64;
}

static void read_power(struct gpu *now, struct fmt_sample_device *device, int64_t *value)
{
	struct nvml_field field = {.id = NVML_FIELD_POWER};
	uint32_t milliwatts;

	if (now->power_field) {
		now->power_field = field_read(now->handle, &field);
		if (now->power_field) {
			value[POWER] = (int64_t)field_value(&field);
			return;
		}
	}
	if (is_asked(device, POWER) && is_known(device, POWER, nvml.power ? nvml.power(now->handle, &milliwatts) :
						NVML_NOT_SUPPORTED))
		value[POWER] = milliwatts;
}

static void read_clock(struct gpu *now, struct fmt_sample_device *device, enum counter counter, uint32_t type,
		       int64_t *value)
{
	uint32_t mhz;

	if (is_asked(device, counter) && is_known(device, counter, nvml.clock ? nvml.clock(now->handle, type, &mhz) :
						  NVML_NOT_SUPPORTED))
		value[counter] = mhz;
}

static void read_utilisation(struct gpu *now, struct fmt_sample_device *device, int64_t *value)
{
	struct nvml_utilisation utilisation;
	int result;

	if (!is_asked(device, BUSY))
		return;
	result = nvml.utilisation ? nvml.utilisation(now->handle, &utilisation) : NVML_NOT_SUPPORTED;
	is_known(device, BUSY_MEMORY, result);
	if (!is_known(device, BUSY, result))
		return;
	value[BUSY] = utilisation.gpu;
	value[BUSY_MEMORY] = utilisation.memory;
}

/* Without what the driver keeps for itself, where it says how much that is. */
static void read_memory(struct gpu *now, struct fmt_sample_device *device, int64_t *value)
{
	struct nvml_memory_v2 newer = {.version = NVML_MEMORY_V2};
	struct nvml_memory older;

	if (!is_asked(device, MEMORY))
		return;
	if (nvml.memory_v2 && nvml.memory_v2(now->handle, &newer) == NVML_OK)
		value[MEMORY] = (int64_t)newer.used;
	else if (is_known(device, MEMORY, nvml.memory ? nvml.memory(now->handle, &older) : NVML_NOT_SUPPORTED))
		value[MEMORY] = (int64_t)older.used;
}

static void read_temperature(struct gpu *now, struct fmt_sample_device *device, int64_t *value)
{
	uint32_t degrees;

	if (is_asked(device, TEMPERATURE) &&
	    is_known(device, TEMPERATURE, nvml.temperature ? nvml.temperature(now->handle, NVML_SENSOR_GPU, &degrees) :
		     NVML_NOT_SUPPORTED))
		value[TEMPERATURE] = degrees;
}

/*
 * Where the counters of bytes are missing: this call measures for 20 ms and blocks so long. In each round one device is
 * asked, lest a node of many is never through.
 */
static void nvml_pcie_asked(uint32_t index, struct fmt_sample_device *device, enum counter counter, uint32_t direction,
			    int64_t *value)
{
	uint32_t kilobytes;

	if (!is_asked(device, counter) || pcie_turn % gpus != index)
		return;
	if (is_known(device, counter, nvml.pcie ? nvml.pcie(gpu[index].handle, direction, &kilobytes) :
		     NVML_NOT_SUPPORTED))
		value[counter] = (int64_t)kilobytes * 1000;
}

/* Bytes per second since the sample before. False: there is no counter of bytes that tells. */
static bool read_total(struct gpu *now, uint32_t which, int64_t *value)
{
	struct nvml_field field = {.id = totals[which].field};
	uint64_t time, bytes, passed;

	if (now->no_total[which] || !nvml.fields)
		return false;
	if (totals[which].unit > 1)
		field.scope = NVML_ALL_LINKS;
	time = sample_now();
	passed = time - now->last_ns[which];
	if (!field_read(now->handle, &field)) {
		now->no_total[which] = !now->counting[which]; /* one that has been there is asked again */
		now->counting[which] = false;
		return !now->no_total[which];
	}
	bytes = field_value(&field) - now->last[which];
	if (field.type == NVML_TYPE_U32) {
		bytes = (uint32_t)bytes; /* it went round, and if only once is not known when samples are far apart */
		now->no_total[which] = now->counting[which] && passed > GO_ROUND_NS;
		if (now->no_total[which])
			return false;
	}
	if (now->counting[which] && passed && bytes < UINT64_MAX / 2)
		value[totals[which].counter] = (int64_t)((double)(bytes * totals[which].unit) * 1e9 / (double)passed);
	now->last[which] = field_value(&field);
	now->last_ns[which] = time;
	now->counting[which] = true;
	return true;
}

static void read_throughput(uint32_t index, struct fmt_sample_device *device, int64_t *value)
{
	for (uint32_t i = 0; i < TOTALS; i++) {
		enum counter counter = totals[i].counter;

		if (!is_asked(device, counter) || read_total(&gpu[index], i, value))
			continue;
		if (counter == PCIE_RECEIVED || counter == PCIE_SENT)
			nvml_pcie_asked(index, device, counter,
					counter == PCIE_SENT ? NVML_PCIE_SENT : NVML_PCIE_RECEIVED, value);
		else
			device->state[counter] = FMT_COUNTER_ABSENT;
	}
}

static bool read_one(uint32_t index, struct fmt_sample_device *device, int64_t *value)
{
	static uint32_t before;
	struct gpu *now = &gpu[index];

	lost = NVML_OK;
	pcie_turn += index <= before; /* a new round */
	before = index;
	read_power(now, device, value);
	read_clock(now, device, CLOCK_SM, NVML_CLOCK_SM, value);
	read_clock(now, device, CLOCK_MEMORY, NVML_CLOCK_MEMORY, value);
	read_utilisation(now, device, value);
	read_memory(now, device, value);
	read_temperature(now, device, value);
	read_throughput(index, device, value);
	if (lost)
		snprintf(device->why, sizeof(device->why), "%s", nvml.error(lost));
	return !lost;
}

int main(int argc, char **argv)
{
	static const struct sample_source source = {
		.what = "nvml", .counter = counters, .counters = COUNTERS, .open = open_all, .read = read_one,
	};

	return sample_main(&source, argc, argv);
}
