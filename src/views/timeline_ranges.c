/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks as instants of their thread. Ranges of the process begin and end on any threads and need not nest: each that
 * is open has a track of its own below the process, which is used again afterwards; viewers show those as one. One that
 * nobody ended, in its part of the timeline, has no end there, which viewers show, too.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "views/timeline_internal.h"

#define WORD_ROWS 64u
#define NO_ROW UINT32_MAX

struct open_range {
	uint64_t id;
	uint32_t row, tid, function;
	int64_t begin;
};

struct timeline_range_row {
	const struct open_range *open; /* NULL: free */
	uint32_t file;                 /* in which its track has been described; 0: none */
};

static const char row_name[] = "ranges of the process", note_tid[] = "thread", note_goes_on[] = "continued";

static void range_name_write(struct timeline *timeline, struct pf_sequence *sequence, uint32_t process, uint32_t number)
{
	const struct tally_body *names = timeline_names(timeline, process);
	const struct tally_function *function = &names->function[number];
	const char *backend = names->backend[function->backend].name;
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
	range_name_write(timeline, &lane->sequence, event->process, event->function);
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
	struct timeline_range_row *row;

	if (!taken)
		return false;
	ranges->taken = taken;
	row = realloc(ranges->row, rows * sizeof(*row));
	if (!row)
		return false;
	ranges->row = row;
	memset(taken + ranges->rows / WORD_ROWS, 0, (rows - ranges->rows) / WORD_ROWS * sizeof(*taken));
	memset(row + ranges->rows, 0, (rows - ranges->rows) * sizeof(*row));
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

/* NULL: out of memory, or it is open already. */
static const struct open_range *range_open(struct timeline *timeline, const struct event *event)
{
	struct timeline_ranges *ranges = &timeline_process(timeline, event->process)->ranges;
	uint32_t tid = events_lane(timeline->events, event->lane)->tid;
	struct open_range *range = malloc(sizeof(*range)), **node;

	if (!range)
		return NULL;
	*range = (struct open_range){event->result, NO_ROW, tid, event->function, event->time};
	node = tsearch(range, &ranges->open, id_compare);
	if (!node || *node != range) {
		free(range);
		return NULL;
	}
	range->row = row_take(ranges);
	if (range->row == NO_ROW)
		return NULL;
	ranges->row[range->row].open = range;
	return range;
}

/* The row of the range that ends; NO_ROW: its start is not there. */
static uint32_t range_close(struct timeline_ranges *ranges, uint64_t id)
{
	struct open_range key = {.id = id}, **node = tfind(&key, &ranges->open, id_compare), *range;

	if (!node)
		return NO_ROW;
	range = *node;
	key.row = range->row;
	tdelete(&key, &ranges->open, id_compare);
	free(range);
	if (key.row == NO_ROW)
		return NO_ROW;
	ranges->row[key.row].open = NULL;
	ranges->taken[key.row / WORD_ROWS] &= ~((uint64_t)1 << key.row % WORD_ROWS);
	if (ranges->first > key.row / WORD_ROWS)
		ranges->first = key.row / WORD_ROWS;
	return key.row;
}

void timeline_ranges_free(struct timeline_ranges *ranges)
{
	tdestroy(ranges->open, free);
	free(ranges->taken);
	free(ranges->row);
}

/* ---- ranges ---- */

/* An edge of a range on its row, whose track is described if need be; what stands beside it follows. */
static uint8_t *edge_begin(struct timeline *timeline, uint32_t index, uint32_t row, int64_t time,
			   enum pf_event_type type)
{
	struct timeline_process *process = timeline_process(timeline, index);
	uint64_t track = timeline_uuid(process, TRACK_RANGES, row);
	uint8_t *start;

	if (process->ranges.row[row].file != timeline->file) {
		process->ranges.row[row].file = timeline->file;
		timeline_process_describe(timeline, index);
		timeline_track_describe(timeline, process, track, timeline_uuid(process, TRACK_PROCESS, 0), row_name);
	}
	start = timeline_event_start(timeline, &timeline->global, time, type);
	pf_u64(&timeline->trace.packet, PF_EVENT_TRACK, track);
	return start;
}

static uint8_t *range_begin(struct timeline *timeline, uint32_t process, const struct open_range *range)
{
	uint8_t *start = edge_begin(timeline, process, range->row, range->begin, PF_TYPE_BEGIN);

	range_name_write(timeline, &timeline->global, process, range->function);
	timeline_note_u64(timeline, &timeline->global, note_tid, range->tid);
	return start;
}

void timeline_range(struct timeline *timeline, const struct event *event)
{
	const struct open_range *range;
	uint8_t *start;

	if (event->type == EVENT_END) {
		uint32_t row = range_close(&timeline_process(timeline, event->process)->ranges, event->result);

		if (row == NO_ROW)
			return; /* it began outside of a filter, or has been left out */
		start = edge_begin(timeline, event->process, row, event->time, PF_TYPE_END);
		timeline_event_put(timeline, start);
		return;
	}
	range = event->time < 0 ? NULL : range_open(timeline, event);
	if (!range) {
		timeline->result.left_out++;
		return;
	}
	start = range_begin(timeline, event->process, range);
	timeline_arguments(timeline, &timeline->global, event, FMT_ARG_IN);
	timeline_event_put(timeline, start);
	timeline->result.ranges++;
}

void timeline_ranges_continue(struct timeline *timeline)
{
	for (uint32_t i = 0; i < timeline->recording->tallies; i++) {
		const struct timeline_ranges *ranges = timeline->process[i] ? &timeline->process[i]->ranges : NULL;

		for (uint32_t row = 0; ranges && row < ranges->rows; row++) {
			uint8_t *start;

			if (!ranges->row[row].open)
				continue;
			start = range_begin(timeline, i, ranges->row[row].open);
			timeline_note_true(timeline, &timeline->global, note_goes_on);
			timeline_event_put(timeline, start);
		}
	}
}
