/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ticks to nanoseconds. All processes of a host share one counter, so they share one conversion: the
 * one whose two readings lie farthest apart, because the error of a rate is the error of the
 * readings divided by their distance.
 */
#include <stdlib.h>

#include "read/read_internal.h"

__extension__ typedef unsigned __int128 wide;

#define RATE_ONE ((uint64_t)1 << READ_RATE_SHIFT)
/* Counters tick between 1 MHz and 16 GHz; anything else is a damaged reading. */
#define RATE_MIN (RATE_ONE / 16)
#define RATE_MAX (RATE_ONE * 1000)
#define ERROR_UNKNOWN_NS 10000u /* of a reading that does not say */
/* How far two conversions of one counter may differ beyond the error of their readings: 1 / 1000 */
#define RATE_TOLERANCE 1000u

struct clock_reading {
	struct fmt_triple triple;
	size_t record; /* readings of one record are a pair */
};

struct clock_pair {
	struct fmt_triple first, last;
	uint64_t rate;
};

uint64_t read_clock_duration(const struct read_clock *clock, uint64_t ticks)
{
	wide ns = ((wide)ticks * clock->rate + RATE_ONE / 2) >> READ_RATE_SHIFT;

	return ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
}

uint64_t read_clock_raw(const struct read_clock *clock, uint64_t ticks)
{
	uint64_t distance;

	if (ticks >= clock->ticks) {
		distance = read_clock_duration(clock, ticks - clock->ticks);
		return clock->raw_ns > INT64_MAX - distance ? INT64_MAX : clock->raw_ns + distance;
	}
	distance = read_clock_duration(clock, clock->ticks - ticks);
	return distance > clock->raw_ns ? 0 : clock->raw_ns - distance;
}

static uint64_t triple_error(const struct fmt_triple *triple)
{
	return triple->error_ns ? triple->error_ns : ERROR_UNKNOWN_NS;
}

static bool pair_make(const struct fmt_triple *first, const struct fmt_triple *last, struct clock_pair *pair_out)
{
	wide rate;

	if (last->ticks <= first->ticks || last->raw_ns <= first->raw_ns)
		return false;
	rate = ((wide)(last->raw_ns - first->raw_ns) << READ_RATE_SHIFT) / (last->ticks - first->ticks);
	if (rate < RATE_MIN || rate > RATE_MAX)
		return false;
	*pair_out = (struct clock_pair){*first, *last, (uint64_t)rate};
	return true;
}

static uint64_t pair_baseline(const struct clock_pair *pair)
{
	return pair->last.raw_ns - pair->first.raw_ns;
}

/* Do two conversions agree, given how well each of them can be known? */
static bool pair_agrees(const struct clock_pair *left, const struct clock_pair *right)
{
	uint64_t difference = left->rate > right->rate ? left->rate - right->rate : right->rate - left->rate;
	uint64_t error = triple_error(&right->first) + triple_error(&right->last);
	wide allowed = (wide)right->rate * error / pair_baseline(right) + right->rate / RATE_TOLERANCE;

	return difference <= allowed;
}

static int reading_order(const void *left, const void *right)
{
	const struct clock_reading *a = left, *b = right;

	return a->triple.ticks < b->triple.ticks ? -1 : a->triple.ticks > b->triple.ticks;
}

static size_t readings_add(struct clock_reading *readings, size_t count, size_t record, const struct fmt_triple *triple)
{
	if (triple->ticks && triple->raw_ns && triple->ticks < INT64_MAX && triple->raw_ns < INT64_MAX)
		readings[count++] = (struct clock_reading){*triple, record};
	return count;
}

/* Readings of one host and clock; each record's two stand one behind the other. */
static struct clock_reading *readings_of(struct recording *recording, uint32_t host, uint32_t clock, size_t *count_out)
{
	size_t most = 2 * (recording->launches + recording->tallies), count = 0, i;
	struct clock_reading *readings = arena_array(&recording->arena, most, sizeof(*readings));

