/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tally DIR: reads all streams of a recording and prints calls, functions that were called, ns in calls
 * What a summary needs of each function is worked out: calls, failed, total, self, least and greatest time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "read/events.h"

struct row {
	uint64_t calls, failed;
	int64_t total, self, least, most;
};

static struct row *rows_of(const struct events *events, struct row **rows, uint32_t process)
{
	uint32_t functions = events_process(events, process)->names->functions;

	if (!rows[process])
		rows[process] = calloc(functions ? functions : 1, sizeof(**rows));
	if (!rows[process])
		exit(1);
	return rows[process];
}

static void add(struct row *row, const struct event *event, int64_t beneath)
{
	int64_t duration = event->end - event->begin;

	row->least = !row->calls || duration < row->least ? duration : row->least;
	row->most = duration > row->most ? duration : row->most;
	row->calls++;
	row->failed += event->failed;
	row->total += duration;
	row->self += duration - beneath;
}

/* Stream by stream, so that one stack serves all threads. */
static void read_all(struct events *events, struct row **rows)
{
	int64_t beneath[FMT_FRAMES + 2] = {0};
	const struct event *event;
	uint32_t lane = READ_NONE;

	while ((event = events_next(events))) {
		if (event->type != EVENT_CALL)
			continue;
		if (event->lane != lane)
			for (uint32_t depth = 0; depth < FMT_FRAMES + 2; depth++)
				beneath[depth] = 0;
		lane = event->lane;
		add(&rows_of(events, rows, event->process)[event->function], event, beneath[event->depth + 1]);
		beneath[event->depth] += event->end - event->begin;
		beneath[event->depth + 1] = 0;
	}
}

static void print_sums(const struct events *events, struct row **rows, uint32_t processes)
{
	uint64_t calls = 0, functions = 0;
	int64_t self = 0;

	for (uint32_t process = 0; process < processes; process++)
		for (uint32_t i = 0; rows[process] && i < events_process(events, process)->names->functions; i++) {
			calls += rows[process][i].calls;
			functions += rows[process][i].calls > 0;
			self += rows[process][i].self;
		}
	printf("%" PRIu64 " %" PRIu64 " %" PRId64 "\n", calls, functions, self);
}

int main(int argc, char **argv)
{
	const struct events_wish wish = {.what = EVENTS_CALLS_BY_END, .order = EVENTS_BY_STREAM};
	struct recording *recording;
	struct events *events;
	struct row **rows;

	if (argc != 2) {
		fprintf(stderr, "usage: tally DIR\n");
		return 2;
	}
	if (recording_open((const char *const *)&argv[1], 1, &recording) || events_open(recording, &wish, &events))
		return 1;
	rows = calloc(recording->tallies + 1, sizeof(*rows));
	if (!rows)
		return 1;
	read_all(events, rows);
	print_sums(events, rows, (uint32_t)recording->tallies);
	for (uint32_t process = 0; process < recording->tallies; process++)
		free(rows[process]);
	free(rows);
	events_close(events);
	recording_close(recording);
	return 0;
}
