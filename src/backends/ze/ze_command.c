/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One command that is put on a list: gives it an event where the program wants none. A call that fails has no command
 * and leaves nothing but its failure.
 */
#include <string.h>

#include "ze.h"

#define FUNCTIONS 1024u /* more than the API has */

/* rec_call.user of a command */
enum { USER_OWN, USER_BEGIN };

/* ---- kernels ----------------------------------------------------------------------------------------- */

struct kernel {
	uint64_t name;
	uint32_t group[3];
	uint32_t sized;
};
static struct rec_map kernels = REC_MAP(struct kernel);

void zed_kernel_leave(const struct zed_call *view)
{
	const struct zed_kernel_desc *desc = (const struct zed_kernel_desc *)zed_arg(view, ZE_ARG_DESC);
	zed_handle handle = zed_made(view);
	struct kernel kernel = { 0 };

	if (!handle || !desc || !desc->name || !zed_is_followed(view->call))
		return;
	kernel.name = rec_name(desc->name, strlen(desc->name));
	rec_map_put(&kernels, handle, &kernel);
}

void zed_kernel_size_leave(const struct zed_call *view)
{
	struct kernel *kernel;

	if (view->call->failed)
		return;
	kernel = rec_map_lock(&kernels, zed_arg(view, ZE_ARG_OBJECT), false);
	if (!kernel)
		return;
	for (int i = 0; i < 3; i++)
		kernel->group[i] = (uint32_t)view->args[view->role->size + i];
	kernel->sized = 1;
	rec_map_unlock(&kernels);
}

uint64_t zed_kernel_of(zed_handle handle, struct fmt_shape *shape)
{
	struct kernel kernel;

	if (!rec_map_get(&kernels, handle, &kernel))
		return rec_name("unnamed kernel", 14);
	if (kernel.sized && !(shape->known & FMT_SHAPE_BLOCK)) {
		memcpy(shape->block, kernel.group, sizeof(shape->block));
		shape->known |= FMT_SHAPE_BLOCK;
	}
	return kernel.name;
}

void zed_kernels_reset(void)
{
	kernels = (struct rec_map)REC_MAP(struct kernel);
}

/* ---- what it is ---------------------------------------------------------------------------------------- */

/* Commands without a kernel are known by the function that made them. */
static uint64_t function_name(uint32_t function)
{
	static struct {
		uint64_t name;
		uint32_t generation;
	} known[FUNCTIONS];
	const char *name = ze_backend.pool + ze_backend.function[function].name;
	uint32_t generation = rec_generation();

	if (function >= FUNCTIONS)
		return rec_name(name, strlen(name));
	if (__atomic_load_n(&known[function].generation, __ATOMIC_ACQUIRE) != generation) {
		known[function].name = rec_name(name, strlen(name));
		__atomic_store_n(&known[function].generation, generation, __ATOMIC_RELEASE);
	}
	return known[function].name;
}

static uint64_t bytes_of(const struct zed_call *view)
{
	const struct zed_region *region = (const struct zed_region *)zed_arg(view, ZE_ARG_REGION);

	uint64_t items;

	if (!region)
		return zed_has(view, ZE_ARG_IMAGE) ? zed_image_bytes(zed_arg(view, ZE_ARG_IMAGE), false) :
						     zed_arg(view, ZE_ARG_BYTES);
	items = (uint64_t)region->width * (region->height ? region->height : 1) * (region->depth ? region->depth : 1);
	return zed_has(view, ZE_ARG_IMAGE) ? items * zed_image_bytes(zed_arg(view, ZE_ARG_IMAGE), true) : items;
}

static void describe(const struct zed_call *view, const struct zed_list *list, struct zed_command *command)
{
	const uint32_t *groups = (const uint32_t *)zed_arg(view, ZE_ARG_GROUPS);
	const uint32_t *sizes = (const uint32_t *)zed_arg(view, ZE_ARG_SIZES);

	command->kind = ze_backend.function[view->function].kind;
	command->direction = view->role->direction;
	command->context = list->context;
	if (groups) {
		memcpy(command->shape.grid, groups, sizeof(command->shape.grid));
		command->shape.known |= FMT_SHAPE_GRID;
	}
	if (sizes) {
		memcpy(command->shape.block, sizes, sizeof(command->shape.block));
		command->shape.known |= FMT_SHAPE_BLOCK;
	}
	if (zed_has(view, ZE_ARG_KERNEL))
		command->name = zed_kernel_of(zed_arg(view, ZE_ARG_KERNEL), &command->shape);
	else
		command->name = function_name(view->function);
	if (command->kind == SONDE_KIND_launch)
		return;
	command->bytes = bytes_of(view);
	zed_memory_transfer(list->context, zed_arg(view, ZE_ARG_TO),
			    zed_has(view, ZE_ARG_CONTEXT) ? zed_arg(view, ZE_ARG_CONTEXT) : list->context,
			    zed_arg(view, ZE_ARG_FROM), command);
}

