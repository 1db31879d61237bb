/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a stream file becomes events; inside of read/ only, from the file up:
 *
 *	stream_file.c    a window of bytes that moves over the file
 *	stream_packet.c  packets, also where headers are damaged
 *	stream_cursor.c  events as they lie: id, ticks, payload
 *	stream_pair.c    entries and exits find each other
 *	stream_calls.c   whole calls, by end or by begin
 *	stream_device.c  operations of devices, sorted
 *	events.c         all streams in one order
 */
#ifndef SONDE_READ_STREAM_H
#define SONDE_READ_STREAM_H

#include "read/events.h"
#include "read/heap.h"
#include "read/read_internal.h"

/* ---- stream_file.c: not mapped, because a file that shrinks under a mapping kills the reader ---- */

struct stream_file {
	const char *path;
	int fd;            /* -1: too many are open, opened for each read */
	uint64_t bytes;    /* of the file when it was last looked at */
	uint8_t *window;
	uint64_t window_at;
	size_t window_bytes, window_capacity;
};

int stream_file_open(struct stream_file *file, const char *path, size_t window_capacity, bool keep_open);
void stream_file_close(struct stream_file *file);
/* Looks again how long the file is. */
void stream_file_refresh(struct stream_file *file);
/* Bytes read; less than asked for at the end of the file, 0 also on an error. */
size_t stream_file_read(struct stream_file *file, uint64_t offset, void *buffer, size_t bytes);
/*
 * Moves the window to `offset`, up to `end`, with room for at least `need` bytes. Where in memory they
 * lie; *bytes_out: how many are there, fewer than `need` only where the file or `end` comes first.
 */
const uint8_t *stream_file_window(struct stream_file *file, uint64_t offset, uint64_t end, size_t need,
				  size_t *bytes_out);

/* ---- stream_packet.c ---- */

/* Tells once per file what is wrong with it. */
struct stream_trouble {
	struct recording *recording; /* NULL: keep silent */
	const char *path;
	bool told;
};

void stream_trouble(struct stream_trouble *trouble, const char *code, const char *what);

struct stream_packet {
	struct fmt_packet raw;  /* begin is sound; end is 0 where it is not */
	uint64_t at, content_end, next; /* offsets in the file */
	bool skipped;           /* something that should have stood before it could not be read */
	bool cut;               /* it had more content than there is */
};

/* The packet at `offset` or, where there is none, the next one behind it. False: none; `skipped` tells of the rest. */
bool stream_packet_find(struct stream_file *file, struct stream_trouble *trouble, enum fmt_stream_class class,
			uint64_t offset, struct stream_packet *packet_out);

/* ---- stream_cursor.c ---- */

/* Size of the payload of every id of a stream. */
struct stream_layout {
	const uint32_t *size;  /* by id; LAYOUT_... */
	uint32_t ids;
	const struct tally_body *names; /* NULL: a device's stream */
};
#define LAYOUT_UNKNOWN UINT32_MAX
#define LAYOUT_VARIABLE 0x80000000u /* on top of it the bytes in front of the arguments */

enum stream_step {
	STREAM_END,
	STREAM_EVENT,
	STREAM_GAP,  /* events are missing; lost: how many, 0: not known; ticks: end of the gap, 0: of the stream */
	STREAM_OWNER /* from here on another thread's; ticks: its begin */
};

struct stream_cursor {
	struct stream_file *file;
	struct stream_trouble *trouble;
	const struct stream_layout *layout;
	const uint8_t *at, *limit;  /* of what is in the window */
	uint64_t limit_at;          /* offset in the file of limit */
	struct stream_packet packet;
	enum fmt_stream_class class;
	bool started, damaged, alive;
	bool live, stopped;         /* events_wish.live, of a running process: what cannot be read ends it */
	bool gap, owner;            /* to be told before the packet's first event */
	bool owned;                 /* an owner has been told */
	uint64_t lost;              /* of the gap; whoever takes it sets it to 0 */
	uint64_t discarded;         /* as of the last packet */
	uint64_t sequence;
	uint32_t tid;
	/* the event, while STREAM_EVENT; of the others ticks alone */
	uint64_t ticks;
	uint64_t last_ticks;        /* of the last event */
	uint64_t latest;            /* no event of the packet can be later */
	const uint8_t *payload;
	uint32_t bytes;
	uint16_t id;
};

