/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that are on their way, by the queue or immediate list that runs them. Nobody waits for an event: they are
 * looked at where the program's own calls come by, and at its end. A command whose event is used again before its times
 * could be read has none.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "record/rec_hot.h"
#include "ze.h"

#define UNREADY_MOST 2u /* of a stream, looked at in passing */

typedef uint32_t event_call(zed_handle);
typedef uint32_t stamps_call(zed_handle, struct zed_stamps *);

static struct zed_stream *streams; /* grows at the head, read without the lock */
static uint32_t streams_lock, streams_named;
static struct rec_pool commands = REC_POOL(struct zed_command, 0);

/* The command that signals an event of the program's, and what was read of it last. */
struct signaller {
	struct zed_stream *stream;
	struct zed_command *command;
	uint64_t read_begin, read_end;
	zed_handle list; /* that such a command was put on last, and which one */
	struct zed_command *listed;
};
static struct rec_map signallers = REC_MAP(struct signaller);

/* ---- memory of commands ---------------------------------------------------------------------------- */

struct zed_command *zed_command_make(void)
{
	struct zed_command *command = rec_pool_take(&commands);

	if (command)
		*command = (struct zed_command){ .stream = NULL };
	return command;
}

void zed_command_free(struct zed_command *command)
{
	if (command->own)
		zed_own_give(command->own);
	command->event = 0;
	command->own = NULL;
	rec_pool_give(&commands, command);
}

/* ---- streams --------------------------------------------------------------------------------------- */

struct zed_stream *zed_stream_open(zed_handle handle, struct zed_device *device, bool in_order, const char *what)
{
	uint32_t number = __atomic_add_fetch(&streams_named, 1, __ATOMIC_RELAXED);
	struct zed_stream *stream;
	char name[64];

	rec_lock(&streams_lock);
	for (stream = streams; stream && !stream->free; stream = stream->next)
		;
	if (stream) {
		stream->free = 0;
	} else {
		stream = rec_keep(NULL, sizeof(*stream));
		if (stream) {
			stream->next = streams;
			__atomic_store_n(&streams, stream, __ATOMIC_RELEASE);
		}
	}
	rec_unlock(&streams_lock);
	if (!stream)
		return NULL;
	snprintf(name, sizeof(name), "%s %u", what, number);
	stream->device = device;
	stream->in_order = in_order;
	stream->ended = 0;
	stream->recorded = rec_queue(&ze_backend, zed_recorded(device), handle, name);
	return stream;
}

bool zed_streams_opened(void)
{
	return __atomic_load_n(&streams, __ATOMIC_ACQUIRE) != NULL;
}

/* The stream is locked. */
static void unlink_command(struct zed_stream *stream, struct zed_command *command)
{
	*(command->before ? &command->before->after : &stream->first) = command->after;
	*(command->after ? &command->after->before : &stream->last) = command->before;
	command->before = command->after = NULL;
	command->stream = NULL;
	if (command->flags & ZED_COMMAND_ONCE)
		zed_command_free(command);
}

/* An event of ours that may still be signalled is not given back. */
static void drop(struct zed_stream *stream, struct zed_command *command)
{
	if (command->flags & ZED_COMMAND_ONCE)
		command->own = NULL;
	command->flags |= ZED_COMMAND_UNREAD;
	rec_device_untimed(&ze_backend);
	unlink_command(stream, command);
}

void zed_stream_close(struct zed_stream *stream)
{
	rec_lock(&stream->lock);
	while (stream->first)
		drop(stream, stream->first);
	stream->free = 1;
	rec_unlock(&stream->lock);
}

void zed_streams_drop(zed_handle context)
{
	for (struct zed_stream *stream = __atomic_load_n(&streams, __ATOMIC_ACQUIRE); stream; stream = stream->next) {
		zed_pending_collect(stream, true);
		rec_lock(&stream->lock);
		for (struct zed_command *at = stream->first, *after; at; at = after) {
			after = at->after;
			if (at->context == context)
				drop(stream, at);
		}
		rec_unlock(&stream->lock);
	}
}

/* ---- reading times ----------------------------------------------------------------------------------- */

enum outcome { OUTCOME_LATER, OUTCOME_TIMED, OUTCOME_UNTIMED, OUTCOME_LOST };

