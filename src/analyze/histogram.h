/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sum of histograms that may come from counters of different speed. Steps are kept in the unit in
 * which they were counted; only their ends are converted, so summing adds no error of its own.
 */
#ifndef SONDE_ANALYZE_HISTOGRAM_H
#define SONDE_ANALYZE_HISTOGRAM_H

#include "analyze/summary.h"
#include "format/tally.h"
#include "read/recording.h"

struct histogram {
	struct histogram_part *part; /* one per speed: nodes of one kind share it */
	size_t parts, capacity;
	uint64_t calls, total_ns, min_ns, max_ns;
	bool has_min;
};

/* Adds a row: `clock` of its times, `steps` of its histogram. NULL: they are ns already. */
void histogram_add(struct histogram *histogram, struct arena *arena, const struct read_clock *clock,
		   const struct read_clock *steps, const struct fmt_stats *stats);
/* Only calls, no times. */
void histogram_count(struct histogram *histogram, const struct fmt_stats *stats);
/*
 * Upper end of the step that holds the given share of the calls, but within [min, max]: at least so many took no
 * longer. A lower end may stand below an average of calls that all lie in one step.
 */
uint64_t histogram_percentile(const struct histogram *histogram, unsigned percent);
void histogram_times(const struct histogram *histogram, struct summary_times *times_out);

#endif
