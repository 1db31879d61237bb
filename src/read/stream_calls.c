/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole calls of one stream, from its entries and exits. In order of begin an outer call comes before all that it
 * contains, so calls wait in a ring until those before them have ended. When the ring is full, a copy of
 * the reader runs ahead to where its first call ends: memory stays bounded, and a call that holds millions of others
 * costs one more look at them.
 */
#include <stdlib.h>
#include <string.h>

#include "read/stream.h"

#define CAPACITY_FIRST 16
#define SCOUT_WINDOW 65536

void stream_calls_start(struct stream_calls *calls, enum events_what what, uint32_t limit)
{
	calls->what = what;
	calls->limit = limit < CAPACITY_FIRST ? CAPACITY_FIRST : limit;
	calls->facts = CALL_NONE;
	if (what == EVENTS_CALLS_BY_END)
		calls->pair.event = &calls->direct[0].event;
}

static void slot_free(struct call_slot *slot)
{
	free(slot->in.bytes);
	free(slot->out.bytes);
	free(slot->link);
}

void stream_calls_free(struct stream_calls *calls)
{
	uint32_t i;

	for (i = 0; i < calls->capacity; i++)
		slot_free(&calls->slot[i]);
	for (i = 0; i < 3; i++)
		slot_free(&calls->direct[i]);
	free(calls->slot);
	stream_pair_free(&calls->pair);
}

/* ---- the ring ---- */

static struct call_slot *calls_slot(struct stream_calls *calls, uint64_t number)
{
	return &calls->slot[number & (calls->capacity - 1)];
}

static bool calls_grow(struct stream_calls *calls)
{
	uint32_t capacity = calls->capacity ? 2 * calls->capacity : CAPACITY_FIRST;
	struct call_slot *slot;
	uint64_t i;

	if (capacity > calls->limit)
		return false;
	slot = calloc(capacity, sizeof(*slot));
	if (!slot)
		return false;
	for (i = calls->first; i < calls->next; i++)
		slot[i & (capacity - 1)] = *calls_slot(calls, i);
	free(calls->slot);
	calls->slot = slot;
	calls->capacity = capacity;
	return true;
}

/* A slot at the end, for a copy of the event; there is room. */
static struct call_slot *calls_push(struct stream_calls *calls, const struct event *event, bool complete)
{
	struct call_slot *slot = calls_slot(calls, calls->next++);

	/* what only some types have lies behind what calls have */
	if (event->type == EVENT_MEMORY) /* of those alone is there more */
		slot->event = *event;
	else
		memcpy(&slot->event, event, offsetof(struct event, memory));
	slot->ordinal = calls->pair.ordinal;
	slot->complete = complete;
	slot->links = 0;
	slot->in.length = slot->out.length = 0;
	return slot;
}

/* ---- what is known of a call ---- */

static void slot_end(struct call_slot *slot, const struct event *event)
{
	bytes_keep(&slot->out, &event->out);
	slot->event.type = EVENT_CALL;
	slot->event.has_begin = true;
	slot->event.ended = event->ended;
	slot->event.failed = event->failed;
	slot->event.has_result = event->has_result;
	slot->event.result = event->result;
	slot->event.end = event->time;
	slot->event.ticks = event->ticks;
	slot->complete = true;
}

static void slot_link(struct call_slot *slot, uint64_t correlation)
{
	if (slot->links == slot->link_capacity) {
		uint32_t capacity = slot->link_capacity ? 2 * slot->link_capacity : 4;
		uint64_t *larger = realloc(slot->link, capacity * sizeof(*larger));

		if (!larger)
			return;
		slot->link = larger;
		slot->link_capacity = capacity;
	}
	slot->link[slot->links++] = correlation;
}

/* LINK and BYTES belong to the call; false: the event is none of them. */
static bool slot_fact(struct call_slot *slot, const struct event *event)
{
	if (event->type == EVENT_LINK) {
		slot_link(slot, event->link[0]);
	} else if (event->type == EVENT_BYTES) {
		slot->event.bytes_out += event->bytes_out;
		slot->event.bytes_in += event->bytes_in;
	} else {
		return false;
	}
	return true;
}

static struct event *slot_deliver(struct call_slot *slot)
{
	slot->event.in = (struct event_payload){slot->in.bytes, slot->in.length};
	slot->event.out = (struct event_payload){slot->out.bytes, slot->out.length};
	slot->event.link = slot->link;
	slot->event.links = slot->links;
	return &slot->event;
}

/* ---- looking ahead ---- */

static void scout_run(struct stream_pair *scout, struct call_slot *slot)
{
	struct event *event;

	do
		event = stream_pair_next(scout);
	while (event && (event->type != EVENT_EXIT || !event->has_begin || scout->ordinal != slot->ordinal));
	if (!event)
		return;
	slot_end(slot, event);
	do
		event = stream_pair_next(scout);
	while (event && (slot_fact(slot, event) || event_is_moment(event->type)));
}

