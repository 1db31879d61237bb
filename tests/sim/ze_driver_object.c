/* SPDX-License-Identifier: BSD-3-Clause */
/* Events and their pools, memory, modules, kernels. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ze_driver.h"

/* ---- events ------------------------------------------------------------------------------------------ */

static ze_result_t sim_zeEventPoolCreate(ze_context_handle_t context, const ze_event_pool_desc_t *desc, uint32_t count,
					 ze_device_handle_t *devices, ze_event_pool_handle_t *out)
{
	struct ze_sim_pool *pool;

	(void)context;
	(void)count;
	(void)devices;
	SIM_CALL();
	if ((desc->flags & ZE_EVENT_POOL_FLAG_IPC) && (desc->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP))
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	pool = calloc(1, sizeof(*pool));
	pool->count = desc->count;
	pool->flags = desc->flags;
	*out = (ze_event_pool_handle_t)pool;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeEventPoolDestroy(ze_event_pool_handle_t handle)
{
	SIM_CALL();
	free(handle);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeEventCreate(ze_event_pool_handle_t handle, const ze_event_desc_t *desc, ze_event_handle_t *out)
{
	const struct ze_sim_pool *pool = (const struct ze_sim_pool *)handle;
	struct ze_sim_event *event;

	SIM_CALL();
	if (desc->index >= pool->count)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	event = calloc(1, sizeof(*event));
	event->event = sim_event_create();
	event->flags = pool->flags;
	*out = (ze_event_handle_t)event;
	return ZE_RESULT_SUCCESS;
}

/* Flags: 4 is visible to the host, 16 has times. */
ze_result_t zexCounterBasedEventCreate2(ze_context_handle_t context, ze_device_handle_t device,
					const ze_sim_counter_desc *desc, ze_event_handle_t *out)
{
	struct ze_sim_event *event = calloc(1, sizeof(*event));

	(void)context;
	(void)device;
	event->event = sim_event_create();
	event->counts = true;
	event->flags = (desc->flags & 4 ? ZE_EVENT_POOL_FLAG_HOST_VISIBLE : 0) |
		       (desc->flags & 16 ? ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP : 0);
	*out = (ze_event_handle_t)event;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeEventDestroy(ze_event_handle_t handle)
{
	SIM_CALL();
	sim_event_destroy(((struct ze_sim_event *)handle)->event);
	free(handle);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeEventHostSignal(ze_event_handle_t handle)
{
	SIM_CALL();
	sim_event_signal(((struct ze_sim_event *)handle)->event);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeEventHostReset(ze_event_handle_t handle)
{
	SIM_CALL();
	sim_event_reset(((struct ze_sim_event *)handle)->event);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeEventHostSynchronize(ze_event_handle_t handle, uint64_t timeout)
{
	struct ze_sim_event *event = (struct ze_sim_event *)handle;

	SIM_CALL();
	return sim_event_wait(event->event, timeout) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

static ze_result_t sim_zeEventQueryStatus(ze_event_handle_t handle)
{
	SIM_CALL();
	return sim_event_wait(((struct ze_sim_event *)handle)->event, 0) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

static ze_result_t sim_zeEventQueryKernelTimestamp(ze_event_handle_t handle, ze_kernel_timestamp_result_t *result)
{
	struct ze_sim_event *event = (struct ze_sim_event *)handle;
	struct sim_times times;

	SIM_CALL();
	if (!(event->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP))
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	if (!sim_event_wait(event->event, 0))
		return ZE_RESULT_NOT_READY;
	times = sim_event_times(event->event);
	if (!times.known)
		return ZE_RESULT_NOT_READY;
	result->global.kernelStart = result->context.kernelStart = times.begin;
	result->global.kernelEnd = result->context.kernelEnd = times.end;
	return ZE_RESULT_SUCCESS;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

struct block {
	struct block *next;
	char *base;
	size_t bytes;
	ze_memory_type_t type;
	ze_device_handle_t device;
};
static struct block *blocks;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

static ze_result_t allocate(size_t bytes, size_t alignment, ze_memory_type_t type, ze_device_handle_t device,
			    void **out)
{
	struct block *block = calloc(1, sizeof(*block));

	if (alignment < sizeof(void *))
		alignment = 64;
	if (bytes > (size_t)1 << 40 || posix_memalign(out, alignment, bytes ? bytes : 1) != 0) {
		free(block);
		return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
	}
	*block = (struct block){ blocks, *out, bytes, type, device };
	pthread_mutex_lock(&blocks_lock);
	block->next = blocks;
	blocks = block;
	pthread_mutex_unlock(&blocks_lock);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeMemAllocDevice(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *desc,
					size_t bytes, size_t alignment, ze_device_handle_t device, void **out)
{
	(void)context;
	(void)desc;
	SIM_CALL();
	return allocate(bytes, alignment, ZE_MEMORY_TYPE_DEVICE, device, out);
}

static ze_result_t sim_zeMemAllocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc, size_t bytes,
				      size_t alignment, void **out)
{
	(void)context;
	(void)desc;
	SIM_CALL();
	return allocate(bytes, alignment, ZE_MEMORY_TYPE_HOST, NULL, out);
}

static ze_result_t sim_zeMemAllocShared(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *device_desc,
					const ze_host_mem_alloc_desc_t *host_desc, size_t bytes, size_t alignment,
					ze_device_handle_t device, void **out)
{
	(void)context;
	(void)device_desc;
	(void)host_desc;
	SIM_CALL();
	return allocate(bytes, alignment, ZE_MEMORY_TYPE_SHARED, device, out);
}

static ze_result_t sim_zeMemFree(ze_context_handle_t context, void *address)
{
	struct block *found = NULL;

	(void)context;
	SIM_CALL();
	pthread_mutex_lock(&blocks_lock);
	for (struct block **at = &blocks; *at && !found; at = found ? at : &(*at)->next)
		if ((*at)->base == address) {
			found = *at;
			*at = found->next;
		}
	pthread_mutex_unlock(&blocks_lock);
	if (!found)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	free(found->base);
	free(found);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeMemGetAllocProperties(ze_context_handle_t context, const void *address,
					       ze_memory_allocation_properties_t *properties,
					       ze_device_handle_t *device)
{
	(void)context;
	SIM_CALL();
	properties->type = ZE_MEMORY_TYPE_UNKNOWN;
	if (device)
		*device = NULL;
	pthread_mutex_lock(&blocks_lock);
	for (struct block *block = blocks; block; block = block->next)
		if ((const char *)address >= block->base && (const char *)address < block->base + block->bytes) {
			properties->type = block->type;
			if (device)
				*device = block->device;
		}
	pthread_mutex_unlock(&blocks_lock);
	return ZE_RESULT_SUCCESS;
}

/* ---- images ------------------------------------------------------------------------------------------ */

static ze_result_t sim_zeImageCreate(ze_context_handle_t context, ze_device_handle_t device,
				     const ze_image_desc_t *desc, ze_image_handle_t *out)
{
	struct ze_sim_image *image;

	(void)context;
	(void)device;
	SIM_CALL();
	if (desc->format.layout != ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8)
		return ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT;
	image = calloc(1, sizeof(*image));
	image->width = desc->width;
	image->bytes = 4 * desc->width * (desc->height ? desc->height : 1);
	image->data = calloc(1, image->bytes);
	*out = (ze_image_handle_t)image;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeImageDestroy(ze_image_handle_t handle)
{
	SIM_CALL();
	free(((struct ze_sim_image *)handle)->data);
	free(handle);
	return ZE_RESULT_SUCCESS;
}

/* ---- modules and kernels ----------------------------------------------------------------------------- */

static ze_result_t sim_zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device,
				      const ze_module_desc_t *desc, ze_module_handle_t *out,
				      ze_module_build_log_handle_t *log)
{
	const struct timespec compiles = { .tv_nsec = 2000000 };

	(void)context;
	(void)device;
	SIM_CALL();
	nanosleep(&compiles, NULL);
	if (log)
		*log = (ze_module_build_log_handle_t)calloc(1, 1);
	if (desc->inputSize >= 3 && memcmp(desc->pInputModule, "bad", 3) == 0)
		return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
	*out = (ze_module_handle_t)calloc(1, 1);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeModuleDestroy(ze_module_handle_t handle)
{
	SIM_CALL();
	free(handle);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeModuleGetKernelNames(ze_module_handle_t handle, uint32_t *count, const char **names)
{
	static const char *const known[] = { "add_one", "scale", "spin" };

	(void)handle;
	SIM_CALL();
	for (uint32_t i = 0; names && i < *count && i < 3; i++)
		names[i] = known[i];
	if (*count == 0 || *count > 3)
		*count = 3;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeModuleBuildLogDestroy(ze_module_build_log_handle_t handle)
{
	SIM_CALL();
	free(handle);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeModuleBuildLogGetString(ze_module_build_log_handle_t handle, size_t *size, char *text)
{
	static const char said[] = "line 1: bad";

	(void)handle;
	SIM_CALL();
	if (text && *size >= sizeof(said))
		memcpy(text, said, sizeof(said));
	*size = sizeof(said);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeKernelCreate(ze_module_handle_t module, const ze_kernel_desc_t *desc, ze_kernel_handle_t *out)
{
	const struct sim_kernel *found = sim_kernel_find(desc->pKernelName);
	struct ze_sim_kernel *kernel;

	(void)module;
	SIM_CALL();
	if (!found)
		return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
	kernel = calloc(1, sizeof(*kernel));
	kernel->kernel = found;
	kernel->group[0] = kernel->group[1] = kernel->group[2] = 1;
	*out = (ze_kernel_handle_t)kernel;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeKernelDestroy(ze_kernel_handle_t handle)
{
	SIM_CALL();
	free(handle);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeKernelSetGroupSize(ze_kernel_handle_t handle, uint32_t x, uint32_t y, uint32_t z)
{
	struct ze_sim_kernel *kernel = (struct ze_sim_kernel *)handle;

	SIM_CALL();
	kernel->group[0] = x;
	kernel->group[1] = y;
	kernel->group[2] = z;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeKernelSetArgumentValue(ze_kernel_handle_t handle, uint32_t index, size_t bytes,
						const void *value)
{
	struct ze_sim_kernel *kernel = (struct ze_sim_kernel *)handle;

	SIM_CALL();
	if (index >= kernel->kernel->arguments)
		return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
	if (bytes > sizeof(kernel->value[0]))
		return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
	memcpy(kernel->value[index], value, bytes);
	kernel->value_bytes[index] = bytes;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeKernelGetName(ze_kernel_handle_t handle, size_t *size, char *text)
{
	const char *name = ((struct ze_sim_kernel *)handle)->kernel->name;

	SIM_CALL();
	if (text && *size > strlen(name))
		strcpy(text, name);
	*size = strlen(name) + 1;
	return ZE_RESULT_SUCCESS;
}

/* ---- tables ------------------------------------------------------------------------------------------ */

void ze_sim_event_table(ze_event_dditable_t *table)
{
	table->pfnCreate = sim_zeEventCreate;
	table->pfnDestroy = sim_zeEventDestroy;
	table->pfnHostSignal = sim_zeEventHostSignal;
	table->pfnHostSynchronize = sim_zeEventHostSynchronize;
	table->pfnQueryStatus = sim_zeEventQueryStatus;
	table->pfnHostReset = sim_zeEventHostReset;
	table->pfnQueryKernelTimestamp = sim_zeEventQueryKernelTimestamp;
}

void ze_sim_pool_table(ze_event_pool_dditable_t *table)
{
	table->pfnCreate = sim_zeEventPoolCreate;
	table->pfnDestroy = sim_zeEventPoolDestroy;
}

void ze_sim_mem_table(ze_mem_dditable_t *table)
{
	table->pfnAllocDevice = sim_zeMemAllocDevice;
	table->pfnAllocHost = sim_zeMemAllocHost;
	table->pfnAllocShared = sim_zeMemAllocShared;
	table->pfnFree = sim_zeMemFree;
	table->pfnGetAllocProperties = sim_zeMemGetAllocProperties;
}

void ze_sim_image_table(ze_image_dditable_t *table)
{
	table->pfnCreate = sim_zeImageCreate;
	table->pfnDestroy = sim_zeImageDestroy;
}

void ze_sim_module_table(ze_module_dditable_t *table)
{
	table->pfnCreate = sim_zeModuleCreate;
	table->pfnDestroy = sim_zeModuleDestroy;
	table->pfnGetKernelNames = sim_zeModuleGetKernelNames;
}

void ze_sim_log_table(ze_module_build_log_dditable_t *table)
{
	table->pfnDestroy = sim_zeModuleBuildLogDestroy;
	table->pfnGetString = sim_zeModuleBuildLogGetString;
}

void ze_sim_kernel_table(ze_kernel_dditable_t *table)
{
	table->pfnCreate = sim_zeKernelCreate;
	table->pfnDestroy = sim_zeKernelDestroy;
	table->pfnSetGroupSize = sim_zeKernelSetGroupSize;
	table->pfnSetArgumentValue = sim_zeKernelSetArgumentValue;
	table->pfnGetName = sim_zeKernelGetName;
}
