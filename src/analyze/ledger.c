/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ledger: what was seen, recorded and lost, per backend. recorded + lost = seen always holds,
 * because seen is that sum: a call that is neither recorded nor counted as lost was not seen.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "base/number.h"

static struct summary_ledger *ledger_row_of(struct analysis *analysis, const char *backend)
{
	struct rows *rows = &analysis->ledger;
	struct summary_ledger *row;
	bool is_new;

	rows_key(rows);
	rows_key_text(analysis, rows, backend);
	row = rows_find(analysis, rows, sizeof(*row), &is_new);
	if (is_new) {
		row->backend = keep(analysis, backend);
		row->attached_by = row->library = "";
	}
	return row;
}

static bool list_has(const char *list, const char *name, size_t length)
{
	const char *at;

	for (at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
		if (strcspn(at, ",") == length && !memcmp(at, name, length))
			return true;
	return false;
}

/* Union of two comma-separated lists. */
static const char *list_join(struct analysis *analysis, const char *list, const char *more)
{
	size_t length;

	for (; *more; more += length + (more[length] == ',')) {
		length = strcspn(more, ",");
		if (length && !list_has(list, more, length))
			list = arena_printf(analysis->arena, "%s%s%.*s", list, *list ? "," : "", (int)length, more);
	}
	return list;
}

static void backend_add(struct analysis *analysis, const struct tally_backend *backend)
{
	const struct fmt_backend *raw = &backend->raw;
	struct summary_ledger *row = ledger_row_of(analysis, backend->name);
	int64_t unfinished;

	row->attached_by = list_join(analysis, row->attached_by, backend->attached_by);
	row->library = list_join(analysis, row->library, backend->library);
	if (raw->hooked > row->hooked)
		row->hooked = raw->hooked;
	row->lost += raw->lost;
	row->device_seen += raw->device_seen;
	row->device_recorded += raw->device_recorded;
	row->device_lost += raw->device_lost;
	row->untimed += raw->untimed;
	row->late += raw->late;
	unfinished = (int64_t)(raw->device_seen - raw->device_recorded - raw->untimed - raw->device_lost);
	if (unfinished < 0) { /* a runtime tells how many it lost, not which: these had not been seen before */
		row->device_seen += (uint64_t)-unfinished;
		unfinished = 0;
	}
	row->unfinished = number_add(row->unfinished, unfinished);
	if (*backend->note)
		summary_add_note(analysis->summary, "backend", "%s: %s", backend->name, backend->note);
	if (*backend->serialised)
		summary_add_note(analysis->summary, "serialised",
				 "%s: %s was set: work of devices and the program wait for each other, and do not "
				 "overlap as they do without", backend->name, backend->serialised);
	if (*backend->second)
		summary_add_note(analysis->summary, "second_provider",
				 "%s: %s provides the API a second time; calls of it that the program looked up by "
				 "name passed untraced", backend->name, backend->second);
}

static void calls_of_thread(struct analysis *analysis, const struct tally_body *body, const struct tally_thread *thread)
{
	uint32_t i, j;

	for (i = 0; i < thread->rows; i++) {
		const struct fmt_stats *stats = &thread->row[i].stats;
		const struct tally_function *function = &body->function[thread->row[i].function];
		struct summary_ledger *row = ledger_row_of(analysis, body->backend[function->backend].name);

		for (j = 0; j < FMT_BUCKETS; j++)
			row->recorded += stats->hist[j];
		if (!function_is_range(function)) /* many a program leaves main's range open */
			row->calls_unfinished += stats->unfinished;
	}
	/* a thread does not know whose calls it had no room for; with one backend there is no question */
	if (thread->lost)
		ledger_row_of(analysis, body->backends == 1 ? body->backend[0].name : "(any)")->lost += thread->lost;
}

void ledger_add(struct analysis *analysis, struct process_time *process)
{
	const struct tally_body *body = process->tally->body;
	uint32_t i;

	for (i = 0; i < body->backends; i++)
		backend_add(analysis, &body->backend[i]);
	for (i = 0; i < body->threads; i++)
		calls_of_thread(analysis, body, &body->thread[i]);
}

static int ledger_order(const void *left, const void *right)
{
	const struct summary_ledger *a = left, *b = right;

	return strcmp(a->backend, b->backend);
}

void ledger_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	struct rows *rows = &analysis->ledger;
	size_t i;

	summary->ledger = arena_array(analysis->arena, rows->count, sizeof(*summary->ledger));
	for (i = 0; i < rows->count; i++) {
		struct summary_ledger *row = rows->row[i];

		row->seen = row->recorded + row->lost;
		row->off = row->lost || row->device_lost || row->untimed || row->late || row->unfinished ||
			   row->calls_unfinished;
		/* what is missing makes every sum a lower bound; late records are in it, if approximately */
		summary->lower_bound |= row->lost || row->device_lost || row->untimed || row->unfinished > 0 ||
					row->calls_unfinished;
		if (row->unfinished < 0)
			summary_add_note(summary, "negative", "error: %s: more device operations were delivered than "
					 "launched", row->backend);
		summary->ledger[summary->ledgers++] = *row;
	}
	if (rows->count)
		qsort(summary->ledger, rows->count, sizeof(*summary->ledger), ledger_order);
}
