/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On-disk form of streams: RUN/<host>.<pid>.<start>/ctf/, a CTF 1.8 trace as it lies. `metadata` says so in
 * TSDL for other readers; ours takes names, kinds and arguments of functions from the tally beside it.
 *
 *	metadata    text, padded with spaces; an event class is there before the first event that uses it
 *	thread.<n>  what the threads that used thread block <n> one after another did, in order of time
 *	device      finished device operations in order of delivery
 *
 * A stream is a row of packets without gaps. A packet is a struct fmt_packet and events, each of them a
 * u64 header (id in the lower 16 bits, lower 48 bits of the ticks above) and a payload without padding.
 * The file is valid at any moment: content_bits is stored after the bytes that it covers.
 */
#ifndef SONDE_FORMAT_STREAM_H
#define SONDE_FORMAT_STREAM_H

#include <stdint.h>

#include "format/tally.h"

#define FMT_STREAM_DIRECTORY "ctf"
#define FMT_PLAN_FILE "streams"
#define FMT_PLAN_MAGIC "SONDEPLN"
#define FMT_PACKET_MAGIC 0xc1fc1fc1u
#define FMT_PACKET_UNIT 4096u /* packets are whole multiples of it */
#define FMT_EVENT_TICKS_SHIFT 16
#define FMT_EVENT_ID_MASK 0xffffu

enum fmt_stream_class {
	FMT_STREAM_THREAD = 0,
	FMT_STREAM_DEVICE = 1
};

/* What a process does when its streams find no room. */
enum fmt_loss {
	FMT_LOSS_DROP = 0, /* goes on without, looks for room again later */
	FMT_LOSS_BLOCK,    /* waits for room */
	FMT_LOSS_STOP      /* writes no streams any more */
};

/* RUN/streams, made by the launcher: what it wants. Not there: tallies only. */
struct fmt_plan {
	char magic[8];
	uint32_t streams;    /* enum fmt_streams */
	uint32_t on_loss;    /* enum fmt_loss */
	uint64_t bytes;      /* that the streams of all processes take */
	uint64_t limit;      /* that they may take */
	uint64_t clock_rate; /* ticks per second */
	struct fmt_triple clock; /* one moment on all clocks */
};

/*
 * Header and context of a packet. Who reads one that is being written takes the members in this order: `content_bits`
 * first, so that `end` is not before the last event that it goes on to read.
 */
struct fmt_packet {
	uint32_t magic;
	uint32_t stream;       /* enum fmt_stream_class */
	uint64_t begin;        /* ticks: no event is earlier */
	uint64_t content_bits; /* header, context and events */
	uint64_t end;          /* ticks: the last event's */
	uint64_t packet_bits;
	uint64_t discarded;    /* events of this file that found no room, up to the end of this packet */
	uint64_t sequence;     /* of the packet in its file */
	uint32_t pid, tid;
	uint64_t raw_ns, real_ns; /* CLOCK_MONOTONIC_RAW and CLOCK_REALTIME at begin */
};

/* Events of a thread's stream. Functions have FMT_CALL_IDS ids each from FMT_EVENT_FUNCTION on: see fmt_event_id(). */
enum fmt_thread_event {
	FMT_EVENT_LINK = 1,  /* struct fmt_event_link */
	FMT_EVENT_BYTES = 2, /* struct fmt_event_bytes */
	FMT_EVENT_MEMORY = 3, /* struct fmt_event_memory */
	FMT_EVENT_LEFT = 4,  /* struct fmt_event_left */
	FMT_EVENT_FUNCTION = 16
};

enum fmt_call_event {
	FMT_CALL_ENTRY = 0,      /* payload: the arguments with fmt_arg.when FMT_ARG_IN, where arguments are recorded */
	FMT_CALL_EXIT = 1,       /* u64 result word, then the arguments with FMT_ARG_OUT */
	FMT_CALL_FAILED = 2,     /* the same, when the result means failure; what is not written then has no values */
	FMT_CALL_BARE_ENTRY = 3, /* no payload: the arguments are not known, as those of variadic functions */
	FMT_CALL_NUMBERED = FMT_CALL_BARE_ENTRY, /* of ranges: entry of one that has a number, u64 */
	FMT_CALL_BARE_EXIT = 4,  /* u64 result word */
	FMT_CALL_TOLD = FMT_CALL_BARE_EXIT, /* entry of a range, or a mark, with struct fmt_event_told */
	FMT_CALL_BARE_FAILED = 5, /* likewise */
	FMT_CALL_TOLD_START = FMT_CALL_BARE_FAILED, /* of ranges of the process: struct fmt_event_told_start */
	FMT_CALL_INSTANT = 6,    /* of marks: no payload */
	FMT_CALL_ASYNC = 7       /* of ranges of the process: u64, which one; + 1 at its end. Pairs over all threads */
};
/*
 * Dynamic functions: ranges have ENTRY, EXIT without payload, NUMBERED, TOLD, TOLD_START and ASYNC; marks INSTANT and
 * TOLD; calls 0 to 5.
 */

#define FMT_CALL_IDS 8
#define FMT_EVENT_FUNCTIONS_MAX ((FMT_EVENT_ID_MASK + 1 - FMT_EVENT_FUNCTION) / FMT_CALL_IDS)

static inline uint32_t fmt_event_id(uint32_t slot, enum fmt_call_event event)
{
	return FMT_EVENT_FUNCTION + FMT_CALL_IDS * (slot - 1) + event;
}

static inline enum fmt_call_event fmt_event_of_call(uint32_t id)
{
	return (enum fmt_call_event)((id - FMT_EVENT_FUNCTION) % FMT_CALL_IDS);
}

