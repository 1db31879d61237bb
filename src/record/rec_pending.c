/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Discovery calls and queries made before the record is open. They open none by themselves
 * (topology libraries look for devices while other runtimes start, parallel launchers do, too), but
 * belong to the counts once there is a record.
 */
#include "record/rec_state.h"
#include "record/rec_stream.h"

#define PENDING_MAX 64

struct pending {
	struct rec_backend *backend;
	uint32_t symbol;
	bool failed, timed;
	uint64_t begin, end; /* ticks */
	rec_word result;
};

static struct {
	uint32_t lock, used, pid;
	struct pending call[PENDING_MAX];
} pending;

void rec_pending_add(const struct rec_call *call, uint64_t end, bool timed)
{
	rec_lock(&pending.lock);
	if (pending.pid != rec_pid()) { /* a forked child does not repeat its parent's calls */
		pending.pid = rec_pid();
		pending.used = 0;
	}
	if (pending.used < PENDING_MAX)
		pending.call[pending.used++] = (struct pending){
			call->backend, call->symbol, call->failed, timed, call->begin, end, call->result};
	else
		call->backend->pending_lost++;
	rec_unlock(&pending.lock);
}

static void replay(struct fmt_thread *thread, const struct pending *call)
{
	struct rec_backend *backend = call->backend;
	uint32_t slot;

	slot = rec_backend_open(backend) ? rec_slot_assign(backend, call->symbol) : 0;
	if (!slot || (slot > thread->rows && !rec_thread_grow(thread, slot))) {
		rec_lost(backend);
		return;
	}
	if (!call->timed) {
		rec_row(thread, slot)->hist[0]++;
		return;
	}
	rec_row_add(rec_row(thread, slot), call->end - call->begin, 0, call->failed);
	if (call->failed)
		rec_failed(slot, call->result);
	if (slot <= rec_state.streamed)
		rec_stream_past(&rec_tls.writer, slot, call->failed, call->result, call->begin, call->end);
}

void rec_pending_replay(struct fmt_thread *thread)
{
	if (likely(!pending.used))
		return;
	rec_lock(&pending.lock);
	for (uint32_t i = 0; pending.pid == rec_pid() && i < pending.used; i++)
		replay(thread, &pending.call[i]);
	pending.used = 0;
	rec_unlock(&pending.lock);
	for (struct rec_backend *backend = rec_state.backends; backend; backend = backend->next) {
		while (backend->pending_lost && (backend->state & REC_BACKEND_OPENED)) {
			rec_lost(backend);
			backend->pending_lost--;
		}
	}
}
