/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tracing cost the program: calls times the cost of one call pair, which each process measured
 * when its record was opened; a range takes about as long, calls that are only counted take less. What recording
 * arguments takes, which is more than all else, was measured call by call.
 */
#include "analyze/analysis.h"
#include "base/number.h"

void overhead_finish(struct analysis *analysis)
{
	struct summary_overhead *overhead = &analysis->summary->overhead;
	uint64_t calls = 0;
	size_t i;

	for (i = 0; i < analysis->recording->tallies; i++) {
		const struct process_time *process = &analysis->process[i];

		const uint64_t own = process->calls + process->range_calls;

		calls += own;
		/* from ticks, so that fractions of a nanosecond are not lost a million times */
		overhead->total_ns += process_ns(analysis, process, own * process->tally->raw.call_cost);
		overhead->total_ns += process_ns(analysis, process, process->argument_ticks);
		if (process_wall(process) > 0)
			overhead->wall_ns += (uint64_t)process_wall(process);
	}
	overhead->per_call_ns = calls ? (overhead->total_ns + calls / 2) / calls : 0;
	overhead->ppm = number_share((int64_t)overhead->total_ns, (int64_t)overhead->wall_ns);
}
