/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of time as sorted, disjoint, half-open intervals. */
#ifndef SONDE_ANALYZE_INTERVAL_H
#define SONDE_ANALYZE_INTERVAL_H

#include <stdbool.h>

#include "base/arena.h"
#include "format/tally.h"

struct interval_set {
	struct fmt_interval *interval;
	size_t used;
};

struct interval_set interval_union(struct arena *arena, const struct interval_set *left,
				   const struct interval_set *right);
uint64_t interval_length(const struct interval_set *set);
uint64_t interval_overlap(const struct interval_set *left, const struct interval_set *right);
/* The parts before and from `line` on. */
struct interval_set interval_before(struct arena *arena, const struct interval_set *set, uint64_t line);
struct interval_set interval_from(struct arena *arena, const struct interval_set *set, uint64_t line);

#endif
