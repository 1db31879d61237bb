/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of histograms and their percentiles; see histogram.h. */
#include "analyze/histogram.h"

#define SAME_SPEED 1000u /* rates that differ by less than one part in this many are one */

struct histogram_part {
	struct read_clock clock;
	uint64_t count[FMT_BUCKETS];
};

static const struct read_clock ns_clock = {.valid = true, .rate = (uint64_t)1 << READ_RATE_SHIFT};

static bool same_speed(const struct read_clock *left, const struct read_clock *right)
{
	uint64_t difference = left->rate > right->rate ? left->rate - right->rate : right->rate - left->rate;

	return difference <= right->rate / SAME_SPEED;
}

static struct histogram_part *part_of(struct histogram *histogram, struct arena *arena, const struct read_clock *clock)
{
	size_t i;

	for (i = 0; i < histogram->parts; i++)
		if (same_speed(&histogram->part[i].clock, clock))
			return &histogram->part[i];
	histogram->part = arena_grow(arena, histogram->part, histogram->parts, &histogram->capacity,
				     sizeof(*histogram->part));
	histogram->part[i].clock = *clock;
	histogram->parts++;
	return &histogram->part[i];
}

void histogram_count(struct histogram *histogram, const struct fmt_stats *stats)
{
	unsigned i;

	for (i = 0; i < FMT_BUCKETS; i++)
		histogram->calls += stats->hist[i];
}

void histogram_add(struct histogram *histogram, struct arena *arena, const struct read_clock *clock,
		   const struct read_clock *steps, const struct fmt_stats *stats)
{
	struct histogram_part *part;
	uint64_t min, max;
	unsigned i;

	if (!clock)
		clock = &ns_clock;
	part = part_of(histogram, arena, steps ? steps : &ns_clock);
	for (i = 0; i < FMT_BUCKETS; i++)
		part->count[i] += stats->hist[i];
	if (stats->nmin) {
		min = read_clock_duration(clock, ~stats->nmin);
		if (!histogram->has_min || min < histogram->min_ns)
			histogram->min_ns = min;
		histogram->has_min = true;
	}
	max = read_clock_duration(clock, stats->max);
	if (max > histogram->max_ns)
		histogram->max_ns = max;
	histogram->total_ns += read_clock_duration(clock, stats->total);
	histogram_count(histogram, stats);
}

/* Longest duration that falls into a step. */
static uint64_t step_end(const struct histogram_part *part, unsigned step)
{
	if (step >= FMT_BUCKETS - 1) /* it holds the rest */
		return UINT64_MAX;
	return read_clock_duration(&part->clock, fmt_bucket_floor(step + 1) - 1);
}

/* The step with the lowest end among those that come next in each part (at equal ends, any). */
static bool next_step(const struct histogram *histogram, const unsigned *at, size_t *part_out, uint64_t *end_out)
{
	bool found = false;
	uint64_t end;
	size_t i;

	for (i = 0; i < histogram->parts; i++) {
		if (at[i] >= FMT_BUCKETS)
			continue;
		end = step_end(&histogram->part[i], at[i]);
		if (!found || end < *end_out) {
			*end_out = end;
			*part_out = i;
			found = true;
		}
	}
	return found;
}

uint64_t histogram_percentile(const struct histogram *histogram, unsigned percent)
{
	uint64_t timed = 0, wanted, seen = 0, end = 0;
	unsigned *at, i;
	struct arena scratch = {NULL};
	size_t part;

	for (part = 0; part < histogram->parts; part++)
		for (i = 0; i < FMT_BUCKETS; i++)
			timed += histogram->part[part].count[i];
	if (!timed)
		return 0;
	wanted = timed / 100 * percent + (timed % 100 * percent + 99) / 100; /* rank of the call, from 1 */
	at = arena_array(&scratch, histogram->parts, sizeof(*at));
	while (seen < wanted && next_step(histogram, at, &part, &end))
		seen += histogram->part[part].count[at[part]++];
	arena_free(&scratch);
	if (end < histogram->min_ns)
		end = histogram->min_ns;
	return end > histogram->max_ns ? histogram->max_ns : end;
}

void histogram_times(const struct histogram *histogram, struct summary_times *times_out)
{
	times_out->calls = histogram->calls;
	times_out->total_ns = histogram->total_ns;
	times_out->min_ns = histogram->min_ns;
	times_out->max_ns = histogram->max_ns;
	times_out->p50_ns = histogram_percentile(histogram, 50);
	times_out->p99_ns = histogram_percentile(histogram, 99);
}
