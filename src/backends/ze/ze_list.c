/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues, command lists, fences. Commands of a list stay with it until it is reset: each time it is executed they are
 * on their way again. An immediate list runs its commands itself.
 */
#include "ze.h"

/* rec_call.user of the hooks here */
enum { USER_BEGIN };

struct stream_of {
	struct zed_stream *stream;
	uint32_t synchronous;
	uint32_t reserved;
};
static struct rec_map queues = REC_MAP(struct stream_of);
static struct rec_map fences = REC_MAP(struct stream_of);
static struct rec_map lists = REC_MAP(struct zed_list);

uint64_t zed_correlations;

/* ---- queues and fences -------------------------------------------------------------------------------- */

void zed_queue_leave(const struct zed_call *view)
{
	const struct zed_queue_desc *desc = (const struct zed_queue_desc *)zed_arg(view, ZE_ARG_DESC);
	struct zed_device *device = zed_device_of(zed_arg(view, ZE_ARG_DEVICE));
	zed_handle queue = zed_made(view);
	struct stream_of of = { 0 };

	if (!queue || !desc || !device || !zed_is_followed(view->call))
		return;
	of.synchronous = desc->mode == ZED_MODE_SYNCHRONOUS;
	of.stream = zed_stream_open(queue, device, false, "queue");
	if (of.stream)
		rec_map_put(&queues, queue, &of);
}

void zed_queue_destroy_enter(const struct zed_call *view)
{
	struct stream_of of;

	if (!rec_map_take(&queues, zed_arg(view, ZE_ARG_OBJECT), &of))
		return;
	zed_pending_collect(of.stream, true);
	zed_stream_close(of.stream);
}

void zed_queue_wait_leave(const struct zed_call *view)
{
	struct stream_of of;

	if (view->call->slot && (uint32_t)view->call->result == ZED_SUCCESS &&
	    rec_map_get(&queues, zed_arg(view, ZE_ARG_OBJECT), &of))
		zed_pending_collect(of.stream, true);
}

void zed_fence_leave(const struct zed_call *view)
{
	zed_handle fence = zed_made(view);
	struct stream_of of;

	if (fence && rec_map_get(&queues, zed_arg(view, ZE_ARG_OBJECT), &of))
		rec_map_put(&fences, fence, &of);
}

void zed_fence_destroy_enter(const struct zed_call *view)
{
	rec_map_take(&fences, zed_arg(view, ZE_ARG_OBJECT), NULL);
}

void zed_fence_wait_leave(const struct zed_call *view)
{
	struct stream_of of;

	if (view->call->slot && (uint32_t)view->call->result == ZED_SUCCESS &&
	    rec_map_get(&fences, zed_arg(view, ZE_ARG_OBJECT), &of))
		zed_pending_collect(of.stream, true);
}

void zed_list_wait_leave(const struct zed_call *view)
{
	struct zed_list list;

	if (view->call->slot && (uint32_t)view->call->result == ZED_SUCCESS &&
	    zed_list_of(zed_arg(view, ZE_ARG_OBJECT), &list) && list.stream)
		zed_pending_collect(list.stream, true);
}

void zed_device_wait_leave(const struct zed_call *view)
{
	if (view->call->slot && !view->call->failed)
		zed_pending_collect_device(zed_device_of(zed_arg(view, ZE_ARG_DEVICE)));
}

/* ---- lists ----------------------------------------------------------------------------------------------- */

bool zed_list_of(zed_handle handle, struct zed_list *list_out)
{
	return rec_map_get(&lists, handle, list_out);
}

void zed_list_add(zed_handle handle, struct zed_command *command)
{
	struct zed_list *list = rec_map_lock(&lists, handle, false);

	if (!list)
		return;
	*(list->last ? &list->last->next : &list->first) = command;
	list->last = command;
	command->next = NULL;
	rec_map_unlock(&lists);
}

void zed_list_leave(const struct zed_call *view)
{
	zed_handle handle = zed_made(view);
	struct zed_list list = {
		.context = zed_arg(view, ZE_ARG_CONTEXT),
		.device = zed_device_of(zed_arg(view, ZE_ARG_DEVICE))
	};

	if (handle && list.device && zed_is_followed(view->call))
		rec_map_put(&lists, handle, &list);
}

void zed_immediate_leave(const struct zed_call *view)
{
	const struct zed_queue_desc *desc = (const struct zed_queue_desc *)zed_arg(view, ZE_ARG_DESC);
	zed_handle handle = zed_made(view);
	struct zed_list list = {
		.context = zed_arg(view, ZE_ARG_CONTEXT),
		.device = zed_device_of(zed_arg(view, ZE_ARG_DEVICE))
	};

	if (!handle || !desc || !list.device || !zed_is_followed(view->call))
		return;
	list.synchronous = desc->mode == ZED_MODE_SYNCHRONOUS;
	list.stream = zed_stream_open(handle, list.device, (desc->flags & ZED_QUEUE_IN_ORDER) != 0, "immediate list");
	if (list.stream)
		rec_map_put(&lists, handle, &list);
}

/* Nothing of the list is on its way any more, or else it has no times. */
static void empty(struct zed_command *first)
{
	for (struct zed_command *command = first, *next; command; command = next) {
		struct zed_stream *stream = __atomic_load_n(&command->stream, __ATOMIC_ACQUIRE);

		next = command->next;
		if (stream)
			zed_pending_settle(stream, command, command->event);
		if (command->flags & ZED_COMMAND_UNREAD)
			command->own = NULL;
		zed_command_free(command);
	}
}

