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
#define TOLERANCE_NS 1000000u /* by which the device's clock may be off beside the bound of the conversion */
#define NEVER INT64_MIN       /* no value says that all operations are over */

static struct rec_map signals = REC_MAP(struct hsa_pending *);
static struct list {
	struct hsa_pending *first, *last;
} timed, untimed; /* in order: those that may get times, and signals that tell none */
static struct rec_pool places = REC_POOL(struct hsa_pending, MOST);
static uint32_t lock, known; /* known: signals */
static uint64_t waiting, sweep_at = SWEEP_FIRST, oldest = UINT64_MAX;
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

void hsa_clock_start(void)
{
	rec_foreign_read(&theirs, ask_clock, UINT64_MAX / 2);
}

int64_t hsa_signal_value(rec_word signal)
{
	int64_t (*load)(rec_word) = (int64_t (*)(rec_word))rec_real(&hsa_backend, hsa_sym_hsa_signal_load_relaxed);

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
	uint64_t error;

	if (!times[0] || times[1] < times[0])
		return false;
	if (!rec_foreign_read(&theirs, ask_clock, READ_AGAIN_NS) ||
	    !rec_foreign_convert(&theirs, times[0], &span->begin_ns, &error) ||
	    !rec_foreign_convert(&theirs, times[1], &span->end_ns, &span->error_ns))
		return false;
	if (error > span->error_ns)
		span->error_ns = error;
	error = span->error_ns + TOLERANCE_NS;
	return span->begin_ns <= span->end_ns && span->begin_ns + error >= operation->handed_ns &&
	       span->end_ns <= rec_raw_ns() + error;
}

/* ---- places; the lock is held ---- */

static bool is_timed(const struct hsa_pending *operation)
{
	return operation->uses == 1;
}

static void note_timed(int more)
{
	__atomic_add_fetch(&waiting, (uint64_t)more, __ATOMIC_RELEASE);
	__atomic_store_n(&oldest, timed.first ? timed.first->handed_ns : UINT64_MAX, __ATOMIC_RELEASE);
}

static void put_in(struct hsa_pending *operation)
{
	struct list *list = is_timed(operation) ? &timed : &untimed;

	operation->previous = list->last;
	operation->next = NULL;
	*(list->last ? &list->last->next : &list->first) = operation;
	list->last = operation;
	if (list == &timed)
		note_timed(1);
}

static void take_out(struct hsa_pending *operation)
{
	struct list *list = is_timed(operation) ? &timed : &untimed;

	*(operation->previous ? &operation->previous->next : &list->first) = operation->next;
	*(operation->next ? &operation->next->previous : &list->last) = operation->previous;
	if (list == &timed)
		note_timed(-1);
}

static void forget_signal(struct hsa_pending *operation)
{
	take_out(operation);
	rec_map_take(&signals, operation->signal, NULL);
	__atomic_sub_fetch(&known, 1, __ATOMIC_RELEASE);
	rec_pool_give(&places, operation);
}

static bool know_signal(const struct hsa_pending *operation)
{
	struct hsa_pending *place = rec_pool_take(&places);

	if (!place)
		return false;
	*place = *operation;
	if (!rec_map_put(&signals, operation->signal, &place)) {
		rec_pool_give(&places, place);
		return false;
	}
	put_in(place);
	__atomic_add_fetch(&known, 1, __ATOMIC_RELEASE);
	return true;
}

/* ---- what became of them; the lock is held, in a guard ---- */

/* From here on the signal tells the times of none of them. */
static void give_up(struct hsa_pending *operation)
{
	if (is_timed(operation)) {
		take_out(operation);
		rec_device_untimed(&hsa_backend);
		operation->uses = 2;
		put_in(operation);
	}
}

/* False: it is not over. */
static bool settle(struct hsa_pending *operation)
{
	int64_t value = hsa_signal_value(operation->signal);
	uint64_t times[2] = {0, 0};
	struct rec_span span;

	if (!is_timed(operation)) {
		if (operation->value == NEVER || value > operation->value)
			return false;
		forget_signal(operation);
		return true;
	}
	if (value >= operation->value)
		return false;
	span = operation->span;
	if (read_times(operation, times) && convert(operation, times, &span))
		rec_device_span(&hsa_backend, &span);
	else
		rec_device_untimed(&hsa_backend);
	forget_signal(operation);
	return true;
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
	if (is_timed(operation)) {
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

void hsa_pending_add(const struct hsa_pending *operation)
{
	struct hsa_pending place = *operation, *before;

	rec_lock(&lock);
	if (waiting >= sweep_at)
		collect();
	before = of_signal(operation->signal);
	if (before)
		share(before);
	place.uses = 1;
	if (!place.handed_ns)
		place.handed_ns = rec_raw_ns();
	if (before || !know_signal(&place))
		rec_device_untimed(&hsa_backend);
	rec_unlock(&lock);
}

void hsa_pending_shared(rec_word signal)
{
	struct hsa_pending other = {.signal = signal, .uses = 2}, *before;

	rec_lock(&lock);
	before = of_signal(signal);
	if (before) {
		share(before);
	} else {
		other.value = hsa_signal_value(signal) - 1;
		know_signal(&other);
	}
	rec_unlock(&lock);
}

void hsa_pending_unknown(rec_word signal)
{
	struct hsa_pending other = {.signal = signal, .uses = 2, .value = NEVER}, *before;

	rec_lock(&lock);
	if (rec_map_get(&signals, signal, &before)) {
		give_up(before);
		before->value = NEVER;
	} else {
		know_signal(&other);
	}
	rec_unlock(&lock);
}

void hsa_signal_used(rec_word signal, enum hsa_signal_use use)
{
	struct hsa_pending *operation;
	uint32_t token;

	if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE))
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
	rec_unlock(&lock);
	if (stopped) {
		hsa_queues_drop();
		hsa_copies_forget();
	}
	rec_guard_leave(token);
}

static uint64_t left(void)
{
	uint32_t token;
	uint64_t now;

	token = rec_guard_enter();
	if (rec_foreign_read(&theirs, ask_clock, 0)) { /* the runtime is there still */
		hsa_queues_read();
		if (rec_try_lock(&lock)) {
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
	lock = known = 0;
	waiting = 0;
	sweep_at = SWEEP_FIRST;
	oldest = UINT64_MAX;
	theirs = (struct rec_foreign_clock){0};
}
