/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inline fast path of generated wrappers: a call at depth 0 of a function that already has its slot.
 * Everything else goes to rec_enter()/rec_leave(). Every instruction here is paid per traced
 * call: see docs/HOT-PATH.md, measure with callgrind before and after.
 */
#ifndef SONDE_RECORD_REC_HOT_H
#define SONDE_RECORD_REC_HOT_H

#include "format/stream.h"
#include "record/rec.h"

/* Where the next event of a stream goes. */
struct rec_writer {
	char *at, *limit;          /* next free byte and end of the open packet; limit NULL: none */
	struct fmt_packet *packet; /* NULL: no stream */
	uint32_t stream;           /* which one, for rec_stream.c */
	uint32_t reserved;
};

/*
 * Per-thread state. capacity is 0 whenever the fast path must not be taken (no block yet, recording off,
 * no invariant counter), so that one compare of the slot covers all of it.
 */
struct rec_tls {
	uint32_t capacity;       /* rows that the fast path may use */
	uint32_t count_capacity; /* the same for functions that are only counted */
	uint32_t generation;     /* of the process record that thread belongs to */
	uint32_t guard;          /* nesting of rec_guard and slow paths */
	struct fmt_thread *thread;
	uint32_t retry;          /* calls until a thread without a block looks for one again */
	uint32_t stream_capacity; /* rows that the inline path with streams may use */
	struct rec_writer writer;
	uint32_t locks;          /* that the thread holds, or waits for */
	uint32_t lost;           /* generation of the record that the thread is counted in as one without a block */
};
extern REC_EXPORT __thread struct rec_tls rec_tls __attribute__((tls_model("initial-exec")));

static inline __attribute__((always_inline)) uint64_t rec_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
#else
#error "no user-readable counter known for this architecture"
#endif
}

/*
 * The slot that a wrapper looks at, and the one that it keeps through the call, are not to share a register: one that
 * is kept has to be saved first, for nothing where the wrapper then jumps on to the one with a stream.
 */
static inline __attribute__((always_inline)) uint32_t rec_apart(uint32_t value)
{
	__asm__("" : "+r"(value));
	return value;
}

/* In a register that calls destroy, where the architecture lets us say so. */
static inline __attribute__((always_inline)) uint32_t rec_in_scratch(uint32_t value)
{
#if defined(__x86_64__)
	__asm__("" : "+a"(value));
#endif
	return value;
}

static inline __attribute__((always_inline)) struct fmt_stats *rec_row(struct fmt_thread *thread, uint32_t slot)
{
	return (struct fmt_stats *)((char *)thread + FMT_THREAD_ROWS_OFFSET - sizeof(struct fmt_stats) +
				    slot * sizeof(struct fmt_stats));
}

/* Not NULL: the inline path may be taken; frame 1 of the thread is open. capacity: rows for which it may. */
static inline __attribute__((always_inline)) struct fmt_thread *rec_open_frame(uint32_t capacity, uint32_t slot,
									       uint32_t symbol, uintptr_t frame_address)
{
	struct fmt_thread *thread;

	if (unlikely(slot - 1u >= capacity))
		return NULL;
	thread = rec_tls.thread;
	if (unlikely(thread->depth != 0))
		return NULL;
	/* depth first: a signal handler that calls a traced function must find this frame taken */
	thread->depth = 1;
	thread->frame[1].slot = slot;
	thread->frame[1].symbol = symbol + 1;
	thread->frame[1].stack = frame_address;
	thread->frame[1].child = 0;
	return thread;
}

static inline __attribute__((always_inline)) struct fmt_thread *rec_fast_enter(uint32_t slot, uint32_t symbol,
									       uintptr_t frame_address)
{
	return rec_open_frame(rec_tls.capacity, slot, symbol, frame_address);
}

_Static_assert(FMT_BUCKETS % 4 == 1, "all buckets of an octave are within the histogram, or none");

/* A call of this slot failed; answer: its code, 0 where it gives none. */
REC_EXPORT REC_COLD void rec_failed(uint32_t slot, rec_word answer);
/* These leave the call as well, and return the result. slots: what its slot was, and above 32 bits what it is now. */
REC_EXPORT REC_COLD rec_word rec_fast_failed(struct fmt_thread *thread, uint64_t slots, uint64_t begin, uint64_t end,
					     rec_word answer, rec_word result);