	for (i = 0; i < recording->launches; i++) {
		const struct read_launch *launch = &recording->launch[i];

		if (launch->host != host || launch->raw.clock != clock)
			continue;
		count = readings_add(readings, count, i, &launch->raw.start);
		if (launch->raw.ended)
			count = readings_add(readings, count, i, &launch->raw.end);
	}
	for (i = 0; i < recording->tallies; i++) {
		const struct tally *tally = &recording->tally[i];

		if (tally->host != host || tally->raw.clock != clock)
			continue;
		count = readings_add(readings, count, recording->launches + i, &tally->raw.open);
		count = readings_add(readings, count, recording->launches + i, &tally->raw.last);
	}
	*count_out = count;
	return readings;
}

/* The best conversion. False: none can be made. *odd_out: some readings contradict it. */
static bool pair_choose(struct clock_reading *readings, size_t count, struct clock_pair *best, bool *odd_out)
{
	struct clock_pair own, whole;
	bool have_own = false;
	size_t i;

	*odd_out = false;
	for (i = 1; i < count; i++) {
		if (readings[i].record != readings[i - 1].record)
			continue;
		if (!pair_make(&readings[i - 1].triple, &readings[i].triple, &own)) {
			*odd_out |= readings[i].triple.ticks != readings[i - 1].triple.ticks;
		} else if (!have_own || pair_baseline(&own) > pair_baseline(best)) {
			*best = own;
			have_own = true;
		}
	}
	if (count < 2)
		return false;
	qsort(readings, count, sizeof(*readings), reading_order);
	if (!pair_make(&readings[0].triple, &readings[count - 1].triple, &whole)) {
		*odd_out = true;
		return have_own;
	}
	if (have_own && !pair_agrees(&whole, best)) {
		*odd_out = true;
		return true;
	}
	*best = whole;
	return true;
}

static void clock_fit(struct recording *recording, uint32_t host, uint32_t kind)
{
	struct read_clock *clock = &recording->host[host].clock[kind];
	const char *name = recording->host[host].name;
	struct clock_pair best = {.rate = 0};
	size_t count;
	struct clock_reading *readings = readings_of(recording, host, kind, &count);
	bool odd, found = pair_choose(readings, count, &best, &odd);

	clock->rate = RATE_ONE;
	if (found) {
		clock->valid = true;
		clock->ticks = best.first.ticks;
		clock->raw_ns = best.first.raw_ns;
		clock->baseline_ns = pair_baseline(&best);
		clock->error_ns = triple_error(&best.first) > triple_error(&best.last) ? triple_error(&best.first) :
											 triple_error(&best.last);
		if (kind == FMT_CLOCK_COUNTER)
			clock->rate = best.rate;
	} else if (count) {
		clock->valid = kind == FMT_CLOCK_MONOTONIC;
		clock->ticks = readings[0].triple.ticks;
		clock->raw_ns = readings[0].triple.raw_ns;
		clock->error_ns = triple_error(&readings[0].triple);
	}
	if (odd)
		recording_note(recording, "clock", "host %s: some readings of its clocks contradict each other; the "
			       "longest consistent pair is used", name);
	if (!clock->valid && kind == FMT_CLOCK_COUNTER)
		recording_note(recording, "clock", "host %s: no two readings of its counter, so times are in counter "
			       "ticks, not nanoseconds", name);
}

void recording_fit_clocks(struct recording *recording)
{
	bool *used = arena_array(&recording->arena, recording->hosts * 2 + 1, sizeof(*used));
	uint32_t host, kind;
	size_t i;

	for (i = 0; i < recording->launches; i++)
		used[recording->launch[i].host * 2 + recording->launch[i].raw.clock] = true;
	for (i = 0; i < recording->tallies; i++)
		used[recording->tally[i].host * 2 + recording->tally[i].raw.clock] = true;
	for (host = 0; host < recording->hosts; host++)
		for (kind = 0; kind < 2; kind++) {
			recording->host[host].clock[kind].rate = RATE_ONE;
			if (used[host * 2 + kind])
				clock_fit(recording, host, kind);
		}
}
