/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The general path of a traced call: first calls, nested calls, calls with hooks. HOT for functions
 * that are not generated with the inline path: no libc, no system call once a slot is assigned.
 */
#include <errno.h>
#include <pthread.h>

#include "record/rec_state.h"
#include "record/rec_stream.h"

#define ANY_ADDRESS UINTPTR_MAX

/* Adds one finished call to a row; child: traced time beneath it. */
void rec_row_add(struct fmt_stats *row, uint64_t duration, uint64_t child, bool failed)
{
	if (unlikely((int64_t)duration < 0)) {
		/* the counter ran backwards: the call is counted, its time is not invented */
		rec_state.process->bad_ticks++;
		duration = child;
	}
	row->total += duration;
	row->child += child;
	row->hist[fmt_bucket(duration)]++;
	if (~duration > row->nmin)
		row->nmin = ~duration;
	if (duration > row->max)
		row->max = duration;
	row->failed += failed;
}

/*
 * Another stack of this thread (coroutines, sigaltstack) made the call's frame look abandoned, and there may be another
 * call's frame now, which is to stay. Its own counts, and is not unfinished any more. The calls that stood in its place
 * have its time as theirs: it has none of its own.
 */
static void leave_without_frame(struct fmt_stats *row, uint64_t duration, bool failed)
{
	row->unfinished--;
	rec_row_add(row, duration, (int64_t)duration < 0 ? 0 : duration, failed);
}

void rec_fast_odd(struct fmt_thread *thread, uint32_t slot, uint64_t begin, uint64_t end, bool failed)
{
	struct fmt_stats *row = rec_row(thread, slot);

	thread->last = end;
	if (!thread->depth || thread->frame[1].begin != begin) {
		leave_without_frame(row, end - begin, failed);
		return;
	}
	rec_drop_above(thread, 1);
	rec_row_add(row, end - begin, thread->frame[1].child, failed);
	thread->depth = 0;
}

static bool is_still_open(const struct fmt_thread *thread)
{
	return rec_wiped->open && rec_tls.thread == thread;
}

bool rec_fast_late(struct fmt_thread *thread, uint32_t slot, uint64_t begin, uint64_t end, bool failed)
{
	if (!is_still_open(thread))
		return false;
	rec_fast_leave(thread, slot, begin, end, failed);
	return true;
}

bool rec_stream_late(struct fmt_thread *thread, uint32_t slot, uint64_t begin, bool failed, rec_word result)
{
	uint64_t end;
	char *at;

	if (!is_still_open(thread))
		return false;
	at = rec_stream_take(&rec_tls.writer, 16, true, &end);
	rec_stream_leave(thread, slot, at, begin, end, failed, result);
	return true;
}

/* The top frame's call is unfinished; what was called beneath it is no time of the call around it either. */
static void drop_frame(struct fmt_thread *thread)
{
	const struct fmt_frame *top = &thread->frame[thread->depth];

	rec_row(thread, top->slot)->unfinished++;
	thread->frame[thread->depth - 1].child += top->child;
	thread->depth--;
}

void rec_drop_above(struct fmt_thread *thread, uint32_t depth)
{
	while (thread->depth > depth)
		drop_frame(thread);
}

static void drop_top(struct fmt_thread *thread)
{
	struct fmt_event_left left = {thread->frame[thread->depth].slot};

	drop_frame(thread);
	if (left.slot <= rec_state.streamed)
		rec_stream_event(&rec_tls.writer, FMT_EVENT_LEFT, &left, sizeof(left));
}

/*
 * Drops frames that a longjmp, an exception or a thread's end left behind: the stack grows down. A frame at ANY_ADDRESS
 * ends with its own end or with a call around it.
 */
static void drop_stale_frames(struct fmt_thread *thread, uintptr_t frame_address)
{
	while (thread->depth && thread->frame[thread->depth].stack <= frame_address)
		drop_top(thread);
}

void rec_call_left(const struct rec_call *call)
{
	while (call->thread->depth >= call->depth)
		drop_top(call->thread);
}

