/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls that failed gave for an answer: a row for each answer of a function. COLD, but without a lock for an
 * answer that came before: some programs ask until a call succeeds.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/rec_state.h"
#include "record/rec_stream.h"

#define KNOWN (2 * REC_FAILURES_MAX) /* a power of 2: half of it stays free */

static struct known {
	uint64_t key; /* slot in the upper half, then the answer; 0: free */
	uint32_t row; /* index */
} known[KNOWN];
static uint32_t lock;
static bool used, full;

void rec_fail_forget(void)
{
	if (used) /* else its pages stay unmade */
		memset(known, 0, sizeof(known));
	lock = 0;
	used = full = false;
}

/* The one with the key, or the free one where it would be. */
static struct known *find(uint64_t key)
{
	uint64_t at = (key * 0x9e3779b97f4a7c15u) >> 32;
	struct known *one;
	uint64_t found;

	do {
		one = &known[at++ % KNOWN];
		found = __atomic_load_n(&one->key, __ATOMIC_ACQUIRE);
	} while (found && found != key);
	return one;
}

static const struct rec_function *described_as(const struct rec_backend *backend, const char *name)
{
	for (uint32_t i = 0; i < backend->functions; i++)
		if (strcmp(backend->pool + backend->function[i].name, name) == 0)
			return &backend->function[i];
	return NULL;
}

/* Offset of what the answer is called in "NAME=value NAME=value"; 0: nothing. */
static uint64_t name_in(const char *text, int32_t answer)
{
	while (text && *text) {
		size_t length = strcspn(text, " "), name = strcspn(text, "=");

		if (name < length && (int32_t)strtoll(text + name + 1, NULL, 0) == answer)
			return rec_name(text, name);
		text += length + (text[length] == ' ');
	}
	return 0;
}

static void add(struct known *one, uint64_t key, const struct fmt_function *function)
{
	const struct rec_backend *backend = rec_state.backend_of[function->backend];
	const char *strings = rec_state.area[FMT_SECTION_STRINGS].base;
	const struct rec_function *described = described_as(backend, strings + function->name);
	struct fmt_failure *row;
	uint64_t index;

	row = rec_area_add_sums(FMT_SECTION_FAILURES, &index);
	full = !row;
	if (!row)
		return;
	used = true;
	row->slot = (uint32_t)(key >> 32);
	row->answer = (int32_t)key;
	row->name = row->answer && described ? name_in(rec_args_answers(backend, described), row->answer) : 0;
	rec_area_publish(FMT_SECTION_FAILURES);
	one->row = (uint32_t)index;
	__atomic_store_n(&one->key, key, __ATOMIC_RELEASE);
}

void rec_failed(uint32_t slot, rec_word answer)
{
	const struct fmt_function *function;
	const struct rec_backend *backend;
	struct known *one;
	uint64_t key, signals;
	int saved = errno;

	if (!rec_ready())
		return;
	function = rec_area_item(FMT_SECTION_FUNCTIONS, slot - 1);
	backend = rec_state.backend_of[function->backend];
	if (answer && backend->plain_answer)
		answer = (rec_word)(intptr_t)backend->plain_answer((int32_t)answer);
	key = (uint64_t)slot << 32 | (uint32_t)answer;
	one = find(key);
	if (__atomic_load_n(&one->key, __ATOMIC_ACQUIRE) != key && !__atomic_load_n(&full, __ATOMIC_RELAXED)) {
		rec_signals_block(&signals);
		rec_lock(&lock);
		one = find(key);
		if (!one->key)
			add(one, key, function);
		rec_unlock(&lock);
		rec_signals_restore(&signals);
	}
	if (__atomic_load_n(&one->key, __ATOMIC_ACQUIRE) == key) { /* else there was no room */
		struct fmt_failure *row = rec_area_item(FMT_SECTION_FAILURES, one->row);

		__atomic_fetch_add(&row->calls, 1, __ATOMIC_RELAXED);
	}
	errno = saved;
}

rec_word rec_fast_failed(struct fmt_thread *thread, uint64_t slots, uint64_t begin, uint64_t end, rec_word answer,
			 rec_word result)
{
	uint32_t slot = (uint32_t)slots;

	if (slots >> 32 == slot)
		rec_fast_leave(thread, slot, begin, end, true);
	else if (!rec_fast_late(thread, slot, begin, end, true))
		return result;
	if (thread == rec_tls.thread)
		rec_failed(slot, answer);
	return result;
}

rec_word rec_stream_failed(struct fmt_thread *thread, uint64_t slots, uint64_t begin, rec_word answer, rec_word result)
{
	uint32_t slot = (uint32_t)slots;

	if (slots >> 32 == slot && rec_tls.thread == thread) {
		uint64_t end;
		char *at = rec_stream_take(&rec_tls.writer, 16, true, &end);

		rec_stream_leave(thread, slot, at, begin, end, true, answer);
	} else if (!rec_stream_late(thread, slot, begin, true, answer)) {
		return result;
	}
	if (thread == rec_tls.thread)
		rec_failed(slot, answer);
	return result;
}
