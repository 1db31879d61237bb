/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues, fences, command lists: a list holds commands, a queue gets copies of them; an immediate list is both. */
#include <stdlib.h>
#include <string.h>

#include "ze_driver.h"

enum action { NOTHING, RESET, WRITE_CLOCK, WRITE_TIMES };

struct command {
	struct sim_work work;
	unsigned char value[SIM_ARGUMENTS][64];
	struct sim_event *waits[8];
	enum action action;
	struct ze_sim_event *event; /* that the action is about */
	void *to;                   /* that it writes to */
};

struct list {
	struct ze_sim_device *device;
	bool copies_only;
	struct ze_sim_queue *queue; /* of an immediate list */
	struct command *command;
	size_t used, room;
};

struct fence {
	struct sim_event *event;
};

/* ---- queues and fences ------------------------------------------------------------------------------- */

static struct ze_sim_queue *queue_create(ze_device_handle_t device, const ze_command_queue_desc_t *desc)
{
	struct ze_sim_queue *queue = calloc(1, sizeof(*queue));

	queue->queue = sim_queue_create(ze_sim_device(device)->index, true);
	queue->synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
	return queue;
}

static void queue_destroy(struct ze_sim_queue *queue)
{
	sim_queue_destroy(queue->queue);
	free(queue);
}

