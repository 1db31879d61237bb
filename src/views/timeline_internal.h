/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a timeline is put together; inside of views/timeline*.c only.
 *
 *	view_timeline.c      the loop over events, files and their parts
 *	timeline_tracks.c    processes, threads, devices as tracks
 *	timeline_calls.c     calls as nested slices, with arguments
 *	timeline_ranges.c    marks, and ranges that do not nest
 *	timeline_devices.c   operations of devices, counters
 *	timeline_counters.c  sampled counters
 */
#ifndef SONDE_VIEWS_TIMELINE_INTERNAL_H
#define SONDE_VIEWS_TIMELINE_INTERNAL_H

#include "views/pftrace.h"
#include "views/timeline.h"

/* An open call. */
struct timeline_frame {
	const struct tally_function *function;
	int64_t begin, end;
	uint32_t depth;
	enum event_ending ended;
	bool failed;
};

/* A thread. */
struct timeline_lane {
	uint32_t number;           /* of the reader; READ_NONE: none yet */
	uint32_t process, tid, stream;
	uint32_t file;             /* the file in which it has been described; 0: none */
	struct pf_sequence sequence;
	int64_t last;              /* time of the last slice's edge */
	uint32_t depth;
	struct timeline_frame frame[FMT_FRAMES + FMT_RANGES];
};

/* Ranges of the process: each that is open has a track of its own, a row, which is used again afterwards. */
struct timeline_ranges {
	void *open;     /* a tree of those that are open */
	uint64_t *taken; /* a bit per row */
	struct timeline_range_row *row;
	uint32_t rows;
	uint32_t first; /* word of taken: all rows of those before it are taken */
};

/* A counter of a process, each with a sequence of its own: its packets are short. */
struct timeline_counter {
	uint32_t file;
	struct pf_sequence sequence;
	int64_t time;              /* of its last value in this file */
};

/* Ends of running kernels, a heap with the earliest on top. */
struct timeline_ends {
	int64_t *end;
	uint32_t used, capacity;
};

struct timeline_row {          /* of slices that do not overlap */
	uint32_t file;
	struct pf_sequence sequence;
	int64_t last;
};

struct timeline_queue {
	struct timeline_row *row;  /* --gpu-rows=tracks: as many as operations ran at once */
	uint32_t rows;
};

struct timeline_device {
	uint32_t file;
	struct pf_sequence sequence;
	struct timeline_counter running;
	struct timeline_ends ends;
};

struct timeline_process {
	uint32_t file, gaps;       /* the files in which it and its lost events have been described */
	uint64_t seed;             /* of the numbers of its tracks */
	uint32_t machine;
	uint32_t devices, queues;
	struct timeline_device *device;  /* [devices + 1]: the last for work of no known device */
	struct timeline_queue *queue;    /* [queues + devices + 1]: those of devices for work of no known queue */
	struct timeline_counter *memory; /* [(devices + 1) * SONDE_MEMORY_COUNT]: the last for host memory */
	uint32_t *gpu;             /* by device: its number on the machine */
	struct timeline_ranges ranges;
	struct timeline_counter *counter; /* that it sets, by function; NULL: none yet */
	uint32_t functions;
	struct timeline_lane **lane; /* by stream: who uses it now */
	uint32_t lanes;
};

struct timeline_gpu {
	uint32_t host;
	uint32_t number;           /* on its host */
	const char *name, *key;
};

/* A finished part, for the overview. */
struct timeline_part {
	const char *path;
	int64_t from, to;
};

struct timeline {
	struct recording *recording;
	struct events *events;
	const struct timeline_options *options;
	struct arena arena;
	struct pftrace trace;
	struct pf_sequence global; /* descriptors, and what belongs to no track of its own */
	uint32_t file;             /* number of the current one, from 1 */
	struct timeline_process **process; /* NULL: not met yet */
	struct timeline_gpu *gpu;
	size_t gpus, gpu_capacity;
	struct timeline_part *part;
	size_t parts, part_capacity;
	int64_t file_from, now;
	int64_t latest;            /* end of what has been written */
	int64_t thin;              /* 0; in an overview: counters have at most one value in so many ns */
	struct events_filter filter; /* of the events */
	bool by_stream;            /* the order of events */
	bool ranges_later;         /* ranges of the process have been met, which need another one */
	uint32_t open_frames;      /* of all lanes: room that the end of a file takes */
	struct timeline_result result;
};

