/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of events as CLOCK_MONOTONIC_RAW, with an error bound. An operation's first event was handed over after
 * `host_begin`, and the operation was known to be complete at `host_end`: so each bounds the offset between the clocks
 * from both sides. The narrowest bounds are kept, their middle is taken. No runtime is called from here.
 */
#include "hip.h"

#define DRIFT_PPM 500 /* by which two clocks may run apart */
#define JITTER_NS 1000
#define OUTLIERS 4    /* operations in a row that contradict the bounds, after which they begin anew */

/* Bounds get weaker with time, because clocks drift. */
static void age_bounds(struct hip_clock *clock, uint64_t now)
{
	int64_t drift = now > clock->seen ? (int64_t)((now - clock->seen) / 1000 * DRIFT_PPM / 1000) : 0;

	if (!drift)
		return;
	clock->low -= drift;
	clock->high += drift;
	clock->seen = now;
}

static bool narrow_bounds(struct hip_clock *clock, int64_t low, int64_t high, uint64_t now)
{
	if (clock->known)
		age_bounds(clock, now);
	if (clock->known && (low > clock->high || high < clock->low) && ++clock->outliers < OUTLIERS)
		return false;
	if (!clock->known || clock->outliers >= OUTLIERS) {
		*clock = (struct hip_clock){ .base = clock->base, .base_ns = clock->base_ns, .low = low, .high = high,
					     .seen = now, .known = true };
		return true;
	}
	clock->low = low > clock->low ? low : clock->low;
	clock->high = high < clock->high ? high : clock->high;
	clock->outliers = 0;
	return true;
}

bool hip_clock_convert(struct hip_clock *clock, const struct hip_stamps *stamps, struct rec_span *span_out)
{
	int64_t host_ns = (int64_t)(stamps->host_end - stamps->host_begin);
	int64_t low = (int64_t)stamps->host_begin - stamps->start_ns;
	int64_t high = (int64_t)stamps->host_end - stamps->start_ns - stamps->duration_ns;
	uint64_t begin, end, error, shift = 0;

	if (stamps->duration_ns <= 0 || stamps->duration_ns > host_ns + JITTER_NS + host_ns / 1000000 * DRIFT_PPM)
		return false;
	if (low > high)
		high = low;
	if (!narrow_bounds(clock, low, high, stamps->host_end))
		return false;
	begin = (uint64_t)(stamps->start_ns + clock->low + (clock->high - clock->low) / 2);
	end = begin + (uint64_t)stamps->duration_ns;
	error = (uint64_t)(clock->high - clock->low + 1) / 2;
	/* the first event may be over long before the call is made, the second comes after a call that waits */
	if (stamps->host_call > begin + error && stamps->host_call < end)
		begin = stamps->host_call;
	if (stamps->host_return && stamps->host_return + error < end && stamps->host_return > begin)
		end = stamps->host_return;
	/* what a stream did before was over: since then the bounds have moved, within what they were */
	if (stamps->follows > begin && stamps->follows - begin <= error + stamps->follows_error) {
		shift = stamps->follows - begin;
		begin += shift;
		end += shift;
	}
	span_out->begin_ns = begin;
	span_out->end_ns = end;
	span_out->error_ns = error + shift;
	return true;
}
