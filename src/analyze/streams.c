/* SPDX-License-Identifier: BSD-3-Clause */
/* One look at all events of a recording; see streams.h. */
#include "analyze/streams.h"

#include <string.h>

#include "base/log.h"
#include "read/heap.h"

/* An operation that has begun and not ended yet. */
struct running {
	uint32_t process, device;
	enum activity_kind kind;
	uint32_t next;             /* of those that are free */
};

struct look {
	struct analysis *analysis;
	struct streams *streams;
	struct events *events;
	struct running *running;   /* in any order */
	uint32_t runnings, free;
	struct heap_item *end;     /* of what runs, by time */
	uint32_t ends;
	size_t running_capacity, end_capacity;
};

/* False: it is neither a kernel nor a copy. */
static bool operation_kind(enum sonde_kind kind, enum activity_kind *kind_out)
{
	switch (kind_category(kind)) {
	case SONDE_CATEGORY_launch: *kind_out = ACTIVITY_KERNEL; return true;
	case SONDE_CATEGORY_copy: *kind_out = ACTIVITY_COPY; return true;
	default: return false;
	}
}

static bool call_kind(enum sonde_kind kind, enum activity_kind *kind_out)
{
	switch (kind_category(kind)) {
	case SONDE_CATEGORY_comm: *kind_out = ACTIVITY_COMM; return true;
	case SONDE_CATEGORY_device_wait: *kind_out = ACTIVITY_WAIT; return true;
	default: return false;
	}
}

/* The device as all processes of the host use it. */
static struct stream_device_use *shared_device(struct look *look, uint32_t process, uint32_t device)
{
	const struct events_process *known = events_process(look->events, process);
	struct stream_process_use *use = &look->streams->process[process];
	struct rows *rows = &look->streams->devices;
	bool is_new;

	if (!use->shared) {
		use->shared = arena_array(&look->analysis->scratch, known->names->devices, sizeof(*use->shared));
		use->own = arena_array(&look->analysis->scratch, known->names->devices, sizeof(*use->own));
	}
	if (!use->shared[device]) {
		rows_key(rows);
		rows_key_number(look->analysis, rows, known->tally->host);
		rows_key_text(look->analysis, rows, known->names->device[device].key);
		use->shared[device] = rows_find(look->analysis, rows, sizeof(**use->shared), &is_new);
	}
	return use->shared[device];
}

/* ---- operations ---- */

static void operation_ends(struct look *look, int64_t time, uint32_t index)
{
	struct running *running = &look->running[index];
	struct stream_process_use *use = &look->streams->process[running->process];

	activity_end(&use->activity, running->kind, time);
	if (running->device != READ_NONE) {
		activity_end(&shared_device(look, running->process, running->device)->activity, running->kind, time);
		activity_end(&use->own[running->device], running->kind, time);
	}
	running->next = look->free;
	look->free = index;
}

/* Everything that has ended at `time`. */
static void operations_end(struct look *look, int64_t time)
{
	while (look->ends && look->end[0].key <= time) {
		struct heap_item first = look->end[0];

		heap_pop(look->end, &look->ends);
		operation_ends(look, first.key, first.index);
	}
}

static uint32_t running_take(struct look *look)
{
	uint32_t index = look->free;

	if (index != READ_NONE) {
		look->free = look->running[index].next;
		return index;
	}
	look->running = arena_grow(&look->analysis->scratch, look->running, look->runnings, &look->running_capacity,
				   sizeof(*look->running));
	return look->runnings++;
}

static void operation_begins(struct look *look, const struct event *event)
{
	struct stream_process_use *use = &look->streams->process[event->process];
	uint32_t device = event->operation.device, index;
	enum activity_kind kind;

	if (!operation_kind(event->operation.kind, &kind) || event->end <= event->begin)
		return;
	activity_begin(&use->activity, kind, event->begin);
	if (device != READ_NONE) {
		activity_begin(&shared_device(look, event->process, device)->activity, kind, event->begin);
		activity_begin(&use->own[device], kind, event->begin);
	}
	index = running_take(look);
	look->running[index] = (struct running){event->process, device, kind, READ_NONE};
	look->end = arena_grow(&look->analysis->scratch, look->end, look->ends, &look->end_capacity,
			       sizeof(*look->end));
	heap_push(look->end, &look->ends, (struct heap_item){event->end, index});
}

/* ---- the look ---- */

