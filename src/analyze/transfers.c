/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers: what was moved between which kinds of memory, and how fast. */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"

struct transfer_row {
	struct summary_transfer out;
	struct device_row *device;
};

void transfers_add(struct analysis *analysis, struct process_time *process)
{
	const struct tally_body *body = process->tally->body;
	struct rows *rows = &analysis->transfers;
	uint32_t i;

	for (i = 0; i < body->transfers; i++) {
		const struct fmt_transfer *raw = &body->transfer[i].raw;
		const char *backend = body->backend[raw->backend].name;
		struct device_row *device = device_of(analysis, process, raw->device);
		struct transfer_row *row;
		bool is_new;

		rows_key(rows);
		rows_key_text(analysis, rows, process->group);
		rows_key_text(analysis, rows, backend);
		rows_key_number(analysis, rows, (uintptr_t)device);
		rows_key_number(analysis, rows, (uint64_t)raw->direction << 32 | raw->memory);
		row = rows_find(analysis, rows, sizeof(*row), &is_new);
		if (is_new) {
			row->device = device;
			row->out.backend = keep(analysis, backend);
			row->out.group = process->group;
			row->out.direction = (enum sonde_direction)raw->direction;
			row->out.memory = (enum sonde_memory_kind)raw->memory;
		}
		row->out.calls += raw->calls;
		row->out.bytes += raw->bytes;
		row->out.total_ns += raw->total_ns;
	}
}

static int transfer_order(const void *left, const void *right)
{
	const struct summary_transfer *a = left, *b = right;
	int names;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	names = strcmp(a->device, b->device);
	if (!names)
		names = (int)a->direction - (int)b->direction;
	return names ? names : strcmp(a->group, b->group);
}

void transfers_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	struct rows *rows = &analysis->transfers;
	size_t i;

	summary->transfer = arena_array(analysis->arena, rows->count, sizeof(*summary->transfer));
	for (i = 0; i < rows->count; i++) {
		struct transfer_row *row = rows->row[i];

		row->out.device = device_label(row->device);
		row->out.host = device_host(row->device);
		summary->transfer[summary->transfers++] = row->out;
	}
	if (rows->count)
		qsort(summary->transfer, rows->count, sizeof(*summary->transfer), transfer_order);
}
