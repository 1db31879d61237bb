/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timeline as a whole: which order events are read in, files, parts and the overview over them. One file
 * takes stream after stream, which needs no merging; only what may become too large for one file is
 * read in the order of time, so that each part is a part of the time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "views/progress.h"
#include "views/timeline_internal.h"
#include "views/view_internal.h"

#define GROWTH 6          /* bytes of a timeline per byte of streams, at most */
#define FRAME_BYTES 64    /* what an open call may add to a file at its end */
#define RESERVE (128u << 10) /* and what one event may add */
#define SLICE_BYTES 128   /* of an overview, for each of the slices that can stand beside each other */

/* ---- files ---- */

/* "a/b.pftrace.gz", 3 -> "a/b.003.pftrace.gz" */
static const char *part_path(struct arena *arena, const char *path, size_t number)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strchr(name + (*name == '.'), '.');
	int length = (int)(dot ? (size_t)(dot - path) : strlen(path));

	return arena_printf(arena, "%.*s.%03zu%s", length, path, number, dot ? dot : "");
}

static int file_open(struct timeline *timeline, const char *path)
{
	int err = pftrace_open(&timeline->trace, path, events_raw(timeline->events, 0, 0));

	if (err)
		return err;
	timeline->file++;
	timeline_file_start(timeline);
	return 0;
}

static void lanes_do(struct timeline *timeline, void (*action)(struct timeline *, struct timeline_lane *))
{
	size_t i, k;

	for (i = 0; i < timeline->recording->tallies; i++)
		for (k = 0; timeline->process[i] && k < timeline->process[i]->lanes; k++)
			if (timeline->process[i]->lane[k])
				action(timeline, timeline->process[i]->lane[k]);
}

/* The slices that are open at the end of a part are whole in it, and again in the next part. */
static void lane_end_part(struct timeline *timeline, struct timeline_lane *lane)
{
	uint32_t depth = lane->depth;
	int64_t last = lane->last;

	timeline_lane_finish(timeline, lane);
	lane->depth = depth;
	lane->last = last;
}

static void lane_continue(struct timeline *timeline, struct timeline_lane *lane)
{
	timeline_lane_continue(timeline, lane, timeline->now);
}

static void part_note(struct timeline *timeline, const char *path, int64_t to)
{
	timeline->part = arena_grow(&timeline->arena, timeline->part, timeline->parts, &timeline->part_capacity,
				    sizeof(*timeline->part));
	timeline->part[timeline->parts++] = (struct timeline_part){path, timeline->file_from, to};
	timeline->file_from = to;
	timeline->result.bytes += sink_bytes(&timeline->trace.sink);
}

static int part_next(struct timeline *timeline, const char *path)
{
	const char *part = part_path(&timeline->arena, path, timeline->parts + 1);
	int err;

	lanes_do(timeline, lane_end_part);
	timeline_counters(timeline, timeline->file_from, timeline->now);
	part_note(timeline, part, timeline->now);
	err = pftrace_close(&timeline->trace, true);
	if (err)
		return err;
	err = file_open(timeline, part_path(&timeline->arena, path, timeline->parts + 1));
	if (err)
		return err;
	lanes_do(timeline, lane_continue);
	timeline_ranges_continue(timeline);
	return 0;
}

static bool is_full(const struct timeline *timeline)
{
	return sink_bytes(&timeline->trace.sink) + (uint64_t)timeline->open_frames * FRAME_BYTES + RESERVE >
	       timeline->options->split_bytes;
}

/* ---- events ---- */

static void event_write(struct timeline *timeline, const struct event *event)
{
	switch (event->type) {
	case EVENT_CALL:
		timeline_call(timeline, event);
		break;
	case EVENT_OPERATION:
		timeline_operation(timeline, event);
		break;
	case EVENT_MEMORY:
		timeline_memory(timeline, event);
		break;
	case EVENT_MARK:
		timeline_mark(timeline, event);
		break;
	case EVENT_START:
	case EVENT_END:
		if (timeline->by_stream)
			timeline->ranges_later = true;
		else
			timeline_range(timeline, event);
		break;
	case EVENT_GAP:
		timeline_gap(timeline, event);
		break;
	default:
		break;
	}
}

