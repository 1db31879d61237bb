/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory in use by kind and device. The peak of one process is exact; those of several need not
 * fall together, so their sum is an upper bound and marked as one.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"

struct memory_row {
	struct summary_memory out;
	struct device_row *device;
};

void memory_add(struct analysis *analysis, struct process_time *process)
{
	const struct tally_body *body = process->tally->body;
	struct rows *rows = &analysis->memory;
	uint32_t i;

	for (i = 0; i < body->memories; i++) {
		const struct fmt_memory *raw = &body->memory[i].raw;
		const char *backend = body->backend[raw->backend].name;
		struct device_row *device = device_of(analysis, process, raw->device);
		struct memory_row *row;
		bool is_new;

		rows_key(rows);
		rows_key_text(analysis, rows, process->group);
		rows_key_text(analysis, rows, backend);
		rows_key_number(analysis, rows, (uintptr_t)device);
		rows_key_number(analysis, rows, raw->memory);
		row = rows_find(analysis, rows, sizeof(*row), &is_new);
		if (is_new) {
			row->device = device;
			row->out.backend = keep(analysis, backend);
			row->out.group = process->group;
			row->out.memory = (enum sonde_memory_kind)raw->memory;
		}
		row->out.peak_is_bound |= row->out.peak_bytes && raw->peak_bytes;
		row->out.allocs += raw->allocs;
		row->out.frees += raw->frees;
		row->out.alloc_bytes += raw->alloc_bytes;
		row->out.live_bytes += raw->live_bytes;
		row->out.peak_bytes += raw->peak_bytes;
	}
}

static int memory_order(const void *left, const void *right)
{
	const struct summary_memory *a = left, *b = right;
	int names;

	if (a->peak_bytes != b->peak_bytes)
		return a->peak_bytes > b->peak_bytes ? -1 : 1;
	names = strcmp(a->device, b->device);
	if (!names)
		names = (int)a->memory - (int)b->memory;
	return names ? names : strcmp(a->group, b->group);
}

void memory_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	struct rows *rows = &analysis->memory;
	size_t i;

	summary->memory = arena_array(analysis->arena, rows->count, sizeof(*summary->memory));
	for (i = 0; i < rows->count; i++) {
		struct memory_row *row = rows->row[i];

		row->out.device = device_label(row->device);
		row->out.host = device_host(row->device);
		summary->memory[summary->memories++] = row->out;
	}
	if (rows->count)
		qsort(summary->memory, rows->count, sizeof(*summary->memory), memory_order);
}