void stream_cursor_start(struct stream_cursor *cursor, struct stream_file *file, struct stream_trouble *trouble,
			 const struct stream_layout *layout, enum fmt_stream_class class);
enum stream_step stream_cursor_next(struct stream_cursor *cursor);
extern const uint8_t stream_type_bytes[]; /* by enum fmt_arg_type; 0: strings */
/* Bytes of values, and of all arguments; UINT32_MAX: more than `have`. */
uint32_t stream_values_size(enum fmt_arg_type type, uint32_t count, const uint8_t *bytes, size_t have);
uint32_t stream_arguments_size(const struct tally_args *args, const uint8_t *bytes, size_t have);

/* ---- events_time.c ---- */

struct events_axis {
	int64_t origin;            /* CLOCK_MONOTONIC_RAW of the host at time 0 */
	uint64_t raw_ns, real_ns;  /* a reading of both clocks */
	int64_t drift;             /* of the wall clock, in 2^-40 */
};

struct stream_process;
__extension__ typedef unsigned __int128 stream_wide;

/* One axis per host of the recording. */
struct events_axis *events_axes(struct recording *recording, struct arena *arena);
/* CLOCK_MONOTONIC_RAW of the latest sign of life. */
uint64_t events_process_end(const struct recording *recording, const struct tally *tally);
int64_t stream_process_time(const struct stream_process *process, uint64_t raw_ns);
uint64_t stream_process_raw(const struct stream_process *process, int64_t time);
int64_t stream_process_wall(const struct stream_process *process, int64_t time);

/* ---- stream_pair.c ---- */

struct stream_process {
	struct events_process process;
	uint32_t index;
	struct tally_body *body;
	uint32_t *size;             /* of the layout */
	struct stream_layout layout;
	const struct read_clock *clock;
	const struct events_axis *axis;
	int64_t end;                /* time of the latest sign of life */
	/* the usual way from ticks to time: base + (ticks - clock->ticks) * clock->rate */
	uint64_t quick;             /* ticks behind clock->ticks for which it holds; 0: none */
	int64_t base;
	bool *show;                 /* by function */
};

struct bytes {
	uint8_t *bytes;
	uint32_t length, capacity;
};

/* Any clock reading; stream_ticks_time() is for those of events. */
int64_t stream_process_ticks(const struct stream_process *process, uint64_t ticks);
void stream_process_clock(struct stream_process *process, const struct read_clock *clock,
			  const struct events_axis *axis);

static inline int64_t stream_ticks_time(const struct stream_process *process, uint64_t ticks)
{
	uint64_t distance = ticks - process->clock->ticks;

	if (__builtin_expect(distance >= process->quick, 0))
		return stream_process_ticks(process, ticks);
	return process->base + (int64_t)(((stream_wide)distance * process->clock->rate +
					  ((uint64_t)1 << (READ_RATE_SHIFT - 1))) >> READ_RATE_SHIFT);
}

void bytes_copy(struct bytes *kept, const struct event_payload *payload);

static inline void bytes_keep(struct bytes *kept, const struct event_payload *payload)
{
	kept->length = 0;
	if (payload->length)
		bytes_copy(kept, payload);
}

struct pair_frame {
	uint32_t function;
	int64_t begin;
	uint64_t ticks; /* of begin */
	uint64_t ordinal;           /* entries of the stream before it */
	struct bytes in;
};

#define PAIR_FRAMES (FMT_FRAMES + FMT_RANGES) /* calls and ranges of a thread make one stack here */

enum pair_then {
	PAIR_READ, PAIR_ENTRY, PAIR_EXIT, PAIR_GAP, PAIR_OWNER, PAIR_END
};

struct stream_pair {
	struct stream_cursor cursor;
	struct events *events;
	struct stream_process *process;
	struct events_counts *counts;
	uint32_t stream;            /* n of thread.n */
	bool keep;                  /* arguments of entries until the exit */
	bool scout;                 /* a copy that looks ahead: leaves everything outside of it alone */
	int64_t time;               /* of the last event */
	uint64_t entries;
	struct pair_frame frame[PAIR_FRAMES];
	uint32_t depth;
	uint32_t floor;             /* frames above it are over: to be told before `then` */
	enum event_ending why;
	enum pair_then then;
	uint32_t last_function, last_depth; /* of the call that ended last */
	uint64_t ordinal;           /* of the call that the delivered ENTRY or EXIT belongs to */
	uint64_t link;              /* event.link */
	uint32_t lane;              /* READ_NONE: nobody's yet */
	struct event *event;        /* where the next one is put */
	struct event own;           /* a place for it */
};

