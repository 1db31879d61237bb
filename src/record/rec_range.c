/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges and marks. HOT: no lock, no system call, no libc once a name has its row. A thread's ranges have a stack
 * of their own, so that calls inside of them keep the inline path and their figures; a range's self time is
 * what no range inside of it has. Ranges of the process lie in a table that threads meet in without a lock.
 */
#include <string.h>

#include "record/rec_state.h"
#include "record/rec_stream.h"

#define STARTED 1024u /* ranges of the process that may be open at once */
#define PROBES 64u

struct started {
	uint64_t key;   /* of backend and caller; 0: free. Taken first, given back last */
	uint64_t begin; /* ticks; 0: being filled in */
	uint32_t slot, reserved;
};
static struct started started[STARTED];
uint32_t rec_range_version;

void rec_range_forget(void)
{
	memset(started, 0, sizeof(started));
	rec_range_version = 0;
}

/* The thread's block, if it has one and anything may be recorded. */
static struct fmt_thread *block_here(void)
{
	const struct rec_tls *tls = &rec_tls;

	if (likely(!tls->guard && rec_wiped->open && tls->generation == rec_state.generation))
		return tls->thread;
	return NULL;
}

/* An event of the function, and the time. Inline: of a payload whose size is known, no copy is a call. */
static inline __attribute__((always_inline)) uint64_t stamp_with(uint32_t slot, enum fmt_call_event event,
								 const void *payload, uint32_t bytes)
{
	uint64_t ticks;
	char *at;

	if (unlikely(slot > rec_state.streamed)) {
		rec_stream_lost(1);
		return rec_now_ticks();
	}
	at = rec_stream_take(&rec_tls.writer, 8 + bytes, false, &ticks);
	rec_stream_head(at, fmt_event_id(slot, event), ticks);
	if (bytes)
		__builtin_memcpy(at + 8, payload, bytes);
	rec_stream_publish(&rec_tls.writer, at + 8 + bytes, ticks);
	return ticks;
}

/* The time, with an event of the function where there are streams. */
static uint64_t stamp(uint32_t slot, enum fmt_call_event event)
{
	if (likely(!rec_state.process->streams || !slot))
		return rec_now_ticks();
	return stamp_with(slot, event, NULL, 0);
}

/* What the entry of a range says beside its name. */
struct entry {
	enum fmt_call_event event;
	const void *payload;
};
static const struct entry plain_entry = {FMT_CALL_ENTRY, NULL};

static struct entry told_entry(const struct fmt_event_told *told)
{
	return told ? (struct entry){FMT_CALL_TOLD, told} : plain_entry;
}

static uint64_t stamp_entry(uint32_t slot, const struct entry *entry)
{
	if (likely(!rec_state.process->streams || !slot))
		return rec_now_ticks();
	if (likely(!entry->payload))
		return stamp_with(slot, entry->event, NULL, 0);
	if (entry->event == FMT_CALL_NUMBERED)
		return stamp_with(slot, FMT_CALL_NUMBERED, entry->payload, sizeof(uint64_t));
	return stamp_with(slot, FMT_CALL_TOLD, entry->payload, sizeof(struct fmt_event_told));
}

/* An event of a range of the process: which one, and whether this is its end. */
static uint64_t stamp_process(uint32_t slot, uint64_t key, bool end, const struct fmt_event_told *told)
{
	struct fmt_event_told_start start = {.range = (key & ~(uint64_t)1) | end};

	if (likely(!rec_state.process->streams))
		return rec_now_ticks();
	if (likely(!told))
		return stamp_with(slot, FMT_CALL_ASYNC, &start.range, sizeof(start.range));
	start.told = *told;
	return stamp_with(slot, FMT_CALL_TOLD_START, &start, sizeof(start));
}

/* The thread's last step: one at most is open. */
static __thread struct {
	uint64_t number;
	uint32_t stack;
	bool known;
} step __attribute__((tls_model("initial-exec")));

/* What the entry of a range that is open already says once more. */
static struct entry entry_again(const struct fmt_range *range)
{
	return step.known && range->stack == step.stack ? (struct entry){FMT_CALL_NUMBERED, &step.number} : plain_entry;
}

/* slot 0: not recorded, but its pop must find it. */
static inline void open_range(struct rec_backend *backend, struct fmt_thread *thread, uint32_t slot, uint32_t stack,
			      const struct entry *entry)
{
	uint32_t depth = thread->ranges;
	struct fmt_range *range;

	if (unlikely(depth == FMT_RANGES || thread->ranges_above)) {
		thread->ranges_above++;
		if (slot)
			rec_lost(backend);
		return;
	}
	/* depth first, as with calls: a handler's ranges go above it */
	thread->ranges = ++depth;
	range = &thread->range[depth];
	range->slot = (uint16_t)slot;
	range->context = 0;
	range->stack = stack;
	range->child = 0;
	range->begin = range->since = stamp_entry(slot, entry);
}

