/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes Perfetto traces packet by packet; a file of any size needs a buffer of fixed size. Times are offsets to the
 * start of the trace, in a clock of each sequence. Names are interned: a sequence writes each one once and refers to
 * it by number. The numbers of fields are those of Perfetto's public protocol buffer definitions.
 */
#ifndef SONDE_VIEWS_PFTRACE_H
#define SONDE_VIEWS_PFTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "views/sink.h"

#define PF_NAME_MAX 4096          /* bytes of a text; the rest is cut */
#define PF_PACKET_MAX (64u << 10)
#define PF_PACKET_FULL (16u << 10) /* packets with less room than this take no more parts of unknown size */

enum pf_trace_field { PF_TRACE_PACKET = 1 };

enum pf_packet_field {
	PF_PACKET_CLOCK_SNAPSHOT = 6, PF_PACKET_TIMESTAMP = 8, PF_PACKET_SEQUENCE = 10, PF_PACKET_TRACK_EVENT = 11,
	PF_PACKET_INTERNED = 12, PF_PACKET_FLAGS = 13, PF_PACKET_SYSTEM_INFO = 45, PF_PACKET_GPU_STAGE = 53,
	PF_PACKET_CLOCK = 58, PF_PACKET_DEFAULTS = 59, PF_PACKET_TRACK = 60, PF_PACKET_MACHINE = 98,
	PF_PACKET_ATTRIBUTES = 126, PF_PACKET_GPU_INFO = 128
};

enum pf_flags { PF_FLAGS_CLEARED = 1, PF_FLAGS_NEEDED = 2 };

enum pf_clock { PF_CLOCK_REALTIME = 1, PF_CLOCK_BOOTTIME = 6, PF_CLOCK_OFFSET = 64 };

enum pf_track_field {
	PF_TRACK_UUID = 1, PF_TRACK_NAME = 2, PF_TRACK_PROCESS = 3, PF_TRACK_THREAD = 4, PF_TRACK_PARENT = 5,
	PF_TRACK_COUNTER = 8, PF_TRACK_RANK = 12, PF_TRACK_DESCRIPTION = 14,
	PF_TRACK_PROCESS_ORDER = 19, PF_TRACK_THREAD_ORDER = 20
};
enum pf_track_process_field { PF_PROCESS_PID = 1, PF_PROCESS_COMMAND = 2, PF_PROCESS_NAME = 6 };
enum pf_track_thread_field { PF_THREAD_PID = 1, PF_THREAD_TID = 2, PF_THREAD_NAME = 5 };
enum pf_counter_field { PF_COUNTER_UNIT = 3, PF_COUNTER_UNIT_NAME = 6, PF_COUNTER_SHARE = 7 };
enum pf_unit { PF_UNIT_COUNT = 2, PF_UNIT_BYTES = 3 };


enum pf_event_field {
	PF_EVENT_CATEGORY = 3, PF_EVENT_ANNOTATION = 4, PF_EVENT_TYPE = 9, PF_EVENT_NAME = 10, PF_EVENT_TRACK = 11,
	PF_EVENT_COUNTER = 30, PF_EVENT_COUNTER_DOUBLE = 44, PF_EVENT_FLOW = 47, PF_EVENT_FLOW_END = 48,
	PF_EVENT_CORRELATION = 3000
};
enum pf_event_type { PF_TYPE_BEGIN = 1, PF_TYPE_END = 2, PF_TYPE_INSTANT = 3, PF_TYPE_COUNTER = 4 };
enum pf_correlation_field { PF_CORRELATION_SUBMITTED = 1 };

enum pf_annotation_field {
	PF_ANNOTATION_NAME = 1, PF_ANNOTATION_BOOL = 2, PF_ANNOTATION_UINT = 3, PF_ANNOTATION_INT = 4,
	PF_ANNOTATION_DOUBLE = 5, PF_ANNOTATION_TEXT = 6, PF_ANNOTATION_POINTER = 7, PF_ANNOTATION_ARRAY = 12,
	PF_ANNOTATION_TEXT_NAME = 17
};

enum pf_stage_field {
	PF_STAGE_EVENT = 1, PF_STAGE_DURATION = 2, PF_STAGE_CONTEXT = 5, PF_STAGE_GPU = 11, PF_STAGE_QUEUE = 13,
	PF_STAGE_STAGE = 14, PF_STAGE_KERNEL = 19, PF_STAGE_NAME = 20, PF_STAGE_LAUNCH = 21
};
enum pf_launch_field { PF_LAUNCH_GRID = 1, PF_LAUNCH_BLOCK = 2, PF_LAUNCH_ARGUMENT = 3 };
enum pf_extent_field { PF_EXTENT_X = 1, PF_EXTENT_Y = 2, PF_EXTENT_Z = 3 };
enum pf_launch_argument_field { PF_ARGUMENT_NAME = 1, PF_ARGUMENT_INT = 3, PF_ARGUMENT_UINT = 4, PF_ARGUMENT_TEXT = 6 };