/* What is open at the end of its process goes on until that is known: see overlap.c. */
static void take_call(struct look *look, const struct event *event)
{
	struct stream_process_use *use = &look->streams->process[event->process];
	enum activity_kind kind;

	if (event->type == EVENT_EXIT && (!event->has_begin || event->ended == EVENT_OPEN))
		return;
	if (!call_kind(events_function(look->events, event)->kind, &kind))
		return;
	if (event->type == EVENT_ENTRY)
		activity_begin(&use->activity, kind, event->time);
	else
		activity_end(&use->activity, kind, event->time);
}

static void look_at_all(struct look *look)
{
	const struct event *event;

	while ((event = events_next(look->events))) {
		struct stream_tally *tally = look->streams->process[event->process].tally;

		operations_end(look, event->time);
		if (event->type == EVENT_OPERATION)
			operation_begins(look, event);
		else if (event->type == EVENT_ENTRY || event->type == EVENT_EXIT)
			take_call(look, event);
		if (tally)
			stream_tally_event(tally, look->events, event);
	}
	operations_end(look, INT64_MAX);
}

static void look_start(struct look *look, bool tallies)
{
	struct recording *recording = look->analysis->recording;
	struct streams *streams = look->streams;

	look->free = READ_NONE;
	streams->process = arena_array(&look->analysis->scratch, recording->tallies, sizeof(*streams->process));
	for (uint32_t i = 0; i < recording->tallies; i++) {
		struct stream_process_use *use = &streams->process[i];

		use->present = events_process(look->events, i)->streams > 0;
		use->zero = events_time(look->events, i, 0);
		if (tallies) /* also for those without streams: nothing is known of them */
			use->tally = stream_tally_create(look->analysis, look->events, i);
	}
}

static bool are_wanted(const struct recording *recording)
{
	for (size_t i = 0; i < recording->tallies; i++)
		if (recording->tally[i].raw.streams)
			return true;
	return false;
}

/* Is anything missing that was to be in them? */
static bool are_whole(const struct look *look)
{
	const struct events_counts *counts = events_counts(look->events);
	const struct recording *recording = look->analysis->recording;
	size_t i;

	for (i = look->analysis->stream_notes; i < look->analysis->stream_notes_end; i++)
		if (strcmp(recording->note[i].code, "clock"))
			return false;
	for (i = 0; i < recording->tallies; i++)
		if (recording->tally[i].raw.streams_lost)
			return false;
	return !counts->gaps && !counts->lost && !counts->unmatched && !counts->skewed;
}

const struct stream_process_use *streams_of(const struct analysis *analysis, const struct process_time *process)
{
	const struct stream_process_use *use =
		analysis->streams ? &analysis->streams->process[process - analysis->process] : NULL;

	return use && use->tally ? use : NULL;
}

/* Nothing can be read, or not as it should be: that is an error only where everything depends on it. */
static int without_streams(const struct summary_options *options)
{
	if (!options->from_streams)
		return 0;
	return log_error(SONDE_EUSAGE, "recorded without -l: there are no streams to compute the summary from");
}

int streams_read(struct analysis *analysis, const struct summary_options *options)
{
	const struct events_wish wish = {.what = EVENTS_SINGLE, .order = EVENTS_BY_TIME,
					 .bytes_max = options->from_streams ? 0 : options->stream_bytes_max};
	struct look look = {.analysis = analysis};
	struct streams *streams = arena_zalloc(&analysis->scratch, sizeof(*streams));
	int err;

	if (!are_wanted(analysis->recording))
		return without_streams(options);
	analysis->stream_notes = analysis->recording->notes;
	err = events_open(analysis->recording, &wish, &look.events);
	analysis->stream_notes_end = analysis->recording->notes;
	if (err)
		return options->from_streams ? err : 0;
	look.streams = streams;
	if (!events_have_streams(look.events)) {
		err = without_streams(options);
	} else if (events_too_large(look.events)) {
		analysis->summary->overlap_state = SUMMARY_OVERLAP_SKIPPED;
	} else {
		look_start(&look, options->from_streams);
		look_at_all(&look);
		analysis->streams = streams;
	}
	analysis->stream_notes_end = analysis->recording->notes;
	streams->lost = events_counts(look.events)->lost;
	streams->whole = are_whole(&look);
	analysis->summary->from_streams = !err && options->from_streams;
	events_close(look.events);
	return err;
}
