/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that a program gives at any time to what has a number: its threads, categories of its ranges. They are kept
 * beside the record, because they may be given before there is one, and hold in a forked child. Slow path.
 */
#include <errno.h>
#include <string.h>

#include "record/rec_state.h"

#define TEXT_MAX (1u << 20) /* bytes of all names together, those that were replaced included */
#define NO_ROW UINT32_MAX

struct named {
	const struct rec_backend *backend;
	const char *text; /* "": known no more */
	uint32_t what, scope, key;
	uint32_t row;     /* in the record, or NO_ROW */
};
static struct named named[REC_NAMED_MAX];
static uint32_t count;
static size_t text_left = TEXT_MAX;
static uint32_t lock;

void rec_named_forget(void)
{
	lock = 0;
	for (uint32_t i = 0; i < count; i++)
		named[i].row = NO_ROW;
}

/* The lock is held, the backend is listed. */
static void write_row(struct named *one)
{
	struct fmt_named *row;
	uint64_t index;

	if (one->row == NO_ROW) {
		row = rec_area_add(FMT_SECTION_NAMED, &index);
		if (!row)
			return;
		row->what = one->what;
		row->backend = one->backend->index;
		row->scope = one->scope;
		row->key = one->key;
		one->row = (uint32_t)index;
		rec_area_publish(FMT_SECTION_NAMED);
	}
	row = rec_area_item(FMT_SECTION_NAMED, one->row);
	__atomic_store_n(&row->name, rec_name(one->text, strlen(one->text)), __ATOMIC_RELEASE);
}

void rec_named_opened(const struct rec_backend *backend)
{
	rec_lock(&lock);
	for (uint32_t i = 0; i < count; i++)
		if (named[i].backend == backend && named[i].row == NO_ROW)
			write_row(&named[i]);
	rec_unlock(&lock);
}

/* NULL: it is new, and there is no room for it. */
static struct named *find(const struct rec_backend *backend, uint32_t what, uint32_t scope, uint32_t key)
{
	struct named *one;

	for (uint32_t i = 0; i < count; i++) {
		one = &named[i];
		if (one->backend == backend && one->what == what && one->scope == scope && one->key == key)
			return one;
	}
	if (count == REC_NAMED_MAX)
		return NULL;
	one = &named[count++];
	*one = (struct named){backend, "", what, scope, key, NO_ROW};
	return one;
}

static void give(struct rec_backend *backend, enum fmt_named_what what, uint32_t scope, uint32_t key, const char *name)
{
	struct named *one = find(backend, what, scope, key);
	size_t bytes = strlen(name) + 1;
	const char *kept;

	if (!one || !strcmp(one->text, name))
		return;
	if (bytes > text_left)
		return;
	kept = rec_keep(name, bytes);
	if (!kept)
		return;
	text_left -= bytes;
	one->text = kept;
	if (rec_ready() && (backend->state & REC_BACKEND_OPENED))
		write_row(one);
}

void rec_named(struct rec_backend *backend, enum fmt_named_what what, uint32_t scope, uint32_t key, const char *name)
{
	int saved = errno;
	uint64_t signals;

	if (!rec_backend_wanted(backend))
		return;
	rec_signals_block(&signals);
	rec_lock(&lock);
	give(backend, what, scope, key, name ? name : "");
	rec_unlock(&lock);
	rec_signals_restore(&signals);
	errno = saved;
}