/* Kinds of tracks of a process; with a number they give the track's own. */
enum timeline_track {
	TRACK_PROCESS = 1, TRACK_THREAD, TRACK_DEVICE, TRACK_QUEUE, TRACK_MEMORY, TRACK_RUNNING, TRACK_GAPS,
	TRACK_PARTS, TRACK_RANGES, TRACK_SAMPLED, TRACK_SAMPLED_DEVICE, TRACK_COUNTER
};

/* timeline_tracks.c */
uint64_t timeline_uuid(const struct timeline_process *process, enum timeline_track kind, uint64_t number);
void timeline_file_start(struct timeline *timeline); /* what stands at the beginning of each file */
struct timeline_process *timeline_process(struct timeline *timeline, uint32_t index);
void timeline_process_describe(struct timeline *timeline, uint32_t index);
void timeline_lane_describe(struct timeline *timeline, struct timeline_lane *lane);
/* A plain track under a process or under another track. */
void timeline_track_describe(struct timeline *timeline, const struct timeline_process *process, uint64_t uuid,
			     uint64_t parent, const char *name);
/* Starts the counter in this file if it has not been; returns whether it had to. */
bool timeline_counter_describe(struct timeline *timeline, struct timeline_counter *counter, uint32_t process,
			       uint64_t uuid, enum pf_unit unit, const char *name);
void timeline_sequence_start(struct timeline *timeline, struct pf_sequence *sequence, uint32_t machine, uint64_t track);
const struct tally_body *timeline_names(const struct timeline *timeline, uint32_t process);
void timeline_free(struct timeline *timeline);

/* A counter's track of no process: its values are in the unit, which has a name where it is none of enum pf_unit. */
void timeline_counter_track(struct timeline *timeline, uint32_t machine, uint64_t uuid, uint64_t parent,
			    const char *unit, const char *name);
uint32_t timeline_machine(const struct timeline *timeline, uint32_t host);

/* timeline_calls.c */
void timeline_call(struct timeline *timeline, const struct event *event);
void timeline_gap(struct timeline *timeline, const struct event *event);
/* The event's thread, with what is over at its time closed; NULL: the event has no place there. */
struct timeline_lane *timeline_lane_at(struct timeline *timeline, const struct event *event);
uint8_t *timeline_event_start(struct timeline *timeline, const struct pf_sequence *sequence, int64_t time,
			      enum pf_event_type type);
void timeline_event_put(struct timeline *timeline, uint8_t *start);
void timeline_lane_finish(struct timeline *timeline, struct timeline_lane *lane); /* its open calls end when they end */
void timeline_lane_continue(struct timeline *timeline, struct timeline_lane *lane, int64_t time);
/* Key and value beside a slice: a number, three, a text that lasts, that something holds. */
void timeline_note_u64(struct timeline *timeline, struct pf_sequence *sequence, const char *name, uint64_t value);
void timeline_note_extent(struct timeline *timeline, struct pf_sequence *sequence, const char *name,
			  const uint32_t extent[3]);
void timeline_note_text(struct timeline *timeline, struct pf_sequence *sequence, const char *name, const char *text);
void timeline_note_true(struct timeline *timeline, struct pf_sequence *sequence, const char *name);
/* Arguments of a call, what is told of a range or a mark. */
void timeline_arguments(struct timeline *timeline, struct pf_sequence *sequence, const struct event *event,
			enum fmt_arg_when when);
uint64_t timeline_correlation(uint32_t process, uint64_t correlation);

/* timeline_counters.c: a counter that the program has set */
void timeline_value(struct timeline *timeline, const struct event *event);

/* timeline_ranges.c: marks of threads; ranges of the process, which need not nest */
void timeline_mark(struct timeline *timeline, const struct event *event);
void timeline_range(struct timeline *timeline, const struct event *event); /* in the order of time */
void timeline_ranges_continue(struct timeline *timeline); /* in a new file: those that are open, as they began */
void timeline_ranges_free(struct timeline_ranges *ranges);

/* timeline_devices.c */
void timeline_operation(struct timeline *timeline, const struct event *event);
void timeline_memory(struct timeline *timeline, const struct event *event);
void timeline_devices_finish(struct timeline *timeline); /* counters of what ran last */

/* timeline_counters.c: those of [from, to), in the current file */
void timeline_counters(struct timeline *timeline, int64_t from, int64_t to);

#endif
