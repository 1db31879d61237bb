/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device clocks: turns kernels' stamps, which wrap, into host CLOCK_MONOTONIC_RAW with an error bound. No runtime is
 * called from here.
 *
 * Now and then the device's clock is read between two readings of the host's. The first and the last of these readings
 * tell how fast it really runs. A stamp stands for the latest time with those bits before the command was known to be
 * complete; where the host saw the command for longer than a wrap takes, another one is as likely, and it has no time.
 */
#include "ze.h"

#define NOMINAL_PPM 500     /* by which a clock may run apart from what the device says of it */
#define MEASURED_NS 20000000u /* so far apart two readings are before they tell how fast the clock runs */
#define SLACK_NS 2000       /* readings and stamps are not made at the same instant */
#define DUE_LEAST_NS 10000000u
#define DUE_MOST_NS 1000000000u

static uint64_t mask_of(uint32_t bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static double ticks_per_ns(const struct zed_clock *clock)
{
	uint64_t apart = clock->last.raw - clock->first.raw;

	if (apart < MEASURED_NS)
		return clock->hz / 1e9;
	return (double)(clock->last.ticks - clock->first.ticks) / (double)apart;
}

/* By how much of a distance in time the rate may be wrong. */
static double rate_error(const struct zed_clock *clock)
{
	uint64_t apart = clock->last.raw - clock->first.raw;

	if (apart < MEASURED_NS)
		return NOMINAL_PPM / 1e6;
	return (double)(clock->first.half + clock->last.half + 1) / (double)apart + 1e-7;
}

bool zed_clock_is_due(const struct zed_clock *clock, uint64_t now)
{
	uint64_t apart = clock->last.raw - clock->first.raw;

	if (!clock->known)
		return true;
	if (apart < DUE_LEAST_NS)
		apart = DUE_LEAST_NS;
	return now > clock->last.raw + (apart < DUE_MOST_NS ? apart : DUE_MOST_NS);
}

void zed_clock_read(struct zed_clock *clock, uint64_t device_ticks, uint64_t before, uint64_t after)
{
	struct zed_anchor anchor = { .raw = before + (after - before) / 2, .half = (after - before) / 2 + 1 };
	uint64_t mask = mask_of(clock->device_bits);
	double expected, moved;

	anchor.ticks = device_ticks & mask;
	clock->known++;
	if (clock->known == 1 || anchor.raw <= clock->last.raw) {
		clock->first = clock->last = anchor;
		return;
	}
	expected = (double)(anchor.raw - clock->last.raw) * ticks_per_ns(clock);
	moved = (double)((anchor.ticks - clock->last.ticks) & mask);
	if (mask != UINT64_MAX && expected > moved) {
		double wraps = (expected - moved) / ((double)mask + 1) + 0.5;

		anchor.ticks = clock->last.ticks + ((anchor.ticks - clock->last.ticks) & mask) +
			       (uint64_t)wraps * (mask + 1);
	} else {
		anchor.ticks = clock->last.ticks + ((anchor.ticks - clock->last.ticks) & mask);
	}
	moved = (double)(anchor.ticks - clock->last.ticks);
	/* a clock that has jumped, as over a suspension, starts anew */
	if (moved > expected * (1 + 4e-6 * NOMINAL_PPM) + 1e-3 * clock->hz ||
	    moved < expected * (1 - 4e-6 * NOMINAL_PPM) - 1e-3 * clock->hz)
		clock->first = anchor;
	clock->last = anchor;
}

/* ns by which the command ended before the end of the window; false: after it. */
static bool ended_before(const struct zed_clock *clock, uint64_t end, const struct zed_window *window, double slack,
			 double *age_out)
{
	uint64_t mask = mask_of(clock->bits);
	double rate = ticks_per_ns(clock);
	uint64_t allowed = (uint64_t)(slack * rate), now, behind;
	double far = (double)(int64_t)(window->end - clock->last.raw);

	now = clock->last.ticks + (uint64_t)(int64_t)(far * rate);
	behind = (now + allowed - end) & mask;
	*age_out = ((double)behind - (double)allowed) / rate;
	return clock->bits < 64 || behind < (uint64_t)1 << 63;
}

enum zed_stamp zed_clock_convert(const struct zed_clock *clock, uint64_t begin, uint64_t end,
				 const struct zed_window *window, struct rec_span *span_out)
{
	uint64_t mask = mask_of(clock->bits);
	double rate = ticks_per_ns(clock), error = rate_error(clock), slack, age, lasted, end_ns, begin_ns, free_ns;
	double far = (double)(int64_t)(window->end - clock->last.raw);

	if (!clock->known || rate <= 0 || ((begin & mask) == 0 && (end & mask) == 0))
		return ZED_STAMP_WRONG;
	slack = SLACK_NS + (double)clock->last.half + (far < 0 ? -far : far) * error + 2 / rate;
	if (!ended_before(clock, end, window, slack, &age))
		return ZED_STAMP_WRONG;
	/* ns after the command was handed over */
	end_ns = (double)(window->end - window->begin) - age;
	lasted = (double)((end - begin) & mask) / rate;
	begin_ns = end_ns - lasted;
	if (end_ns < -slack)
		return ZED_STAMP_OLD;
	if (begin_ns < -slack)
		return ZED_STAMP_WRONG;
	free_ns = window->follows > window->begin ? (double)(window->follows - window->begin) : 0;
	if (clock->bits < 64 && begin_ns - ((double)mask + 1) / rate >= free_ns - slack)
		return ZED_STAMP_WRONG;
	span_out->end_ns = window->begin + (uint64_t)(int64_t)end_ns;
	span_out->begin_ns = span_out->end_ns - (uint64_t)lasted;
	span_out->error_ns = (uint64_t)(slack - SLACK_NS + (age < 0 ? 0 : age) * error) + 1;
	return ZED_STAMP_RIGHT;
}
