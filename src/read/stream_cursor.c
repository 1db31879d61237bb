/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of a stream file as they lie. Here time stamps are widened, payloads measured, and every place told where
 * events are missing: between the packets that count discarded events, behind what cannot be decoded,
 * and where a handler's jump left a hole of zeros.
 */
#include <string.h>

#include "read/stream.h"

#define EVENT_HEAD 8u
#define TICKS_BITS (64 - FMT_EVENT_TICKS_SHIFT)
#define TICKS_MASK (((uint64_t)1 << TICKS_BITS) - 1)
/* An event may be earlier than the one before it by a little; anything more is the counter's wrap-around. */
#define BACKWARD_MAX ((uint64_t)1 << 40)
#define EVENT_MAX (16u << 20) /* bytes of one event */

void stream_cursor_start(struct stream_cursor *cursor, struct stream_file *file, struct stream_trouble *trouble,
			 const struct stream_layout *layout, enum fmt_stream_class class)
{
	*cursor = (struct stream_cursor){.file = file, .trouble = trouble, .layout = layout, .class = class};
}

/* ---- payloads ---- */

const uint8_t stream_type_bytes[] = {
	[FMT_ARG_U8] = 1, [FMT_ARG_U16] = 2, [FMT_ARG_U32] = 4, [FMT_ARG_U64] = 8,
	[FMT_ARG_S8] = 1, [FMT_ARG_S16] = 2, [FMT_ARG_S32] = 4, [FMT_ARG_S64] = 8,
	[FMT_ARG_F32] = 4, [FMT_ARG_F64] = 8, [FMT_ARG_POINTER] = 8, [FMT_ARG_STRING] = 0,
};

uint32_t stream_values_size(enum fmt_arg_type type, uint32_t count, const uint8_t *bytes, size_t have)
{
	const uint8_t *at = bytes, *end = bytes + have;

	if (type != FMT_ARG_STRING)
		return (uint64_t)count * stream_type_bytes[type] > have ? UINT32_MAX : count * stream_type_bytes[type];
	while (count--) {
		at = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
		if (!at)
			return UINT32_MAX;
		at++;
	}
	return (uint32_t)(at - bytes);
}

uint32_t stream_arguments_size(const struct tally_args *args, const uint8_t *bytes, size_t have)
{
	size_t at = 0;
	uint32_t i, count, size;

	for (i = 0; i < args->count; i++) {
		const struct tally_arg *arg = &args->arg[i];

		count = 1;
		if (arg->flags & FMT_ARG_ARRAY) {
			if (have - at < sizeof(count))
				return UINT32_MAX;
			memcpy(&count, bytes + at, sizeof(count));
			at += sizeof(count);
		}
		size = stream_values_size(arg->type, count, bytes + at, have - at);
		if (size == UINT32_MAX)
			return UINT32_MAX;
		at += size;
	}
	return (uint32_t)at;
}

/* Bytes of a payload without a fixed size; UINT32_MAX: more than there are. */
static uint32_t variable_size(const struct stream_cursor *cursor, uint16_t id, const uint8_t *payload, size_t have)
{
	const uint32_t front = cursor->layout->size[id] & ~LAYOUT_VARIABLE;
	const struct tally_args name = {.arg = &(const struct tally_arg){.type = FMT_ARG_STRING}, .count = 1};
	const struct tally_args *args = &name;
	uint32_t size;

	if (have < front)
		return UINT32_MAX;
	if (cursor->layout->names)
		args = &cursor->layout->names->function[fmt_event_function(id)]
				.args[fmt_event_of_call(id) == FMT_CALL_ENTRY ? FMT_ARG_IN : FMT_ARG_OUT];
	size = stream_arguments_size(args, payload + front, have - front);
	return size == UINT32_MAX ? size : size + front;
}

/* ---- the window ---- */

static uint64_t cursor_offset(const struct stream_cursor *cursor)
{
	return cursor->limit_at - (uint64_t)(cursor->limit - cursor->at);
}

/* More of the content into the window, at least `need` bytes of it. False: there are not that many. */
static bool cursor_fill(struct stream_cursor *cursor, size_t need)
{
	uint64_t offset = cursor_offset(cursor);
	size_t got;

	if (need > EVENT_MAX || need > cursor->packet.content_end - offset)
		return false;
	cursor->at = stream_file_window(cursor->file, offset, cursor->packet.content_end, need, &got);
	cursor->limit = cursor->at + got;
	cursor->limit_at = offset + got;
	return got >= need;
}

/* ---- packets ---- */

/* What is left of the packet cannot be told. */
static void cursor_give_up(struct stream_cursor *cursor, const char *what)
{
	if (!cursor->alive)
		stream_trouble(cursor->trouble, "damaged", what);
	cursor->stopped = cursor->live;
	cursor->gap |= !cursor->live;
	cursor->at = cursor->limit;
	cursor->limit_at = cursor->packet.content_end;
}

