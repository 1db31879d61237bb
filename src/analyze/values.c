/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that programs set: least, greatest and mean of the values, over all threads and processes of a host. The
 * mean is of the values as they were set, whenever that was: how long one held is not known here.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"

struct value_row {
	struct summary_counter out;
	double sum;
};

static double number_of(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

void values_add(struct analysis *analysis, const struct process_time *process, const struct tally_function *function,
		const struct fmt_stats *stats)
{
	const char *backend = process->tally->body->backend[function->backend].name;
	const char *host = analysis->recording->host[process->tally->host].name;
	double least = number_of(stats->nmin), greatest = number_of(stats->max);
	struct rows *rows = &analysis->values;
	struct value_row *row;
	bool is_new;

	if (!stats->hist[0])
		return;
	rows_key(rows);
	rows_key_text(analysis, rows, host);
	rows_key_text(analysis, rows, backend);
	rows_key_text(analysis, rows, function->name);
	row = rows_find(analysis, rows, sizeof(*row), &is_new);
	if (is_new) {
		row->out = (struct summary_counter){.backend = keep(analysis, backend), .unit = "", .key = "",
						    .name = keep(analysis, function->name), .device = "",
						    .host = keep(analysis, host)};
		row->out.min = least;
		row->out.max = greatest;
	}
	row->out.min = least < row->out.min ? least : row->out.min;
	row->out.max = greatest > row->out.max ? greatest : row->out.max;
	row->sum += number_of(stats->total);
	row->out.samples += stats->hist[0];
}

static int value_order(const void *left, const void *right)
{
	const struct summary_counter *a = left, *b = right;
	int order = strcmp(a->backend, b->backend);

	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : strcmp(a->host, b->host);
}

void values_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	size_t before = summary->counters, i;

	for (i = 0; i < analysis->values.count; i++) {
		struct value_row *row = analysis->values.row[i];

		row->out.mean = row->sum / (double)row->out.samples;
		summary->counter = arena_grow(analysis->arena, summary->counter, summary->counters,
					      &summary->counter_capacity, sizeof(*summary->counter));
		summary->counter[summary->counters++] = row->out;
	}
	if (analysis->values.count)
		qsort(summary->counter + before, analysis->values.count, sizeof(*summary->counter), value_order);
}