static ze_result_t sim_zeCommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
					    const ze_command_queue_desc_t *desc, ze_command_queue_handle_t *out)
{
	(void)context;
	SIM_CALL();
	if (desc->ordinal >= SIM_ZE_GROUPS)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	*out = (ze_command_queue_handle_t)queue_create(device, desc);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeCommandQueueDestroy(ze_command_queue_handle_t handle)
{
	SIM_CALL();
	queue_destroy((struct ze_sim_queue *)handle);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeCommandQueueSynchronize(ze_command_queue_handle_t handle, uint64_t timeout)
{
	struct ze_sim_queue *queue = (struct ze_sim_queue *)handle;

	SIM_CALL();
	return sim_queue_wait(queue->queue, timeout) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

static ze_result_t sim_zeFenceCreate(ze_command_queue_handle_t queue, const ze_fence_desc_t *desc,
				     ze_fence_handle_t *out)
{
	struct fence *fence = calloc(1, sizeof(*fence));

	(void)queue;
	SIM_CALL();
	fence->event = sim_event_create();
	if (desc->flags & ZE_FENCE_FLAG_SIGNALED)
		sim_event_signal(fence->event);
	*out = (ze_fence_handle_t)fence;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeFenceDestroy(ze_fence_handle_t handle)
{
	SIM_CALL();
	sim_event_destroy(((struct fence *)handle)->event);
	free(handle);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeFenceReset(ze_fence_handle_t handle)
{
	SIM_CALL();
	sim_event_reset(((struct fence *)handle)->event);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeFenceHostSynchronize(ze_fence_handle_t handle, uint64_t timeout)
{
	SIM_CALL();
	return sim_event_wait(((struct fence *)handle)->event, timeout) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

static ze_result_t sim_zeFenceQueryStatus(ze_fence_handle_t handle)
{
	SIM_CALL();
	return sim_event_wait(((struct fence *)handle)->event, 0) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

/* ---- lists ------------------------------------------------------------------------------------------- */

/* A command's action, with what it needs to outlive its list. */
struct deed {
	enum action action;
	struct ze_sim_event *event;
	void *to;
};

static void act(void *user)
{
	struct deed *deed = user;
	ze_kernel_timestamp_result_t *times = deed->to;
	struct sim_times known;

	switch (deed->action) {
	case RESET:
		sim_event_reset(deed->event->event);
		break;
	case WRITE_CLOCK:
		*(uint64_t *)deed->to = sim_clock(sim_raw_ns());
		break;
	case WRITE_TIMES:
		known = sim_event_times(deed->event->event);
		times->global.kernelStart = times->context.kernelStart = known.begin;
		times->global.kernelEnd = times->context.kernelEnd = known.end;
		break;
	case NOTHING:
		break;
	}
	free(deed);
}

static void submit(struct ze_sim_queue *queue, struct command *command)
{
	struct sim_work work = command->work;

	for (int i = 0; i < SIM_ARGUMENTS; i++)
		work.argument[i] = work.argument_bytes[i] ? command->value[i] : NULL;
	work.waits = command->waits;
	if (command->action != NOTHING) {
		struct deed *deed = malloc(sizeof(*deed));

		*deed = (struct deed){ command->action, command->event, command->to };
		work.done = act;
		work.user = deed;
	}
	sim_submit(queue->queue, &work);
}

static ze_result_t add(ze_command_list_handle_t handle, struct command *command, ze_event_handle_t signals,
		       uint32_t wait_count, ze_event_handle_t *waits)
{
	struct list *list = (struct list *)handle;

	if (wait_count > 8)
		return ZE_RESULT_ERROR_INVALID_SIZE;
	for (uint32_t i = 0; i < wait_count; i++)
		command->waits[i] = ((struct ze_sim_event *)waits[i])->event;
	command->work.wait_count = wait_count;
	command->work.signals = signals ? ((struct ze_sim_event *)signals)->event : NULL;
	if (list->queue) {
		if (signals && ((struct ze_sim_event *)signals)->counts)
			sim_event_reset(command->work.signals);
		submit(list->queue, command);
		if (list->queue->synchronous)
			sim_queue_wait(list->queue->queue, SIM_FOREVER);
		return ZE_RESULT_SUCCESS;
	}
	if (list->used == list->room) {
		list->room = list->room ? 2 * list->room : 16;
		list->command = realloc(list->command, list->room * sizeof(*list->command));
	}
	list->command[list->used++] = *command;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeCommandListCreate(ze_context_handle_t context, ze_device_handle_t device,
					   const ze_command_list_desc_t *desc, ze_command_list_handle_t *out)
{
	struct list *list;

	(void)context;
	SIM_CALL();
	list = calloc(1, sizeof(*list));
	list->device = ze_sim_device(device);
	list->copies_only = desc->commandQueueGroupOrdinal == 1;
	*out = (ze_command_list_handle_t)list;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeCommandListCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
						    const ze_command_queue_desc_t *desc, ze_command_list_handle_t *out)
{
	struct list *list;

	(void)context;
	SIM_CALL();
	list = calloc(1, sizeof(*list));
	list->device = ze_sim_device(device);
	list->copies_only = desc->ordinal == 1;
	list->queue = queue_create(device, desc);
	*out = (ze_command_list_handle_t)list;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeCommandListClose(ze_command_list_handle_t handle)
{
	(void)handle;
	SIM_CALL();
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeCommandListReset(ze_command_list_handle_t handle)
{
	SIM_CALL();
	((struct list *)handle)->used = 0;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeCommandListDestroy(ze_command_list_handle_t handle)
{
	struct list *list = (struct list *)handle;

	SIM_CALL();
	if (list->queue)
		queue_destroy(list->queue);
	free(list->command);
	free(list);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t handle, uint32_t count,
							 ze_command_list_handle_t *lists, ze_fence_handle_t fence)
{
	struct ze_sim_queue *queue = (struct ze_sim_queue *)handle;
	struct sim_work mark = { .kind = SIM_MARKER, .name = "fence" };

	SIM_CALL();
	for (uint32_t i = 0; i < count; i++)
		for (size_t at = 0; at < ((struct list *)lists[i])->used; at++)
			submit(queue, &((struct list *)lists[i])->command[at]);
	if (fence) {
		mark.signals = ((struct fence *)fence)->event;
		sim_submit(queue->queue, &mark);
	}
	if (queue->synchronous)
		sim_queue_wait(queue->queue, SIM_FOREVER);
	return ZE_RESULT_SUCCESS;
}

/* ---- commands ---------------------------------------------------------------------------------------- */

static ze_result_t sim_zeCommandListAppendLaunchKernel(ze_command_list_handle_t handle,
						       ze_kernel_handle_t kernel_handle,
						       const ze_group_count_t *groups, ze_event_handle_t signals,
						       uint32_t wait_count, ze_event_handle_t *waits)
{
	struct ze_sim_kernel *kernel = (struct ze_sim_kernel *)kernel_handle;
	struct command command = {
		.work = { .kind = SIM_KERNEL, .name = kernel->kernel->name, .kernel = kernel->kernel }
	};

	SIM_CALL();
	if (((struct list *)handle)->copies_only)
		return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
	command.work.items = (uint64_t)groups->groupCountX * groups->groupCountY * groups->groupCountZ *
			     kernel->group[0] * kernel->group[1] * kernel->group[2];
	memcpy(command.value, kernel->value, sizeof(command.value));
	memcpy(command.work.argument_bytes, kernel->value_bytes, sizeof(kernel->value_bytes));
	return add(handle, &command, signals, wait_count, waits);
}

static uint64_t copy_ns(void)
{
	const char *text = getenv("SIM_ZE_COPY_NS");

	return text ? strtoull(text, NULL, 10) : 0;
}

static ze_result_t sim_zeCommandListAppendMemoryCopy(ze_command_list_handle_t handle, void *to, const void *from,
						     size_t bytes, ze_event_handle_t signals, uint32_t wait_count,
						     ze_event_handle_t *waits)
{
	struct command command = {
		.work = { .kind = SIM_COPY, .name = "copy", .to = to, .from = from, .bytes = bytes,
			  .least_ns = copy_ns() }
	};

	SIM_CALL();
	return add(handle, &command, signals, wait_count, waits);
}

/* A region that is as wide as its memory. */
static ze_result_t sim_zeCommandListAppendMemoryCopyRegion(ze_command_list_handle_t handle, void *to,
							   const ze_copy_region_t *to_region, uint32_t to_pitch,
							   uint32_t to_slice, const void *from,
							   const ze_copy_region_t *from_region, uint32_t from_pitch,
							   uint32_t from_slice, ze_event_handle_t signals,
							   uint32_t wait_count, ze_event_handle_t *waits)
{
	size_t bytes = (size_t)to_region->width * to_region->height * (to_region->depth ? to_region->depth : 1);
	struct command command = {
		.work = { .kind = SIM_COPY, .name = "copy", .to = to, .from = from, .bytes = bytes,
			  .least_ns = copy_ns() }
	};

	(void)to_slice;
	(void)from_slice;
	SIM_CALL();
	if (to_pitch != to_region->width || from_pitch != from_region->width)
		return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
	return add(handle, &command, signals, wait_count, waits);
}

static ze_result_t sim_zeCommandListAppendMemoryFill(ze_command_list_handle_t handle, void *to, const void *pattern,
						     size_t pattern_bytes, size_t bytes, ze_event_handle_t signals,
						     uint32_t wait_count, ze_event_handle_t *waits)
{
	struct command command = { .work = { .kind = SIM_FILL, .name = "fill", .to = to, .bytes = bytes } };

	SIM_CALL();
	if (pattern_bytes > sizeof(command.work.pattern))
		return ZE_RESULT_ERROR_INVALID_SIZE;
	memcpy(command.work.pattern, pattern, pattern_bytes);
	command.work.pattern_bytes = pattern_bytes;
	return add(handle, &command, signals, wait_count, waits);
}

/* Whole lines of an image; NULL: all of it. */
static ze_result_t image_copy(ze_command_list_handle_t handle, const struct ze_sim_image *image,
			      const ze_image_region_t *region, void *to, const void *from, ze_event_handle_t signals,
			      uint32_t wait_count, ze_event_handle_t *waits)
{
	size_t offset = region ? 4 * image->width * region->originY : 0;
	struct command command = {
		.work = { .kind = SIM_COPY, .name = "copy", .to = to ? to : image->data + offset,
			  .from = from ? from : image->data + offset,
			  .bytes = region ? 4 * image->width * region->height : image->bytes }
	};

	return add(handle, &command, signals, wait_count, waits);
}

static ze_result_t sim_zeCommandListAppendImageCopyFromMemory(ze_command_list_handle_t handle, ze_image_handle_t image,
							      const void *from, const ze_image_region_t *region,
							      ze_event_handle_t signals, uint32_t wait_count,
							      ze_event_handle_t *waits)
{
	SIM_CALL();
	return image_copy(handle, (struct ze_sim_image *)image, region, NULL, from, signals, wait_count, waits);
}

static ze_result_t sim_zeCommandListAppendImageCopyToMemory(ze_command_list_handle_t handle, void *to,
							    ze_image_handle_t image, const ze_image_region_t *region,
							    ze_event_handle_t signals, uint32_t wait_count,
							    ze_event_handle_t *waits)
{
	SIM_CALL();
	return image_copy(handle, (struct ze_sim_image *)image, region, to, NULL, signals, wait_count, waits);
}

static ze_result_t sim_zeCommandListAppendImageCopy(ze_command_list_handle_t handle, ze_image_handle_t to,
						    ze_image_handle_t from, ze_event_handle_t signals,
						    uint32_t wait_count, ze_event_handle_t *waits)
{
	SIM_CALL();
	return image_copy(handle, (struct ze_sim_image *)from, NULL, ((struct ze_sim_image *)to)->data, NULL, signals,
			  wait_count, waits);
}

static ze_result_t mark(ze_command_list_handle_t handle, enum action action, ze_event_handle_t event, void *to,
			ze_event_handle_t signals, uint32_t wait_count, ze_event_handle_t *waits)
{
	struct command command = {
		.work = { .kind = SIM_MARKER, .name = "marker" },
		.action = action,
		.event = (struct ze_sim_event *)event,
		.to = to
	};

	return add(handle, &command, signals, wait_count, waits);
}

static ze_result_t sim_zeCommandListAppendBarrier(ze_command_list_handle_t handle, ze_event_handle_t signals,
						  uint32_t wait_count, ze_event_handle_t *waits)
{
	SIM_CALL();
	return mark(handle, NOTHING, NULL, NULL, signals, wait_count, waits);
}

static ze_result_t sim_zeCommandListAppendSignalEvent(ze_command_list_handle_t handle, ze_event_handle_t event)
{
	SIM_CALL();
	return mark(handle, NOTHING, NULL, NULL, event, 0, NULL);
}

static ze_result_t sim_zeCommandListAppendWaitOnEvents(ze_command_list_handle_t handle, uint32_t count,
						       ze_event_handle_t *events)
{
	SIM_CALL();
	return mark(handle, NOTHING, NULL, NULL, NULL, count, events);
}

static ze_result_t sim_zeCommandListAppendEventReset(ze_command_list_handle_t handle, ze_event_handle_t event)
{
	SIM_CALL();
	return mark(handle, RESET, event, NULL, NULL, 0, NULL);
}

static ze_result_t sim_zeCommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t handle, uint64_t *to,
							       ze_event_handle_t signals, uint32_t wait_count,
							       ze_event_handle_t *waits)
{
	SIM_CALL();
	return mark(handle, WRITE_CLOCK, NULL, to, signals, wait_count, waits);
}

/* Of one event, to where the memory begins. */
static ze_result_t sim_zeCommandListAppendQueryKernelTimestamps(ze_command_list_handle_t handle, uint32_t count,
								ze_event_handle_t *events, void *to,
								const size_t *offsets, ze_event_handle_t signals,
								uint32_t wait_count, ze_event_handle_t *waits)
{
	SIM_CALL();
	if (count != 1 || offsets)
		return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
	return mark(handle, WRITE_TIMES, events[0], to, signals, wait_count, waits);
}

void ze_sim_list_table(ze_command_list_dditable_t *table)
{
	table->pfnCreate = sim_zeCommandListCreate;
	table->pfnCreateImmediate = sim_zeCommandListCreateImmediate;
	table->pfnDestroy = sim_zeCommandListDestroy;
	table->pfnClose = sim_zeCommandListClose;
	table->pfnReset = sim_zeCommandListReset;
	table->pfnAppendLaunchKernel = sim_zeCommandListAppendLaunchKernel;
	table->pfnAppendMemoryCopy = sim_zeCommandListAppendMemoryCopy;
	table->pfnAppendMemoryCopyRegion = sim_zeCommandListAppendMemoryCopyRegion;
	table->pfnAppendMemoryFill = sim_zeCommandListAppendMemoryFill;
	table->pfnAppendImageCopy = sim_zeCommandListAppendImageCopy;
	table->pfnAppendImageCopyFromMemory = sim_zeCommandListAppendImageCopyFromMemory;
	table->pfnAppendImageCopyToMemory = sim_zeCommandListAppendImageCopyToMemory;
	table->pfnAppendBarrier = sim_zeCommandListAppendBarrier;
	table->pfnAppendSignalEvent = sim_zeCommandListAppendSignalEvent;
	table->pfnAppendWaitOnEvents = sim_zeCommandListAppendWaitOnEvents;
	table->pfnAppendEventReset = sim_zeCommandListAppendEventReset;
	table->pfnAppendWriteGlobalTimestamp = sim_zeCommandListAppendWriteGlobalTimestamp;
	table->pfnAppendQueryKernelTimestamps = sim_zeCommandListAppendQueryKernelTimestamps;
}

void ze_sim_queue_table(ze_command_queue_dditable_t *table)
{
	table->pfnCreate = sim_zeCommandQueueCreate;
	table->pfnDestroy = sim_zeCommandQueueDestroy;
	table->pfnExecuteCommandLists = sim_zeCommandQueueExecuteCommandLists;
	table->pfnSynchronize = sim_zeCommandQueueSynchronize;
}

void ze_sim_fence_table(ze_fence_dditable_t *table)
{
	table->pfnCreate = sim_zeFenceCreate;
	table->pfnDestroy = sim_zeFenceDestroy;
	table->pfnReset = sim_zeFenceReset;
	table->pfnHostSynchronize = sim_zeFenceHostSynchronize;
	table->pfnQueryStatus = sim_zeFenceQueryStatus;
}