/*
 * Ranges of the process end on other threads than they began on, and share tracks over threads: their events are read
 * once more, by time. The names of the others stay as long as the file, which knows names by their addresses.
 */
static int ranges_write(struct timeline *timeline)
{
	struct events_wish wish = {.what = EVENTS_CALLS_BY_BEGIN, .order = EVENTS_BY_TIME, .threads_only = true,
				   .filter = timeline->filter};
	struct events *others = timeline->events;
	struct progress progress = {0};
	size_t notes = timeline->recording->notes;
	const struct event *event;
	int err = events_open(timeline->recording, &wish, &timeline->events);

	while (!err && !timeline->trace.sink.error && (event = events_next(timeline->events))) {
		if (event->type == EVENT_START || event->type == EVENT_END)
			timeline_range(timeline, event);
		progress_step(&progress, timeline->events);
	}
	progress_end(&progress);
	if (!err)
		events_close(timeline->events);
	timeline->events = others;
	timeline->recording->notes = notes; /* what is wrong with the streams has been noted */
	return err;
}

static int events_write(struct timeline *timeline, const char *path, bool parts)
{
	struct progress progress = {0};
	const struct event *event;
	int err = 0;

	while (!err && !timeline->trace.sink.error && (event = events_next(timeline->events))) {
		timeline->now = event->time;
		if (event->end > timeline->latest)
			timeline->latest = event->end;
		if (parts && is_full(timeline)) {
			err = part_next(timeline, path);
			if (err)
				break;
		}
		event_write(timeline, event);
		progress_step(&progress, timeline->events);
	}
	progress_end(&progress);
	if (err)
		return err;
	lanes_do(timeline, timeline_lane_finish);
	timeline_devices_finish(timeline);
	timeline_counters(timeline, timeline->file_from, INT64_MAX);
	return timeline->ranges_later ? ranges_write(timeline) : 0;
}

/* ---- one reading of the events ---- */

static int timeline_open(struct timeline *timeline, const struct events_filter *filter, enum events_order order)
{
	struct events_wish wish = {.what = EVENTS_CALLS_BY_BEGIN, .order = order, .filter = *filter};
	int err = events_open(timeline->recording, &wish, &timeline->events);

	if (err)
		return err;
	timeline->by_stream = order == EVENTS_BY_STREAM;
	timeline->filter = *filter;
	timeline->process = arena_array(&timeline->arena, timeline->recording->tallies, sizeof(*timeline->process));
	return 0;
}

static void timeline_close(struct timeline *timeline)
{
	timeline_free(timeline);
	events_close(timeline->events);
	timeline->process = NULL;
	timeline->gpu = NULL;
	timeline->gpus = timeline->gpu_capacity = 0;
	timeline->events = NULL;
}

static struct timeline *timeline_create(struct recording *recording, const struct timeline_options *options)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	if (!timeline) {
		log_error(SONDE_EIO, "out of memory");
		return NULL;
	}
	timeline->recording = recording;
	timeline->options = options;
	return timeline;
}

/* ---- the overview ---- */

static void parts_write(struct timeline *overview, const struct timeline *whole)
{
	static const char name[] = "files of this timeline";
	struct timeline_process nobody = {.seed = 1};
	uint64_t track = timeline_uuid(&nobody, TRACK_PARTS, 0);
	struct pf_message *message = &overview->trace.packet;
	struct pf_sequence sequence = {0};
	uint8_t *start;
	size_t i, edge;

	timeline_track_describe(overview, &nobody, track, 0, name);
	pf_sequence_start(&overview->trace, &sequence, 0, track);
	for (i = 0; i < whole->parts; i++) {
		for (edge = 0; edge < 2; edge++) {
			int64_t time = edge ? whole->part[i].to : whole->part[i].from;
			const char *path = whole->part[i].path, *slash = strrchr(path, '/');

			pf_packet_start(&overview->trace, &sequence);
			pf_u64(message, PF_PACKET_TIMESTAMP, time < 0 ? 0 : (uint64_t)time);
			pf_u64(message, PF_PACKET_FLAGS, PF_FLAGS_NEEDED);
			start = pf_begin(message, PF_PACKET_TRACK_EVENT);
			pf_u64(message, PF_EVENT_TYPE, edge ? PF_TYPE_END : PF_TYPE_BEGIN);
			if (!edge)
				pf_u64(message, PF_EVENT_NAME,
				       pf_name(&overview->trace, &sequence, PF_EVENT_NAMES, &whole->part[i],
					       slash ? slash + 1 : path));
			pf_end(message, start);
			pf_packet_put(&overview->trace);
		}
	}
	pf_sequence_free(&sequence);
}

