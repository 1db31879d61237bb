/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoder of Perfetto traces; see pftrace.h. */
#include "views/pftrace.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/utf8.h"

#define NAMES_FIRST 64 /* a power of 2 */

int pftrace_open(struct pftrace *trace, const char *path, uint64_t origin)
{
	trace->sequences = 0;
	trace->packets = 0;
	trace->origin = origin;
	return sink_open(&trace->sink, path);
}

int pftrace_close(struct pftrace *trace, bool whole)
{
	return sink_close(&trace->sink, whole);
}

/* ---- fields ---- */

void pf_end_long(struct pf_message *message, uint8_t *start)
{
	size_t length = (size_t)(message->at - start);
	uint8_t head[10];
	size_t bytes = (size_t)(pf_varint(head, length) - head);

	memmove(start + bytes - 1, start, length);
	memcpy(start - 1, head, bytes);
	message->at += bytes - 1;
}

/* Copies text that is not all ASCII: bad bytes replaced, cut between characters. */
static void text_repair(struct pf_message *message, const char *text, size_t length)
{
	size_t at, bytes;
	uint8_t *limit = message->at + PF_NAME_MAX - 4;

	for (at = 0; at < length && message->at < limit; at += bytes) {
		if (utf8_next(text + at, length - at, &bytes) == UTF8_BAD) {
			memcpy(message->at, UTF8_REPLACEMENT, 3);
			message->at += 3;
		} else {
			memcpy(message->at, text + at, bytes);
			message->at += bytes;
		}
	}
}

void pf_text(struct pf_message *message, uint32_t field, const char *text)
{
	size_t length = strnlen(text, PF_NAME_MAX), i;
	uint8_t *start, any = 0;

	if (pf_left(message) < PF_NAME_MAX + 16)
		return;
	start = pf_begin(message, field);
	for (i = 0; i < length; i++)
		any |= (uint8_t)text[i];
	if (any & 0x80) {
		text_repair(message, text, length);
	} else {
		memcpy(message->at, text, length);
		message->at += length;
	}
	pf_end(message, start);
}

/* ---- packets ---- */

static void message_start(struct pf_message *message, const struct pf_sequence *sequence)
{
	message->at = message->bytes;
	pf_u64(message, PF_PACKET_SEQUENCE, sequence->id);
	if (sequence->machine)
		pf_u64(message, PF_PACKET_MACHINE, sequence->machine);
}

static void message_put(struct pftrace *trace, const struct pf_message *message)
{
	size_t length = (size_t)(message->at - message->bytes);
	uint8_t *at = sink_room(&trace->sink, PF_PACKET_MAX + 16), *start = at;

	*at++ = PF_TRACE_PACKET << 3 | 2;
	at = pf_varint(at, length);
	memcpy(at, message->bytes, length);
	trace->sink.used += (size_t)(at - start) + length;
	trace->packets++;
}

void pf_packet_start(struct pftrace *trace, const struct pf_sequence *sequence)
{
	message_start(&trace->packet, sequence);
}

void pf_packet_put(struct pftrace *trace)
{
	message_put(trace, &trace->packet);
}

/* ---- sequences ---- */

/* What all sequences are told at their start: their clock, and where their events go. */
void pf_sequence_start(struct pftrace *trace, struct pf_sequence *sequence, uint32_t machine, uint64_t track)
{
	struct pf_message *message = &trace->packet;
	bool again = sequence->id != 0;
	uint8_t *outer, *inner;
	size_t i;

	for (i = 0; i < PF_NAME_KINDS; i++) {
		struct pf_names *names = &sequence->names[i];

		if (names->used)
			memset(names->key, 0, names->capacity * sizeof(*names->key));
		names->used = 0;
	}
	if (!again)
		sequence->id = ++trace->sequences;
	sequence->machine = machine;
	pf_packet_start(trace, sequence);
	pf_u64(message, PF_PACKET_FLAGS, PF_FLAGS_CLEARED);
	outer = pf_begin(message, PF_PACKET_DEFAULTS);
	pf_u64(message, PF_PACKET_CLOCK, PF_CLOCK_OFFSET);
	if (track) {
		inner = pf_begin(message, PF_PACKET_TRACK_EVENT);
		pf_u64(message, PF_EVENT_TRACK, track);
		pf_end(message, inner);
	}
	pf_end(message, outer);
	pf_packet_put(trace);
	if (again)
		return;
	pf_packet_start(trace, sequence);
	outer = pf_begin(message, PF_PACKET_CLOCK_SNAPSHOT);
	inner = pf_begin(message, 1);
	pf_u64(message, 1, PF_CLOCK_OFFSET);
	pf_u64(message, 2, 0);
	pf_end(message, inner);
	inner = pf_begin(message, 1);
	pf_u64(message, 1, PF_CLOCK_BOOTTIME);
	pf_u64(message, 2, trace->origin);
	pf_end(message, inner);
	pf_end(message, outer);
	pf_packet_put(trace);
}

