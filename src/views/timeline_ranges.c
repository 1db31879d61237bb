/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks as instants of their thread. Ranges of the process begin and end on any threads and need not nest: each that
 * is open has a track of its own below the process, which is used again afterwards; viewers show those as one.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "views/timeline_internal.h"

#define WORD_ROWS 64u
#define NO_ROW UINT32_MAX

struct open_range {
	uint64_t id;
	uint32_t row;
};

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

/* ---- rows ---- */

static bool rows_grow(struct timeline_ranges *ranges)
{
	uint32_t rows = ranges->rows ? 2 * ranges->rows : WORD_ROWS, words = rows / WORD_ROWS;
	uint64_t *taken = realloc(ranges->taken, words * sizeof(*taken));
	uint32_t *file;

	if (!taken)
		return false;
	ranges->taken = taken;
	file = realloc(ranges->file, rows * sizeof(*file));
	if (!file)
		return false;
	ranges->file = file;
	memset(taken + ranges->rows / WORD_ROWS, 0, (rows - ranges->rows) / WORD_ROWS * sizeof(*taken));
	memset(file + ranges->rows, 0, (rows - ranges->rows) * sizeof(*file));
	ranges->rows = rows;
	return true;
}

/* The lowest row that no open range has. */
static uint32_t row_take(struct timeline_ranges *ranges)
{
	uint32_t row;

	while (ranges->first < ranges->rows / WORD_ROWS && !~ranges->taken[ranges->first])
		ranges->first++;
	if (ranges->first == ranges->rows / WORD_ROWS && !rows_grow(ranges))
		return NO_ROW;
	row = ranges->first * WORD_ROWS + (uint32_t)__builtin_ctzll(~ranges->taken[ranges->first]);
	ranges->taken[ranges->first] |= (uint64_t)1 << row % WORD_ROWS;
	return row;
}

static int id_compare(const void *left, const void *right)
{
	uint64_t a = ((const struct open_range *)left)->id, b = ((const struct open_range *)right)->id;

	return (a > b) - (a < b);
}

/* The row of a range that begins; NO_ROW: out of memory, or it is there already. */
static uint32_t range_open(struct timeline_ranges *ranges, uint64_t id)
{
	struct open_range *range = malloc(sizeof(*range)), **node;

	if (!range)
		return NO_ROW;
	*range = (struct open_range){id, NO_ROW};
	node = tsearch(range, &ranges->open, id_compare);
	if (!node || *node != range) {
		free(range);
		return NO_ROW;
	}
	range->row = row_take(ranges);
	return range->row;
}

/* The row of the range that ends; NO_ROW: its start is not there. */
static uint32_t range_close(struct timeline_ranges *ranges, uint64_t id)
{
	struct open_range key = {id, NO_ROW}, **node = tfind(&key, &ranges->open, id_compare), *range;

	if (!node)
		return NO_ROW;
	range = *node;
	key.row = range->row;
	tdelete(&key, &ranges->open, id_compare);
	free(range);
	if (key.row == NO_ROW)
		return NO_ROW;
	ranges->taken[key.row / WORD_ROWS] &= ~((uint64_t)1 << key.row % WORD_ROWS);
	if (ranges->first > key.row / WORD_ROWS)
		ranges->first = key.row / WORD_ROWS;
	return key.row;
}

void timeline_ranges_free(struct timeline_ranges *ranges)
{
	tdestroy(ranges->open, free);
	free(ranges->taken);
	free(ranges->file);
}

/* ---- ranges ---- */

static void describe_row(struct timeline *timeline, const struct event *event, struct timeline_process *process,
			 uint32_t row)
{
	if (process->ranges.file[row] == timeline->file)
		return;
	process->ranges.file[row] = timeline->file;
	timeline_process_describe(timeline, event->process);
	timeline_track_describe(timeline, process, timeline_uuid(process, TRACK_RANGES, row),
				timeline_uuid(process, TRACK_PROCESS, 0), row_name);
}

void timeline_range(struct timeline *timeline, const struct event *event)
{
	struct timeline_process *process = timeline_process(timeline, event->process);
	bool begins = event->type == EVENT_START;
	uint32_t row = NO_ROW;
	uint8_t *start;

	if (!begins)
		row = range_close(&process->ranges, event->result);
	else if (event->time >= 0)
		row = range_open(&process->ranges, event->result);
	if (row == NO_ROW) {
		timeline->result.left_out += begins; /* once, and not what began outside of a filter */
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
