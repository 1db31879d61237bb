/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls that failed gave for an answer. */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"

void failures_add(struct analysis *analysis, struct process_time *process)
{
	const struct tally_body *body = process->tally->body;
	struct rows *rows = &analysis->failures;

	for (uint32_t i = 0; i < body->failures; i++) {
		const struct tally_failure *failure = &body->failure[i];
		const struct tally_function *function = &body->function[failure->raw.slot - 1];
		const char *backend = body->backend[function->backend].name;
		struct summary_failure *row;
		bool is_new;

		rows_key(rows);
		rows_key_text(analysis, rows, process->group);
		rows_key_text(analysis, rows, backend);
		rows_key_text(analysis, rows, function->name);
		rows_key_number(analysis, rows, (uint32_t)failure->raw.answer);
		row = rows_find(analysis, rows, sizeof(*row), &is_new);
		if (is_new) {
			row->backend = keep(analysis, backend);
			row->name = keep(analysis, function->name);
			row->group = process->group;
			row->answer = failure->raw.answer;
			row->answer_name = keep(analysis, failure->name);
		}
		row->calls += failure->raw.calls;
	}
}

static int failure_order(const void *left, const void *right)
{
	const struct summary_failure *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	if (!order)
		order = (a->answer > b->answer) - (a->answer < b->answer);
	return order ? order : strcmp(a->group, b->group);
}

void failures_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	struct rows *rows = &analysis->failures;

	summary->failure = arena_array(analysis->arena, rows->count, sizeof(*summary->failure));
	for (size_t i = 0; i < rows->count; i++)
		summary->failure[summary->failures++] = *(const struct summary_failure *)rows->row[i];
	if (rows->count)
		qsort(summary->failure, rows->count, sizeof(*summary->failure), failure_order);
}
