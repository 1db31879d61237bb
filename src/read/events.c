/* SPDX-License-Identifier: BSD-3-Clause */
/* All streams of a recording in one order; see events.h. Opening: events_open.c. */
#include "read/events_internal.h"

#include <string.h>

static struct event *source_read(struct source *source)
{
	struct event *event;

	if (!source->calls)
		return stream_device_next(source->device);
	event = stream_calls_next(source->calls);
	if (event)
		event->ordinal = source->events++;
	return event;
}

/* Nothing that begins in the window is to come. */
static bool is_past(const struct events *events, const struct source *source, const struct event *event)
{
	const struct stream_calls *calls = source->calls;

	if (!events->filter.wish.has_to || event->time < events->filter.wish.to)
		return false;
	if (!calls || events->what != EVENTS_CALLS_BY_END)
		return true;
	/* calls that began before it may still be open, or have ended and wait */
	return event->begin >= events->filter.wish.to && calls->first == calls->next &&
	       (!calls->pair.depth || calls->pair.frame[0].begin >= events->filter.wish.to);
}

static bool is_wanted(const struct events *events, const struct event *event)
{
	const struct stream_process *process = &events->process[event->process];
	const struct filter *filter = &events->filter;
	const char *backend;

	if (events->windowed && !filter_has_time(filter, event))
		return false;
	if (events->windowed && event->type == EVENT_MEMORY && filter->wish.min_duration > 0 &&
	    events->what == EVENTS_SINGLE)
		return false;
	if (!events->selective)
		return true;
	if (event->lane != READ_NONE && !events->lane_shown[event->lane])
		return false;
	switch (event->type) {
	case EVENT_OPERATION:
		backend = process->body->backend[event->operation.backend].name;
		return filter_has_name(filter, backend, event->operation.name);
	case EVENT_MEMORY:
		backend = event->memory.backend == READ_NONE ? "?" :
							       process->body->backend[event->memory.backend].name;
		return filter_has_name(filter, backend, EVENTS_MEMORY_NAME);
	case EVENT_GAP:
		return true;
	default:
		return event->function < process->body->functions && process->show[event->function];
	}
}

/* The source's next event that is wanted; false: it has none. */
static bool source_advance(struct events *events, struct source *source)
{
	do {
		source->event = source_read(source);
		if (source->event && is_past(events, source, source->event))
			source->event = NULL;
	} while (source->event && !is_wanted(events, source->event));
	if (!source->event)
		source_close(source);
	return source->event;
}

static const struct event *next_by_stream(struct events *events)
{
	while (events->current < events->sources) {
		struct source *source = &events->source[events->current];

		if (source_advance(events, source))
			return source->event;
		events->current++;
	}
	return NULL;
}

static void heap_start(struct events *events)
{
	events->heap = arena_array(&events->arena, events->sources, sizeof(*events->heap));
	for (uint32_t i = 0; i < events->sources; i++)
		if (source_advance(events, &events->source[i]))
			heap_push(events->heap, &events->heap_used,
				  (struct heap_item){events->source[i].event->time, i});
}

static const struct event *next_by_time(struct events *events)
{
	struct source *source;

	if (!events->heap) {
		heap_start(events);
	} else if (events->heap_used) {
		source = &events->source[events->heap[0].index];
		if (source_advance(events, source)) {
			events->heap[0].key = source->event->time;
			heap_sink(events->heap, events->heap_used);
		} else {
			heap_pop(events->heap, &events->heap_used);
		}
	}
	return events->heap_used ? events->source[events->heap[0].index].event : NULL;
}

const struct event *events_next(struct events *events)
{
	return events->order == EVENTS_BY_STREAM ? next_by_stream(events) : next_by_time(events);
}

uint32_t events_lane_add(struct events *events, uint32_t process, uint32_t tid, uint32_t stream)
{
	size_t capacity = events->lane_capacity;

	events->lane = arena_grow(&events->arena, events->lane, events->lanes, &capacity, sizeof(*events->lane));
	events->lane_shown = arena_grow(&events->arena, events->lane_shown, events->lanes, &events->lane_capacity,
					sizeof(*events->lane_shown));
	events->lane[events->lanes] = (struct events_lane){process, tid, stream};
	events->lane_shown[events->lanes] = filter_has_thread(&events->filter, tid);
	return events->lanes++;
}

const struct events_process *events_process(const struct events *events, uint32_t process)
{
	return &events->process[process].process;
}

const struct events_lane *events_lane(const struct events *events, uint32_t lane)
{
	return &events->lane[lane];
}

const struct tally_function *events_function(const struct events *events, const struct event *event)
{
	return &events->process[event->process].body->function[event->function];
}

uint32_t events_lanes(const struct events *events)
{
	return events->lanes;
}

bool events_have_streams(const struct events *events)
{
	return events->sources > 0 || events->begun;
}

bool events_are_chosen(const struct events *events)
{
	return events->windowed || events->selective || events->filter.wish.ranks;
}

const char *events_absence(const struct events *events)
{
	if (!events->recording->tallies)
		return "no process was recorded in it";
	if (events->filter.wish.ranks)
		return "no events of these ranks in it";
	return "no events in it: it was recorded without -l (or -t), or without room";
}

const struct events_counts *events_counts(const struct events *events)
{
	return &events->counts;
}

uint64_t events_progress(const struct events *events, uint64_t *total_out)
{
	uint64_t done = 0, total = 0;

	for (uint32_t i = 0; i < events->sources; i++) {
		const struct source *source = &events->source[i];

		total += source->file.bytes;
		done += source->calls ? source->calls->pair.cursor.packet.at : source->file.bytes;
	}
	*total_out = total;
	return done;
}

bool events_too_large(const struct events *events)
{
	return events->too_large;
}

uint64_t events_raw(const struct events *events, uint32_t process, int64_t time)
{
	return stream_process_raw(&events->process[process], time);
}

int64_t events_time(const struct events *events, uint32_t process, uint64_t raw_ns)
{
	return stream_process_time(&events->process[process], raw_ns);
}

int64_t events_wall(const struct events *events, uint32_t process, int64_t time)
{
	return stream_process_wall(&events->process[process], time);
}