/* Does a call made while another traced call is open count as the program's own? */
static bool counts_nested(const struct rec_call *call, struct fmt_thread *thread, uint32_t slot,
			  const void *return_address)
{
	const struct rec_backend *backend = call->backend;
	const struct fmt_frame *top = &thread->frame[thread->depth];

	/* Fortran name -> C name -> profiling name; exported name -> layer; but an error handler uses the same name */
	if (top->slot == slot && top->symbol != call->symbol + 1)
		return false;
	if (backend->layer_variant && backend->symbol[call->symbol].variant == backend->layer_variant) {
		/* always called by the API's loader: it is the runtime's own when the API is on top already */
		struct fmt_function *function = rec_area_item(FMT_SECTION_FUNCTIONS, top->slot - 1);

		return function->backend != backend->index;
	}
	return !rec_is_own(return_address) && !rec_is_runtime(return_address);
}

static uint64_t stream_entry(struct rec_call *call)
{
	struct rec_writer *writer = &rec_tls.writer;
	uint64_t ticks;
	char *at;

	if (rec_state.arguments && call->args)
		return rec_args_entry(call);
	at = rec_stream_take(writer, 8, false, &ticks);
	rec_stream_head(at, fmt_event_id(call->slot, rec_state.arguments ? FMT_CALL_BARE_ENTRY : FMT_CALL_ENTRY),
			ticks);
	rec_stream_publish(writer, at + 8, ticks);
	return ticks;
}

static uint64_t stream_exit(struct rec_call *call)
{
	struct rec_writer *writer = &rec_tls.writer;
	uint64_t ticks;
	char *at;

	if (rec_state.arguments && call->args)
		return rec_args_exit(call);
	at = rec_stream_take(writer, 16, false, &ticks);
	rec_stream_head(at, fmt_event_id(call->slot, rec_state.arguments ? FMT_CALL_BARE_EXIT : FMT_CALL_EXIT) +
				    call->failed, ticks);
	rec_stream_put(at + 8, call->result);
	rec_stream_publish(writer, at + 16, ticks);
	return ticks;
}

/* Does this call go to the thread's stream? The inline path may take the function from now on. */
static void prepare_stream(struct rec_call *call, uint32_t slot)
{
	if (call->slot != slot) /* only counted */
		return;
	call->streamed = slot <= rec_state.streamed;
	if (unlikely(!call->streamed))
		rec_stream_lost(2);
	else if (unlikely(slot > rec_tls.stream_capacity))
		rec_thread_publish(&rec_tls);
}

static REC_COLD bool is_too_deep(struct fmt_thread *thread)
{
	if (thread->depth < FMT_FRAMES)
		return false;
	thread->lost++;
	if (rec_state.process->streams)
		rec_stream_lost(2);
	return true;
}

/* Takes the next frame and begins the call, which is recorded. */
static void push_frame(struct rec_call *call, uint32_t slot, uint32_t symbol, uintptr_t frame_address)
{
	struct fmt_thread *thread = call->thread;
	struct fmt_frame *frame;

	call->depth = ++thread->depth;
	frame = &thread->frame[call->depth];
	frame->slot = slot;
	frame->symbol = symbol;
	frame->stack = frame_address;
	frame->child = 0;
	if (unlikely(rec_state.process->streams))
		prepare_stream(call, slot);
	call->begin = frame->begin = call->streamed ? stream_entry(call) : rec_now_ticks();
}

/* Pushes the frame, unless the call is not to be recorded. */
static void push(struct rec_call *call, uint32_t slot, const void *return_address, uintptr_t frame_address)
{
	struct fmt_thread *thread = call->thread;

	if (unlikely(thread->depth)) {
		drop_stale_frames(thread, frame_address);
		if (thread->depth && !counts_nested(call, thread, slot, return_address))
			return;
		if (is_too_deep(thread))
			return;
	}
	call->slot = slot;
	if (call->backend->function[call->backend->symbol[call->symbol].function].flags & REC_QUERY &&
	    !rec_state.time_queries) {
		/* the frame stays, so that a call from one language binding to the next is not counted again */
		rec_row(thread, slot)->hist[0]++;
		call->slot = REC_SLOT_COUNTED;
	}
	push_frame(call, slot, call->symbol + 1, frame_address);
}