/* ---- hooks --------------------------------------------------------------------------------------------- */

/* Commands of a list may be executed when recording is on again. */
static bool wanted(const struct rec_call *call, const struct zed_list *list)
{
	return !list->captured && (list->stream ? call->slot != 0 : zed_is_followed(call));
}

void zed_command_enter(const struct zed_call *view)
{
	rec_word *event = &view->args[view->role->event];
	struct zed_list list;

	view->call->user[USER_OWN] = 0;
	view->call->user[USER_BEGIN] = 0;
	if (!zed_list_of(zed_arg(view, ZE_ARG_OBJECT), &list) || !wanted(view->call, &list))
		return;
	if (!*event) {
		struct zed_own *own = zed_own_take(list.context);

		if (own)
			*event = own->event;
		view->call->user[USER_OWN] = (uint64_t)own;
	} else if (list.stream) {
		zed_pending_settle_event(*event);
	}
	view->call->user[USER_BEGIN] = rec_raw_ns();
}

static void start(const struct zed_call *view, const struct zed_list *list, struct zed_command *command)
{
	struct rec_call *call = view->call;

	rec_device_seen(&ze_backend);
	command->begin_raw = call->user[USER_BEGIN];
	command->thread_context = rec_context(&ze_backend);
	command->flags |= ZED_COMMAND_ONCE;
	command->waited = list->synchronous != 0;
	if (call->streamed) {
		command->correlation = __atomic_add_fetch(&zed_correlations, 1, __ATOMIC_RELAXED);
		rec_call_link(call, command->correlation);
	}
	if (command->flags & ZED_COMMAND_TIMED) {
		zed_pending_add(list->stream, command);
		zed_pending_collect(list->stream, list->synchronous);
		return;
	}
	rec_device_untimed(&ze_backend);
	zed_command_free(command);
}

void zed_command_leave(const struct zed_call *view)
{
	struct rec_call *call = view->call;
	struct zed_own *own = (struct zed_own *)call->user[USER_OWN];
	struct zed_command *command;
	struct zed_list list;

	if (!call->user[USER_BEGIN])
		return;
	command = call->failed || !zed_list_of(zed_arg(view, ZE_ARG_OBJECT), &list) ? NULL : zed_command_make();
	if (!command) {
		if (own && call->failed)
			zed_own_give(own);
		if (!call->failed)
			rec_device_lost(&ze_backend);
		return;
	}
	describe(view, &list, command);
	command->own = own;
	command->event = view->args[view->role->event];
	if (own || zed_event_is_timed(command->event))
		command->flags |= ZED_COMMAND_TIMED;
	if (call->slot && command->direction == SONDE_DIRECTION_d2h && command->kind != SONDE_KIND_launch)
		rec_call_bytes(call, 0, command->bytes, false);
	else if (call->slot && command->bytes)
		rec_call_bytes(call, command->bytes, 0, false);
	if (list.stream) {
		start(view, &list, command);
		return;
	}
	if (command->flags & ZED_COMMAND_TIMED && !own)
		zed_pending_listed(zed_arg(view, ZE_ARG_OBJECT), command, command->event);
	zed_list_add(zed_arg(view, ZE_ARG_OBJECT), command);
}

/* Something else signals or resets the event, on an immediate list now: its times are gone then, or no kernel's. */
void zed_signal_enter(const struct zed_call *view)
{
	zed_handle event = zed_arg(view, ZE_ARG_EVENT), handle = zed_arg(view, ZE_ARG_OBJECT);
	struct zed_list list;

	if (!event || !zed_list_of(handle, &list))
		return;
	if (list.stream)
		zed_pending_settle_event(event);
	else
		zed_pending_listed(handle, NULL, event);
}