static inline void push(struct rec_backend *backend, const struct rec_label *label, uint32_t stack,
			const struct entry *entry)
{
	struct fmt_thread *thread;
	uint32_t slot = 0;

	if (unlikely(rec_paused())) {
		thread = block_here();
		if (thread)
			open_range(backend, thread, 0, stack, &plain_entry);
		return;
	}
	thread = rec_dynamic(backend, label, SONDE_KIND_range, &slot);
	if (unlikely(!thread))
		return;
	if (unlikely(!slot))
		rec_lost(backend);
	open_range(backend, thread, slot, stack, entry);
}

void rec_range_push(struct rec_backend *backend, const struct rec_label *label, uint32_t stack)
{
	push(backend, label, stack, &plain_entry);
}

void rec_range_push_told(struct rec_backend *backend, const struct rec_label *label, uint32_t stack,
			 const struct fmt_event_told *told)
{
	const struct entry entry = told_entry(told);

	push(backend, label, stack, &entry);
}

/* In a pause only ends of calls are told so: see fmt_covered(). */
static void sign_of_life(struct fmt_thread *thread, uint64_t ticks)
{
	if (likely(!rec_paused()))
		thread->last = ticks;
}

/* Is the range open further down as well? Then its time is in the outer one's already. */
static bool is_recursive(const struct fmt_thread *thread, uint32_t depth)
{
	for (uint32_t i = 1; i < depth; i++)
		if (thread->range[i].slot == thread->range[depth].slot)
			return true;
	return false;
}

/* Adds the range at `depth`, which ends at `end`, to its row and to what the range around it holds. */
static void finish(struct fmt_thread *thread, uint32_t depth, uint64_t end)
{
	const struct fmt_range *range = &thread->range[depth];
	uint64_t duration = end - range->begin;
	struct fmt_stats *row;

	thread->range[depth - 1].child += end - range->since;
	sign_of_life(thread, end);
	if (unlikely(!range->slot))
		return;
	row = rec_row(thread, range->slot);
	if (unlikely(depth > 1 && is_recursive(thread, depth))) {
		row->hist[fmt_bucket(duration)]++;
		row->child += range->child - duration;
	} else {
		rec_row_add(row, duration, range->child, false);
	}
}

/*
 * Ranges of several domains that do not nest. What is open above goes on, in the range around this one: in the stream,
 * where an end closes all that is above, in a second piece.
 */
static REC_COLD void pop_below(struct fmt_thread *thread, uint32_t depth)
{
	uint32_t top = thread->ranges;
	struct fmt_range *range = &thread->range[depth];
	uint64_t end = 0;

	for (uint32_t i = top; i >= depth; i--)
		end = stamp(thread->range[i].slot, FMT_CALL_EXIT);
	range->child += end - range[1].since;
	finish(thread, depth, end);
	for (uint32_t i = depth + 1; i <= top; i++) {
		const struct entry again = entry_again(&thread->range[i]);

		stamp_entry(thread->range[i].slot, &again);
		thread->range[i].context = 0;
	}
	range[1].since = end;
	for (uint32_t i = depth; i < top; i++)
		thread->range[i] = thread->range[i + 1];
	thread->ranges = top - 1;
}

void rec_range_pop(struct rec_backend *backend, uint32_t stack)
{
	struct fmt_thread *thread = block_here();
	uint32_t depth;

	(void)backend;
	if (unlikely(!thread))
		return;
	if (unlikely(thread->ranges_above)) {
		thread->ranges_above--;
		return;
	}
	depth = thread->ranges;
	while (depth && thread->range[depth].stack != stack)
		depth--;
	if (unlikely(!depth)) /* its push was before the record, in the parent of a fork, or never */
		return;
	if (unlikely(depth != thread->ranges)) {
		pop_below(thread, depth);
		return;
	}
	finish(thread, depth, stamp(thread->range[depth].slot, FMT_CALL_EXIT));
	thread->ranges = depth - 1;
}

/* Above the room for ranges nothing tells whose the ones there are: a step that begins there is lost, and ends none. */
void rec_range_step(struct rec_backend *backend, const struct rec_label *label, uint32_t stack, uint64_t number)
{
	const struct entry entry = {FMT_CALL_NUMBERED, &step.number};
	const struct fmt_thread *thread = block_here();

	if (unlikely(thread && thread->ranges_above)) {
		if (!rec_paused())
			rec_lost(backend);
		return;
	}
	rec_range_pop(backend, stack);
	if (unlikely(thread && thread->ranges == FMT_RANGES)) {
		if (!rec_paused())
			rec_lost(backend);
		return;
	}
	step = (__typeof__(step)){.number = number, .stack = stack, .known = true};
	push(backend, label, stack, &entry);
}

void rec_range_step_end(struct rec_backend *backend, uint32_t stack)
{
	const struct fmt_thread *thread = block_here();

	if (likely(thread && !thread->ranges_above))
		rec_range_pop(backend, stack);
}

/* ---- ranges of the process ----------------------------------------------------------------------- */

static uint64_t key_of(const struct rec_backend *backend, uint64_t key)
{
	key = (key ^ (uintptr_t)backend << 20) * 0x9e3779b97f4a7c15u;
	return key ? key : 1;
}

