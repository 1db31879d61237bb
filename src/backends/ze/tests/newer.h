/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that Debian's loader is too old for, declared by what the standard says of them. */
#ifndef ZE_TESTS_NEWER_H
#define ZE_TESTS_NEWER_H

#include <level_zero/ze_api.h>

#define COUNTER_HOST_VISIBLE 4u
#define COUNTER_DEVICE_TIMESTAMP 16u

typedef struct {
	uint32_t x, y, z;
} group_size;
typedef struct {
	uint32_t stype;
	const void *next;
	uint32_t flags, signal, wait;
} counter_desc;

ze_result_t zeInitDrivers(uint32_t *count, ze_driver_handle_t *drivers, void *desc);
ze_result_t zeCommandListHostSynchronize(ze_command_list_handle_t list, uint64_t timeout);
ze_result_t zeDeviceSynchronize(ze_device_handle_t device);
ze_result_t zeCommandListAppendLaunchKernelWithArguments(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
							 const ze_group_count_t groups, const group_size size,
							 void **arguments, const void *next, ze_event_handle_t signals,
							 uint32_t wait_count, ze_event_handle_t *waits);
ze_result_t zeCommandListImmediateAppendCommandListsExp(ze_command_list_handle_t list, uint32_t count,
							ze_command_list_handle_t *lists, ze_event_handle_t signals,
							uint32_t wait_count, ze_event_handle_t *waits);
ze_result_t zeCommandListBeginGraphCaptureExt(ze_command_list_handle_t list, const void *next);
ze_result_t zeCommandListEndGraphCaptureExt(ze_command_list_handle_t list, const void *next, void **graph);
ze_result_t zeCommandListCreateCloneExp(ze_command_list_handle_t list, ze_command_list_handle_t *clone);
ze_result_t zeEventPoolGetFlags(ze_event_pool_handle_t pool, ze_event_pool_flags_t *flags);
ze_result_t zeEventCounterBasedCreate(ze_context_handle_t context, ze_device_handle_t device, const counter_desc *desc,
				      ze_event_handle_t *event);
ze_result_t zeEventGetCounterBasedFlags(ze_event_handle_t event, uint32_t *flags);

#endif