/* What can be interned; each has numbers of its own. Values: fields of the interned data. */
enum pf_interned {
	PF_CATEGORIES = 1, PF_EVENT_NAMES = 2, PF_ANNOTATION_NAMES = 3, PF_GPU_CONTEXTS = 23, PF_GPU_STAGES = 24,
	PF_ANNOTATION_TEXTS = 29, PF_KERNELS = 1000, PF_ARGUMENT_NAMES = 1001
};

/* A packet, or a message that is put into one. */
struct pf_message {
	uint8_t *at;
	uint8_t bytes[PF_PACKET_MAX];
};

/* Numbers of interned names, by an address that stands for the name. */
struct pf_names {
	const void **key;
	uint32_t *number;
	uint32_t used, capacity;
};

#define PF_NAME_KINDS 8

/* Packets that share numbers of names and defaults. Zero-initialised; pf_sequence_start() before its use. */
struct pf_sequence {
	uint32_t id, machine;
	struct pf_names names[PF_NAME_KINDS];
};

struct pftrace {
	struct sink sink;
	uint32_t sequences;       /* ids given so far */
	uint64_t origin;          /* BOOTTIME at offset 0 */
	uint64_t packets;
	struct pf_message packet; /* the one being made */
	struct pf_message spare;  /* for definitions in between */
};

/* path: see sink.h. 0 or SONDE_E..., logged. */
int pftrace_open(struct pftrace *trace, const char *path, uint64_t origin);
int pftrace_close(struct pftrace *trace, bool whole);

/*
 * Starts a sequence with an id of its own (or, once started, anew with the same id): all its names are
 * unknown again; events go to `track` (0: each says where to).
 */
void pf_sequence_start(struct pftrace *trace, struct pf_sequence *sequence, uint32_t machine, uint64_t track);
void pf_sequence_free(struct pf_sequence *sequence);

/*
 * Number of a name in the sequence, written on its first use; `key` stands for it and lives as long as the
 * sequence. May be called while trace->packet is being made.
 */
uint32_t pf_name(struct pftrace *trace, struct pf_sequence *sequence, enum pf_interned kind, const void *key,
		 const char *text);
/* The same for what is more than a name: true when new, then pf_define() follows. */
bool pf_number(struct pf_sequence *sequence, enum pf_interned kind, const void *key, uint32_t *number_out);
struct pf_message *pf_define_start(struct pftrace *trace, uint32_t number);
void pf_define(struct pftrace *trace, const struct pf_sequence *sequence, enum pf_interned kind);

/* ---- packets: start, then fields, then put ---- */

void pf_packet_start(struct pftrace *trace, const struct pf_sequence *sequence);
void pf_packet_put(struct pftrace *trace);

/* ---- fields ---- */

static inline uint8_t *pf_varint(uint8_t *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

static inline size_t pf_left(const struct pf_message *message)
{
	return (size_t)(message->bytes + sizeof(message->bytes) - message->at);
}

static inline bool pf_is_full(const struct pf_message *message)
{
	return pf_left(message) < PF_PACKET_FULL;
}

static inline void pf_u64(struct pf_message *message, uint32_t field, uint64_t value)
{
	message->at = pf_varint(pf_varint(message->at, (uint64_t)field << 3), value);
}

static inline void pf_fixed64(struct pf_message *message, uint32_t field, uint64_t value)
{
	message->at = pf_varint(message->at, (uint64_t)field << 3 | 1);
	memcpy(message->at, &value, 8);
	message->at += 8;
}

static inline void pf_double(struct pf_message *message, uint32_t field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, 8);
	pf_fixed64(message, field, bits);
}

/* Valid UTF-8 whatever the bytes are; at most PF_NAME_MAX of them. */
void pf_text(struct pf_message *message, uint32_t field, const char *text);

/* Opens a message inside; returns where its content starts, for pf_end(). */
static inline uint8_t *pf_begin(struct pf_message *message, uint32_t field)
{
	message->at = pf_varint(message->at, (uint64_t)field << 3 | 2);
	return ++message->at; /* one byte for the length: most are short */
}

void pf_end_long(struct pf_message *message, uint8_t *start);

static inline void pf_end(struct pf_message *message, uint8_t *start)
{
	size_t length = (size_t)(message->at - start);

	if (length < 0x80)
		start[-1] = (uint8_t)length;
	else
		pf_end_long(message, start);
}

#endif