void zed_list_reset_enter(const struct zed_call *view)
{
	struct zed_list *list = rec_map_lock(&lists, zed_arg(view, ZE_ARG_OBJECT), false);
	struct zed_command *first;

	if (!list)
		return;
	first = list->first;
	list->first = list->last = NULL;
	rec_map_unlock(&lists);
	empty(first);
}

void zed_list_destroy_enter(const struct zed_call *view)
{
	struct zed_list list;

	if (!rec_map_take(&lists, zed_arg(view, ZE_ARG_OBJECT), &list))
		return;
	empty(list.first);
	if (!list.stream)
		return;
	zed_pending_collect(list.stream, true);
	zed_stream_close(list.stream);
}

/* ---- execution ------------------------------------------------------------------------------------------- */

/* Events are about to be used again. */
static void prepare(struct zed_command *first)
{
	uint32_t (*reset)(zed_handle) = (uint32_t (*)(zed_handle))ZED_REAL(zeEventHostReset);

	for (struct zed_command *command = first; command; command = command->next) {
		struct zed_stream *stream = __atomic_load_n(&command->stream, __ATOMIC_ACQUIRE);

		if (stream) {
			zed_pending_settle(stream, command, command->event);
		} else if ((command->flags & ZED_COMMAND_UNREAD) && command->own) {
			uint32_t token = rec_guard_enter();

			if (reset)
				reset(command->event);
			rec_guard_leave(token);
			command->flags &= ~(uint16_t)ZED_COMMAND_UNREAD;
		} else if ((command->flags & ZED_COMMAND_TIMED) && !command->own) {
			zed_pending_settle_event(command->event);
		}
	}
}

static void begin_execution(const struct zed_call *view)
{
	const zed_handle *handle = (const zed_handle *)zed_arg(view, ZE_ARG_LISTS);
	uint32_t count = (uint32_t)zed_arg(view, ZE_ARG_COUNT);
	struct zed_list list;

	if (!view->call->slot || !zed_streams_opened()) /* without a queue the call is refused, whatever it is given */
		return;
	for (uint32_t i = 0; handle && i < count; i++)
		if (zed_list_of(handle[i], &list))
			prepare(list.first);
	view->call->user[USER_BEGIN] = rec_raw_ns();
}

static void hand_over(const struct zed_call *view, struct zed_stream *stream, struct zed_command *first,
		      uint64_t correlation)
{
	uint32_t context = rec_context(&ze_backend);

	for (struct zed_command *command = first; command; command = command->next) {
		rec_device_seen(&ze_backend);
		command->begin_raw = view->call->user[USER_BEGIN];
		command->thread_context = context;
		command->correlation = correlation;
		if (!(command->flags & ZED_COMMAND_TIMED)) {
			rec_device_untimed(&ze_backend);
			continue;
		}
		if (!command->own)
			zed_pending_lose_event(command->event);
		zed_pending_add(stream, command);
	}
}

static void executed(const struct zed_call *view, struct zed_stream *stream, bool synchronous)
{
	const zed_handle *handle = (const zed_handle *)zed_arg(view, ZE_ARG_LISTS);
	uint32_t count = (uint32_t)zed_arg(view, ZE_ARG_COUNT);
	uint64_t correlation = 0;
	struct zed_list list;

	if (view->call->streamed) {
		correlation = __atomic_add_fetch(&zed_correlations, 1, __ATOMIC_RELAXED);
		rec_call_link(view->call, correlation);
	}
	for (uint32_t i = 0; handle && i < count; i++)
		if (zed_list_of(handle[i], &list))
			hand_over(view, stream, list.first, correlation);
	zed_pending_collect(stream, synchronous);
}

void zed_execute_enter(const struct zed_call *view)
{
	begin_execution(view);
}

void zed_execute_leave(const struct zed_call *view)
{
	struct stream_of of;

	if (view->call->slot && !view->call->failed && rec_map_get(&queues, zed_arg(view, ZE_ARG_OBJECT), &of))
		executed(view, of.stream, of.synchronous);
}

/* An immediate list executes others, then signals an event. */
void zed_pass_on_enter(const struct zed_call *view)
{
	begin_execution(view);
	zed_signal_enter(view);
}

void zed_pass_on_leave(const struct zed_call *view)
{
	struct zed_list list;

	if (view->call->slot && !view->call->failed && zed_list_of(zed_arg(view, ZE_ARG_OBJECT), &list) &&
	    list.stream && !list.captured)
		executed(view, list.stream, list.synchronous);
}

static void set_captured(const struct zed_call *view, uint32_t captured)
{
	struct zed_list *list;

	if (view->call->failed)
		return;
	list = rec_map_lock(&lists, zed_arg(view, ZE_ARG_OBJECT), false);
	if (!list)
		return;
	list->captured = captured;
	rec_map_unlock(&lists);
}

void zed_capture_leave(const struct zed_call *view)
{
	set_captured(view, 1);
}

void zed_captured_leave(const struct zed_call *view)
{
	set_captured(view, 0);
}

/* Graphs, lists that are copies of others, lists that change: their commands are not known here. */
void zed_unseen_leave(const struct zed_call *view)
{
	if (view->call->slot && !view->call->failed)
		rec_backend_note(&ze_backend, "kernels and copies of graphs, of cloned and of mutable command lists "
				 "are not recorded as they ran: what devices did is a lower bound");
}

void zed_lists_reset(void)
{
	queues = (struct rec_map)REC_MAP(struct stream_of);
	fences = (struct rec_map)REC_MAP(struct stream_of);
	lists = (struct rec_map)REC_MAP(struct zed_list);
}
