/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations on their way. Each counts its signal down by one at its end, and the runtime tells the times of the last
 * operation that did. So they are read when the program has waited for the signal, before it uses it again, when much
 * is pending, and at the end; nobody waits for a signal. Where several operations are to count one signal down it is
 * not known whose times it tells: they have none.
 */
#include <errno.h>
#include <string.h>

#include "hsa.h"

#define MOST (1u << 17)
#define SWEEP_FIRST 1024u
#define READ_AGAIN_NS 1000000u
#define CHAINS 1024u
#define SHARED 1u /* ticket: several operations are to count the signal down */
#define NEVER INT64_MIN       /* no value says that all operations are over */

static struct rec_map signals = REC_MAP(struct hsa_pending *);
static struct list {
	struct hsa_pending *first, *last;
} timed, untimed; /* in order: those that may get times, and signals that tell none */
static struct rec_pool places = REC_POOL(struct hsa_pending, MOST);
static uint32_t lock, known, stopping; /* known: signals */
static uint32_t known_in[CHAINS];      /* so many of them, by signal: what every store asks, without a lock */
static uint64_t waiting, sweep_at = SWEEP_FIRST, oldest = UINT64_MAX, tickets = SHARED;
static struct rec_foreign_clock theirs;

bool hsa_times(void)
{
	return !rec_backend_there("rocprofiler");
}

/* ---- the runtime; in a guard ---- */

static bool ask_clock(uint64_t *ticks_out)
{
	uint32_t (*get)(uint32_t, void *) = HSA_REAL(hsa_system_get_info, uint32_t, void *);

	if (!theirs.hz && (!get || get(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &theirs.hz) != HSA_SUCCESS))
		return false;
	return get && get(HSA_SYSTEM_INFO_TIMESTAMP, ticks_out) == HSA_SUCCESS;
}

bool hsa_clock_start(void)
{
	return rec_foreign_read(&theirs, ask_clock, UINT64_MAX / 2);
}

/* The order matters: times are read after it. */
static int64_t value_of(rec_word signal)
{
	int64_t (*load)(rec_word) = (int64_t (*)(rec_word))rec_real(&hsa_backend, hsa_sym_hsa_signal_load_scacquire);

	return load ? load(signal) : NEVER;
}

static bool read_times(const struct hsa_pending *operation, uint64_t *times_out)
{
	uint32_t (*kernel)(rec_word, rec_word, uint64_t *) =
		HSA_REAL(hsa_amd_profiling_get_dispatch_time, rec_word, rec_word, uint64_t *);
	uint32_t (*copy)(rec_word, uint64_t *) = HSA_REAL(hsa_amd_profiling_get_async_copy_time, rec_word, uint64_t *);

	if (operation->agent)
		return kernel && kernel(operation->agent, operation->signal, times_out) == HSA_SUCCESS;
	return copy && copy(operation->signal, times_out) == HSA_SUCCESS;
}

/* Begin and end as the runtime tells them; false: they cannot be right. */
static bool convert(const struct hsa_pending *operation, const uint64_t *times, struct rec_span *span)
{
	return rec_foreign_read(&theirs, ask_clock, READ_AGAIN_NS) &&
	       rec_foreign_span(&theirs, times[0], times[1], operation->handed_ns, span);
}

/* ---- places; the lock is held ---- */

static void note_timed(int more)
{
	__atomic_add_fetch(&waiting, (uint64_t)more, __ATOMIC_RELEASE);
	__atomic_store_n(&oldest, timed.first ? timed.first->handed_ns : UINT64_MAX, __ATOMIC_RELEASE);
}

static void put_in(struct hsa_pending *operation)
{
	struct list *list = operation->timed ? &timed : &untimed;

	operation->previous = list->last;
	operation->next = NULL;
	*(list->last ? &list->last->next : &list->first) = operation;
	list->last = operation;
	if (list == &timed)
		note_timed(1);
}

static void take_out(struct hsa_pending *operation)
{
	struct list *list = operation->timed ? &timed : &untimed;

	*(operation->previous ? &operation->previous->next : &list->first) = operation->next;
	*(operation->next ? &operation->next->previous : &list->last) = operation->previous;
	if (list == &timed)
		note_timed(-1);
}

static uint32_t *known_like(rec_word signal)
{
	return &known_in[((uint64_t)signal * 0x9e3779b97f4a7c15u) >> 54];
}

static void note_known(rec_word signal, uint32_t more)
{
	__atomic_add_fetch(known_like(signal), more, __ATOMIC_RELEASE);
	__atomic_add_fetch(&known, more, __ATOMIC_RELEASE);
}

static void forget_signal(struct hsa_pending *operation)
{
	take_out(operation);
	rec_map_take(&signals, operation->signal, NULL);
	note_known(operation->signal, -1u);
	rec_pool_give(&places, operation);
}