/* The cursor, events, process and counts are set. Events are put into `own` unless told otherwise. */
void stream_pair_start(struct stream_pair *pair);
/* The next ENTRY, EXIT, LINK, BYTES, MEMORY or GAP; NULL at the end. Valid until the next call. */
struct event *stream_pair_next(struct stream_pair *pair);
void stream_pair_free(struct stream_pair *pair);

/* ---- stream_calls.c ---- */

struct call_slot {
	struct event event;
	uint64_t ordinal;
	struct bytes in, out;
	uint64_t *link;
	uint32_t links, link_capacity;
	bool complete;
};

/* Calls in the ring, in the order in which they are delivered: numbers [first, next). */
struct stream_calls {
	struct stream_pair pair;
	enum events_what what;
	struct call_slot *slot;
	uint32_t capacity, limit;     /* powers of 2: now, at most */
	uint64_t first, next;
	uint64_t facts;               /* number of the call that has just ended, or CALL_NONE */
	uint64_t open[PAIR_FRAMES];   /* by depth: its number, CALL_NONE: delivered already */
	bool ended;
	/* by end, nearly all calls pass the ring by: one is delivered, one may still gain facts, one is being read */
	struct call_slot direct[3];
	struct call_slot *pending;    /* the one that may gain facts, or NULL */
	unsigned reading;
};
#define CALL_NONE UINT64_MAX

/* `pair` is started. */
void stream_calls_start(struct stream_calls *calls, enum events_what what, uint32_t limit);
/* The next CALL, MEMORY or GAP; with EVENTS_SINGLE what the pairing delivers. NULL at the end. */
struct event *stream_calls_next(struct stream_calls *calls);
void stream_calls_free(struct stream_calls *calls);

/* ---- stream_device.c ---- */

/* Sorted operations, in memory or in the scratch file. */
struct device_run {
	struct fmt_event_detailed *op; /* all of them, or a part of the scratch file's */
	size_t ops, at;                 /* in op, the next one */
	uint64_t file_at, file_left;    /* what is still in the scratch file: offset, operations */
};

/* Where runs go that do not fit into memory; shared by all devices. */
struct device_scratch {
	size_t memory_left;
	int fd;            /* -1: not needed yet */
	uint64_t bytes;
};

struct stream_device {
	struct stream_process *process;
	struct events_counts *counts;
	struct device_scratch *scratch;
	struct device_run *run;
	uint32_t runs, run_capacity;
	struct heap_item *heap; /* of runs, by the next begin_ns */
	uint32_t heap_used;
	struct fmt_event_detailed op; /* that of `event` */
	struct event event;
};

/* Reads and sorts a whole file of operations. 0 or SONDE_E..., logged. */
int stream_device_open(struct stream_device *device, struct stream_cursor *cursor);
struct event *stream_device_next(struct stream_device *device); /* OPERATION or NULL */
void stream_device_close(struct stream_device *device);

/* ---- events_filter.c ---- */

struct filter {
	struct events_filter wish;
	const char **backends, **include, **exclude; /* split; NULL: all */
	uint32_t backend_count, include_count, exclude_count;
};

/* 0 or SONDE_EUSAGE, logged. */
int filter_prepare(struct filter *filter, const struct events_filter *wish, struct arena *arena);
/* Are those that are wanted known, here or in the recording? 0 or SONDE_EUSAGE, logged. */
int filter_check_backends(const struct filter *filter, const struct events *events, struct arena *arena);
bool filter_has_rank(const struct filter *filter, int32_t rank);
bool filter_has_thread(const struct filter *filter, uint32_t tid);
bool filter_has_backend(const struct filter *filter, const char *backend);
bool filter_has_name(const struct filter *filter, const char *backend, const char *name);
/* By time, duration and type alone. */
bool filter_has_time(const struct filter *filter, const struct event *event);

/* ---- events.c ---- */

uint32_t events_lane_add(struct events *events, uint32_t process, uint32_t tid, uint32_t stream);

#endif