/* Events that found no room behind the packet's last one; a packet itself holds no gap. */
static void count_discarded(struct stream_cursor *cursor)
{
	const struct fmt_packet *raw = &cursor->packet.raw;

	if (raw->discarded > cursor->discarded) {
		cursor->gap = true;
		cursor->lost += raw->discarded - cursor->discarded;
		cursor->discarded = raw->discarded;
	} else if (raw->discarded < cursor->discarded) {
		stream_trouble(cursor->trouble, "damaged", "counts of discarded events contradict each other");
	}
}

/* Goes to the next packet with events in it. */
static bool cursor_next_packet(struct stream_cursor *cursor)
{
	uint64_t sequence;

	for (;;) {
		if (cursor->started)
			count_discarded(cursor);
		cursor->gap |= cursor->packet.cut;
		cursor->packet.cut = false;
		sequence = cursor->packet.raw.sequence;
		cursor->packet.skipped = false;
		if (!stream_packet_find(cursor->file, cursor->trouble, cursor->class, cursor->packet.next,
					&cursor->packet)) {
			cursor->gap |= cursor->packet.skipped;
			cursor->packet.skipped = false;
			cursor->at = cursor->limit;
			cursor->limit_at = cursor->packet.content_end;
			return false;
		}
		if (cursor->packet.skipped || (cursor->started && cursor->packet.raw.sequence != sequence &&
					       cursor->packet.raw.sequence != sequence + 1)) {
			cursor->gap = true;
			if (!cursor->packet.skipped)
				stream_trouble(cursor->trouble, "damaged", "packets are missing");
		}
		cursor->started = true;
		if (cursor->packet.content_end > cursor->packet.at + sizeof(cursor->packet.raw))
			break;
	}
	cursor->at = cursor->limit = cursor->file->window;
	cursor->limit_at = cursor->packet.at + sizeof(cursor->packet.raw);
	if (cursor->packet.raw.tid != cursor->tid || !cursor->owned) {
		cursor->tid = cursor->packet.raw.tid;
		cursor->owner = true;
	}
	cursor->latest = cursor->packet.raw.end && !cursor->alive ? cursor->packet.raw.end : UINT64_MAX;
	/* a damaged begin must not move all that comes behind it */
	if (!cursor->packet.raw.end && cursor->last_ticks)
		cursor->ticks = cursor->last_ticks;
	else if (cursor->packet.raw.begin > cursor->last_ticks)
		cursor->ticks = cursor->packet.raw.begin;
	else
		cursor->ticks = cursor->last_ticks;
	return true;
}

static enum stream_step cursor_turn(struct stream_cursor *cursor)
{
	if (!cursor->stopped && cursor_next_packet(cursor))
		return STREAM_EVENT;
	if (!cursor->gap)
		return STREAM_END;
	cursor->gap = false;
	cursor->ticks = 0;
	return STREAM_GAP;
}

/* ---- events ---- */

static uint64_t widen(uint64_t before, uint64_t low)
{
	uint64_t forward = (low - before) & TICKS_MASK, backward = (before - low) & TICKS_MASK;

	return backward < BACKWARD_MAX ? before - (backward < before ? backward : before) : before + forward;
}

/* Could an event begin here? Used only behind a hole, where it cannot be known. */
static bool is_plausible(const struct stream_cursor *cursor, const uint8_t *at)
{
	uint64_t head, ticks;
	uint16_t id;

	if (cursor->limit - at < EVENT_HEAD)
		return false;
	memcpy(&head, at, sizeof(head));
	id = head & FMT_EVENT_ID_MASK;
	ticks = widen(cursor->ticks, head >> FMT_EVENT_TICKS_SHIFT);
	return id < cursor->layout->ids && cursor->layout->size[id] != LAYOUT_UNKNOWN && ticks >= cursor->ticks &&
	       ticks <= cursor->packet.raw.end;
}

/*
 * A handler that interrupts the writing of an event and never returns leaves its place empty: zeros, and
 * sound events behind them. The first byte of an event may be zero, too.
 */
static bool skip_hole(struct stream_cursor *cursor)
{
	const uint8_t *at = cursor->at;

	if (cursor->alive || !cursor_fill(cursor, EVENT_HEAD))
		return false;
	for (at = cursor->at; at < cursor->limit && !*at; at++)
		;
	if (at - cursor->at < EVENT_HEAD)
		return false;
	if (at - 1 >= cursor->at + EVENT_HEAD && is_plausible(cursor, at - 1))
		at--;
	else if (!is_plausible(cursor, at))
		return false;
	cursor->at = at;
	cursor->gap = true;
	stream_trouble(cursor->trouble, "damaged", "an event was never written");
	return true;
}

