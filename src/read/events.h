/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of a recording: the streams of all its processes in one order of time. The files are untrusted and may
 * still be written: what can be read is delivered, what cannot is noted in the recording, once per file.
 *
 * Times are int64_t nanoseconds since the start of the recording, which is the earliest start of a program or
 * birth of a process. Within a host this is CLOCK_MONOTONIC_RAW less a constant, as everywhere in read/; hosts are
 * held against each other by their wall clocks at their start.
 *
 * Memory grows with the number of streams and of functions, not of events.
 */
#ifndef SONDE_READ_EVENTS_H
#define SONDE_READ_EVENTS_H

#include "format/stream.h"
#include "read/recording.h"

/* What is delivered. */
enum events_what {
	EVENTS_SINGLE,         /* all as it happened: ENTRY, EXIT, LINK, BYTES, and what stands below but CALL */
	EVENTS_CALLS_BY_BEGIN, /* CALL, OPERATION, MEMORY, MARK, START, END, GAP; outer calls before those in them */
	EVENTS_CALLS_BY_END    /* the same, an outer call behind those in it: the cheapest */
};

/* In which order. */
enum events_order {
	EVENTS_BY_TIME,  /* of all streams together, by event.time */
	EVENTS_BY_STREAM /* one stream after another, each by event.time: no merging */
};

#define EVENTS_MEMORY_NAME "memory" /* by which include and exclude mean memory in use, which has no name */

/* All text is as options take it; NULL: no restriction. Filtered calls still count for the depth of others. */
struct events_filter {
	const char *ranks;    /* "0,2,8-15" */
	const char *threads;  /* thread ids, likewise; operations belong to none and are left out */
	const char *backends; /* names, comma-separated: of the recording, or of known_backends */
	const char *known_backends; /* comma-separated: may be asked for where no process has them */
	const char *include;  /* globs, comma-separated: names of functions and operations, or backend:name */
	const char *exclude;
	bool has_from, has_to;
	int64_t from, to;     /* events in [from, to); calls and operations that overlap it */
	int64_t min_duration; /* of calls and operations; with SINGLE > 0 leaves out all but EXIT, OPERATION, GAP */
};

struct events_wish {
	enum events_what what;
	enum events_order order;
	struct events_filter filter;
	uint64_t bytes_max;  /* streams that are larger together are not read: events_too_large(); 0: any size */
	size_t memory_bytes; /* for sorting operations of devices, above it on disk; 0: a default */
	bool threads_only;   /* no operations of devices */
	bool live;           /* what cannot be read of a running process is not there yet: its stream ends */
};

enum event_type {
	EVENT_ENTRY,     /* of a call, or of a range of the thread, which is delivered like a call */
	EVENT_EXIT,      /* of a call; has_begin tells whether its entry is known */
	EVENT_CALL,
	EVENT_LINK,      /* the call that has just ended (function, depth) started the operation link[0] */
	EVENT_BYTES,     /* bytes_out, bytes_in: of the call that has just ended, likewise */
	EVENT_MEMORY,    /* memory */
	EVENT_OPERATION, /* operation; begin, end; no lane */
	EVENT_MARK,      /* the program marked this moment; function */
	EVENT_START,     /* a range of the process: function, result is which one */
	EVENT_END,       /* its end, perhaps on another thread, likewise */
	EVENT_GAP        /* begin, end, lost: between two points of a stream events are missing */
};

/* Neither a call nor a fact about the last one. */
static inline bool event_is_moment(enum event_type type)
{
	return type == EVENT_MEMORY || type == EVENT_MARK || type == EVENT_START || type == EVENT_END;
}

/* How a call ended. Unless it returned, `end` is the latest time at which it can have gone on, and no exit was seen. */
enum event_ending {
	EVENT_RETURNED,
	EVENT_LEFT,   /* by longjmp, exception or thread exit: a call around it ended, or the thread */
	EVENT_CUT,    /* events were lost while it ran */
	EVENT_OPEN    /* it had not returned when the process ended, or runs still */
};

/* Recorded arguments: see event_arguments(). */
struct event_payload {
	const uint8_t *bytes;
	uint32_t length;
};

struct event_memory {
	uint64_t live_bytes;
	int64_t change;
	uint32_t backend, device; /* indices in the names; device READ_NONE: host memory */
	enum sonde_memory_kind memory;
};

struct event_operation {
	const char *name;
	uint64_t correlation;     /* that of event.link of the call that started it; 0: not known */
	uint64_t bytes, error_ns;
	uint32_t backend;         /* index in the names, always valid */
	uint32_t device, queue;   /* likewise, or READ_NONE */
	enum sonde_kind kind;
	enum sonde_direction direction;
	enum sonde_memory_kind memory;
	bool waited;              /* the call that started it returned when it had ended */
	const struct fmt_details *details; /* never NULL */
};

