/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds NVML and its functions. It comes with the driver: nothing of it is there at build time. */
#include "nvml.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define FUNCTION(member, name) {offsetof(struct nvml_library, member), name}

static const struct {
	size_t offset;
	const char *name;
} functions[] = {
	FUNCTION(init, "nvmlInit_v2"),
	FUNCTION(error, "nvmlErrorString"),
	FUNCTION(count, "nvmlDeviceGetCount_v2"),
	FUNCTION(handle, "nvmlDeviceGetHandleByIndex_v2"),
	FUNCTION(name, "nvmlDeviceGetName"),
	FUNCTION(uuid, "nvmlDeviceGetUUID"),
	FUNCTION(pci, "nvmlDeviceGetPciInfo_v3"),
	FUNCTION(power, "nvmlDeviceGetPowerUsage"),
	FUNCTION(clock, "nvmlDeviceGetClockInfo"),
	FUNCTION(utilisation, "nvmlDeviceGetUtilizationRates"),
	FUNCTION(memory, "nvmlDeviceGetMemoryInfo"),
	FUNCTION(memory_v2, "nvmlDeviceGetMemoryInfo_v2"),
	FUNCTION(temperature, "nvmlDeviceGetTemperature"),
	FUNCTION(pcie, "nvmlDeviceGetPcieThroughput"),
	FUNCTION(fields, "nvmlDeviceGetFieldValues"),
};

const char *nvml_load(struct nvml_library *library)
{
	void *handle = dlopen(NVML_LIBRARY, RTLD_NOW | RTLD_LOCAL), *function;

	if (!handle)
		return dlerror();
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		function = dlsym(handle, functions[i].name);
		memcpy((char *)library + functions[i].offset, &function, sizeof(function));
	}
	if (!library->init || !library->error || !library->count || !library->handle)
		return NVML_LIBRARY ": too old, or no NVML";
	return NULL;
}