REC_EXPORT REC_COLD rec_word rec_stream_failed(struct fmt_thread *thread, uint64_t slots, uint64_t begin,
					       rec_word answer, rec_word result);
/* Frames above `depth` that nobody returned to, when the call at `depth` returns. */
REC_EXPORT REC_COLD void rec_drop_above(struct fmt_thread *thread, uint32_t depth);
/*
 * The end of a call whose function has lost its slot: recording was paused inside it. false: no, this is the child of
 * a fork inside, and nothing is recorded. The same for a call with a stream.
 */
REC_EXPORT REC_COLD bool rec_fast_late(struct fmt_thread *thread, uint32_t slot, uint64_t begin, uint64_t end,
				       bool failed);
REC_EXPORT REC_COLD bool rec_stream_late(struct fmt_thread *thread, uint32_t slot, uint64_t begin, bool failed,
					 rec_word result);
/* What the inline path has no room for: times beyond the histogram, and a frame that is another call's now. */
REC_EXPORT REC_COLD void rec_fast_odd(struct fmt_thread *thread, uint32_t slot, uint64_t begin, uint64_t end,
				      bool failed);

static inline __attribute__((always_inline)) void rec_fast_leave(struct fmt_thread *thread, uint32_t slot,
								 uint64_t begin, uint64_t end, bool failed)
{
	struct fmt_stats *row = rec_row(thread, slot);
	uint64_t duration = end - begin, shifted = begin - 4;
	uint64_t value, octave, top, child;

	/*
	 * fmt_bucket() by the shortest way from the clock to the address of the counter, the one thing here that
	 * the clock reads do not hide. The asm keeps `shifted` apart from `duration`.
	 */
	__asm__("" : "+r"(shifted));
	value = end - shifted;
	octave = 63 ^ (uint64_t)__builtin_clzll(value);
	top = (value << 2) >> octave;
	if (unlikely((int64_t)duration < 0 || octave >= FMT_BUCKETS / 4 + 2 || thread->frame[1].begin != begin)) {
		rec_fast_odd(thread, slot, begin, end, failed);
		return;
	}
	row->total += duration;
	row->hist[4 * octave + top - 12]++;
	if (~duration > row->nmin)
		row->nmin = ~duration;
	if (duration > row->max)
		row->max = duration;
	if (unlikely(failed))
		row->failed++;
	if (unlikely(thread->depth != 1))
		rec_drop_above(thread, 1);
	child = thread->frame[1].child;
	if (unlikely(child))
		row->child += child;
	thread->last = end;
	thread->depth = 0;
}

/*
 * What a generated wrapper of a hot function looks like (R: result type, S: symbol):
 *
 *	R name(rec_word a0, rec_word a1)
 *	{
 *		uint32_t found = rec_in_scratch(api_slot[S]);
 *		struct fmt_thread *thread = rec_fast_enter(found, S, (uintptr_t)__builtin_dwarf_cfa());
 *
 *		if (likely(thread)) {
 *			uint32_t slot = rec_apart(found);
 *			uint64_t begin = thread->frame[1].begin = rec_ticks();
 *			R result = ((R (*)(rec_word, rec_word))api_real[S])(a0, a1);
 *			uint64_t end = rec_ticks();
 *
 *			if (unlikely((int32_t)result != 0))
 *				return rec_fast_failed(thread, slot | (uint64_t)api_slot[S] << 32, begin, end, result,
 *						       result);
 *			if (likely(api_slot[S] == slot))
 *				rec_fast_leave(thread, slot, begin, end, false);
 *			else
 *				rec_fast_late(thread, slot, begin, end, false);
 *			return result;
 *		}
 *		return api_stream_S(a0, a1);
 *	}
 *
 * A jump, so that the site of the call stays. api_stream_S is the same with rec_stream_enter(), rec_stream_take()
 * and rec_stream_leave(); where that may not be, api_slow_S, a stub (tools/api_stub.py), does rec_enter(), the call and
 * rec_leave(). A Fortran call without an error argument jumps to the stub at once: nothing here has room for one.
 */

#endif