struct event {
	enum event_type type;
	enum event_ending ended; /* EXIT, CALL; an EXIT that did not return is where the call is known to be over */
	bool failed;             /* EXIT, CALL */
	bool has_begin;          /* EXIT: begin is that of its entry. Always of CALL */
	bool has_result;         /* EXIT, CALL */
	uint32_t process;        /* events_process() */
	uint32_t lane;           /* events_lane(); READ_NONE: of a device */
	uint32_t function;       /* index in the names of the process */
	uint32_t depth;          /* calls of the lane around this one */
	int64_t time;            /* the key of the order: when it happened; CALL: begin or end; OPERATION: begin */
	int64_t begin, end;
	uint64_t ticks;          /* EXIT, CALL that returned and has_begin: its duration by the process's clock */
	uint64_t ordinal;        /* in its stream, also of what is filtered: the same when the stream has grown since */
	uint64_t result;
	struct event_payload in, out; /* arguments at ENTRY, CALL; at EXIT, CALL */
	const uint64_t *link;    /* correlations of operations that the call started */
	uint32_t links;
	uint64_t bytes_out, bytes_in;
	uint64_t lost;           /* GAP: events; 0: not known */
	union {
		struct event_memory memory;
		struct event_operation operation;
	};
};

/* A process: index in recording->tally as well. */
struct events_process {
	const struct tally *tally;
	const struct tally_body *names; /* backends, functions, devices, queues, arguments: no figures. Never NULL */
	bool has_arguments;
	uint32_t streams;               /* files */
	uint64_t operations;            /* in the device's, as of opening: ordinals below it are known */
};

/* One thread: unique in the recording, also where its id was used by another before. */
struct events_lane {
	uint32_t process, tid;
	uint32_t stream; /* n of ctf/thread.n */
};

/* What was met on the way, so far. */
struct events_counts {
	uint64_t entries, exits, links, memories, operations;
	uint64_t unmatched; /* exits without entry */
	uint64_t left, cut, open; /* calls by enum event_ending */
	uint64_t gaps, lost;
	uint64_t skewed;    /* calls and operations that ended before they began: of no duration, left out */
};

struct events;

/*
 * Opens the streams of all processes of a recording; processes without streams are fine. The recording outlives
 * the events; its tallies' bodies are not touched. 0 or SONDE_E..., logged.
 */
int events_open(struct recording *recording, const struct events_wish *wish, struct events **events_out);
void events_close(struct events *events);

/* The next event, valid until the next call; NULL at the end. */
const struct event *events_next(struct events *events);

const struct events_process *events_process(const struct events *events, uint32_t process);
const struct events_lane *events_lane(const struct events *events, uint32_t lane); /* valid until the next event */
const struct tally_function *events_function(const struct events *events, const struct event *event);
uint32_t events_lanes(const struct events *events); /* seen so far */
bool events_have_streams(const struct events *events); /* if only empty ones */
const char *events_absence(const struct events *events); /* why they have none, in words */
bool events_are_chosen(const struct events *events);      /* a filter may have left some out */
bool events_too_large(const struct events *events);    /* events_wish.bytes_max: there are none to be had */
const struct events_counts *events_counts(const struct events *events);
/* Bytes of streams that have been read, of how many. */
uint64_t events_progress(const struct events *events, uint64_t *total_out);

/* CLOCK_MONOTONIC_RAW of a process's host and back; wall clock as ns since 1970. */
uint64_t events_raw(const struct events *events, uint32_t process, int64_t time);
int64_t events_time(const struct events *events, uint32_t process, uint64_t raw_ns);
int64_t events_wall(const struct events *events, uint32_t process, int64_t time);

/* ---- arguments ---- */

struct event_argument {
	const struct tally_arg *arg; /* name, type, flags, words */
	uint32_t count;              /* values: 1, or the length of an array */
	const uint8_t *values;       /* one behind the other, not aligned */
};

/* Walks over the arguments of a payload of event->function. Not to be copied. */
struct event_arguments {
	const struct tally_arg *next, *end;
	const uint8_t *at, *limit;
	/* of ranges and marks, in place of those: what is told of them */
	struct event_argument told[2];
	uint32_t tolds, told_next;
	float single;
};

void event_arguments(struct event_arguments *arguments, const struct events *events, const struct event *event,
		     enum fmt_arg_when when);
bool event_arguments_next(struct event_arguments *arguments, struct event_argument *argument_out);

/* The result of an EXIT or CALL that has one; false: what it is was not recorded, it is a plain number. */
bool event_result(struct event_argument *argument_out, const struct events *events, const struct event *event);

/* Is it a list of values, rather than one, or none, that was pointed to? */
static inline bool event_is_list(const struct event_argument *argument)
{
	return (argument->arg->flags & (FMT_ARG_ARRAY | FMT_ARG_SCALAR)) == FMT_ARG_ARRAY;
}

/* Value number `index`, sign-extended; of F32 and F64 see event_double(); of strings event_string(). */
uint64_t event_word(const struct event_argument *argument, uint32_t index);
double event_double(const struct event_argument *argument, uint32_t index);
/* The first string is at values, each next one behind the NUL of the last. */
const char *event_string(const struct event_argument *argument);
bool event_is_signed(const struct event_argument *argument);
/* Symbolic name of a value of the argument's enumeration, or NULL. */
const char *event_word_name(const struct tally_arg *arg, uint64_t value);
#define EVENT_FLAGS_TEXT 512
/* "READ|WRITE|0x40": as few names of the enumeration as cover the value's bits, cut at `size`. Characters written. */
size_t event_flags_text(const struct tally_arg *arg, uint64_t value, char *text, size_t size);

#endif
