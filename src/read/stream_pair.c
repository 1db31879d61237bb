/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries and exits of one stream find each other by its stack of open calls: never across a gap, never from one
 * thread to the next. What ends without an exit is told where it is known to be over.
 */
#include <stdlib.h>
#include <string.h>

#include "read/stream.h"

#define NO_FLOOR UINT32_MAX

void bytes_copy(struct bytes *kept, const struct event_payload *payload)
{
	if (payload->length > kept->capacity) {
		uint8_t *larger = realloc(kept->bytes, 2 * (size_t)payload->length);

		if (!larger)
			return;
		kept->bytes = larger;
		kept->capacity = 2 * payload->length;
	}
	memcpy(kept->bytes, payload->bytes, payload->length);
	kept->length = payload->length;
}

void stream_pair_start(struct stream_pair *pair)
{
	pair->floor = NO_FLOOR;
	pair->last_function = READ_NONE;
	pair->time = INT64_MIN;
	pair->lane = READ_NONE;
	pair->event = &pair->own;
}

void stream_pair_free(struct stream_pair *pair)
{
	for (size_t i = 0; i < PAIR_FRAMES; i++)
		free(pair->frame[i].in.bytes);
}

static int64_t pair_time(const struct stream_pair *pair, uint64_t ticks)
{
	int64_t time = stream_ticks_time(pair->process, ticks);

	return time > pair->time ? time : pair->time;
}

/* The event as one of this type, at pair->time and of no call yet. */
static struct event *pair_event(struct stream_pair *pair, enum event_type type)
{
	struct event *event = pair->event;

	event->type = type;
	event->process = pair->process->index;
	event->lane = pair->lane;
	event->ended = EVENT_RETURNED;
	event->failed = event->has_begin = event->has_result = false;
	event->time = event->begin = event->end = pair->time;
	event->in.length = event->out.length = 0;
	event->links = 0;
	event->bytes_out = event->bytes_in = 0;
	event->function = pair->last_function;
	event->depth = pair->last_depth;
	return event;
}

/* ---- calls ---- */

static struct event *pair_pop(struct stream_pair *pair)
{
	const struct pair_frame *frame = &pair->frame[--pair->depth];
	struct event *event;

	pair->last_function = frame->function;
	pair->last_depth = pair->depth;
	pair->ordinal = frame->ordinal;
	event = pair_event(pair, EVENT_EXIT);
	event->has_begin = true;
	event->begin = frame->begin;
	event->in = (struct event_payload){frame->in.bytes, pair->keep ? frame->in.length : 0};
	return event;
}

static struct event *pair_close(struct stream_pair *pair)
{
	struct event *event = pair_pop(pair);

	event->ended = pair->why;
	pair->counts->left += pair->why == EVENT_LEFT;
	pair->counts->cut += pair->why == EVENT_CUT;
	pair->counts->open += pair->why == EVENT_OPEN;
	return event;
}

static struct event *pair_entry(struct stream_pair *pair)
{
	struct pair_frame *frame = &pair->frame[pair->depth];
	struct event *event;

	pair->last_function = fmt_event_function(pair->cursor.id);
	pair->last_depth = pair->depth;
	event = pair_event(pair, EVENT_ENTRY);
	event->in = (struct event_payload){pair->cursor.payload, pair->cursor.bytes};
	frame->function = event->function;
	frame->begin = pair->time;
	frame->ticks = pair->cursor.ticks;
	frame->ordinal = pair->ordinal = pair->entries++;
	if (pair->keep && !pair->scout)
		bytes_keep(&frame->in, &event->in);
	pair->depth++;
	pair->counts->entries++;
	return event;
}

static struct event *pair_exit(struct stream_pair *pair)
{
	const uint8_t *payload = pair->cursor.payload;
	uint32_t function = fmt_event_function(pair->cursor.id);
	struct event *event;
	uint64_t begin;

