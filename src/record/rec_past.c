/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that are told of when they are over, and what threads that work together have lost to each other. HOT: no libc,
 * no system call once a function has its row.
 */
#include "record/rec_state.h"
#include "record/rec_stream.h"

#define PAST_BYTES 24 /* an entry and an exit */

uint64_t rec_past_begin(void)
{
	struct rec_writer *writer = &rec_tls.writer;

	if (unlikely(rec_paused()))
		return 0;
	/* a packet that was opened later could not hold it */
	if (writer->packet && rec_on() && writer->at + PAST_BYTES > writer->limit)
		rec_stream_turn(writer, PAST_BYTES);
	return rec_now_ticks();
}

void rec_call_past(struct rec_backend *backend, const struct rec_label *label, enum sonde_kind kind, uint64_t begin,
		   uint64_t end)
{
	struct fmt_thread *thread;
	uint32_t slot = 0;

	thread = rec_dynamic_or_lost(backend, label, kind, &slot);
	if (unlikely(!thread))
		return;
	rec_row_add(rec_row(thread, slot), end - begin, 0, false);
	if (thread->depth && thread->frame[thread->depth].begin <= begin)
		thread->frame[thread->depth].child += end - begin;
	if (thread->last < end)
		thread->last = end;
	if (likely(!rec_state.process->streams))
		return;
	if (slot <= rec_state.streamed)
		rec_stream_past(&rec_tls.writer, slot, false, 0, begin, end);
	else
		rec_stream_lost(2);
}
