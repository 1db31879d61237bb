/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions whose name is known only at run time: which row a (backend, kind, name) has. HOT: looked up for each range
 * by the hash of its name, in a table that only grows, without a lock. Two names with one hash would share a row: with
 * as many names as there may be, that is one program in 10^13. Where there are more, the further ones of a backend and
 * kind share one: a program that counts its steps in their names ("step 17") is recorded to its end.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "record/rec_state.h"

#define TABLE 4096u /* little more than a quarter of it is used at most */
#define SHARED 64u  /* rows that further names share */
#define LIMIT (REC_DYNAMIC_MAX + SHARED)

struct entry {
	uint64_t key;
	uint32_t slot; /* 0: free; published behind the key */
	uint32_t reserved;
};
static struct entry table[TABLE];
static uint32_t used;

void rec_dynamic_forget(void)
{
	memset(table, 0, sizeof(table));
	used = 0;
}

static uint64_t key_of(const struct rec_backend *backend, const struct rec_label *label, enum sonde_kind kind)
{
	return (label->hash ^ (uintptr_t)backend ^ (uint64_t)kind << 56) * 0x9e3779b97f4a7c15u;
}

/* The key's entry, or the free one where it belongs. */
static struct entry *find(uint64_t key)
{
	uint64_t at = key >> 52;

	while (__atomic_load_n(&table[at].slot, __ATOMIC_ACQUIRE) && table[at].key != key)
		at = (at + 1) & (TABLE - 1);
	return &table[at];
}

/* The name that further ones share. Counters share none: their values do not belong together. */
static struct rec_label shared_label(enum sonde_kind kind)
{
	return rec_label(NULL, kind == SONDE_KIND_counter ? NULL : "(further names)");
}

/* Under the lock. */
static uint32_t add(struct rec_backend *backend, const struct rec_label *label, enum sonde_kind kind, uint32_t limit)
{
	uint64_t key = key_of(backend, label, kind);
	struct entry *entry = find(key);
	uint32_t slot = entry->slot;

	if (slot || used >= limit)
		return slot;
	slot = rec_slot_dynamic(backend, label, kind);
	if (!slot) {
		used = LIMIT; /* where one finds no room, the next ones are not to ask again */
		return 0;
	}
	entry->key = key;
	__atomic_store_n(&entry->slot, slot, __ATOMIC_RELEASE);
	used++;
	return slot;
}

static uint32_t add_or_share(struct rec_backend *backend, const struct rec_label *label, enum sonde_kind kind)
{
	struct rec_label shared = shared_label(kind);
	uint32_t slot = add(backend, label, kind, REC_DYNAMIC_MAX);

	if (slot)
		return slot;
	rec_state.process->notes |= FMT_NOTE_DYNAMIC_FULL;
	return shared.length ? add(backend, &shared, kind, LIMIT) : 0;
}

/* label NULL: *slot is known. */
static struct fmt_thread *prepare_locked(struct rec_backend *backend, const struct rec_label *label,
					 enum sonde_kind kind, uint32_t *slot)
{
	struct rec_tls *tls = &rec_tls;

	if (!rec_open() || !rec_backend_open(backend))
		return NULL;
	if ((!tls->thread || tls->generation != rec_state.generation) && !rec_thread_open(tls)) {
		tls->retry = 1000;
		rec_lost(backend);
		return NULL;
	}
	if (label)
		*slot = add_or_share(backend, label, kind);
	if (*slot > tls->thread->rows && !rec_thread_grow(tls->thread, *slot))
		*slot = 0;
	return tls->thread;
}

/* What a first range needs: a record, a block, a function, a row. */
static REC_COLD struct fmt_thread *prepare(struct rec_backend *backend, const struct rec_label *label,
					   enum sonde_kind kind, uint32_t *slot)
{
	int saved = errno, cancel_state;
	struct fmt_thread *thread;
	uint64_t signals;

	if (rec_is_off() || !(backend->state & REC_BACKEND_ON))
		return NULL;
	if (rec_tls.retry) {
		rec_tls.retry--;
		rec_lost(backend);
		return NULL;
	}
	rec_signals_block(&signals);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	rec_tls.guard++;
	rec_lock(&rec_state.lock);
	thread = prepare_locked(backend, label, kind, slot);
	rec_unlock(&rec_state.lock);
	rec_exit_watch();
	rec_tls.guard--;
	pthread_setcancelstate(cancel_state, NULL);
	rec_signals_restore(&signals);
	errno = saved;
	return thread;
}

/* Is that known, in this thread? 0: there is no room for it. */
static bool find_shared(struct rec_backend *backend, enum sonde_kind kind, const struct fmt_thread *thread,
			uint32_t *slot_out)
{
	struct rec_label shared = shared_label(kind);

	*slot_out = shared.length ? find(key_of(backend, &shared, kind))->slot : 0;
	return *slot_out ? *slot_out <= thread->rows : !shared.length || used == LIMIT;
}

struct fmt_thread *rec_dynamic(struct rec_backend *backend, const struct rec_label *label, enum sonde_kind kind,
			       uint32_t *slot_out)
{
	struct rec_tls *tls = &rec_tls;
	struct fmt_thread *thread = tls->thread;
	uint32_t slot;

	/* the tool's own question to a runtime, a handler while it is at work; or recording is paused */
	if (unlikely(tls->guard || rec_paused()))
		return NULL;
	if (likely(thread && rec_wiped->open && tls->generation == rec_state.generation)) {
		slot = find(key_of(backend, label, kind))->slot;
		if (likely(slot - 1 < thread->rows)) {
			*slot_out = slot;
			return thread;
		}
		if (!slot && used >= REC_DYNAMIC_MAX && find_shared(backend, kind, thread, slot_out)) {
			rec_state.process->notes |= FMT_NOTE_DYNAMIC_FULL;
			return thread;
		}
	}
	return prepare(backend, label, kind, slot_out);
}

struct fmt_thread *rec_dynamic_row(struct rec_backend *backend, uint32_t slot)
{
	struct rec_tls *tls = &rec_tls;
	struct fmt_thread *thread = tls->thread;

	if (unlikely(!thread || tls->generation != rec_state.generation || slot > thread->rows)) {
		thread = prepare(backend, NULL, SONDE_KIND_range, &slot);
		if (!slot)
			thread = NULL;
	}
	return thread;
}
