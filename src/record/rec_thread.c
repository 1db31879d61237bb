/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread blocks. A block belongs to a tid; it is taken over when that tid is gone, which is looked
 * at only when a new one is needed. Nothing is done when a thread ends, so that calls made by its
 * last destructors are recorded like all others; what it had open then is closed when the process ends or the record
 * is looked over. Locked slow path.
 */
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "record/rec_state.h"

#define PROBES 8u /* blocks that are looked at before one is added */

struct fmt_thread *rec_thread_block(uint32_t index)
{
	return rec_area_item(FMT_SECTION_THREADS, index);
}

static bool is_gone(uint32_t tid)
{
	return syscall(SYS_tgkill, rec_pid(), tid, 0) != 0 && errno == ESRCH;
}

/*
 * The initial thread may end by itself, as others may (pthread_exit, pthread_cancel). Its tid stays until the process
 * ends, but the kernel has nothing of its memory to read any more. It is not asked by that thread itself: a program may
 * forbid such calls.
 */
static bool is_over(uint32_t tid)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {&byte, 1};

	if (tid != rec_pid())
		return is_gone(tid);
	if ((uint32_t)syscall(SYS_gettid) == tid)
		return false;
	return syscall(SYS_process_vm_readv, tid, &here, 1ul, &there, 1ul, 0ul) < 0 && errno == ESRCH;
}

/* Calls and ranges that its last owner never returned from. */
static void leave_open(struct fmt_thread *thread)
{
	uint32_t depth = thread->depth & REC_DEPTH_MASK;

	for (uint32_t i = 1; i <= depth && i <= FMT_FRAMES; i++)
		if (thread->frame[i].slot && thread->frame[i].slot <= thread->rows)
			rec_row(thread, thread->frame[i].slot)->unfinished++;
	for (uint32_t i = 1; i <= thread->ranges && i <= FMT_RANGES; i++)
		if (thread->range[i].slot && thread->range[i].slot <= thread->rows)
			rec_row(thread, thread->range[i].slot)->unfinished++;
	thread->depth = 0;
	thread->ranges = thread->ranges_above = 0;
}

static void take_over(struct fmt_thread *thread, uint32_t tid)
{
	leave_open(thread);
	thread->served++;
	thread->tid = tid;
}

/* A system call only for those that have something open. Reached from handlers. */
void rec_threads_sweep(void)
{
	uint32_t used = (uint32_t)rec_state.area[FMT_SECTION_THREADS].section->used;
	int saved = errno;

	for (uint32_t index = 0; index < used; index++) {
		struct fmt_thread *thread = rec_thread_block(index);

		if (!((thread->depth & REC_DEPTH_MASK) || thread->ranges) || !is_over(thread->tid))
			continue;
		rec_stream_left(index, thread);
		leave_open(thread);
	}
	errno = saved;
}

static struct fmt_thread *find_block(uint32_t tid, uint32_t *index_out)
{
	static uint32_t cursor; /* goes round, so that with thousands of living threads a new one asks about a few */
	uint32_t used = (uint32_t)rec_state.area[FMT_SECTION_THREADS].section->used;

	for (uint32_t probes = used < PROBES || used == rec_state.threads_max ? used : PROBES; probes;
	     probes--) {
		uint32_t index = cursor++ % used;
		struct fmt_thread *thread = rec_thread_block(index);

		if (thread->tid == tid || is_gone(thread->tid)) {
			take_over(thread, tid);
			*index_out = index;
			return thread;
		}
	}
	return NULL;
}

static struct fmt_thread *add_block(uint32_t tid, uint32_t *index_out)
{
	uint64_t used = rec_state.area[FMT_SECTION_THREADS].section->used;
	struct fmt_thread *thread;

	if (used >= rec_state.threads_max)
		return NULL;
	thread = rec_thread_block((uint32_t)used);
	if (!rec_populate((char *)thread, REC_STEP)) {
		rec_state.process->notes |= FMT_NOTE_NO_SPACE;
		return NULL;
	}
	thread->tid = tid;
	thread->served = 1;
	thread->rows = (REC_STEP - FMT_THREAD_ROWS_OFFSET) / sizeof(struct fmt_stats);
	thread->first = rec_now_ticks();
	rec_area_publish(FMT_SECTION_THREADS);
	*index_out = (uint32_t)used;
	return thread;
}

void rec_thread_publish(struct rec_tls *tls)
{
	bool fast = rec_state.counter_clock;
	uint32_t streams = rec_state.process->streams;

	tls->capacity = fast && !streams ? tls->thread->rows : 0;
	tls->stream_capacity = 0;
	if (fast && streams == FMT_STREAMS_TIMELINE)
		tls->stream_capacity = tls->thread->rows < rec_state.streamed ? tls->thread->rows : rec_state.streamed;
	tls->count_capacity = rec_state.time_queries || rec_state.told_as_well ? 0 : tls->thread->rows;
}

bool rec_thread_open(struct rec_tls *tls)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid);
	uint32_t index = 0;
	struct fmt_thread *thread = find_block(tid, &index);

	if (!thread)
		thread = add_block(tid, &index);
	if (!thread) {
		if (tls->lost != rec_state.generation) /* it may try again */
			rec_state.process->lost_threads++;
		tls->lost = rec_state.generation;
		return false;
	}
	tls->thread = thread;
	tls->generation = rec_state.generation;
	rec_stream_open(&tls->writer, index);
	rec_thread_publish(tls);
	if (rec_refresh(false))
		rec_threads_sweep();
	return true;
}

bool rec_thread_grow(struct fmt_thread *thread, uint32_t rows)
{
	uint64_t have, need;

	if (rows > REC_ROWS_MAX)
		return false;
	have = rec_round_up(FMT_THREAD_ROWS_OFFSET + thread->rows * sizeof(struct fmt_stats), REC_STEP);
	need = rec_round_up(FMT_THREAD_ROWS_OFFSET + rows * sizeof(struct fmt_stats), REC_STEP);
	if (!rec_populate((char *)thread + have, need - have)) {
		rec_state.process->notes |= FMT_NOTE_NO_SPACE;
		return false;
	}
	thread->rows = (uint32_t)((need - FMT_THREAD_ROWS_OFFSET) / sizeof(struct fmt_stats));
	if (rec_tls.thread == thread)
		rec_thread_publish(&rec_tls);
	return true;
}
