/* SPDX-License-Identifier: BSD-3-Clause */
/* NVML as far as it is used here: layouts and prototypes are its binary interface, declared by us. */
#ifndef SONDE_BACKENDS_NVML_NVML_H
#define SONDE_BACKENDS_NVML_NVML_H

#include <stdint.h>

#define NVML_LIBRARY "libnvidia-ml.so.1"

enum nvml_result {
	NVML_OK = 0, NVML_NOT_SUPPORTED = 3, NVML_NO_PERMISSION = 4, NVML_FUNCTION_NOT_FOUND = 13,
	NVML_GPU_IS_LOST = 15, NVML_RESET_REQUIRED = 16
};

enum nvml_clock { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };
enum nvml_pcie { NVML_PCIE_SENT = 0, NVML_PCIE_RECEIVED = 1 };
#define NVML_SENSOR_GPU 0

struct nvml_pci {
	char legacy[16];
	uint32_t domain, bus, device, ids, subsystem;
	char text[32];
};

struct nvml_utilisation {
	uint32_t gpu, memory; /* % of the last period, of which the driver says that it is 1/6 s to 1 s */
};

struct nvml_memory {
	uint64_t total, free, used; /* used: with what the driver keeps for itself */
};

struct nvml_memory_v2 {
	uint32_t version;
	uint64_t total, reserved, free, used;
};
#define NVML_MEMORY_V2 (sizeof(struct nvml_memory_v2) | 2u << 24)

/* Fields: what nvmlDeviceGetFieldValues() can be asked for. */
enum nvml_field_id {
	NVML_FIELD_NVLINK_SENT = 138, NVML_FIELD_NVLINK_RECEIVED = 139, /* KiB since the driver was loaded */
	NVML_FIELD_POWER = 186, /* mW now; nvmlDeviceGetPowerUsage() is the mean of a second on newer GPUs */
	NVML_FIELD_PCIE_SENT = 197, NVML_FIELD_PCIE_RECEIVED = 198 /* bytes, may wrap */
};
#define NVML_ALL_LINKS UINT32_MAX

enum nvml_value_type { NVML_TYPE_U32 = 1, NVML_TYPE_ULONG = 2, NVML_TYPE_U64 = 3 };

struct nvml_field {
	uint32_t id, scope;
	int64_t time_us, latency_us;
	uint32_t type;   /* enum nvml_value_type */
	uint32_t result; /* enum nvml_result */
	union {
		uint32_t u32;
		uint64_t u64;
	} value;
};

_Static_assert(sizeof(struct nvml_field) == 40, "as NVML has it");
_Static_assert(sizeof(struct nvml_pci) == 68, "as NVML has it");
_Static_assert(sizeof(struct nvml_memory_v2) == 40, "as NVML has it");

/* Functions by their names there; a library that lacks one gives NULL. */
struct nvml_library {
	int (*init)(void);
	const char *(*error)(int result);
	int (*count)(uint32_t *count);
	int (*handle)(uint32_t index, void **device);
	int (*name)(void *device, char *name, uint32_t size);
	int (*uuid)(void *device, char *uuid, uint32_t size);
	int (*pci)(void *device, struct nvml_pci *pci);
	int (*power)(void *device, uint32_t *milliwatts);
	int (*clock)(void *device, uint32_t type, uint32_t *mhz);
	int (*utilisation)(void *device, struct nvml_utilisation *utilisation);
	int (*memory)(void *device, struct nvml_memory *memory);
	int (*memory_v2)(void *device, struct nvml_memory_v2 *memory);
	int (*temperature)(void *device, uint32_t sensor, uint32_t *degrees);
	int (*pcie)(void *device, uint32_t direction, uint32_t *kilobytes);
	int (*fields)(void *device, int count, struct nvml_field *field);
};

/* NULL, or why it cannot be used. */
const char *nvml_load(struct nvml_library *library);

#endif
