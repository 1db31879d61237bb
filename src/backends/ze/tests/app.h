/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this folder share: one device with its context, kernels by name, and calls that end the program
 * when they fail. With BY_NAME the loader is opened as Julia does and every function is asked for by name.
 */
#ifndef ZE_TESTS_APP_H
#define ZE_TESTS_APP_H

#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef STATIC_LOADER
#include <level_zero/ze_ddi.h>

/* As the loader that oneAPI links into programs does, before it asks for each function by name. */
static void take_table(void *loader)
{
	ze_result_t (*init)(void) = (ze_result_t (*)(void))dlsym(loader, "zeLoaderInit");
	ze_pfnGetGlobalProcAddrTable_t get =
		(ze_pfnGetGlobalProcAddrTable_t)dlsym(loader, "zeGetGlobalProcAddrTable");
	ze_global_dditable_t table = { NULL };

	if (!init || init() || get(ZE_API_VERSION_CURRENT, &table))
		exit(5);
}
#endif

#ifdef BY_NAME
static void *by_name(const char *name)
{
	static void *loader;

	if (!loader) {
		loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
#ifdef STATIC_LOADER
		take_table(loader);
#endif
	}
	return loader ? dlsym(loader, name) : NULL;
}
#define ZE(function) ((__typeof__(&function))by_name(#function))
#else
#define ZE(function) function
#endif

#define OK(call)                                                              \
	do {                                                                  \
		ze_result_t code_ = (call);                                   \
		if (code_) {                                                  \
			fprintf(stderr, "line %d: 0x%x\n", __LINE__, code_);  \
			exit(3);                                              \
		}                                                             \
	} while (0)

#define IN_ORDER_LIST 8u      /* newer than the headers */
#define IN_ORDER_IMMEDIATE 2u

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_module_handle_t module;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static ze_kernel_handle_t kernel_of(const char *name)
{
	ze_kernel_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name };
	ze_kernel_handle_t kernel;

	OK(ZE(zeKernelCreate)(module, &desc, &kernel));
	return kernel;
}

static ze_result_t build(const char *text, ze_module_handle_t *out)
{
	ze_module_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_IL_SPIRV,
				  .inputSize = strlen(text), .pInputModule = (const uint8_t *)text };

	return ZE(zeModuleCreate)(context, device, &desc, out, NULL);
}

static void start(void)
{
	ze_context_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	uint32_t count = 1;

	OK(ZE(zeInit)(0));
	OK(ZE(zeDriverGet)(&count, &driver));
	count = 1;
	OK(ZE(zeDeviceGet)(driver, &count, &device));
	OK(ZE(zeContextCreate)(driver, &desc, &context));
	OK(build("kernels", &module));
}

static ze_command_queue_handle_t queue_of(ze_device_handle_t of, uint32_t ordinal)
{
	ze_command_queue_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = ordinal,
					 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS };
	ze_command_queue_handle_t queue;

	OK(ZE(zeCommandQueueCreate)(context, of, &desc, &queue));
	return queue;
}

static ze_command_list_handle_t list_of(ze_device_handle_t of, uint32_t ordinal, uint32_t flags)
{
	ze_command_list_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
					.commandQueueGroupOrdinal = ordinal, .flags = flags };
	ze_command_list_handle_t list;

	OK(ZE(zeCommandListCreate)(context, of, &desc, &list));
	return list;
}

static ze_command_list_handle_t immediate_of(ze_device_handle_t of, uint32_t flags, ze_command_queue_mode_t mode)
{
	ze_command_queue_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .flags = flags, .mode = mode };
	ze_command_list_handle_t list;

	OK(ZE(zeCommandListCreateImmediate)(context, of, &desc, &list));
	return list;
}

static ze_event_pool_handle_t pool_of(uint32_t events, uint32_t flags)
{
	ze_event_pool_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags, .count = events };
	ze_event_pool_handle_t pool;

	OK(ZE(zeEventPoolCreate)(context, &desc, 1, &device, &pool));
	return pool;
}

static ze_event_handle_t event_of(ze_event_pool_handle_t pool, uint32_t index)
{
	ze_event_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = index };
	ze_event_handle_t event;

	OK(ZE(zeEventCreate)(pool, &desc, &event));
	return event;
}

static void *device_memory(size_t bytes)
{
	ze_device_mem_alloc_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC };
	void *address;

	OK(ZE(zeMemAllocDevice)(context, &desc, bytes, 64, device, &address));
	return address;
}

static void launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel, ze_event_handle_t signals,
		   ze_event_handle_t waits)
{
	ze_group_count_t groups = { 2, 1, 1 };

	OK(ZE(zeCommandListAppendLaunchKernel)(list, kernel, &groups, signals, waits ? 1 : 0, waits ? &waits : NULL));
}

static void copy(ze_command_list_handle_t list, void *to, const void *from, size_t bytes)
{
	OK(ZE(zeCommandListAppendMemoryCopy)(list, to, from, bytes, NULL, 0, NULL));
}

/* Closes, executes and waits. */
static void run(ze_command_queue_handle_t queue, ze_command_list_handle_t list)
{
	OK(ZE(zeCommandListClose)(list));
	OK(ZE(zeCommandQueueExecuteCommandLists)(queue, 1, &list, NULL));
	OK(ZE(zeCommandQueueSynchronize)(queue, UINT64_MAX));
}

/* add_one on `ITEMS` numbers; two groups of half as many */
#define ITEMS 64u
static ze_kernel_handle_t adding(int *data)
{
	ze_kernel_handle_t kernel = kernel_of("add_one");

	OK(ZE(zeKernelSetGroupSize)(kernel, ITEMS / 2, 1, 1));
	OK(ZE(zeKernelSetArgumentValue)(kernel, 0, sizeof(data), &data));
	return kernel;
}

static ze_kernel_handle_t spinning(uint64_t ns)
{
	ze_kernel_handle_t kernel = kernel_of("spin");

	OK(ZE(zeKernelSetGroupSize)(kernel, 1, 1, 1));
	OK(ZE(zeKernelSetArgumentValue)(kernel, 0, sizeof(ns), &ns));
	return kernel;
}

#endif