/* The thread's block and the function's row; 0: no room, the call is lost. */
static uint32_t find_room(struct rec_tls *tls, const struct rec_call *call)
{
	uint32_t slot;

	if (tls->retry) { /* after a failure the search is not repeated for every call */
		tls->retry--;
		return 0;
	}
	if ((!tls->thread || tls->generation != rec_state.generation) && !rec_thread_open(tls)) {
		tls->retry = 1000;
		return 0;
	}
	slot = rec_slot_assign(call->backend, call->symbol);
	if (slot && (slot <= tls->thread->rows || rec_thread_grow(tls->thread, slot)))
		return slot;
	return 0; /* the caller counts the loss for its backend */
}

/* What a first call needs, under the lock: a record, a block, a slot, a row. */
static uint32_t prepare_locked(struct rec_call *call)
{
	struct rec_backend *backend = call->backend;
	const struct rec_function *function = &backend->function[backend->symbol[call->symbol].function];
	struct rec_tls *tls = &rec_tls;
	uint32_t slot;

	if (!(backend->state & REC_BACKEND_ON) || rec_is_off() || call->own)
		return 0;
	if (!rec_ready() && (function->flags & (REC_DISCOVERY | REC_QUERY)))
		return rec_state.paused ? 0 : REC_SLOT_PENDING;
	if (!rec_open() || !rec_backend_open(backend) || rec_state.paused)
		return 0;
	slot = find_room(tls, call);
	if (slot)
		rec_pending_replay(tls->thread);
	else
		rec_lost(backend);
	return slot;
}

/* The real function; false: the API is not in the process. */
static bool resolve(struct rec_call *call, const void *return_address)
{
	call->real = rec_resolve(call->backend, call->symbol, return_address);
	if (call->real)
		return true;
	call->real = call->backend->absent(call->symbol);
	return false;
}

/*
 * The loader is asked before our lock is taken: another thread may hold the loader's, in dlopen(), and be in a
 * constructor that makes its first call.
 */
static REC_COLD uint32_t prepare(struct rec_call *call, const void *return_address)
{
	int saved = errno, cancel_state;
	uint64_t signals;
	uint32_t slot = 0;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	rec_tls.guard++;
	if (resolve(call, return_address)) {
		rec_signals_block(&signals);
		rec_lock(&rec_state.lock);
		slot = prepare_locked(call);
		rec_unlock(&rec_state.lock);
		rec_exit_watch();
		rec_signals_restore(&signals);
	}
	rec_tls.guard--;
	pthread_setcancelstate(cancel_state, NULL);
	errno = saved;
	return slot;
}

/* A call that the tool makes itself, that comes while it is at work or is seen elsewhere: passes through. */
static REC_COLD void pass(struct rec_call *call, const void *return_address)
{
	call->own = 1;
	if (!call->real)
		resolve(call, return_address);
}

static bool opens(const struct rec_backend *backend, uint32_t symbol)
{
	return backend->function[backend->symbol[symbol].function].flags & REC_OPENS;
}

/* Nothing can be recorded here, and that is known: such a call costs neither a lock nor a system call. */
static REC_COLD bool is_hopeless(const struct rec_call *call)
{
	if (rec_is_off())
		return true;
	/* paused: the record is opened all the same, for memory; each call goes to the provider that it belongs to */
	if (rec_paused() && rec_wiped->open && !opens(call->backend, call->symbol) &&
	    (call->backend->state & (REC_BACKEND_OPENED | REC_BACKEND_MULTI)) == REC_BACKEND_OPENED)
		return true;
	if (!rec_tls.retry)
		return false;
	rec_tls.retry--;
	rec_lost(call->backend);
	return true;
}

/* Will the loader bring this call to us again? The layer's symbol of a function stands behind the exported one. */
static bool comes_again(const struct rec_backend *backend, uint32_t symbol)
{
	const struct rec_symbol *here = &backend->symbol[symbol], *next = here + 1;

	return backend->layered && here->variant != backend->layer_variant && symbol + 1 < backend->symbols &&
	       next->function == here->function && next->variant == backend->layer_variant &&
	       backend->real[symbol + 1] && !(backend->state & REC_BACKEND_MULTI);
}

