/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing events. HOT. A place is reserved before the clock is read, by one instruction that no signal can
 * split, so that handlers' events stand behind it, with later times; it counts once it is published.
 */
#ifndef SONDE_RECORD_REC_STREAM_H
#define SONDE_RECORD_REC_STREAM_H

#include "record/rec_hot.h"

#define REC_STREAM_EVENT_MAX 8192 /* bytes of one event */

/*
 * Opens the next packet and reserves there. Where there is no room the event is counted as discarded, and
 * the place is one that nobody reads.
 */
REC_EXPORT REC_COLD char *rec_stream_turn(struct rec_writer *writer, uint32_t bytes);

static inline __attribute__((always_inline)) char *rec_stream_take(struct rec_writer *writer, uint32_t bytes)
{
	char *at;

#if defined(__x86_64__)
	at = (char *)(uintptr_t)bytes;
	__asm__ volatile("xaddq %0, %1" : "+r"(at), "+m"(writer->at) : : "memory", "cc");
#else
	at = __atomic_fetch_add(&writer->at, bytes, __ATOMIC_RELAXED);
	__asm__ volatile("" : : : "memory");
#endif
	if (unlikely(at + bytes > writer->limit))
		return rec_stream_turn(writer, bytes);
	return at;
}

static inline __attribute__((always_inline)) void rec_stream_put(char *at, uint64_t value)
{
	__builtin_memcpy(at, &value, sizeof(value));
}

static inline __attribute__((always_inline)) void rec_stream_head(char *at, uint32_t id, uint64_t ticks)
{
	rec_stream_put(at, ticks << FMT_EVENT_TICKS_SHIFT | id);
}

/* Everything reserved so far is there. */
static inline __attribute__((always_inline)) void rec_stream_publish(struct rec_writer *writer, uint64_t ticks)
{
	struct fmt_packet *packet = writer->packet;

	if (likely(ticks > packet->end)) /* a handler's events may be there already */
		packet->end = ticks;
	__atomic_store_n(&packet->content_bits, (uint64_t)(writer->at - (char *)packet) * 8, __ATOMIC_RELEASE);
}

/* The inline path of a hot function with a stream; NULL: the general path it is. */
static inline __attribute__((always_inline)) struct fmt_thread *rec_stream_enter(uint32_t slot, uint32_t symbol,
										 uintptr_t frame_address)
{
	struct rec_writer *writer = &rec_tls.writer;
	struct fmt_thread *thread = rec_open_frame(rec_tls.stream_capacity, slot, symbol, frame_address);
	uint64_t ticks;
	char *at;

	if (unlikely(!thread))
		return NULL;
	at = rec_stream_take(writer, 8);
	ticks = thread->frame[1].begin = rec_ticks();
	rec_stream_head(at, fmt_event_id(slot, FMT_CALL_ENTRY), ticks);
	rec_stream_publish(writer, ticks);
	return thread;
}

static inline __attribute__((always_inline)) void rec_stream_leave(struct fmt_thread *thread, uint32_t slot, bool failed,
								   rec_word result)
{
	struct rec_writer *writer = &rec_tls.writer;
	char *at = rec_stream_take(writer, 16);
	uint64_t ticks = rec_ticks();

	rec_stream_head(at, fmt_event_id(slot, FMT_CALL_EXIT) + failed, ticks);
	rec_stream_put(at + 8, result);
	rec_stream_publish(writer, ticks);
	rec_fast_leave(thread, slot, thread->frame[1].begin, ticks, failed);
}

/* One event with a payload of words. */
static inline void rec_stream_event(struct rec_writer *writer, uint16_t id, const void *payload, uint32_t bytes)
{
	char *at = rec_stream_take(writer, 8 + bytes);
	uint64_t ticks = rec_now_ticks();

	rec_stream_head(at, id, ticks);
	__builtin_memcpy(at + 8, payload, bytes);
	rec_stream_publish(writer, ticks);
}

#endif
