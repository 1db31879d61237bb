/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layer both HERE THERE: kernels by calls that wrappers see, and in a library that calls the loader past them.
 * layer tracer COUNT: a tracer of the program's own, which counts, and asks the driver while it is called.
 */
#include "app.h"

#include <level_zero/layers/zel_tracing_api.h>

static void run_here(int count)
{
	ze_command_list_handle_t list = immediate_of(device, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
	int *memory = device_memory(ITEMS * sizeof(int));
	ze_kernel_handle_t kernel = adding(memory);
	ze_event_pool_handle_t pool = pool_of(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
	ze_event_handle_t event = event_of(pool, 0);
	ze_kernel_timestamp_result_t stamps;

	for (int i = 0; i < count; i++) {
		launch(list, kernel, event, NULL);
		/* a query that is only counted, and does not stand among the open calls for that */
		OK(zeEventQueryKernelTimestamp(event, &stamps));
		OK(zeEventHostReset(event));
	}
}

static void both(char **word)
{
	char *there[] = { "app", "matrix", word[1], "regular", "async", NULL };
	void *library = dlopen(FOLDER "/deep-app.so", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	int (*run_there)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "main") : NULL;

	if (!run_there)
		exit(9);
	run_here(atoi(word[0]));
	if (run_there(5, there))
		exit(4);
	run_here(atoi(word[0]));
}

static int begun, ended, same = 1;

static void before_launch(ze_command_list_append_launch_kernel_params_t *params, ze_result_t result, void *user,
			  void **kept)
{
	ze_device_properties_t properties = { .stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES };

	(void)result;
	*kept = *params->phKernel;
	same &= user == (void *)&begun && zeDeviceGetProperties(device, &properties) == ZE_RESULT_SUCCESS;
	begun++;
}

static void after_launch(ze_command_list_append_launch_kernel_params_t *params, ze_result_t result, void *user,
			 void **kept)
{
	same &= result == ZE_RESULT_SUCCESS && *kept == *params->phKernel && user == (void *)&begun;
	ended++;
}

static void tracer(char **word)
{
	zel_tracer_desc_t desc = { .stype = ZEL_STRUCTURE_TYPE_TRACER_DESC, .pUserData = &begun };
	zel_core_callbacks_t before = { .CommandList.pfnAppendLaunchKernelCb = before_launch };
	zel_core_callbacks_t after = { .CommandList.pfnAppendLaunchKernelCb = after_launch };
	zel_tracer_handle_t own;

	OK(zelTracerCreate(&desc, &own));
	OK(zelTracerSetPrologues(own, &before));
	OK(zelTracerSetEpilogues(own, &after));
	OK(zelTracerSetEnabled(own, 1));
	run_here(atoi(word[0]));
	OK(zelTracerSetEnabled(own, 0));
	OK(zelTracerDestroy(own));
	printf("begun=%d\nended=%d\nsame=%d\n", begun, ended, same);
	run_here(atoi(word[0]));
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	start();
	if (strcmp(argv[1], "both") == 0 && argc == 4)
		both(argv + 2);
	else
		tracer(argv + 2);
	return 0;
}