static void note_read(struct zed_command *command, const struct zed_stamps *stamps)
{
	struct signaller *signaller;

	command->read_begin = stamps->global.begin;
	command->read_end = stamps->global.end;
	if (command->own) {
		event_call *reset = (event_call *)ZED_REAL(zeEventHostReset);

		if (reset)
			reset(command->event);
		return;
	}
	signaller = rec_map_lock(&signallers, command->event, false);
	if (!signaller)
		return;
	signaller->read_begin = command->read_begin;
	signaller->read_end = command->read_end;
	rec_map_unlock(&signallers);
}

static void record(struct zed_stream *stream, const struct zed_command *command, struct rec_span *span)
{
	span->name = command->name;
	span->bytes = command->bytes;
	span->correlation = command->correlation;
	span->device = stream->device->recorded;
	span->queue = stream->recorded;
	span->kind = command->kind;
	span->direction = command->direction;
	span->memory = command->memory;
	span->context = command->thread_context;
	span->waited = command->waited;
	span->details.shape = command->shape;
	rec_device_span(&ze_backend, span);
	if (span->end_ns > stream->ended)
		stream->ended = span->end_ns;
}

/* The stream is locked, inside a guard. */
static enum outcome read_times(struct zed_stream *stream, struct zed_command *command)
{
	event_call *status = (event_call *)ZED_REAL(zeEventQueryStatus);
	stamps_call *query = (stamps_call *)ZED_REAL(zeEventQueryKernelTimestamp);
	struct zed_window window = { .begin = command->begin_raw, .follows = stream->in_order ? stream->ended : 0 };
	struct zed_stamps stamps = { { 0, 0 }, { 0, 0 } };
	struct rec_span span = { 0 };
	enum zed_stamp stamp;
	uint32_t result;

	if (!status || !query)
		return OUTCOME_LOST;
	result = status(command->event); /* first: drivers may wait for the times of an event that is not signalled */
	if (result == ZED_SUCCESS)
		result = query(command->event, &stamps);
	if (result == ZED_NOT_READY)
		return OUTCOME_LATER;
	window.end = rec_raw_ns();
	if (result != ZED_SUCCESS)
		return OUTCOME_LOST;
	stamp = zed_device_span(stream->device, &stamps, &window, &span);
	/* what the event held before: the command has not signalled it yet */
	if (stamp == ZED_STAMP_OLD && stamps.global.begin == command->read_begin &&
	    stamps.global.end == command->read_end)
		return OUTCOME_LATER;
	note_read(command, &stamps);
	if (stamp != ZED_STAMP_RIGHT || stream->device->recorded == UINT32_MAX)
		return OUTCOME_UNTIMED;
	record(stream, command, &span);
	return OUTCOME_TIMED;
}

/* Likewise. False: it is not done. */
static bool finish(struct zed_stream *stream, struct zed_command *command)
{
	enum outcome outcome = read_times(stream, command);

	if (outcome == OUTCOME_LATER)
		return false;
	if (outcome == OUTCOME_LOST)
		drop(stream, command);
	if (outcome == OUTCOME_UNTIMED)
		rec_device_untimed(&ze_backend);
	if (outcome != OUTCOME_LOST)
		unlink_command(stream, command);
	return true;
}

/* Likewise. */
static void collect_locked(struct zed_stream *stream, bool all)
{
	uint32_t unready = 0;

	for (struct zed_command *at = stream->first, *after; at; at = after) {
		after = at->after;
		if (finish(stream, at))
			continue;
		if (!all && (stream->in_order || ++unready == UNREADY_MOST))
			break;
	}
}

void zed_pending_collect(struct zed_stream *stream, bool all)
{
	uint32_t token;

	if (!__atomic_load_n(&stream->first, __ATOMIC_RELAXED))
		return;
	token = rec_guard_enter();
	rec_lock(&stream->lock);
	collect_locked(stream, all);
	rec_unlock(&stream->lock);
	rec_guard_leave(token);
}

void zed_pending_collect_device(const struct zed_device *device)
{
	for (struct zed_stream *stream = __atomic_load_n(&streams, __ATOMIC_ACQUIRE); stream; stream = stream->next)
		if (stream->device == device)
			zed_pending_collect(stream, true);
}

