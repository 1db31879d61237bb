/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks as instants of their thread. Ranges of the process begin and end on any threads and need not nest: each that
 * is open has a track of its own below the process, which is used again afterwards; viewers show those as one.
 */
#include <stdlib.h>

#include "views/timeline_internal.h"

#define ROWS 64u /* ranges of a process that are shown at once */

static const char row_name[] = "ranges of the process", note_tid[] = "thread";

static void range_name_write(struct timeline *timeline, struct pf_sequence *sequence, const struct event *event)
{
	const struct tally_function *function = events_function(timeline->events, event);
	const char *backend = timeline_names(timeline, event->process)->backend[function->backend].name;
	struct pf_message *message = &timeline->trace.packet;

	pf_u64(message, PF_EVENT_NAME,
	       pf_name(&timeline->trace, sequence, PF_EVENT_NAMES, function->name,
		       *function->name ? function->name : "?"));
	pf_u64(message, PF_EVENT_CATEGORY, pf_name(&timeline->trace, sequence, PF_CATEGORIES, backend, backend));
}

void timeline_mark(struct timeline *timeline, const struct event *event)
{
	struct timeline_lane *lane;
	uint8_t *start;

	if (events_function(timeline->events, event)->kind == SONDE_KIND_counter) {
		timeline_value(timeline, event);
		return;
	}
	lane = timeline_lane_at(timeline, event);
	if (!lane) {
		timeline->result.left_out++;
		return;
	}
	start = timeline_event_start(timeline, &lane->sequence, event->time, PF_TYPE_INSTANT);
	range_name_write(timeline, &lane->sequence, event);
	timeline_arguments(timeline, &lane->sequence, event, FMT_ARG_IN);
	timeline_event_put(timeline, start);
	lane->last = event->time;
	timeline->result.ranges++;
}

/* The lowest track that no open range has; ROWS: all are taken. */
static uint32_t free_row(const struct timeline_process *process)
{
	uint64_t taken = 0;

	for (uint32_t i = 0; i < process->opens; i++)
		taken |= (uint64_t)1 << process->open[i].row;
	return ~taken ? (uint32_t)__builtin_ctzll(~taken) : ROWS;
}

static bool open_add(struct timeline_process *process, uint64_t id, uint32_t row)
{
	if (!process->open)
		process->open = calloc(ROWS, sizeof(*process->open));
	if (!process->open || row == ROWS)
		return false;
	process->open[process->opens++] = (struct timeline_open){id, row};
	return true;
}

/* The track of the range that ends; ROWS: its start is not there. */
static uint32_t open_take(struct timeline_process *process, uint64_t id)
{
	for (uint32_t i = 0; i < process->opens; i++)
		if (process->open[i].id == id) {
			uint32_t row = process->open[i].row;

			process->open[i] = process->open[--process->opens];
			return row;
		}
	return ROWS;
}

static void describe_row(struct timeline *timeline, const struct event *event, struct timeline_process *process,
			 uint32_t row)
{
	if (process->ranges_file != timeline->file) {
		process->ranges_file = timeline->file;
		process->ranges_described = 0;
		timeline_process_describe(timeline, event->process);
	}
	if (process->ranges_described >> row & 1)
		return;
	process->ranges_described |= (uint64_t)1 << row;
	timeline_track_describe(timeline, process, timeline_uuid(process, TRACK_RANGES, row),
				timeline_uuid(process, TRACK_PROCESS, 0), row_name);
}

void timeline_range(struct timeline *timeline, const struct event *event)
{
	struct timeline_process *process = timeline_process(timeline, event->process);
	bool begins = event->type == EVENT_START;
	uint32_t row = begins ? free_row(process) : open_take(process, event->result);
	uint8_t *start;

	if (event->time < 0 || row == ROWS || (begins && !open_add(process, event->result, row))) {
		timeline->result.left_out++;
		return;
	}
	describe_row(timeline, event, process, row);
	start = timeline_event_start(timeline, &timeline->global, event->time, begins ? PF_TYPE_BEGIN : PF_TYPE_END);
	pf_u64(&timeline->trace.packet, PF_EVENT_TRACK, timeline_uuid(process, TRACK_RANGES, row));
	if (begins) {
		range_name_write(timeline, &timeline->global, event);
		timeline_note_u64(timeline, &timeline->global, note_tid,
				  events_lane(timeline->events, event->lane)->tid);
		timeline_arguments(timeline, &timeline->global, event, FMT_ARG_IN);
	}
	timeline_event_put(timeline, start);
	timeline->result.ranges += begins;
}
