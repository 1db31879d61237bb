/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the streams of a recording say, found in one look at all events in order of time. Memory grows with what goes on
 * at once, with threads and functions, not with events.
 *
 *	streams.c       the look
 *	stream_tally.c  figures of calls and operations, in the form of a tally's
 *	overlap.c       what went on at once, per process
 */
#ifndef SONDE_ANALYZE_STREAMS_H
#define SONDE_ANALYZE_STREAMS_H

#include "analyze/activity.h"
#include "analyze/analysis.h"
#include "read/events.h"

/* A device of one host, as all its processes use it. */
struct stream_device_use {
	struct activity activity;
};

/* What one process did; index as in recording->tally. */
struct stream_process_use {
	bool present;              /* it has streams */
	struct activity activity;
	int64_t zero;              /* time of the events at 0 of CLOCK_MONOTONIC_RAW */
	struct stream_device_use **shared; /* by index of the process's devices: NULL until used */
	struct activity *own;      /* likewise */
	struct stream_tally *tally; /* NULL: not wanted */
};

struct streams {
	struct stream_process_use *process;
	struct rows devices;       /* struct stream_device_use by host and key */
	bool whole;                /* nothing is missing in the streams that are there */
	uint64_t lost;             /* events, as far as they were counted */
};

/*
 * Reads the streams, if there are any and they are not too large; sets analysis->streams. 0 or SONDE_E..., logged: only
 * where the figures were to come from them.
 */
int streams_read(struct analysis *analysis, const struct summary_options *options);
/* The process's use of streams where its figures are to come from them, else NULL. */
const struct stream_process_use *streams_of(const struct analysis *analysis, const struct process_time *process);

/* ---- stream_tally.c ---- */

struct stream_tally *stream_tally_create(struct analysis *analysis, const struct events *events, uint32_t process);
void stream_tally_event(struct stream_tally *tally, const struct events *events, const struct event *event);
/* Puts the figures in the place of those of the process's tally, which is loaded; they last as long as the analysis. */
void stream_tally_replace(struct stream_tally *tally, const struct stream_process_use *use, struct tally_body *body);

#endif
