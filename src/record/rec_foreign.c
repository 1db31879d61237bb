/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks of runtimes that can be read, against CLOCK_MONOTONIC_RAW. The narrowest of a few readings counts each time;
 * the first and the newest of them tell how fast the clock runs.
 */
#include "record/rec_tools.h"

#define TRIES 4
#define APART_NS 10000000u /* readings that are closer say nothing about the rate */
#define NOMINAL_PPM 500    /* by which a clock may run apart from what it says of itself */
#define JUMP_NS 1000000    /* a clock that is so far off beside that is another one now, as after a suspension */
#define TOLERANCE_NS 1000000u /* by which a device's clock may be off beside the bound of the conversion */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static int64_t nominal_ns(const struct rec_foreign_clock *clock, uint64_t from, uint64_t to)
{
	return (int64_t)((__int128)(int64_t)(to - from) * 1000000000 / (int64_t)clock->hz);
}

/* Do the readings tell the rate better than the clock does itself? */
static bool has_rate(const struct rec_foreign_clock *clock)
{
	uint64_t apart = clock->newest.raw - clock->first.raw, halves = clock->first.error + clock->newest.error;

	return apart > APART_NS && halves < apart / 1000000 * NOMINAL_PPM && clock->newest.theirs > clock->first.theirs;
}

static bool has_jumped(const struct rec_foreign_clock *clock, const struct rec_foreign_reading *reading)
{
	uint64_t passed = reading->raw - clock->newest.raw;
	int64_t moved = nominal_ns(clock, clock->newest.theirs, reading->theirs);

	return moved < 0 || distance((uint64_t)moved, passed) > JUMP_NS + passed / 1000000 * NOMINAL_PPM;
}

static bool is_recent(struct rec_foreign_clock *clock, uint64_t age_ns)
{
	uint64_t newest;

	rec_lock(&clock->lock);
	newest = clock->newest.raw;
	rec_unlock(&clock->lock);
	return newest && rec_raw_ns() < newest + age_ns;
}

bool rec_foreign_read(struct rec_foreign_clock *clock, bool (*ask)(uint64_t *theirs_out), uint64_t age_ns)
{
	struct rec_foreign_reading best = {.error = UINT64_MAX};

	if (age_ns && is_recent(clock, age_ns))
		return true;
	for (int i = 0; i < TRIES; i++) {
		uint64_t theirs = 0, before = rec_raw_ns(), after;

		if (!ask(&theirs))
			return false;
		after = rec_raw_ns();
		if ((after - before + 1) / 2 < best.error)
			best = (struct rec_foreign_reading){theirs, before + (after - before) / 2,
							    (after - before + 1) / 2};
	}
	rec_lock(&clock->lock);
	if (!clock->hz)
		clock->hz = 1000000000;
	if (!clock->first.raw || (best.raw > clock->newest.raw && has_jumped(clock, &best)))
		clock->first = clock->newest = best;
	else if (best.raw > clock->newest.raw)
		clock->newest = best;
	rec_unlock(&clock->lock);
	return true;
}

/* As another thread's reading leaves it. False: it was never read. */
static bool as_read(struct rec_foreign_clock *clock, struct rec_foreign_clock *now_out)
{
	rec_lock(&clock->lock);
	*now_out = *clock;
	rec_unlock(&clock->lock);
	return now_out->first.raw != 0;
}

static void convert(const struct rec_foreign_clock *now, uint64_t theirs, uint64_t *raw_out, uint64_t *error_out)
{
	uint64_t beyond, halves = now->first.error + now->newest.error;
	int64_t far = nominal_ns(now, now->newest.theirs, theirs);

	beyond = (uint64_t)(far < 0 ? -far : far);
	*error_out = now->first.error > now->newest.error ? now->first.error : now->newest.error;
	if (has_rate(now)) {
		uint64_t apart = now->newest.raw - now->first.raw;

		far = (int64_t)((__int128)(int64_t)(theirs - now->newest.theirs) * (int64_t)apart /
				(int64_t)(now->newest.theirs - now->first.theirs));
		/* between the two readings it lies between their errors */
		if (far > 0 || beyond > apart)
			*error_out += (uint64_t)((__int128)beyond * halves / apart);
	} else {
		*error_out += beyond / 1000 * NOMINAL_PPM / 1000;
	}
	*raw_out = now->newest.raw + (uint64_t)far;
}

bool rec_foreign_convert(struct rec_foreign_clock *clock, uint64_t theirs, uint64_t *raw_out, uint64_t *error_out)
{
	struct rec_foreign_clock now;

	if (!as_read(clock, &now))
		return false;
	convert(&now, theirs, raw_out, error_out);
	return true;
}

bool rec_foreign_span(struct rec_foreign_clock *clock, uint64_t begin, uint64_t end, uint64_t handed_ns,
		      struct rec_span *span)
{
	uint64_t begin_error, end_error, limit;
	struct rec_foreign_clock now; /* the same for both ends */

	if (!begin || end < begin || !as_read(clock, &now))
		return false;
	convert(&now, begin, &span->begin_ns, &begin_error);
	convert(&now, end, &span->end_ns, &end_error);
	span->error_ns = begin_error > end_error ? begin_error : end_error;
	limit = span->error_ns + TOLERANCE_NS;
	/* nothing begins before it was handed over, or ends after it is told of */
	return span->begin_ns <= span->end_ns && span->begin_ns + limit >= handed_ns &&
	       span->end_ns <= rec_raw_ns() + limit;
}
