/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library tells times by a clock of its own (CLOCK_BOOTTIME, today), which it can be asked for: read when it starts
 * and with each buffer that it hands over, so that what lies between is interpolated.
 */
#include "rocprofiler.h"

#define APART 10000000u /* ns: closer readings say nothing about the rate */
#define TRIES 4

struct reading {
	uint64_t theirs, raw, error; /* raw: CLOCK_MONOTONIC_RAW, give or take error */
};
static struct reading first, newest;
static uint32_t lock;

void rocp_clock_read(void)
{
	struct reading best = {.error = UINT64_MAX};

	for (int i = 0; i < TRIES; i++) {
		uint64_t theirs = 0, before = rec_raw_ns(), after;

		if (rocp.get_timestamp(&theirs) != ROCP_SUCCESS)
			return;
		after = rec_raw_ns();
		if ((after - before + 1) / 2 < best.error)
			best = (struct reading){theirs, before + (after - before) / 2, (after - before + 1) / 2};
	}
	rec_lock(&lock);
	if (!first.raw)
		first = best;
	newest = best;
	rec_unlock(&lock);
}

bool rocp_clock_convert(uint64_t time, uint64_t *raw_out, uint64_t *error_out)
{
	struct reading from, to;
	int64_t distance, corrected;

	rec_lock(&lock);
	from = first;
	to = newest;
	rec_unlock(&lock);
	if (!from.raw)
		return false;
	distance = corrected = (int64_t)(time - from.theirs);
	if (to.theirs > from.theirs + APART && to.raw > from.raw)
		corrected = (int64_t)((__int128)distance * (int64_t)(to.raw - from.raw) /
				      (int64_t)(to.theirs - from.theirs));
	*raw_out = from.raw + (uint64_t)corrected;
	*error_out = from.error > to.error ? from.error : to.error;
	return true;
}
