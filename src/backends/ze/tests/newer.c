/* SPDX-License-Identifier: BSD-3-Clause */
/* A program as newer ones are: all by immediate lists in order, events that count, kernels with their arguments. */
#include "app.h"
#include "newer.h"

int main(int argc, char **argv)
{
	ze_context_desc_t context_desc = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	counter_desc counts = { .flags = COUNTER_HOST_VISIBLE };
	ze_group_count_t groups = { 2, 1, 1 };
	group_size size = { ITEMS / 2, 1, 1 };
	ze_command_list_handle_t list, regular;
	ze_event_handle_t event, none = NULL;
	ze_event_pool_flags_t flags;
	ze_kernel_handle_t kernel;
	int data[ITEMS] = { 0 }, *on_device;
	void *argument, *graph;
	uint32_t count = 1;

	OK(ZE(zeInitDrivers)(&count, &driver, NULL));
	OK(ZE(zeDeviceGet)(driver, &count, &device));
	OK(ZE(zeContextCreate)(driver, &context_desc, &context));
	OK(build("kernels", &module));
	on_device = device_memory(sizeof(data));
	argument = &on_device;
	kernel = kernel_of("add_one");
	list = immediate_of(device, IN_ORDER_IMMEDIATE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	OK(ZE(zeEventCounterBasedCreate)(context, device, &counts, &event));
	copy(list, on_device, data, sizeof(data));
	for (int i = 0; i < 10; i++) { /* the event is never reset */
		OK(ZE(zeCommandListAppendLaunchKernelWithArguments)(list, kernel, groups, size, &argument, NULL,
								    i % 2 ? event : none, 0, NULL));
		OK(ZE(zeCommandListHostSynchronize)(list, UINT64_MAX));
	}
	regular = list_of(device, 0, 0);
	launch(regular, kernel, NULL, NULL);
	OK(ZE(zeCommandListClose)(regular));
	for (int i = 0; i < 3; i++)
		OK(ZE(zeCommandListImmediateAppendCommandListsExp)(list, 1, &regular, NULL, 0, NULL));
	launch(list, kernel, NULL, NULL);
	OK(ZE(zeDeviceSynchronize)(device));
	OK(ZE(zeCommandListBeginGraphCaptureExt)(list, NULL));
	if (argc > 1 && strcmp(argv[1], "capture") == 0)
		launch(list, kernel, NULL, NULL);
	OK(ZE(zeCommandListEndGraphCaptureExt)(list, NULL, &graph));
	if (argc > 1 && strcmp(argv[1], "clone") == 0)
		OK(ZE(zeCommandListCreateCloneExp)(regular, &regular));
	copy(list, data, on_device, sizeof(data));
	OK(ZE(zeCommandListHostSynchronize)(list, UINT64_MAX));
	OK(ZE(zeEventPoolGetFlags)(pool_of(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE), &flags));
	printf("flags=%u\n", flags);
	OK(ZE(zeEventGetCounterBasedFlags)(event, &count));
	printf("counter_flags=%u\n", count);
	printf("value=%d\n", data[ITEMS - 1]);
	return 0;
}