	if (pair->depth && pair->frame[pair->depth - 1].function == function) {
		event = pair_pop(pair);
		begin = pair->frame[pair->depth].ticks;
		event->ticks = pair->cursor.ticks > begin ? pair->cursor.ticks - begin : 0;
	} else { /* its entry was lost */
		pair->last_function = function;
		pair->last_depth = pair->depth;
		pair->ordinal = UINT64_MAX;
		pair->counts->unmatched++;
		event = pair_event(pair, EVENT_EXIT);
	}
	event->failed = fmt_is_failure(fmt_event_of_call(pair->cursor.id));
	event->has_result = !pair->process->body->function[function].returns_nothing;
	if (pair->cursor.bytes >= sizeof(event->result)) { /* ranges have none */
		memcpy(&event->result, payload, sizeof(event->result));
		event->out = (struct event_payload){payload + sizeof(event->result),
						    pair->cursor.bytes - (uint32_t)sizeof(event->result)};
	}
	pair->counts->exits++;
	return event;
}

/* The call that has just returned, or calls inside of it were left by a jump. */
static void pair_find_exit(struct stream_pair *pair, uint32_t function)
{
	uint32_t depth = pair->depth;

	while (depth && pair->frame[depth - 1].function != function)
		depth--;
	if (depth && depth < pair->depth) {
		pair->floor = depth;
		pair->why = EVENT_LEFT;
	}
	pair->then = PAIR_EXIT;
}

/* ---- other events ---- */

static struct event *pair_memory(struct stream_pair *pair)
{
	const struct tally_body *names = pair->process->body;
	struct event *event = pair_event(pair, EVENT_MEMORY);
	struct fmt_event_memory raw;

	memcpy(&raw, pair->cursor.payload, sizeof(raw));
	event->memory = (struct event_memory){
		.live_bytes = raw.live_bytes,
		.change = raw.change,
		.backend = raw.backend < names->backends ? raw.backend : READ_NONE,
		.device = raw.device < names->devices ? raw.device : READ_NONE,
		.memory = raw.memory < SONDE_MEMORY_COUNT ? (enum sonde_memory_kind)raw.memory : SONDE_MEMORY_unknown,
	};
	pair->counts->memories++;
	return event;
}

/* A mark, or one end of a range of the process. */
static struct event *pair_moment(struct stream_pair *pair, bool is_mark)
{
	struct event *event = pair_event(pair, EVENT_MARK);
	uint32_t front = is_mark ? 0 : sizeof(event->result);

	event->function = fmt_event_function(pair->cursor.id);
	event->depth = pair->depth;
	if (!is_mark) {
		memcpy(&event->result, pair->cursor.payload, front);
		event->type = event->result & 1 ? EVENT_END : EVENT_START;
		event->result &= ~(uint64_t)1;
	}
	event->in = (struct event_payload){pair->cursor.payload + front, pair->cursor.bytes - front};
	return event;
}

static struct event *pair_fact(struct stream_pair *pair)
{
	struct event *event;
	uint64_t word[2];

	switch (pair->cursor.id) {
	case FMT_EVENT_LINK:
		event = pair_event(pair, EVENT_LINK);
		memcpy(&pair->link, pair->cursor.payload, sizeof(pair->link));
		event->link = &pair->link;
		event->links = 1;
		pair->counts->links++;
		return event;
	case FMT_EVENT_BYTES:
		event = pair_event(pair, EVENT_BYTES);
		memcpy(word, pair->cursor.payload, sizeof(word));
		event->bytes_out = word[0];
		event->bytes_in = word[1];
		return event;
	default:
		return pair_memory(pair);
	}
}

static void pair_owner(struct stream_pair *pair)
{
	pair->last_function = READ_NONE;
	pair->last_depth = 0;
	if (pair->scout)
		return;
	pair->lane = events_lane_add(pair->events, pair->process->index, pair->cursor.tid, pair->stream);
}

static struct event *pair_gap(struct stream_pair *pair)
{
	int64_t end = pair->cursor.ticks ? pair_time(pair, pair->cursor.ticks) : pair->process->end;
	struct event *event;

