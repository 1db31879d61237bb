/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels by name: per device, and over all devices for readers with many of them. */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"

struct kernel_row {
	struct summary_kernel out;
	struct device_row *device;
	bool several; /* devices */
	struct histogram histogram;
	int64_t *per_rank;
};

static struct kernel_row *kernel_row_of(struct analysis *analysis, struct rows *rows,
					const struct process_time *process, const struct tally_op *op, bool per_device)
{
	const char *backend = process->tally->body->backend[op->backend].name;
	struct device_row *device = device_of(analysis, process, op->device);
	struct kernel_row *row;
	bool is_new;

	rows_key(rows);
	rows_key_text(analysis, rows, process->group);
	rows_key_text(analysis, rows, backend);
	rows_key_text(analysis, rows, op->name);
	rows_key_number(analysis, rows, op->kind);
	rows_key_number(analysis, rows, per_device ? (uintptr_t)device : 0);
	row = rows_find(analysis, rows, sizeof(*row), &is_new);
	if (is_new) {
		row->out.name = keep(analysis, op->name);
		row->out.backend = keep(analysis, backend);
		row->out.group = process->group;
		row->out.kind = op->kind;
		row->out.shape = op->shape;
		row->device = device;
	}
	row->several |= row->device != device;
	return row;
}

static void kernel_row_add(struct analysis *analysis, struct rows *rows, const struct process_time *process,
		    const struct tally_op *op, bool per_device)
{
	struct kernel_row *row = kernel_row_of(analysis, rows, process, op, per_device);

	histogram_add(&row->histogram, &analysis->scratch, NULL, NULL, &op->stats);
	row->out.shape.known = fmt_shape_common(&row->out.shape, &op->shape);
	rank_add(analysis, &row->per_rank, process->rank, (int64_t)op->stats.total);
}

void kernels_add(struct analysis *analysis, struct process_time *process)
{
	const struct tally_body *body = process->tally->body;
	uint32_t i;

	for (i = 0; i < body->ops; i++) {
		const struct tally_op *op = &body->op[i];

		if (kind_category(op->kind) != SONDE_CATEGORY_launch)
			continue;
		kernel_row_add(analysis, &analysis->kernels, process, op, true);
		kernel_row_add(analysis, &analysis->kernels_all, process, op, false);
	}
}

static int kernel_order(const void *left, const void *right)
{
	const struct summary_kernel *a = left, *b = right;
	int names;

	if (a->times.total_ns != b->times.total_ns)
		return a->times.total_ns > b->times.total_ns ? -1 : 1;
	names = strcmp(a->name, b->name);
	if (!names)
		names = strcmp(a->device, b->device);
	return names ? names : strcmp(a->group, b->group);
}

static struct summary_kernel *rows_write(struct analysis *analysis, struct rows *rows)
{
	struct summary_kernel *kernel = arena_array(analysis->arena, rows->count, sizeof(*kernel));
	size_t i;

	for (i = 0; i < rows->count; i++) {
		struct kernel_row *row = rows->row[i];

		histogram_times(&row->histogram, &row->out.times);
		if (!*row->out.group) /* of one rank there is no spread */
			row->out.ranks = rank_spread(analysis, row->per_rank);
		row->out.device = row->several ? "" : device_label(row->device);
		row->out.host = row->several ? "" : device_host(row->device);
		kernel[i] = row->out;
	}
	if (rows->count)
		qsort(kernel, rows->count, sizeof(*kernel), kernel_order);
	return kernel;
}

void kernels_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;

	summary->kernel = rows_write(analysis, &analysis->kernels);
	summary->kernels = analysis->kernels.count;
	summary->kernel_all = rows_write(analysis, &analysis->kernels_all);
	summary->kernels_all = analysis->kernels_all.count;
}
