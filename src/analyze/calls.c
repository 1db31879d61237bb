/* SPDX-License-Identifier: BSD-3-Clause */
/* Host calls: one row per function, summed over threads and processes. */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "base/number.h"

struct call_row {
	struct summary_call out;
	struct histogram histogram;
	int64_t *per_rank;
};

const char *thread_group(struct analysis *analysis, const struct process_time *process, uint32_t tid)
{
	const char *name;

	if (analysis->by != SUMMARY_BY_THREAD)
		return process->group;
	name = tally_thread_name(process->tally->body, tid);
	return name ? arena_printf(&analysis->scratch, "%s, thread %u (%s)", process->group, tid, name) :
		      arena_printf(&analysis->scratch, "%s, thread %u", process->group, tid);
}

struct call_row *call_row(struct analysis *analysis, const struct process_time *process, uint32_t tid,
			  const struct tally_function *function)
{
	const char *backend = process->tally->body->backend[function->backend].name;
	const char *group = thread_group(analysis, process, tid);
	struct rows *rows = &analysis->calls;
	struct call_row *row;
	bool is_new;

	rows_key(rows);
	rows_key_text(analysis, rows, group);
	rows_key_text(analysis, rows, backend);
	rows_key_text(analysis, rows, function->name);
	rows_key_number(analysis, rows, (uint64_t)function->kind << 1 | function->counted);
	row = rows_find(analysis, rows, sizeof(*row), &is_new);
	if (is_new) {
		row->out.backend = keep(analysis, backend);
		row->out.name = keep(analysis, function->name);
		row->out.group = keep(analysis, group);
		row->out.kind = function->kind;
		row->out.layer = function->layer;
		row->out.timed = !function->counted;
	}
	return row;
}

void call_row_open(struct call_row *row, int64_t ns)
{
	row->out.unfinished++;
	row->out.open_ns = number_add(row->out.open_ns, ns);
}

static void call_row_add(struct analysis *analysis, struct call_row *row, const struct process_time *process,
		    const struct fmt_stats *stats)
{
	const struct read_clock *clock = thread_clock(analysis, process);
	uint64_t self = stats->total - stats->child; /* two's complement: see fmt_stats.child */
	int64_t self_ns = (int64_t)self < 0 ? -(int64_t)read_clock_duration(clock, 0 - self) :
					      (int64_t)read_clock_duration(clock, self);
	uint64_t calls = row->histogram.calls;

	if (row->out.timed) {
		histogram_add(&row->histogram, &analysis->scratch, clock, process_clock(analysis, process), stats);
		row->out.self_ns = number_add(row->out.self_ns, self_ns);
		rank_add(analysis, &row->per_rank, process->rank, (int64_t)read_clock_duration(clock, stats->total));
	} else {
		histogram_count(&row->histogram, stats);
		rank_add(analysis, &row->per_rank, process->rank, (int64_t)(row->histogram.calls - calls));
	}
	row->out.failed += stats->failed;
	row->out.unfinished += stats->unfinished;
	row->out.bytes_out += stats->bytes_out;
	row->out.bytes_in += stats->bytes_in;
	row->out.posted += stats->posted;
}

/* What is known of a function of a process, of all its threads together. */
static void function_add(struct analysis *analysis, const struct process_time *process,
			 const struct tally_function *function)
{
	const struct read_clock *clock = process_clock(analysis, process);
	struct summary_call *call;

	if (function_is_range(function) || !(function->device_ns || function->members_most))
		return;
	call = &call_row(analysis, process, 0, function)->out;
	call->device_ns += function->device_ns;
	call->team_ns += read_clock_duration(clock, function->team);
	call->team_waited_ns += read_clock_duration(clock, function->team_waited);
	if (function->members_least && (!call->members_least || function->members_least < call->members_least))
		call->members_least = function->members_least;
	if (function->members_most > call->members_most)
		call->members_most = function->members_most;
}

void calls_add(struct analysis *analysis, struct process_time *process)
{
	const struct tally_body *body = process->tally->body;
	uint32_t i, j;

	for (i = 0; i < body->threads; i++)
		for (j = 0; j < body->thread[i].rows; j++) {
			const struct tally_row *row = &body->thread[i].row[j];

			if (function_is_range(&body->function[row->function]))
				continue;
			call_row_add(analysis, call_row(analysis, process, body->thread[i].tid,
						   &body->function[row->function]), process, &row->stats);
		}
	for (i = 0; i < body->functions && analysis->by != SUMMARY_BY_THREAD; i++)
		function_add(analysis, process, &body->function[i]);
}

static int call_order(const void *left, const void *right)
{
	const struct summary_call *a = left, *b = right;
	struct busy a_busy = {a->times.total_ns + (uint64_t)a->open_ns, a->times.calls, a->backend, a->name, a->group};
	struct busy b_busy = {b->times.total_ns + (uint64_t)b->open_ns, b->times.calls, b->backend, b->name, b->group};

	return busiest_first(&a_busy, &b_busy);
}

void calls_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	size_t i;

	summary->call = arena_array(analysis->arena, analysis->calls.count, sizeof(*summary->call));
	for (i = 0; i < analysis->calls.count; i++) {
		struct call_row *row = analysis->calls.row[i];

		histogram_times(&row->histogram, &row->out.times);
		if (!*row->out.group) /* of one rank there is no spread */
			row->out.ranks = rank_spread(analysis, row->per_rank);
		summary->call[summary->calls++] = row->out;
	}
	if (summary->calls)
		qsort(summary->call, summary->calls, sizeof(*summary->call), call_order);
}