static struct started *find(uint64_t key)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct started *range = &started[((key >> 40) + i) % STARTED];

		if (__atomic_load_n(&range->key, __ATOMIC_ACQUIRE) == key)
			return range;
	}
	return NULL;
}

static struct started *take(uint64_t key)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct started *range = &started[((key >> 40) + i) % STARTED];
		uint64_t unused = 0;

		if (__atomic_compare_exchange_n(&range->key, &unused, key, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return range;
	}
	return NULL;
}

void rec_range_start_told(struct rec_backend *backend, const struct rec_label *label, uint64_t key,
			  const struct fmt_event_told *told)
{
	uint32_t slot;
	struct fmt_thread *thread = rec_dynamic(backend, label, SONDE_KIND_range, &slot);
	struct started *range = NULL;

	if (!thread)
		return;
	key = key_of(backend, key);
	if (slot)
		range = take(key);
	if (!range) {
		rec_lost(backend);
		return;
	}
	range->slot = slot;
	rec_row(thread, slot)->unfinished++; /* until its end, which may be in the row of another thread */
	__atomic_store_n(&range->begin, stamp_process(slot, key, false, told), __ATOMIC_RELEASE);
	__atomic_fetch_add(&rec_range_version, 1, __ATOMIC_RELEASE);
}

void rec_range_start(struct rec_backend *backend, const struct rec_label *label, uint64_t key)
{
	rec_range_start_told(backend, label, key, NULL);
}

void rec_range_end(struct rec_backend *backend, uint64_t key)
{
	struct started *range;
	struct fmt_thread *thread;
	uint64_t begin, end;
	uint32_t slot;

	key = key_of(backend, key);
	if (!rec_wiped->open || rec_tls.guard)
		return;
	range = find(key);
	begin = range ? __atomic_load_n(&range->begin, __ATOMIC_ACQUIRE) : 0;
	if (!begin)
		return;
	slot = range->slot;
	thread = rec_dynamic_row(backend, slot);
	end = thread ? stamp_process(slot, key, true, NULL) : rec_now_ticks();
	range->begin = 0;
	__atomic_store_n(&range->key, 0, __ATOMIC_RELEASE);
	__atomic_fetch_add(&rec_range_version, 1, __ATOMIC_RELEASE);
	if (!thread) {
		rec_lost(backend);
		return;
	}
	rec_row_add(rec_row(thread, slot), end - begin, 0, false);
	rec_row(thread, slot)->unfinished--;
	sign_of_life(thread, end);
}

uint32_t rec_range_started(uint16_t *slots, uint32_t room)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < STARTED && count < room; i++)
		if (__atomic_load_n(&started[i].begin, __ATOMIC_ACQUIRE))
			slots[count++] = (uint16_t)started[i].slot;
	return count;
}

void rec_mark_told(struct rec_backend *backend, const struct rec_label *label, const struct fmt_event_told *told)
{
	struct entry entry = {FMT_CALL_INSTANT, NULL};
	uint32_t slot;
	struct fmt_thread *thread = rec_dynamic_or_lost(backend, label, SONDE_KIND_mark, &slot);

	if (unlikely(!thread))
		return;
	if (told)
		entry = told_entry(told);
	thread->last = stamp_entry(slot, &entry);
	rec_row(thread, slot)->hist[0]++;
}

void rec_mark(struct rec_backend *backend, const struct rec_label *label)
{
	rec_mark_told(backend, label, NULL);
}

/* ---- counters ------------------------------------------------------------------------------------ */

static double number_of(enum fmt_arg_type type, uint64_t value)
{
	double number;

	switch (type) {
	case FMT_ARG_F32:
	case FMT_ARG_F64:
		__builtin_memcpy(&number, &value, sizeof(number));
		return number;
	case FMT_ARG_S8:
	case FMT_ARG_S16:
	case FMT_ARG_S32:
	case FMT_ARG_S64:
		return (double)(int64_t)value;
	default:
		return (double)value;
	}
}

static double bits_number(uint64_t bits)
{
	return number_of(FMT_ARG_F64, bits);
}

static uint64_t number_bits(double number)
{
	uint64_t bits;

	__builtin_memcpy(&bits, &number, sizeof(bits));
	return bits;
}

void rec_counter(struct rec_backend *backend, const struct rec_label *label, enum fmt_arg_type type, uint64_t value)
{
	const struct fmt_event_told told = {.type = type, .value = value};
	const struct entry entry = told_entry(&told);
	double number = number_of(type, value);
	uint32_t slot;
	struct fmt_thread *thread = rec_dynamic_or_lost(backend, label, SONDE_KIND_counter, &slot);
	struct fmt_stats *row;

	if (unlikely(!thread))
		return;
	thread->last = stamp_entry(slot, &entry);
	row = rec_row(thread, slot);
	if (!row->hist[0] || number < bits_number(row->nmin))
		row->nmin = number_bits(number);
	if (!row->hist[0] || number > bits_number(row->max))
		row->max = number_bits(number);
	row->total = number_bits(bits_number(row->total) + number);
	row->hist[0]++;
}