void pf_sequence_free(struct pf_sequence *sequence)
{
	size_t i;

	for (i = 0; i < PF_NAME_KINDS; i++) {
		free(sequence->names[i].key);
		free(sequence->names[i].number);
	}
	memset(sequence, 0, sizeof(*sequence));
}

/* ---- names ---- */

static struct pf_names *sequence_names(struct pf_sequence *sequence, enum pf_interned kind)
{
	switch (kind) {
	case PF_CATEGORIES: return &sequence->names[0];
	case PF_EVENT_NAMES: return &sequence->names[1];
	case PF_ANNOTATION_NAMES: return &sequence->names[2];
	case PF_ANNOTATION_TEXTS: return &sequence->names[3];
	case PF_GPU_CONTEXTS: return &sequence->names[4];
	case PF_GPU_STAGES: return &sequence->names[5];
	case PF_KERNELS: return &sequence->names[6];
	case PF_ARGUMENT_NAMES: break;
	}
	return &sequence->names[7];
}

static uint32_t names_place(const struct pf_names *names, const void *key)
{
	uint32_t i = (uint32_t)((uintptr_t)key * 0x9e3779b97f4a7c15u >> 32) & (names->capacity - 1);

	while (names->key[i] && names->key[i] != key)
		i = (i + 1) & (names->capacity - 1);
	return i;
}

static void names_grow(struct pf_names *names)
{
	struct pf_names larger = {.used = names->used, .capacity = names->capacity ? 2 * names->capacity : NAMES_FIRST};
	uint32_t i, place;

	larger.key = calloc(larger.capacity, sizeof(*larger.key));
	larger.number = calloc(larger.capacity, sizeof(*larger.number));
	if (!larger.key || !larger.number) {
		log_error(SONDE_EIO, "out of memory");
		exit(arena_exit_status);
	}
	for (i = 0; i < names->capacity; i++) {
		if (!names->key[i])
			continue;
		place = names_place(&larger, names->key[i]);
		larger.key[place] = names->key[i];
		larger.number[place] = names->number[i];
	}
	free(names->key);
	free(names->number);
	*names = larger;
}

bool pf_number(struct pf_sequence *sequence, enum pf_interned kind, const void *key, uint32_t *number_out)
{
	struct pf_names *names = sequence_names(sequence, kind);
	uint32_t place;

	if (4 * names->used >= 3 * names->capacity)
		names_grow(names);
	place = names_place(names, key);
	if (!names->key[place]) {
		names->key[place] = key;
		names->number[place] = ++names->used;
		*number_out = names->used;
		return true;
	}
	*number_out = names->number[place];
	return false;
}

struct pf_message *pf_define_start(struct pftrace *trace, uint32_t number)
{
	trace->spare.at = trace->spare.bytes + 32; /* in front: what pf_define() knows */
	pf_u64(&trace->spare, 1, number);
	return &trace->spare;
}

void pf_define(struct pftrace *trace, const struct pf_sequence *sequence, enum pf_interned kind)
{
	struct pf_message *message = &trace->spare;
	uint8_t *content = message->bytes + 32, *outer, *inner;
	size_t length = (size_t)(message->at - content);

	message_start(message, sequence);
	pf_u64(message, PF_PACKET_FLAGS, PF_FLAGS_NEEDED);
	outer = pf_begin(message, PF_PACKET_INTERNED);
	inner = pf_begin(message, kind);
	memmove(message->at, content, length);
	message->at += length;
	pf_end(message, inner);
	pf_end(message, outer);
	message_put(trace, message);
}

uint32_t pf_name(struct pftrace *trace, struct pf_sequence *sequence, enum pf_interned kind, const void *key,
		 const char *text)
{
	uint32_t number;

	if (pf_number(sequence, kind, key, &number)) {
		pf_text(pf_define_start(trace, number), 2, text);
		pf_define(trace, sequence, kind);
	}
	return number;
}
