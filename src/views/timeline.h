/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A timeline for Perfetto from the events of a recording. Its memory grows with streams, queues and names, not
 * with events.
 */
#ifndef SONDE_VIEWS_TIMELINE_H
#define SONDE_VIEWS_TIMELINE_H

#include "read/events.h"

#define TIMELINE_SPLIT_DEFAULT ((uint64_t)2 << 30) /* what viewers in a browser can still open */
#define TIMELINE_SPLIT_LEAST ((uint64_t)1 << 20)

struct timeline_result {
	uint64_t calls, operations, bytes;
	uint64_t ranges;   /* and marks */
	uint64_t left_out; /* calls, ranges and operations that have no place: before the start, out of order */
	uint32_t files;    /* without the overview */
};

struct timeline_options {
	struct events_filter filter;
	bool gpu_tracks;      /* work of devices as plain slices, for viewers without rows for it */
	uint64_t split_bytes; /* 0: one file, whatever its size */
	struct timeline_result *result; /* filled in when all went well; or NULL */
};

/*
 * Writes the timeline to `path` (compressed where it ends in .gz; "-": standard output). What is larger than
 * split_bytes goes to numbered files beside it, each of them a part of the time; `path` then holds an overview.
 * 0 or SONDE_E..., logged.
 */
int timeline_write(struct recording *recording, const struct timeline_options *options, const char *path);

#endif
