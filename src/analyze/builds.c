/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds of device code at run time. */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"

void builds_add(struct analysis *analysis, struct process_time *process)
{
	const struct tally_body *body = process->tally->body;
	struct rows *rows = &analysis->builds;
	uint32_t i;

	for (i = 0; i < body->builds; i++) {
		const struct tally_build *build = &body->build[i];
		const char *backend = body->backend[build->raw.backend].name;
		struct summary_build *row;
		bool is_new;

		rows_key(rows);
		rows_key_text(analysis, rows, process->group);
		rows_key_text(analysis, rows, backend);
		rows_key_text(analysis, rows, build->name);
		rows_key_number(analysis, rows, build->raw.source);
		row = rows_find(analysis, rows, sizeof(*row), &is_new);
		if (is_new) {
			row->backend = keep(analysis, backend);
			row->name = keep(analysis, build->name);
			row->group = process->group;
			row->source = (enum sonde_build_source)build->raw.source;
		}
		row->calls += build->raw.calls;
		row->failed += build->raw.failed;
		row->total_ns += process_ns(analysis, process, build->raw.total);
		row->processes += build->raw.processes;
	}
}

static int build_order(const void *left, const void *right)
{
	const struct summary_build *a = left, *b = right;
	int names;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	names = strcmp(a->name, b->name);
	return names ? names : strcmp(a->group, b->group);
}

void builds_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	struct rows *rows = &analysis->builds;
	size_t i;

	summary->build = arena_array(analysis->arena, rows->count, sizeof(*summary->build));
	for (i = 0; i < rows->count; i++)
		summary->build[summary->builds++] = *(const struct summary_build *)rows->row[i];
	if (rows->count)
		qsort(summary->build, rows->count, sizeof(*summary->build), build_order);
}