void rec_enter(struct rec_call *call, struct rec_backend *backend, uint32_t symbol, const void *return_address,
	       uintptr_t frame_address, const rec_word *args)
{
	struct rec_tls *tls = &rec_tls;
	uint32_t slot = backend->slot[symbol];

	call->backend = backend;
	call->symbol = symbol;
	call->slot = 0;
	call->failed = 0;
	call->own = 0;
	call->streamed = 0;
	call->args = args;
	call->real = backend->real[symbol];
	if (unlikely(tls->guard)) {
		pass(call, return_address);
		return;
	}
	if (unlikely(!slot || !tls->thread || slot > tls->thread->rows || tls->generation != rec_state.generation ||
		     opens(backend, symbol))) {
		if (comes_again(backend, symbol)) {
			pass(call, return_address);
			return;
		}
		if (call->real && is_hopeless(call))
			return;
		slot = prepare(call, return_address);
		if (!slot)
			return;
		if (slot == REC_SLOT_PENDING) {
			call->slot = slot;
			call->begin = rec_now_ticks();
			tls->guard++; /* what the runtime does inside is not the program's */
			return;
		}
	}
	call->thread = tls->thread;
	push(call, slot, return_address, frame_address);
}

void rec_enter_dynamic(struct rec_call *call, struct rec_backend *backend, const struct rec_label *label,
		       enum sonde_kind kind, uintptr_t frame_address)
{
	struct fmt_thread *thread;
	uint32_t slot = 0;

	*call = (struct rec_call){.backend = backend};
	thread = rec_dynamic_or_lost(backend, label, kind, &slot);
	if (unlikely(!thread))
		return;
	call->thread = thread;
	if (thread->depth && frame_address)
		drop_stale_frames(thread, frame_address);
	if (unlikely(is_too_deep(thread)))
		return;
	call->slot = slot;
	push_frame(call, slot, 0, frame_address ? frame_address : ANY_ADDRESS);
}

/* In one word: slot, depth, and the lower part of its beginning, which tells it from later ones. */
uint64_t rec_call_token(const struct rec_call *call)
{
	return call->slot ? call->begin << 24 | (call->depth & 0xff) << 16 | call->slot : 0;
}

bool rec_call_resume(struct rec_call *call, struct rec_backend *backend, uint64_t token)
{
	struct fmt_thread *thread = rec_tls.thread;
	uint32_t depth = token >> 16 & 0xff, slot = token & 0xffff;

	if (!token || rec_tls.guard || !rec_wiped->open || rec_tls.generation != rec_state.generation ||
	    thread->depth < depth || thread->frame[depth].slot != slot ||
	    ((thread->frame[depth].begin << 24) ^ token) >> 24)
		return false;
	*call = (struct rec_call){.backend = backend, .slot = slot, .depth = depth, .thread = thread,
				  .begin = thread->frame[depth].begin};
	if (unlikely(rec_state.process->streams))
		call->streamed = slot <= rec_state.streamed;
	return true;
}

static REC_COLD void leave_pending(struct rec_call *call)
{
	const struct rec_function *function =
		&call->backend->function[call->backend->symbol[call->symbol].function];
	bool timed = !(function->flags & REC_QUERY) || rec_state.time_queries;

	rec_tls.guard--;
	rec_pending_add(call, rec_now_ticks(), timed);
	call->slot = 0;
}

/* Counted at entry; what was called beneath it is the caller's. */
static REC_COLD void leave_counted(struct rec_call *call)
{
	struct fmt_thread *thread = call->thread;
	struct fmt_frame *frame = &thread->frame[call->depth];
	uint32_t slot = call->backend->slot[call->symbol];

	call->slot = 0;
	if (!rec_wiped->open) /* in the child of a fork made inside the call */
		return;
	if (unlikely(thread->depth < call->depth || frame->begin != call->begin)) { /* see leave_without_frame() */
		if (slot && slot <= thread->rows)
			rec_row(thread, slot)->unfinished--;
		return;
	}
	rec_drop_above(thread, call->depth);
	thread->frame[call->depth - 1].child += frame->child;
	thread->depth = call->depth - 1;
}