	if (pair->lane == READ_NONE)
		pair_owner(pair); /* nothing but this could be read */
	if (pair->time == INT64_MIN)
		pair->time = end;
	pair->last_function = READ_NONE;
	pair->last_depth = 0;
	event = pair_event(pair, EVENT_GAP);
	event->lost = pair->cursor.lost;
	event->end = end > event->begin ? end : event->begin;
	pair->cursor.lost = 0;
	pair->counts->gaps++;
	pair->counts->lost += event->lost;
	return event;
}

/* ---- what comes next ---- */

/* Everything open is over before `then` happens. */
static void pair_close_all(struct stream_pair *pair, enum event_ending why, enum pair_then then)
{
	pair->floor = 0;
	pair->why = why;
	pair->then = then;
}

/* A call, and what was called from it, is over without an exit. */
static struct event *pair_left(struct stream_pair *pair)
{
	struct fmt_event_left left;
	uint32_t depth = pair->depth;

	memcpy(&left, pair->cursor.payload, sizeof(left));
	while (depth && pair->frame[depth - 1].function + (uint64_t)1 != left.slot)
		depth--;
	if (depth) { /* its entry may have been lost */
		pair->floor = depth - 1;
		pair->why = EVENT_LEFT;
	}
	return NULL;
}

/* What the event of a function is; events of ranges and marks share numbers with others of calls. */
static enum fmt_call_event pair_kind(const struct stream_pair *pair)
{
	const struct tally_function *function = &pair->process->body->function[fmt_event_function(pair->cursor.id)];
	enum fmt_call_event event = fmt_event_of_call(pair->cursor.id);

	if ((event != FMT_CALL_TOLD && event != FMT_CALL_TOLD_START) || !function_is_range(function))
		return event;
	if (event == FMT_CALL_TOLD_START)
		return FMT_CALL_ASYNC;
	return function->kind == SONDE_KIND_range ? FMT_CALL_ENTRY : FMT_CALL_INSTANT;
}

static struct event *pair_read_event(struct stream_pair *pair)
{
	uint16_t id = pair->cursor.id;
	enum fmt_call_event kind;

	pair->time = pair_time(pair, pair->cursor.ticks);
	if (id == FMT_EVENT_LEFT)
		return pair_left(pair);
	if (id < FMT_EVENT_FUNCTION)
		return pair_fact(pair);
	kind = pair_kind(pair);
	if (kind >= FMT_CALL_INSTANT)
		return pair_moment(pair, kind == FMT_CALL_INSTANT);
	if (!fmt_is_entry(kind))
		pair_find_exit(pair, fmt_event_function(id));
	else if (pair->depth == PAIR_FRAMES) /* the recorder keeps no more: some were left long ago */
		pair_close_all(pair, EVENT_LEFT, PAIR_ENTRY);
	else
		return pair_entry(pair);
	return NULL;
}

static struct event *pair_read(struct stream_pair *pair)
{
	switch (stream_cursor_next(&pair->cursor)) {
	case STREAM_EVENT:
		return pair_read_event(pair);
	case STREAM_GAP:
		pair_close_all(pair, EVENT_CUT, PAIR_GAP);
		break;
	case STREAM_OWNER:
		pair_close_all(pair, EVENT_LEFT, PAIR_OWNER);
		break;
	case STREAM_END:
		if (pair->depth && pair->process->end > pair->time)
			pair->time = pair->process->end;
		pair_close_all(pair, EVENT_OPEN, PAIR_END);
		break;
	}
	return NULL;
}

struct event *stream_pair_next(struct stream_pair *pair)
{
	struct event *event;
	enum pair_then then;

	for (;;) {
		if (pair->depth > pair->floor)
			return pair_close(pair);
		pair->floor = NO_FLOOR;
		then = pair->then;
		if (then == PAIR_END)
			return NULL;
		pair->then = PAIR_READ;
		switch (then) {
		case PAIR_ENTRY:
			return pair_entry(pair);
		case PAIR_EXIT:
			return pair_exit(pair);
		case PAIR_GAP:
			return pair_gap(pair);
		case PAIR_OWNER:
			pair_owner(pair);
			break;
		default:
			event = pair_read(pair);
			if (event)
				return event;
		}
	}
}