static inline int fmt_is_entry(enum fmt_call_event event)
{
	return event == FMT_CALL_ENTRY || event == FMT_CALL_BARE_ENTRY;
}

static inline int fmt_is_failure(enum fmt_call_event event)
{
	return event == FMT_CALL_FAILED || event == FMT_CALL_BARE_FAILED;
}

/* Index of the function: slot - 1. */
static inline uint32_t fmt_event_function(uint32_t id)
{
	return (id - FMT_EVENT_FUNCTION) / FMT_CALL_IDS;
}

/* The call of this thread that has just ended, whose exit stands before this, started that device operation. */
struct fmt_event_link {
	uint64_t correlation; /* unique in the process, not 0 */
};

/* What the call that has just ended sent and received. */
struct fmt_event_bytes {
	uint64_t out, in;
};

/*
 * The innermost open call of this function was left by a jump or an exception, as the next call shows, or by the end of
 * its thread, as the end of the process does: then it has the time of the thread's last event.
 */
struct fmt_event_left {
	uint64_t slot;
};

/* What the program tells of a range or a mark beside its name. */
struct fmt_event_told {
	uint32_t type;     /* enum fmt_arg_type of the value; 0: there is none */
	uint32_t category; /* a number that section NAMED may have a name of; 0: none */
	uint32_t scope;    /* in which the category has that number */
	uint32_t reserved;
	uint64_t value;    /* integers extended to 64 bits, floating ones a double; of STRING the offset of a name */
};

struct fmt_event_told_start {
	uint64_t range; /* as in ASYNC */
	struct fmt_event_told told;
};

/* Memory of one kind and device after an allocation or a release. */
struct fmt_event_memory {
	uint64_t live_bytes;
	int64_t change;
	uint32_t backend; /* index in the tally */
	uint32_t device;  /* likewise; UINT32_MAX: host memory */
	uint32_t memory;  /* enum sonde_memory_kind */
	uint32_t reserved;
};

enum fmt_device_event {
	FMT_EVENT_OPERATION = 1, /* struct fmt_event_operation */
	FMT_EVENT_NAME = 2,      /* u64 name as in operations, then the text, NUL-terminated: before its first use */
	FMT_EVENT_DETAILED = 3   /* struct fmt_event_detailed: an operation of which more is known */
};

/* A finished device operation. Its event time is that of delivery. */
struct fmt_event_operation {
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC_RAW of the host */
	uint64_t correlation;      /* of the fmt_event_link of the call that started it; 0: not known */
	uint64_t name;             /* offset in the tally's strings */
	uint64_t bytes;            /* of copies and fills */
	uint32_t device, queue;    /* index in the tally; UINT32_MAX: not known */
	uint32_t error_ns;         /* bound of the clock conversion */
	uint32_t backend;
	uint8_t kind;              /* enum sonde_kind */
	uint8_t direction;         /* enum sonde_direction */
	uint8_t memory;            /* enum sonde_memory_kind of the host side */
	uint8_t waited;            /* 1: the call that started it returned when it had ended: a blocking copy */
	uint8_t reserved[4];
};

struct fmt_details {
	struct fmt_shape shape; /* of kernels */
	uint32_t graph;         /* of operations that the program launches together, as the runtime numbers them */
	uint32_t reserved;
	uint64_t node;          /* of the graph, likewise; 0: the operation is part of none */
};

struct fmt_event_detailed {
	struct fmt_event_operation operation;
	struct fmt_details details;
};

/* Type of a recorded argument; integers are little-endian and not aligned. */
enum fmt_arg_type {
	FMT_ARG_U8 = 1, FMT_ARG_U16, FMT_ARG_U32, FMT_ARG_U64,
	FMT_ARG_S8, FMT_ARG_S16, FMT_ARG_S32, FMT_ARG_S64,
	FMT_ARG_F32, FMT_ARG_F64,
	FMT_ARG_POINTER, /* u64, printed in base 16: addresses and handles */
	FMT_ARG_STRING,  /* bytes up to and including a NUL */
	FMT_ARG_VOID     /* of results only: there is none */
};

enum fmt_arg_when {
	FMT_ARG_IN = 0,  /* in the entry's payload */
	FMT_ARG_OUT = 1, /* in the exit's */
	FMT_ARG_RESULT = 2 /* what the result word of exits is; no payload of its own. One for each function, or none */
};

enum fmt_arg_flag {
	FMT_ARG_ARRAY = 1u << 0, /* u32 count, then that many values of the type */
	FMT_ARG_FLAGS = 1u << 1, /* values of the enumeration are bits that may be combined */
	FMT_ARG_SCALAR = 1u << 2 /* with ARRAY: one value that was pointed to; of none the pointer was NULL */
};

/* One recorded argument: section FMT_SECTION_ARGS of the tally, in order of slot, when and place in the payload. */
struct fmt_arg {
	uint64_t name;
	uint32_t slot;
	uint8_t when;   /* enum fmt_arg_when */
	uint8_t type;   /* enum fmt_arg_type */
	uint8_t flags;  /* enum fmt_arg_flag */
	uint8_t reserved;
	uint64_t enumeration; /* name of a list of "NAME=value" separated by spaces, or 0 */
};

_Static_assert(sizeof(struct fmt_packet) == 80, "no padding in a packet's context");
_Static_assert(sizeof(struct fmt_event_told) == 24, "no padding in what is told");
_Static_assert(sizeof(struct fmt_event_told_start) == 32, "no padding in what is told of a range that starts");
_Static_assert(sizeof(struct fmt_event_operation) == 64, "no padding in an operation");
_Static_assert(sizeof(struct fmt_event_detailed) == 120, "no padding in an operation with details");

#endif