/* Completes a call that is open by a copy of the reader. */
static void calls_scout(struct stream_calls *calls, struct call_slot *slot)
{
	struct stream_pair *scout = malloc(sizeof(*scout));
	struct stream_trouble trouble = {.recording = NULL};
	struct events_counts counts = {0};
	struct stream_file file;
	struct stream_cursor *cursor;

	/* also where there is no memory, the call ends: as one whose exit was never seen */
	slot->event.ended = EVENT_OPEN;
	slot->complete = true;
	calls->open[slot->event.depth] = CALL_NONE;
	if (!scout)
		return;
	*scout = calls->pair;
	cursor = &scout->cursor;
	file = *cursor->file;
	file.window = NULL;
	file.window_bytes = 0;
	file.window_capacity = SCOUT_WINDOW;
	cursor->limit_at -= (uint64_t)(cursor->limit - cursor->at);
	cursor->at = cursor->limit = NULL;
	cursor->file = &file;
	cursor->trouble = &trouble;
	scout->event = &scout->own;
	scout->counts = &counts;
	scout->scout = true;
	scout_run(scout, slot);
	free(file.window);
	free(scout);
}

/* ---- the next ---- */

static void calls_entry(struct stream_calls *calls, const struct event *event)
{
	struct call_slot *slot;

	calls->facts = CALL_NONE;
	if (calls->what != EVENTS_CALLS_BY_BEGIN)
		return;
	calls->open[event->depth] = calls->next;
	slot = calls_push(calls, event, false);
	slot->event.type = EVENT_CALL;
	slot->event.has_begin = true;
	bytes_keep(&slot->in, &event->in);
}

static void calls_exit(struct stream_calls *calls, const struct event *event)
{
	struct call_slot *slot;

	calls->facts = CALL_NONE;
	if (!event->has_begin)
		return;
	if (calls->what == EVENTS_CALLS_BY_BEGIN) {
		calls->facts = calls->open[event->depth];
		if (calls->facts == CALL_NONE)
			return;
		slot = calls_slot(calls, calls->facts);
	} else {
		calls->facts = calls->next;
		slot = calls_push(calls, event, true);
		bytes_keep(&slot->in, &event->in);
	}
	slot_end(slot, event);
}

static void calls_take(struct stream_calls *calls, const struct event *event)
{
	switch (event->type) {
	case EVENT_ENTRY:
		calls_entry(calls, event);
		break;
	case EVENT_EXIT:
		calls_exit(calls, event);
		break;
	case EVENT_LINK:
	case EVENT_BYTES:
		if (calls->facts != CALL_NONE)
			slot_fact(calls_slot(calls, calls->facts), event);
		break;
	case EVENT_GAP:
		calls->facts = CALL_NONE;
		calls_push(calls, event, true);
		break;
	default:
		bytes_keep(&calls_push(calls, event, true)->in, &event->in);
		break;
	}
}

/* Room for what the next event brings. False: the ring is as large as it may be, and full. */
static bool calls_has_room(struct stream_calls *calls)
{
	return calls->next - calls->first < calls->capacity || calls_grow(calls);
}

/* ---- by end, past the ring ---- */

/* A call that has ended stays where it was read, and the next one is read elsewhere. */
static void direct_exit(struct stream_calls *calls)
{
	struct call_slot *slot = &calls->direct[calls->reading];

	slot->links = 0;
	bytes_keep(&slot->in, &slot->event.in);
	slot_end(slot, &slot->event);
	calls->pending = slot;
	calls->reading = calls->reading == 2 ? 0 : calls->reading + 1;
	calls->pair.event = &calls->direct[calls->reading].event;
}

/* Something has to wait for the pending call: both go into the ring. */
static bool direct_queue(struct stream_calls *calls, const struct event *event)
{
	struct call_slot *slot, swap;

	if (!calls_has_room(calls))
		return false; /* no memory at all */
	if (calls->pending) {
		calls->facts = calls->next;
		slot = calls_slot(calls, calls->next++);
		swap = *slot;
		*slot = *calls->pending;
		*calls->pending = swap;
		calls->pending = NULL;
	}
	calls_take(calls, event);
	return true;
}

/* The next call; NULL: look into the ring, or at the end. */
static struct event *direct_next(struct stream_calls *calls)
{
	struct call_slot *before;
	struct event *event;

	for (;;) {
		event = stream_pair_next(&calls->pair);
		before = calls->pending;
		if (event && (event->type == EVENT_LINK || event->type == EVENT_BYTES)) {
			if (before)
				slot_fact(before, event);
			continue;
		}
		if (event && (event_is_moment(event->type) || event->type == EVENT_GAP)) {
			calls->ended = !direct_queue(calls, event);
			return NULL;
		}
		calls->pending = NULL;
		calls->ended = !event;
		if (event && event->type == EVENT_EXIT && event->has_begin)
			direct_exit(calls);
		if (before)
			return slot_deliver(before);
		if (!event)
			return NULL;
	}
}

struct event *stream_calls_next(struct stream_calls *calls)
{
	struct event *event;

	if (calls->what == EVENTS_SINGLE)
		return stream_pair_next(&calls->pair);
	for (;;) {
		if (calls->first < calls->next) {
			struct call_slot *head = calls_slot(calls, calls->first);

			if (head->complete && (calls->first != calls->facts || calls->ended)) {
				calls->first++;
				return slot_deliver(head);
			}
		}
		if (calls->ended)
			return NULL;
		if (calls->what == EVENTS_CALLS_BY_END && calls->first == calls->next) {
			calls->facts = CALL_NONE;
			event = direct_next(calls);
			if (event)
				return event;
			continue;
		}
		if (!calls_has_room(calls)) {
			if (calls->first == calls->next)
				return NULL; /* no memory at all */
			if (calls->first == calls->facts)
				calls->facts = CALL_NONE;
			else
				calls_scout(calls, calls_slot(calls, calls->first));
			continue;
		}
		event = stream_pair_next(&calls->pair);
		if (event)
			calls_take(calls, event);
		else
			calls->ended = true;
	}
}