/* Time runs neither backward in a stream nor beyond its packet: the next event would be held against a wrong one. */
static void cursor_set_ticks(struct stream_cursor *cursor, uint64_t ticks)
{
	if (ticks > cursor->latest)
		stream_trouble(cursor->trouble, "damaged", "a time lies beyond its packet; the one before it is taken");
	else if (ticks < cursor->ticks)
		stream_trouble(cursor->trouble, "damaged", "a time ran backward; the one before it is taken");
	else
		cursor->ticks = ticks;
	cursor->last_ticks = cursor->ticks;
}

/* The event at `at`, whose head is in the window. False: not readable, the rest of the packet is given up. */
static bool cursor_decode(struct stream_cursor *cursor, uint64_t head)
{
	const uint16_t id = head & FMT_EVENT_ID_MASK;
	uint32_t size = id < cursor->layout->ids ? cursor->layout->size[id] : LAYOUT_UNKNOWN;
	size_t need = EVENT_HEAD + (size & ~LAYOUT_VARIABLE);

	if (size == LAYOUT_UNKNOWN) {
		cursor_give_up(cursor, id ? "an event of no known kind; the rest of its packet is left out" :
					    "an empty event; the rest of its packet is left out");
		return false;
	}
	for (;;) {
		size_t have = (size_t)(cursor->limit - cursor->at);

		if (have >= need && !(size & LAYOUT_VARIABLE))
			break;
		if (have >= need) {
			uint32_t bytes = variable_size(cursor, id, cursor->at + EVENT_HEAD, have - EVENT_HEAD);

			if (bytes != UINT32_MAX) {
				size = bytes;
				break;
			}
			need = have < cursor->file->window_capacity ? have + 1 : 2 * have;
			if (need > cursor->packet.content_end - cursor_offset(cursor) &&
			    have < cursor->packet.content_end - cursor_offset(cursor))
				need = (size_t)(cursor->packet.content_end - cursor_offset(cursor));
		}
		if (!cursor_fill(cursor, need)) {
			cursor_give_up(cursor, "an event reaches beyond its packet");
			return false;
		}
	}
	cursor->id = id;
	cursor_set_ticks(cursor, widen(cursor->ticks, head >> FMT_EVENT_TICKS_SHIFT));
	cursor->payload = cursor->at + EVENT_HEAD;
	cursor->bytes = size;
	cursor->at += EVENT_HEAD + size;
	return true;
}

/* Something stands between the last event and the next one. */
static enum stream_step cursor_interrupt(struct stream_cursor *cursor)
{
	if (cursor->gap && (cursor->owned || !cursor->owner)) {
		cursor->gap = false;
		return STREAM_GAP;
	}
	cursor->owner = false;
	cursor->owned = true;
	return STREAM_OWNER;
}

/* Nearly all events: whole in the window, of a fixed size, in order of time. False: nothing is done. */
static inline bool cursor_decode_plain(struct stream_cursor *cursor)
{
	const size_t have = (size_t)(cursor->limit - cursor->at);
	uint64_t head, ticks, forward;
	uint32_t size;
	uint16_t id;

	if (have < EVENT_HEAD || cursor->gap || cursor->owner)
		return false;
	memcpy(&head, cursor->at, sizeof(head));
	id = head & FMT_EVENT_ID_MASK;
	if (id >= cursor->layout->ids)
		return false;
	size = cursor->layout->size[id];
	forward = ((head >> FMT_EVENT_TICKS_SHIFT) - cursor->ticks) & TICKS_MASK;
	ticks = cursor->ticks + forward;
	if (size > have - EVENT_HEAD || forward > TICKS_MASK / 2 || ticks > cursor->latest)
		return false;
	cursor->ticks = cursor->last_ticks = ticks;
	cursor->id = id;
	cursor->bytes = size;
	cursor->payload = cursor->at + EVENT_HEAD;
	cursor->at = cursor->payload + size;
	return true;
}

enum stream_step stream_cursor_next(struct stream_cursor *cursor)
{
	enum stream_step step;
	uint64_t head;

	if (cursor_decode_plain(cursor))
		return STREAM_EVENT;
	for (;;) {
		if (cursor->limit - cursor->at < EVENT_HEAD && !cursor_fill(cursor, EVENT_HEAD)) {
			if (cursor_offset(cursor) < cursor->packet.content_end)
				cursor_give_up(cursor, "an event reaches beyond its packet");
			step = cursor_turn(cursor);
			if (step != STREAM_EVENT)
				return step;
			continue;
		}
		if (cursor->gap || cursor->owner)
			return cursor_interrupt(cursor);
		memcpy(&head, cursor->at, sizeof(head));
		if (!(head & FMT_EVENT_ID_MASK) && skip_hole(cursor))
			continue;
		if (cursor_decode(cursor, head))
			return STREAM_EVENT;
	}
}
