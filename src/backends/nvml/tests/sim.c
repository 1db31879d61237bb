/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulated NVML, libnvidia-ml.so.1 of the tests. It answers with known figures, and as SIM_NVML says, words
 * separated by spaces:
 *   gpus=N            so many (1)
 *   delay=MS          each power reading takes so long
 *   init=MS           nvmlInit takes so long
 *   deny              memory used may not be known
 *   nolink            no NVLink, no fields at all: PCIe throughput by the call that measures
 *   lost=N            GPU 0 is lost from its Nth power reading on
 *   crash=N           the process dies by SIGSEGV there
 *   hang=N            that reading never comes back
 *   noinit            nvmlInit fails
 * Power is 100 W until the 10th reading, then 300 W. What each reading said goes to the file SIM_NVML_LOG.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../nvml.h"

#define SIM __attribute__((visibility("default")))
#define GPUS 4

static struct gpu {
	unsigned reads;
} gpus[GPUS];

/* Value of a word; -1: not there. */
static long said(const char *name)
{
	const char *at = getenv("SIM_NVML");
	size_t length = strlen(name);

	for (; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (!strncmp(at, name, length) && (at[length] == '=' || at[length] == ' ' || !at[length]))
			return at[length] == '=' ? strtol(at + length + 1, NULL, 10) : 1;
	return -1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

SIM int nvmlInit_v2(void)
{
	if (said("init") > 0)
		usleep((useconds_t)said("init") * 1000);
	return said("noinit") > 0 ? 9 : NVML_OK;
}

SIM const char *nvmlErrorString(int result)
{
	switch (result) {
	case 9: return "Driver Not Loaded";
	case NVML_GPU_IS_LOST: return "GPU is lost";
	default: return "some error";
	}
}

SIM int nvmlDeviceGetCount_v2(uint32_t *count)
{
	*count = said("gpus") >= 0 ? (uint32_t)said("gpus") : 1;
	return NVML_OK;
}

SIM int nvmlDeviceGetHandleByIndex_v2(uint32_t index, void **device)
{
	*device = &gpus[index];
	return index < GPUS ? NVML_OK : 2;
}

SIM int nvmlDeviceGetName(void *device, char *name, uint32_t size)
{
	(void)device;
	snprintf(name, size, "Simulated GPU");
	return NVML_OK;
}

/* The bytes of the simulated CUDA's device of that number. */
SIM int nvmlDeviceGetUUID(void *device, char *uuid, uint32_t size)
{
	unsigned number = (unsigned)((struct gpu *)device - gpus);

	snprintf(uuid, size, "GPU-51515151-5151-5151-5151-5151515151%02x", number);
	return NVML_OK;
}

SIM int nvmlDeviceGetPciInfo_v3(void *device, struct nvml_pci *pci)
{
	memset(pci, 0, sizeof(*pci));
	pci->bus = (uint32_t)((struct gpu *)device - gpus) + 1;
	return NVML_OK;
}

static int power(struct gpu *gpu, uint64_t *milliwatts)
{
	const char *path = getenv("SIM_NVML_LOG");
	unsigned read = ++gpu->reads;
	FILE *log = path ? fopen(path, "a") : NULL;

	if (said("lost") > 0 && gpu == gpus && read >= (unsigned)said("lost"))
		return NVML_GPU_IS_LOST;
	if (read == (unsigned)said("crash"))
		raise(SIGSEGV);
	while (read == (unsigned)said("hang"))
		pause();
	*milliwatts = read < 10 ? 100000 : 300000;
	if (log) {
		fprintf(log, "%d %d %llu %llu\n", (int)getpid(), (int)(gpu - gpus), (unsigned long long)now_ns(),
			(unsigned long long)*milliwatts / 1000);
		fclose(log);
	}
	if (said("delay") > 0)
		usleep((useconds_t)said("delay") * 1000);
	return NVML_OK;
}

SIM int nvmlDeviceGetPowerUsage(void *device, uint32_t *milliwatts)
{
	uint64_t value = 0;
	int result = power(device, &value);

	*milliwatts = (uint32_t)value;
	return result;
}

SIM int nvmlDeviceGetClockInfo(void *device, uint32_t type, uint32_t *mhz)
{
	(void)device;
	*mhz = type == NVML_CLOCK_SM ? 1500 : 2600;
	return NVML_OK;
}

SIM int nvmlDeviceGetUtilizationRates(void *device, struct nvml_utilisation *utilisation)
{
	(void)device;
	*utilisation = (struct nvml_utilisation){73, 21};
	return NVML_OK;
}

SIM int nvmlDeviceGetMemoryInfo_v2(void *device, struct nvml_memory_v2 *memory)
{
	(void)device;
	if (memory->version != NVML_MEMORY_V2)
		return 25;
	memory->used = 5000000000u;
	return said("deny") > 0 ? NVML_NO_PERMISSION : NVML_OK;
}

SIM int nvmlDeviceGetMemoryInfo(void *device, struct nvml_memory *memory)
{
	(void)device;
	memory->used = 6000000000u;
	return said("deny") > 0 ? NVML_NO_PERMISSION : NVML_OK;
}

SIM int nvmlDeviceGetTemperature(void *device, uint32_t sensor, uint32_t *degrees)
{
	(void)device;
	*degrees = sensor == NVML_SENSOR_GPU ? 41 : 0;
	return NVML_OK;
}

SIM int nvmlDeviceGetPcieThroughput(void *device, uint32_t direction, uint32_t *kilobytes)
{
	(void)device;
	usleep(20000);
	*kilobytes = direction == NVML_PCIE_SENT ? 1111 : 2222;
	return NVML_OK;
}

/* Bytes are counted at fixed rates: 100 and 200 MB/s of PCIe in 32 bits that go round, 1024 and 2048 MB/s of NVLink. */
SIM int nvmlDeviceGetFieldValues(void *device, int count, struct nvml_field *field)
{
	uint64_t us = now_ns() / 1000;

	for (int i = 0; i < count; i++) {
		field[i].result = NVML_OK;
		field[i].type = NVML_TYPE_U64;
		if (said("nolink") > 0)
			field[i].result = NVML_NOT_SUPPORTED;
		else if (field[i].id == NVML_FIELD_POWER)
			field[i].result = (uint32_t)power(device, &field[i].value.u64);
		else if (field[i].id == NVML_FIELD_PCIE_SENT || field[i].id == NVML_FIELD_PCIE_RECEIVED) {
			field[i].type = NVML_TYPE_U32;
			/* 4 MiB before it goes round when the first of them is asked */
			static uint64_t first;
			first = first ? first : us;
			field[i].value.u32 = (uint32_t)(UINT32_MAX - (4u << 20) +
				(us - first) * (field[i].id == NVML_FIELD_PCIE_SENT ? 100 : 200));
		} else if (field[i].scope == NVML_ALL_LINKS && field[i].id == NVML_FIELD_NVLINK_SENT)
			field[i].value.u64 = us;
		else if (field[i].scope == NVML_ALL_LINKS && field[i].id == NVML_FIELD_NVLINK_RECEIVED)
			field[i].value.u64 = us * 2;
		else
			field[i].result = 2;
	}
	return NVML_OK;
}