void zed_pending_add(struct zed_stream *stream, struct zed_command *command)
{
	rec_lock(&stream->lock);
	command->stream = stream;
	command->after = NULL;
	command->before = stream->last;
	*(stream->last ? &stream->last->after : &stream->first) = command;
	stream->last = command;
	if (!command->own) {
		struct signaller *signaller = rec_map_lock(&signallers, command->event, true);

		if (signaller) {
			signaller->stream = stream;
			signaller->command = command;
			command->read_begin = signaller->read_begin;
			command->read_end = signaller->read_end;
			rec_map_unlock(&signallers);
		}
	}
	rec_unlock(&stream->lock);
}

void zed_pending_settle(struct zed_stream *stream, struct zed_command *command, zed_handle event)
{
	uint32_t token = rec_guard_enter();

	rec_lock(&stream->lock);
	/* another thread may have seen to it */
	if (command->stream == stream && command->event == event && !finish(stream, command))
		drop(stream, command);
	rec_unlock(&stream->lock);
	rec_guard_leave(token);
}

/* ---- by event ------------------------------------------------------------------------------------------ */

void zed_pending_settle_event(zed_handle event)
{
	struct signaller signaller;

	if (rec_map_get(&signallers, event, &signaller) && signaller.command)
		zed_pending_settle(signaller.stream, signaller.command, event);
}

void zed_pending_lose_event(zed_handle event)
{
	struct signaller signaller;

	if (!rec_map_get(&signallers, event, &signaller) || !signaller.command)
		return;
	rec_lock(&signaller.stream->lock);
	if (signaller.command->stream == signaller.stream && signaller.command->event == event)
		drop(signaller.stream, signaller.command);
	rec_unlock(&signaller.stream->lock);
}

void zed_pending_listed(zed_handle list, struct zed_command *command, zed_handle event)
{
	struct signaller *signaller = rec_map_lock(&signallers, event, command != NULL);

	if (!signaller)
		return;
	if (signaller->listed && signaller->list == list && signaller->listed->event == event)
		signaller->listed->flags &= ~(uint16_t)ZED_COMMAND_TIMED;
	signaller->list = list;
	signaller->listed = command;
	rec_map_unlock(&signallers);
}

void zed_pending_seen(zed_handle event)
{
	struct signaller signaller;

	if (rec_map_get(&signallers, event, &signaller) && signaller.stream)
		zed_pending_collect(signaller.stream, false);
}

void zed_pending_forget_event(zed_handle event)
{
	rec_map_take(&signallers, event, NULL);
}

/* ---- the end of the program ---------------------------------------------------------------------------- */

uint64_t zed_pending_oldest(void)
{
	uint64_t oldest = UINT64_MAX;

	for (struct zed_stream *stream = __atomic_load_n(&streams, __ATOMIC_ACQUIRE); stream; stream = stream->next) {
		const struct zed_command *first = __atomic_load_n(&stream->first, __ATOMIC_ACQUIRE);
		uint64_t begin;

		if (!first)
			continue;
		begin = first->begin_raw;
		if (stream->in_order && stream->ended > begin)
			begin = stream->ended;
		if (begin < oldest)
			oldest = begin;
	}
	return oldest;
}

void zed_pending_reset(void)
{
	streams = NULL;
	streams_lock = streams_named = 0;
	rec_pool_forget(&commands);
	signallers = (struct rec_map)REC_MAP(struct signaller);
}

/* How many are left. */
static uint64_t collect_every_stream(void)
{
	uint64_t left = 0;

	for (struct zed_stream *stream = __atomic_load_n(&streams, __ATOMIC_ACQUIRE); stream; stream = stream->next) {
		uint32_t token;

		if (!stream->first || !rec_try_lock(&stream->lock))
			continue;
		token = rec_guard_enter();
		collect_locked(stream, true);
		rec_guard_leave(token);
		for (const struct zed_command *at = stream->first; at; at = at->after)
			left++;
		rec_unlock(&stream->lock);
	}
	return left;
}

void zed_pending_flush(uint64_t deadline_raw_ns)
{
	if (rec_may_ask() && rec_raw_ns() < deadline_raw_ns)
		rec_flush_wait(deadline_raw_ns, collect_every_stream);
}