static struct hsa_pending *know_signal(const struct hsa_pending *operation)
{
	struct hsa_pending *place = rec_pool_take(&places);

	if (!place)
		return NULL;
	*place = *operation;
	place->id = ++tickets;
	if (!rec_map_put(&signals, operation->signal, &place)) {
		rec_pool_give(&places, place);
		return NULL;
	}
	put_in(place);
	note_known(operation->signal, 1);
	return place;
}

/* ---- what became of them; the lock is held, in a guard ---- */

static void without_times(struct hsa_pending *operation)
{
	take_out(operation);
	operation->timed = false;
	put_in(operation);
}

/* From here on the signal tells the times of none of them. Who hands one over still counts it when that is done. */
static void give_up(struct hsa_pending *operation)
{
	if (operation->timed) {
		if (!operation->handing)
			rec_device_untimed(&hsa_backend);
		without_times(operation);
	}
}

/* False: it is not over, as the signal's value says. */
static bool settle_at(struct hsa_pending *operation, int64_t value)
{
	uint64_t times[2] = {0, 0};
	struct rec_span span;

	if (!operation->timed) {
		if (operation->value == NEVER || value > operation->value)
			return false;
		forget_signal(operation);
		return true;
	}
	if (operation->handing || value >= operation->value)
		return false;
	span = operation->span;
	if (read_times(operation, times) && convert(operation, times, &span))
		rec_device_span(&hsa_backend, &span);
	else
		rec_device_untimed(&hsa_backend);
	forget_signal(operation);
	return true;
}

static bool settle(struct hsa_pending *operation)
{
	return settle_at(operation, value_of(operation->signal));
}

static uint64_t collect(void)
{
	struct hsa_pending *next;

	for (struct hsa_pending *operation = timed.first; operation; operation = next) {
		next = operation->next;
		settle(operation);
	}
	sweep_at = waiting * 2 > SWEEP_FIRST ? waiting * 2 : SWEEP_FIRST;
	return waiting;
}

/* One more operation that counts the signal down, of those that have no times. */
static void share(struct hsa_pending *operation)
{
	if (operation->timed) {
		give_up(operation);
		operation->value--; /* when it is over the signal has this value */
	}
	if (operation->value != NEVER)
		operation->value--;
}

/* ---- what is asked of this file ---- */

static struct hsa_pending *of_signal(rec_word signal)
{
	struct hsa_pending *operation;

	return rec_map_get(&signals, signal, &operation) && !settle(operation) ? operation : NULL;
}

static struct hsa_pending *of_ticket(rec_word signal, uint64_t ticket)
{
	struct hsa_pending *operation;

	return ticket > SHARED && rec_map_get(&signals, signal, &operation) && operation->id == ticket ? operation
													   : NULL;
}

/* What went before is settled, and the value read, while nobody else enters one. */
uint64_t hsa_pending_enter(rec_word signal)
{
	struct hsa_pending place = {.signal = signal, .timed = true, .handing = true}, *before, *entered;
	uint64_t ticket = SHARED;

	rec_lock(&lock);
	if (waiting >= sweep_at)
		collect();
	before = of_signal(signal);
	if (before) {
		share(before);
	} else {
		place.value = value_of(signal);
		place.handed_ns = rec_raw_ns();
		entered = know_signal(&place);
		ticket = entered ? entered->id : 0;
	}
	rec_unlock(&lock);
	return ticket;
}

void hsa_pending_leave(rec_word signal, uint64_t ticket, rec_word agent, const struct rec_span *span)
{
	struct hsa_pending *operation;
	bool times = false;

	rec_lock(&lock);
	operation = of_ticket(signal, ticket);
	if (operation) {
		operation->handing = false;
		times = operation->timed;
		if (times && span) {
			operation->agent = agent;
			operation->span = *span;
		} else if (times) {
			without_times(operation);
			if (operation->value != NEVER)
				operation->value--; /* when it is over the signal has this value */
		}
	}
	if (span && !times)
		rec_device_untimed(&hsa_backend);
	rec_unlock(&lock);
}

/* A signal that another one shares keeps that: what it is down to is not known so well any more. */
void hsa_pending_cancel(rec_word signal, uint64_t ticket)
{
	struct hsa_pending *operation;

	if (ticket <= SHARED)
		return;
	rec_lock(&lock);
	operation = of_ticket(signal, ticket);
	if (operation && operation->timed)
		forget_signal(operation);
	else if (operation)
		operation->handing = false;
	rec_unlock(&lock);
}

void hsa_pending_unknown(rec_word signal)
{
	struct hsa_pending other = {.signal = signal, .value = NEVER}, *before;

	rec_lock(&lock);
	if (rec_map_get(&signals, signal, &before)) {
		give_up(before);
		before->value = NEVER;
	} else {
		know_signal(&other);
	}
	rec_unlock(&lock);
}