/* Is the function open further down as well? Then its time is in the outer call's already. */
static bool is_recursive(const struct fmt_thread *thread, uint32_t depth, uint32_t slot)
{
	for (uint32_t i = 1; i < depth; i++)
		if (thread->frame[i].slot == slot)
			return true;
	return false;
}

static REC_COLD void leave_failed(const struct rec_call *call)
{
	if (call->thread == rec_tls.thread) /* else in a child with a record of its own: see rec_leave() */
		rec_failed(call->slot, rec_args_answer(call));
}

void rec_leave(struct rec_call *call)
{
	struct fmt_thread *thread = call->thread;
	struct fmt_stats *row;
	struct fmt_frame *frame;
	uint64_t end, duration, child;

	if (unlikely(call->slot == REC_SLOT_COUNTED)) {
		leave_counted(call);
		return;
	}
	if (unlikely(call->slot == REC_SLOT_PENDING)) {
		leave_pending(call);
		return;
	}
	if (unlikely(!rec_wiped->open)) { /* in the child of a fork made inside the call */
		call->slot = 0;
		call->streamed = 0;
		return;
	}
	/* a child that was forked inside the call and has a record of its own knows other functions by these slots */
	call->streamed &= thread == rec_tls.thread;
	end = call->streamed ? stream_exit(call) : rec_now_ticks();
	duration = call->duration = end - call->begin;
	row = rec_row(thread, call->slot);
	frame = &thread->frame[call->depth];
	if (unlikely(thread->depth < call->depth || frame->begin != call->begin)) {
		leave_without_frame(row, duration, call->failed);
		thread->last = end;
		if (call->failed)
			leave_failed(call);
		return;
	}
	/* a cold function that is called on every path makes all of it cold */
	if (unlikely(thread->depth > call->depth))
		rec_drop_above(thread, call->depth);
	child = frame->child;
	if (unlikely((int64_t)duration < 0)) { /* see rec_row_add(): nor has the call around it */
		rec_state.process->bad_ticks++;
		duration = call->duration = child;
	}
	if (unlikely(call->depth > 1 && is_recursive(thread, call->depth, call->slot))) {
		row->hist[fmt_bucket(duration)]++;
		row->child += child - duration;
		row->failed += call->failed;
	} else {
		rec_row_add(row, duration, child, call->failed);
	}
	thread->depth = call->depth - 1;
	thread->last = call->begin + duration;
	thread->frame[call->depth - 1].child += duration;
	if (unlikely(call->failed))
		leave_failed(call);
}

void rec_call_members(const struct rec_call *call, uint32_t members)
{
	struct fmt_function *function = rec_area_item(FMT_SECTION_FUNCTIONS, call->slot - 1);
	uint32_t least = __atomic_load_n(&function->members_least, __ATOMIC_RELAXED);
	uint32_t most = __atomic_load_n(&function->members_most, __ATOMIC_RELAXED);

	while ((!least || members < least) &&
	       !__atomic_compare_exchange_n(&function->members_least, &least, members, true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
	while (members > most && !__atomic_compare_exchange_n(&function->members_most, &most, members, true,
							      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void rec_stream_bytes(uint64_t out, uint64_t in)
{
	struct fmt_event_bytes event = {out, in};

	rec_stream_event(&rec_tls.writer, FMT_EVENT_BYTES, &event, sizeof(event));
}

void rec_stream_link(uint64_t correlation)
{
	struct fmt_event_link event = {correlation};

	rec_stream_event(&rec_tls.writer, FMT_EVENT_LINK, &event, sizeof(event));
}

uint32_t rec_guard_enter(void)
{
	struct rec_tls *tls = &rec_tls;

	tls->capacity = 0; /* the inline paths look at nothing else */
	tls->stream_capacity = 0;
	tls->count_capacity = 0;
	return tls->guard++;
}

void rec_guard_leave(uint32_t token)
{
	struct rec_tls *tls = &rec_tls;

	tls->guard = token;
	if (!token && tls->thread && tls->generation == rec_state.generation)
		rec_thread_publish(tls);
}
