/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for the rest of a newer loader, libze_loader.so.2: what Debian's lacks, made of what it has. Above the
 * simulated driver alone, whose handles it looks into.
 */
#include <stdlib.h>
#include <time.h>

#include "newer.h"
#include "../../../../tests/sim/ze_driver.h"

static ze_context_handle_t context;

static ze_event_handle_t an_event(uint32_t flags)
{
	ze_event_pool_desc_t pool_desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags, .count = 1 };
	ze_event_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC };
	ze_event_pool_handle_t pool;
	ze_event_handle_t event;

	if (zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool) || zeEventCreate(pool, &desc, &event))
		abort();
	return event;
}

ze_result_t zeInitDrivers(uint32_t *count, ze_driver_handle_t *drivers, void *desc)
{
	ze_context_desc_t context_desc = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	ze_result_t result;

	(void)desc;
	if (zeInit(0))
		return ZE_RESULT_ERROR_UNINITIALIZED;
	result = zeDriverGet(count, drivers);
	if (!result && *count && drivers && !context)
		result = zeContextCreate(drivers[0], &context_desc, &context);
	return result;
}

ze_result_t zeCommandListHostSynchronize(ze_command_list_handle_t list, uint64_t timeout)
{
	ze_event_handle_t event = an_event(ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
	ze_result_t result = zeCommandListAppendBarrier(list, event, 0, NULL);

	return result ? result : zeEventHostSynchronize(event, timeout);
}

/* The device's other lists are asked by the test. */
ze_result_t zeDeviceSynchronize(ze_device_handle_t device)
{
	struct timespec moment = { .tv_nsec = 20000000 };

	(void)device;
	nanosleep(&moment, NULL);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListAppendLaunchKernelWithArguments(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
							 const ze_group_count_t groups, const group_size size,
							 void **arguments, const void *next, ze_event_handle_t signals,
							 uint32_t wait_count, ze_event_handle_t *waits)
{
	(void)next;
	zeKernelSetGroupSize(kernel, size.x, size.y, size.z);
	zeKernelSetArgumentValue(kernel, 0, sizeof(void *), arguments[0]);
	return zeCommandListAppendLaunchKernel(list, kernel, &groups, signals, wait_count, waits);
}

ze_result_t zeCommandListImmediateAppendCommandListsExp(ze_command_list_handle_t list, uint32_t count,
							ze_command_list_handle_t *lists, ze_event_handle_t signals,
							uint32_t wait_count, ze_event_handle_t *waits)
{
	ze_command_queue_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC };
	ze_command_queue_handle_t queue;
	ze_device_handle_t device;
	ze_driver_handle_t driver;
	uint32_t one = 1;

	(void)wait_count;
	(void)waits;
	zeDriverGet(&one, &driver);
	zeDeviceGet(driver, &one, &device);
	if (zeCommandQueueCreate(context, device, &desc, &queue) ||
	    zeCommandQueueExecuteCommandLists(queue, count, lists, NULL) ||
	    zeCommandQueueSynchronize(queue, UINT64_MAX))
		return ZE_RESULT_ERROR_UNKNOWN;
	return signals ? zeCommandListAppendSignalEvent(list, signals) : ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListBeginGraphCaptureExt(ze_command_list_handle_t list, const void *next)
{
	(void)list;
	(void)next;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListEndGraphCaptureExt(ze_command_list_handle_t list, const void *next, void **graph)
{
	(void)list;
	(void)next;
	*graph = graph;
	return ZE_RESULT_SUCCESS;
}

/* Without the commands. */
ze_result_t zeCommandListCreateCloneExp(ze_command_list_handle_t list, ze_command_list_handle_t *clone)
{
	ze_command_list_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC };
	ze_driver_handle_t driver;
	ze_device_handle_t device;
	uint32_t one = 1;

	(void)list;
	zeDriverGet(&one, &driver);
	zeDeviceGet(driver, &one, &device);
	return zeCommandListCreate(context, device, &desc, clone);
}

ze_result_t zeEventPoolGetFlags(ze_event_pool_handle_t pool, ze_event_pool_flags_t *flags)
{
	*flags = ((const struct ze_sim_pool *)pool)->flags;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventCounterBasedCreate(ze_context_handle_t of, ze_device_handle_t device, const counter_desc *desc,
				      ze_event_handle_t *event)
{
	(void)of;
	(void)device;
	*event = an_event((desc->flags & COUNTER_HOST_VISIBLE ? ZE_EVENT_POOL_FLAG_HOST_VISIBLE : 0) |
			  (desc->flags & COUNTER_DEVICE_TIMESTAMP ? ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP : 0));
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventGetCounterBasedFlags(ze_event_handle_t event, uint32_t *flags)
{
	ze_event_pool_flags_t pool = ((const struct ze_sim_event *)event)->flags;

	*flags = (pool & ZE_EVENT_POOL_FLAG_HOST_VISIBLE ? COUNTER_HOST_VISIBLE : 0) |
		 (pool & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP ? COUNTER_DEVICE_TIMESTAMP : 0);
	return ZE_RESULT_SUCCESS;
}