bool hsa_signals_known(void)
{
	return __atomic_load_n(&known, __ATOMIC_ACQUIRE);
}

void hsa_signal_used(rec_word signal, enum hsa_signal_use use)
{
	struct hsa_pending *operation;
	uint32_t token;

	if (!__atomic_load_n(known_like(signal), __ATOMIC_ACQUIRE))
		return;
	token = rec_guard_enter();
	rec_lock(&lock);
	operation = of_signal(signal);
	if (operation && use != HSA_SIGNAL_WAITED) {
		give_up(operation);
		operation->value = NEVER;
		if (use != HSA_SIGNAL_CHANGED) /* nothing is on its way that counts it down */
			forget_signal(operation);
	}
	rec_unlock(&lock);
	rec_guard_leave(token);
}

uint64_t hsa_signal_pending(rec_word signal)
{
	struct hsa_pending *operation;
	uint32_t token;
	uint64_t id;

	if (!__atomic_load_n(known_like(signal), __ATOMIC_ACQUIRE))
		return 0;
	token = rec_guard_enter();
	rec_lock(&lock);
	operation = of_signal(signal);
	id = operation ? operation->id : 0;
	rec_unlock(&lock);
	rec_guard_leave(token);
	return id;
}

void hsa_signal_swapped(rec_word signal, uint64_t id, int64_t before)
{
	struct hsa_pending *operation;
	uint32_t token = rec_guard_enter();

	rec_lock(&lock);
	operation = of_ticket(signal, id);
	if (operation && !settle_at(operation, before)) {
		give_up(operation);
		forget_signal(operation);
	}
	rec_unlock(&lock);
	rec_guard_leave(token);
}

void hsa_pending_collect(void)
{
	uint32_t token;

	if (!__atomic_load_n(&waiting, __ATOMIC_ACQUIRE))
		return;
	token = rec_guard_enter();
	rec_lock(&lock);
	collect();
	rec_unlock(&lock);
	rec_guard_leave(token);
}

/* ---- the end ---- */

void hsa_pending_stopping(void)
{
	uint32_t token = rec_guard_enter();

	rec_lock(&lock);
	collect();
	stopping++; /* from here on nobody asks of signals unless the program uses them */
	rec_unlock(&lock);
	rec_guard_leave(token);
}

void hsa_pending_stopped(void)
{
	uint32_t token = rec_guard_enter();
	bool stopped = false;
	uint64_t ticks;

	rec_lock(&lock);
	if (!ask_clock(&ticks)) { /* what is pending stays unfinished */
		while (timed.first)
			forget_signal(timed.first);
		while (untimed.first)
			forget_signal(untimed.first);
		theirs = (struct rec_foreign_clock){0};
		stopped = true;
	}
	stopping--;
	rec_unlock(&lock);
	hsa_queues_stopped(stopped);
	if (stopped)
		hsa_copies_forget();
	rec_guard_leave(token);
}

static bool is_there(void)
{
	bool there = false;

	if (rec_try_lock(&lock)) {
		there = !stopping && rec_foreign_read(&theirs, ask_clock, 0);
		rec_unlock(&lock);
	}
	return there;
}

static uint64_t left(void)
{
	uint32_t token;
	uint64_t now;

	token = rec_guard_enter();
	if (is_there()) {
		hsa_queues_read();
		if (rec_try_lock(&lock)) {
			if (!stopping)
				collect();
			rec_unlock(&lock);
		}
	}
	now = __atomic_load_n(&waiting, __ATOMIC_ACQUIRE);
	rec_guard_leave(token);
	return now;
}

static bool is_used(void)
{
	return __atomic_load_n(&known, __ATOMIC_ACQUIRE) || hsa_queues_live();
}

void hsa_pending_flush(uint64_t deadline_raw_ns)
{
	int saved = errno;

	if (rec_may_ask() && is_used())
		rec_flush_wait(deadline_raw_ns, left);
	errno = saved;
}

uint64_t hsa_pending_oldest(void)
{
	return __atomic_load_n(&oldest, __ATOMIC_ACQUIRE);
}

/* In the child of a fork: the parent's work is not ours. */
void hsa_pending_forget(void)
{
	timed = untimed = (struct list){NULL, NULL};
	rec_pool_forget(&places);
	signals = (struct rec_map)REC_MAP(struct hsa_pending *);
	lock = known = stopping = 0;
	memset(known_in, 0, sizeof(known_in));
	waiting = 0;
	sweep_at = SWEEP_FIRST;
	oldest = UINT64_MAX;
	theirs = (struct rec_foreign_clock){0};
}
