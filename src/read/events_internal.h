/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of an iteration: events_open.c makes it, events.c goes through it. */
#ifndef SONDE_READ_EVENTS_INTERNAL_H
#define SONDE_READ_EVENTS_INTERNAL_H

#include "read/stream.h"

/* One stream file. Closed as soon as it is at its end. */
struct source {
	struct stream_process *process;
	struct stream_file file;
	struct stream_trouble trouble;
	struct stream_calls *calls;   /* of a thread's */
	struct stream_device *device; /* of a device's */
	struct events_counts *counts;
	const struct event *event;    /* the next one */
	uint32_t number;              /* n of thread.n */
	uint64_t events;              /* read so far */
};

struct events {
	struct arena arena;
	struct recording *recording;
	enum events_what what;
	enum events_order order;
	struct filter filter;
	bool windowed;                /* not all times and durations are wanted */
	bool selective;               /* not all functions and threads are wanted */
	bool live, threads_only, too_large;
	struct events_axis *axis;     /* by host */
	struct stream_process *process; /* by tally */
	struct source *source;
	uint32_t sources;
	bool begun; /* a process made its folder of streams, if nothing more */
	size_t source_capacity;
	struct heap_item *heap;
	uint32_t heap_used;
	uint32_t current;             /* source, by stream */
	struct events_lane *lane;
	bool *lane_shown;
	uint32_t lanes;
	size_t lane_capacity;
	struct device_scratch scratch;
	struct events_counts counts;
};

void source_close(struct source *source);

#endif
