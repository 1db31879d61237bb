/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing events. HOT. A place is reserved right after the clock is read, by one instruction that no signal can
 * split; it counts once it is published.
 */
#ifndef SONDE_RECORD_REC_STREAM_H
#define SONDE_RECORD_REC_STREAM_H

#include "record/rec_hot.h"

#define REC_STREAM_EVENT_MAX 8192 /* bytes of one event */

/* Opens the next packet; false: there is no room, the event is counted as discarded. */
REC_EXPORT REC_COLD bool rec_stream_turn(struct rec_writer *writer, uint32_t bytes);
extern REC_EXPORT char rec_stream_unread[REC_STREAM_EVENT_MAX]; /* place of discarded events: nobody reads it */

static inline __attribute__((always_inline)) bool rec_stream_reserve(struct rec_writer *writer, char *at, char *next)
{
#if defined(__x86_64__)
	bool done;

	/* against this thread's own signal handlers only, so without a lock */
	__asm__ volatile("cmpxchgq %3, %1" : "=@cce"(done), "+m"(writer->at), "+a"(at) : "r"(next) : "memory");
	return done;
#else
	return __atomic_compare_exchange_n(&writer->at, &at, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/*
 * Reserves a place and reads the clock, so that places and times have the same order: when a handler has written in
 * between, both are taken anew. counter: the clock is known to be the counter.
 */
static inline __attribute__((always_inline)) char *rec_stream_take(struct rec_writer *writer, uint32_t bytes,
								   bool counter, uint64_t *ticks_out)
{
	for (;;) {
		char *at = __atomic_load_n(&writer->at, __ATOMIC_RELAXED);

		if (unlikely(at + bytes > writer->limit)) {
			if (rec_stream_turn(writer, bytes))
				continue;
			*ticks_out = rec_now_ticks();
			return rec_stream_unread;
		}
		*ticks_out = counter ? rec_ticks() : rec_now_ticks();
		if (likely(rec_stream_reserve(writer, at, at + bytes)))
			return at;
	}
}

static inline __attribute__((always_inline)) void rec_stream_put(char *at, uint64_t value)
{
	__builtin_memcpy(at, &value, sizeof(value));
}

static inline __attribute__((always_inline)) void rec_stream_head(char *at, uint32_t id, uint64_t ticks)
{
	rec_stream_put(at, ticks << FMT_EVENT_TICKS_SHIFT | id);
}

/*
 * The event that ends at `next` is there. Where a handler wrote behind it, that one has published both. A handler
 * between the look at writer->at and the last store is not noticed; its events are hidden until this thread's next.
 */
static inline __attribute__((always_inline)) void rec_stream_publish(struct rec_writer *writer, char *next,
								     uint64_t ticks)
{
	struct fmt_packet *packet;

	if (unlikely(__atomic_load_n(&writer->at, __ATOMIC_RELAXED) != next))
		return;
	packet = writer->packet;
	packet->end = ticks;
	__atomic_store_n(&packet->content_bits, (uint64_t)(next - (char *)packet) * 8, __ATOMIC_RELEASE);
}

/*
 * The inline path of a hot function with a stream; NULL: the general path it is, also where the packet is full. So
 * nothing is called in here, and the arguments may stay in their registers.
 */
static inline __attribute__((always_inline)) struct fmt_thread *rec_stream_enter(uint32_t slot, uint32_t symbol,
										 uintptr_t frame_address)
{
	struct rec_writer *writer = &rec_tls.writer;
	struct fmt_thread *thread = rec_open_frame(rec_tls.stream_capacity, slot, symbol, frame_address);
	uint64_t ticks;
	char *at;

	if (unlikely(!thread))
		return NULL;
	do {
		at = __atomic_load_n(&writer->at, __ATOMIC_RELAXED);
		if (unlikely(at + 8 > writer->limit)) {
			thread->depth = 0; /* whatever handlers opened above it has ended */
			return NULL;
		}
		ticks = rec_ticks();
	} while (unlikely(!rec_stream_reserve(writer, at, at + 8)));
	thread->frame[1].begin = ticks;
	rec_stream_head(at, fmt_event_id(slot, FMT_CALL_ENTRY), ticks);
	rec_stream_publish(writer, at + 8, ticks);
	return thread;
}

/* at, ticks: of rec_stream_take() with 16 bytes; what follows from the result is worked out only behind that. */
static inline __attribute__((always_inline)) void rec_stream_leave(struct fmt_thread *thread, uint32_t slot, char *at,
								   uint64_t begin, uint64_t ticks, bool failed,
								   rec_word result)
{
	struct rec_writer *writer = &rec_tls.writer;

	/* apart: the id is made anew, not kept through the call */
	rec_stream_head(at, fmt_event_id(rec_apart(slot), FMT_CALL_EXIT) + failed, ticks);
	rec_stream_put(at + 8, result);
	rec_stream_publish(writer, at + 16, ticks);
	rec_fast_leave(thread, slot, begin, ticks, failed);
}

/* One event with a payload of words. */
static inline void rec_stream_event(struct rec_writer *writer, uint16_t id, const void *payload, uint32_t bytes)
{
	uint64_t ticks;
	char *at = rec_stream_take(writer, 8 + bytes, false, &ticks);

	rec_stream_head(at, id, ticks);
	__builtin_memcpy(at + 8, payload, bytes);
	rec_stream_publish(writer, at + 8 + bytes, ticks);
}

#endif