/*
 * What is long enough to be seen when all of the time is on the screen: at most so many slices fit
 * beside each other in a thread.
 */
static int overview_write(const struct timeline *whole, const char *path, uint32_t lanes)
{
	struct timeline *overview = timeline_create(whole->recording, whole->options);
	struct events_filter filter = whole->options->filter;
	int64_t span = whole->latest - whole->part[0].from;
	int64_t least = span / ((int64_t)(whole->options->split_bytes / SLICE_BYTES) / (lanes ? lanes : 1) + 1) + 1;
	int err;

	if (!overview)
		return SONDE_EIO;
	overview->thin = least;
	if (filter.min_duration < least)
		filter.min_duration = least;
	err = timeline_open(overview, &filter, EVENTS_BY_STREAM);
	if (!err) {
		err = file_open(overview, path);
		if (!err) {
			parts_write(overview, whole);
			err = events_write(overview, path, false);
			err = pftrace_close(&overview->trace, !err) || err ? SONDE_EIO : 0;
		}
		timeline_close(overview);
	}
	free(overview);
	return err;
}

/* ---- all of it ---- */

/* One file of several would have been enough: it takes the name that was asked for. */
static int rename_only_part(struct timeline *timeline, const char *path)
{
	if (rename(timeline->part[0].path, path))
		return log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
	return 0;
}

static int check_written(const struct timeline *timeline)
{
	if (timeline->result.calls || timeline->result.ranges || timeline->result.operations)
		return 0;
	return log_error(SONDE_EFORMAT, "%s", events_have_streams(timeline->events) ?
			 "no call, range or operation is left for the timeline (see the filters, if there are any)" :
			 events_absence(timeline->events));
}

static int whole_write(struct timeline *timeline, const char *path, bool parts)
{
	int err;

	if (!events_have_streams(timeline->events))
		return check_written(timeline);
	err = file_open(timeline, parts ? part_path(&timeline->arena, path, 1) : path);
	if (err)
		return err;
	err = events_write(timeline, path, parts);
	if (!err && !timeline->trace.sink.error)
		err = check_written(timeline);
	if (!err)
		part_note(timeline, parts ? part_path(&timeline->arena, path, timeline->parts + 1) : path,
			  timeline->latest);
	return pftrace_close(&timeline->trace, !err) || err ? SONDE_EIO : 0;
}

int timeline_write(struct recording *recording, const struct timeline_options *options, const char *path)
{
	struct timeline *timeline = timeline_create(recording, options);
	bool parts = false;
	uint64_t total;
	uint32_t lanes;
	int err;

	if (!timeline)
		return SONDE_EIO;
	err = timeline_open(timeline, &options->filter, EVENTS_BY_STREAM);
	if (!err && options->split_bytes && strcmp(path, "-") != 0) {
		events_progress(timeline->events, &total);
		parts = total > options->split_bytes / GROWTH;
		if (parts) {
			timeline_close(timeline);
			err = timeline_open(timeline, &options->filter, EVENTS_BY_TIME);
		}
	}
	if (err)
		goto out;
	err = whole_write(timeline, path, parts);
	lanes = events_lanes(timeline->events);
	if (!err && parts)
		err = timeline->parts == 1 ? rename_only_part(timeline, path) :
					     overview_write(timeline, path, lanes);
	timeline->result.files = (uint32_t)timeline->parts;
	if (!err && options->result)
		*options->result = timeline->result;
	timeline_close(timeline);
out:
	free(timeline);
	return err;
}
