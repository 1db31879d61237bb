/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges and marks: what the program itself calls its parts. They are no calls: where the time went is told of the
 * calls inside of them alone, and self time is what no range inside has. Always from the tally, also where other
 * figures are taken from streams.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "base/number.h"

struct range_row {
	struct summary_range out;
	struct histogram histogram;
	int64_t *per_rank;
};

static struct range_row *range_row_of(struct analysis *analysis, const struct process_time *process, uint32_t tid,
				const struct tally_function *function)
{
	const char *backend = process->tally->body->backend[function->backend].name;
	const char *group = thread_group(analysis, process, tid);
	struct rows *rows = &analysis->ranges;
	struct range_row *row;
	bool is_new;

	rows_key(rows);
	rows_key_text(analysis, rows, group);
	rows_key_text(analysis, rows, backend);
	rows_key_text(analysis, rows, function->name);
	rows_key_number(analysis, rows, function->kind);
	row = rows_find(analysis, rows, sizeof(*row), &is_new);
	if (is_new) {
		row->out.backend = keep(analysis, backend);
		row->out.name = keep(analysis, function->name);
		row->out.group = keep(analysis, group);
		row->out.kind = function->kind;
	}
	return row;
}

static void range_row_add(struct analysis *analysis, const struct process_time *process, struct range_row *row,
		    const struct fmt_stats *stats)
{
	const struct read_clock *clock = process_clock(analysis, process);
	uint64_t self = stats->total - stats->child; /* two's complement: see fmt_stats.child */
	int64_t self_ns = (int64_t)self < 0 ? -(int64_t)read_clock_duration(clock, 0 - self) :
					      (int64_t)read_clock_duration(clock, self);

	if (row->out.kind == SONDE_KIND_mark) {
		histogram_count(&row->histogram, stats);
		return;
	}
	histogram_add(&row->histogram, &analysis->scratch, clock, clock, stats);
	row->out.self_ns = number_add(row->out.self_ns, self_ns);
	row->out.unfinished += stats->unfinished; /* wraps: what one thread starts another may end */
	rank_add(analysis, &row->per_rank, process->rank, (int64_t)read_clock_duration(clock, stats->total));
}

static bool is_outermost_range(const struct tally_thread *thread, uint32_t range)
{
	for (uint32_t i = 0; i < range; i++)
		if (thread->range[i].function == thread->range[range].function)
			return false;
	return true;
}

/* Ranges that were open when the process was last seen, kept until its end is known. */
static void open_add(struct analysis *analysis, struct process_time *process, const struct tally_thread *thread)
{
	const struct read_clock *clock = process_clock(analysis, process);
	const struct tally_body *body = process->tally->body;
	size_t capacity = process->open_ranges;

	for (uint32_t i = 0; i < thread->ranges; i++) {
		const struct tally_frame *frame = &thread->range[i];
		struct range_row *row = range_row_of(analysis, process, thread->tid, &body->function[frame->function]);
		uint64_t begin = read_clock_raw(clock, frame->begin);

		process->open_range = arena_grow(&analysis->scratch, process->open_range, process->open_ranges,
						 &capacity, sizeof(*process->open_range));
		process->open_range[process->open_ranges++] =
			(struct open_range){row, is_outermost_range(thread, i) ? begin : UINT64_MAX};
		if (begin > process->last_sign_raw)
			process->last_sign_raw = begin;
	}
}

void ranges_add(struct analysis *analysis, struct process_time *process)
{
	const struct tally_body *body = process->tally->body;
	uint32_t i, j;

	for (i = 0; i < body->threads; i++) {
		const struct tally_thread *thread = &body->thread[i];

		for (j = 0; j < thread->rows; j++) {
			const struct tally_function *function = &body->function[thread->row[j].function];

			if (!function_is_range(function))
				continue;
			for (uint32_t k = 0; k < FMT_BUCKETS; k++)
				process->range_calls += thread->row[j].stats.hist[k];
			if (function->kind == SONDE_KIND_counter) {
				values_add(analysis, process, function, &thread->row[j].stats);
				continue;
			}
			range_row_add(analysis, process, range_row_of(analysis, process, thread->tid, function),
				&thread->row[j].stats);
		}
		open_add(analysis, process, thread);
	}
	for (i = 0; i < body->functions; i++) /* of no thread: of those that started the operations, all together */
		if (function_is_range(&body->function[i]) && body->function[i].device_ns)
			range_row_of(analysis, process, 0, &body->function[i])->out.device_ns +=
				body->function[i].device_ns;
}

static void open_finish(const struct process_time *process)
{
	for (uint32_t i = 0; i < process->open_ranges; i++) {
		struct range_row *row = process->open_range[i].row;
		uint64_t begin = process->open_range[i].begin_raw;

		row->out.unfinished++;
		if (begin < process->end_raw)
			row->out.open_ns = number_add(row->out.open_ns, (int64_t)(process->end_raw - begin));
	}
}

static int range_order(const void *left, const void *right)
{
	const struct summary_range *a = left, *b = right;
	struct busy a_busy = {a->times.total_ns + (uint64_t)a->open_ns, a->times.calls, a->backend, a->name, a->group};
	struct busy b_busy = {b->times.total_ns + (uint64_t)b->open_ns, b->times.calls, b->backend, b->name, b->group};

	return busiest_first(&a_busy, &b_busy);
}

void ranges_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	size_t i;

	for (i = 0; i < analysis->recording->tallies; i++)
		open_finish(&analysis->process[i]);
	summary->range = arena_array(analysis->arena, analysis->ranges.count, sizeof(*summary->range));
	for (i = 0; i < analysis->ranges.count; i++) {
		struct range_row *row = analysis->ranges.row[i];

		histogram_times(&row->histogram, &row->out.times);
		if (!*row->out.group)
			row->out.ranks = rank_spread(analysis, row->per_rank);
		summary->range[summary->ranges++] = row->out;
	}
	if (summary->ranges)
		qsort(summary->range, summary->ranges, sizeof(*summary->range), range_order);
}
