/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of events as CLOCK_MONOTONIC_RAW, with an error bound. An operation's first event was handed over after
 * `host_begin`, and the operation was known to be complete at `host_end`: so each bounds the offset between the clocks
 * from both sides. The narrowest bounds are kept, their middle is taken. What an operation tells of the clock is taken
 * first (hip_clock_narrow()), its times later, when others have told theirs. No runtime is called from here.
 */
#include "hip.h"

#define DRIFT_PPM 500 /* by which two clocks may run apart */
#define JITTER_NS 1000
#define OUTLIERS 4    /* operations in a row that contradict the bounds, after which they begin anew */

static int64_t drift_within(uint64_t from, uint64_t to)
{
	return to > from ? (int64_t)((to - from) / 1000 * DRIFT_PPM / 1000) : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Bounds get weaker with time, because clocks drift. */
static void age_bounds(struct hip_clock *clock, uint64_t now)
{
	int64_t drift = drift_within(clock->seen, now);

	if (!drift)
		return;
	clock->low -= drift;
	clock->high += drift;
	clock->seen = now;
}

/* Between what does the offset lie, by this operation alone, when it was known to be complete? False: it cannot be. */
static bool bounds_of(const struct hip_stamps *stamps, int64_t *low_out, int64_t *high_out)
{
	int64_t host_ns = (int64_t)(stamps->host_end - stamps->host_begin);

	if (stamps->duration_ns <= 0 || stamps->duration_ns > host_ns + JITTER_NS + host_ns / 1000000 * DRIFT_PPM)
		return false;
	*low_out = (int64_t)stamps->host_begin - stamps->start_ns - drift_within(stamps->host_begin, stamps->host_end);
	*high_out = (int64_t)stamps->host_end - stamps->start_ns - stamps->duration_ns;
	if (*low_out > *high_out)
		*high_out = *low_out;
	return true;
}

void hip_clock_narrow(struct hip_clock *clock, const struct hip_stamps *stamps)
{
	int64_t low, high;

	if (!bounds_of(stamps, &low, &high))
		return;
	if (clock->known)
		age_bounds(clock, stamps->host_end);
	if (clock->known && (low > clock->high || high < clock->low) && ++clock->outliers < OUTLIERS)
		return;
	if (!clock->known || clock->outliers >= OUTLIERS) {
		clock->low = low;
		clock->high = high;
		clock->seen = stamps->host_end;
		clock->known = true;
	}
	clock->low = low > clock->low ? low : clock->low;
	clock->high = high < clock->high ? high : clock->high;
	clock->outliers = 0;
}

uint64_t hip_clock_width(const struct hip_clock *clock)
{
	return clock->known ? (uint64_t)(clock->high - clock->low) : UINT64_MAX;
}

static void shift(struct rec_span *span, uint64_t forward, uint64_t back)
{
	span->begin_ns += forward - back;
	span->end_ns += forward - back;
}

/*
 * What the host knows for certain, within what the clock leaves open: nothing ends after it was known to be over, or
 * begins before its call or what its stream did before. Where the events lie farther apart than that allows, the
 * first was over before the call was made, or the second came after a call that waits.
 */
static void put_in_order(const struct hip_stamps *stamps, struct rec_span *span)
{
	uint64_t latest = stamps->host_return ? stamps->host_return : stamps->host_end, error = span->error_ns;
	uint64_t late = stamps->follows > span->begin_ns ? stamps->follows - span->begin_ns : 0, moved = 0;
	bool follows = late <= error + stamps->follows_error;

	if (span->end_ns > latest)
		shift(span, 0, least(span->end_ns - latest, error));
	if (stamps->host_call > span->begin_ns && stamps->host_call - span->begin_ns <= error &&
	    span->end_ns < latest)
		shift(span, least(stamps->host_call - span->begin_ns, latest - span->end_ns), 0);
	if (follows && stamps->follows > span->begin_ns && span->end_ns < latest) {
		moved = least(stamps->follows - span->begin_ns, latest - span->end_ns);
		shift(span, moved, 0);
		span->error_ns += least(moved, stamps->follows_error > error ? stamps->follows_error - error : 0);
	}
	if (stamps->host_call > span->begin_ns && stamps->host_call < span->end_ns)
		span->begin_ns = stamps->host_call;
	if (follows && stamps->follows > span->begin_ns && stamps->follows < span->end_ns &&
	    (stamps->follows_error <= HIP_NARROW_NS || stamps->follows - span->begin_ns <= error))
		span->begin_ns = stamps->follows;
	if (stamps->host_return && stamps->host_return < span->end_ns && stamps->host_return > span->begin_ns)
		span->end_ns = stamps->host_return;
}

bool hip_clock_convert(const struct hip_clock *clock, const struct hip_stamps *stamps, struct rec_span *span_out)
{
	int64_t low, high, drift = drift_within(stamps->host_begin, clock->seen);

	if (!clock->known || !bounds_of(stamps, &low, &high) || low - drift > clock->high || high + drift < clock->low)
		return false;
	span_out->begin_ns = (uint64_t)(stamps->start_ns + clock->low + (clock->high - clock->low) / 2);
	span_out->end_ns = span_out->begin_ns + (uint64_t)stamps->duration_ns;
	span_out->error_ns = (uint64_t)(clock->high - clock->low + 1) / 2 +
			     (uint64_t)drift_within(span_out->begin_ns, clock->seen);
	put_in_order(stamps, span_out);
	return true;
}
