/* SPDX-License-Identifier: BSD-3-Clause */
#include <level_zero/ze_api.h>

#include "face.h"

static ze_context_handle_t context;
static ze_device_handle_t device;
static ze_kernel_handle_t kernel;
static ze_command_list_handle_t list, waiting;

static ze_command_list_handle_t immediate(ze_command_queue_mode_t mode)
{
	ze_command_queue_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = mode };
	ze_command_list_handle_t made;

	FACE_OK(zeCommandListCreateImmediate(context, device, &desc, &made));
	return made;
}

static void start(void)
{
	ze_context_desc_t context_desc = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	ze_module_desc_t module_desc = { .stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .inputSize = 1,
					 .pInputModule = (const uint8_t *)"" };
	ze_kernel_desc_t kernel_desc = { .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "add_one" };
	ze_driver_handle_t driver;
	ze_module_handle_t module;
	uint32_t count = 1;

	FACE_OK(zeInit(0));
	FACE_OK(zeDriverGet(&count, &driver));
	FACE_OK(zeDeviceGet(driver, &count, &device));
	FACE_OK(zeContextCreate(driver, &context_desc, &context));
	FACE_OK(zeModuleCreate(context, device, &module_desc, &module, NULL));
	FACE_OK(zeKernelCreate(module, &kernel_desc, &kernel));
	list = immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	waiting = immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
}

static void *allocate(size_t bytes)
{
	ze_device_mem_alloc_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC };
	void *memory;

	FACE_OK(zeMemAllocDevice(context, &desc, bytes, 64, device, &memory));
	return memory;
}

static void release(void *memory)
{
	FACE_OK(zeMemFree(context, memory));
}

static void to_device(void *to, const void *from, size_t bytes)
{
	FACE_OK(zeCommandListAppendMemoryCopy(waiting, to, from, bytes, NULL, 0, NULL));
}

static void from_device(void *to, void *from, size_t bytes)
{
	FACE_OK(zeCommandListAppendMemoryCopy(waiting, to, from, bytes, NULL, 0, NULL));
}

static void clear(void *memory, size_t bytes)
{
	FACE_OK(zeCommandListAppendMemoryFill(list, memory, "", 1, bytes, NULL, 0, NULL));
}

static void add_one(void *memory, size_t items)
{
	ze_group_count_t groups = { (uint32_t)items / 64, 1, 1 };

	FACE_OK(zeKernelSetGroupSize(kernel, 64, 1, 1));
	FACE_OK(zeKernelSetArgumentValue(kernel, 0, sizeof(memory), &memory));
	FACE_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
}

static void finish(void)
{
	ze_event_pool_desc_t pool_desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1,
					   .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE };
	ze_event_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC };
	ze_event_pool_handle_t pool;
	ze_event_handle_t event;

	FACE_OK(zeEventPoolCreate(context, &pool_desc, 1, &device, &pool));
	FACE_OK(zeEventCreate(pool, &desc, &event));
	FACE_OK(zeCommandListAppendBarrier(list, event, 0, NULL));
	FACE_OK(zeEventHostSynchronize(event, UINT64_MAX));
}

const struct face face = { 1, start, allocate, release, to_device, from_device, clear, add_one, finish };
