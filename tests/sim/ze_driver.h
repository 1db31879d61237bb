/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver for Level Zero over the simulated devices, which the real loader takes by ZE_ENABLE_ALT_DRIVERS. Each device
 * has two sub-devices and two groups of queues: one computes and copies, one copies only. Modules hold all kernels of
 * sim.h, whatever they are made from, except that input that begins with "bad" does not compile.
 *
 * Beside the environment of sim.h: SIM_ZE_CALLS=FILE gets a line `NAME COUNT` per function that was called, at exit;
 * SIM_ZE_COPY_NS=N makes each copy take at least so long.
 */
#ifndef SIM_ZE_DRIVER_H
#define SIM_ZE_DRIVER_H

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include "sim.h"

#define SIM_ZE_SUBDEVICES 2
#define SIM_ZE_GROUPS 2
#define SIM_ZE_IN_ORDER_LIST 8u      /* ZE_COMMAND_LIST_FLAG_IN_ORDER of newer headers */
#define SIM_ZE_IN_ORDER_IMMEDIATE 2u /* ZE_COMMAND_QUEUE_FLAG_IN_ORDER, likewise */

/* Counts the call; true: it is to fail. */
bool ze_sim_call(const char *function);
/* First in each function sim_ze...: what is asked to fail does so. */
#define SIM_CALL()                                                  \
	do {                                                        \
		if (ze_sim_call(__func__ + sizeof("sim_") - 1))     \
			return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY; \
	} while (0)

struct ze_sim_device {
	unsigned index;
	struct ze_sim_device *parent; /* of a sub-device */
	unsigned number;              /* of a sub-device */
};
struct ze_sim_device *ze_sim_device(ze_device_handle_t handle);

struct ze_sim_kernel {
	const struct sim_kernel *kernel;
	unsigned char value[SIM_ARGUMENTS][64];
	size_t value_bytes[SIM_ARGUMENTS];
	uint32_t group[3];
};

struct ze_sim_pool {
	uint32_t count;
	ze_event_pool_flags_t flags;
};
struct ze_sim_event {
	struct sim_event *event;
	ze_event_pool_flags_t flags; /* of its pool */
	bool counts;                 /* is unsignalled again by what will signal it next */
};

/* Elements of 4 bytes, one after another. */
struct ze_sim_image {
	char *data;
	size_t width, bytes;
};

struct ze_sim_queue {
	struct sim_queue *queue;
	bool synchronous;
};

/* As zeEventCounterBasedCreate() of newer loaders: found by zeDriverGetExtensionFunctionAddress(). */
typedef struct {
	uint32_t stype;
	const void *next;
	uint32_t flags, signal, wait;
} ze_sim_counter_desc;
ze_result_t zexCounterBasedEventCreate2(ze_context_handle_t context, ze_device_handle_t device,
					const ze_sim_counter_desc *desc, ze_event_handle_t *out);

/* Fills in the tables of these functions; ze_driver_list.c. */
void ze_sim_list_table(ze_command_list_dditable_t *table);
void ze_sim_queue_table(ze_command_queue_dditable_t *table);
void ze_sim_fence_table(ze_fence_dditable_t *table);
/* ze_driver_object.c */
void ze_sim_event_table(ze_event_dditable_t *table);
void ze_sim_pool_table(ze_event_pool_dditable_t *table);
void ze_sim_mem_table(ze_mem_dditable_t *table);
void ze_sim_image_table(ze_image_dditable_t *table);
void ze_sim_module_table(ze_module_dditable_t *table);
void ze_sim_log_table(ze_module_build_log_dditable_t *table);
void ze_sim_kernel_table(ze_kernel_dditable_t *table);

#endif
