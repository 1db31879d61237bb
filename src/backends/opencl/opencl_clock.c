/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device clocks: turns the stamps of a command into host CLOCK_MONOTONIC_RAW with an error bound.
 *
 * A command is handed over after `host_begin` and known to be complete at `host_end`, so every command
 * bounds the offset between the clocks from both sides. The narrowest bounds are kept. Most CPU runtimes
 * use a clock of the host: while such a clock's offset lies within the bounds it is taken, else their
 * middle. No runtime is called from here.
 */
#include <time.h>

#include "opencl.h"

#define STAMP_LIMIT ((uint64_t)1 << 62) /* no uptime reaches it: a stamp beyond is garbage */
#define DRIFT_PPM 500      /* by which two clocks may run apart: what NTP may slew */
#define JITTER_NS 1000     /* host clocks cannot be read at the same instant */
#define OUTLIERS 4         /* contradicting commands in a row after which the device's clock is new */
#define ALL_HOST_CLOCKS ((1u << OPENCL_HOST_CLOCKS) - 1)

void opencl_clock_hosts(struct opencl_host_clocks *hosts_out)
{
	static const clockid_t clocks[OPENCL_HOST_CLOCKS] = { CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC, CLOCK_REALTIME,
							      CLOCK_BOOTTIME };
	struct timespec now;

	hosts_out->read = 1;
	hosts_out->offset[0] = 0;
	for (int i = 1; i < OPENCL_HOST_CLOCKS; i++) {
		uint64_t before = rec_raw_ns();

		clock_gettime(clocks[i], &now);
		hosts_out->offset[i] = (int64_t)(before + (rec_raw_ns() - before) / 2) -
				       ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
	}
}

static void restart(struct opencl_clock *clock, int64_t low, int64_t high, uint64_t now)
{
	clock->low = low;
	clock->high = high;
	clock->seen = now;
	clock->known = 1;
	clock->outliers = 0;
	clock->host_clocks = ALL_HOST_CLOCKS;
}

/* Bounds get weaker with time, because clocks drift. */
static void age(struct opencl_clock *clock, uint64_t now)
{
	int64_t drift;

	if (now <= clock->seen)
		return;
	drift = (int64_t)((now - clock->seen) / 1000 * DRIFT_PPM / 1000);
	if (!drift)
		return;
	clock->low -= drift;
	clock->high += drift;
	clock->seen = now;
}

/* Takes new bounds in; false: they contradict what is known. */
static bool narrow(struct opencl_clock *clock, int64_t low, int64_t high, uint64_t now)
{
	if (!clock->known) {
		restart(clock, low, high, now);
		return true;
	}
	age(clock, now);
	if (low > clock->high || high < clock->low)
		return false;
	if (low > clock->low)
		clock->low = low;
	if (high < clock->high)
		clock->high = high;
	clock->outliers = 0;
	return true;
}

static bool stamps_valid(const struct opencl_stamps *stamps)
{
	uint64_t slack = JITTER_NS + (stamps->host_end - stamps->host_begin) / 1000000 * DRIFT_PPM;

	if (!stamps->start || !stamps->end || stamps->start > stamps->end || stamps->end >= STAMP_LIMIT)
		return false;
	if (stamps->host_end < stamps->host_begin)
		return false;
	return stamps->end - stamps->start <= stamps->host_end - stamps->host_begin + slack;
}

/* The offset to use within the bounds: a host clock's own, else the middle. */
static int64_t choose(struct opencl_clock *clock, struct opencl_host_clocks *hosts)
{
	for (int i = 0; i < OPENCL_HOST_CLOCKS; i++) {
		int64_t offset;

		if (!(clock->host_clocks & 1u << i))
			continue;
		if (i && !hosts->read)
			opencl_clock_hosts(hosts);
		offset = hosts->offset[i];
		if (offset >= clock->low - JITTER_NS && offset <= clock->high + JITTER_NS)
			return offset;
		clock->host_clocks &= ~(1u << i);
	}
	return clock->low + (clock->high - clock->low) / 2;
}

bool opencl_clock_convert(struct opencl_clock *clock, struct opencl_host_clocks *hosts,
			  const struct opencl_stamps *stamps, struct rec_span *span_out)
{
	uint64_t first = stamps->queued && stamps->queued <= stamps->start ? stamps->queued : stamps->start;
	int64_t low, high, offset, below, above;

	if (!stamps_valid(stamps))
		return false;
	high = (int64_t)stamps->host_end - (int64_t)stamps->end;
	low = (int64_t)stamps->host_begin - (int64_t)first;
	if (low > high) /* queued on another clock or before the call: the start alone is sure */
		low = (int64_t)stamps->host_begin - (int64_t)stamps->start;
	if (low > high)
		low = high;
	if (!narrow(clock, low, high, stamps->host_end)) {
		if (++clock->outliers < OUTLIERS)
			return false;
		restart(clock, low, high, stamps->host_end);
		clock->timer = 2; /* the device's timer, if there is one, is not the clock of these stamps */
	}
	offset = choose(clock, hosts);
	below = offset - clock->low;
	above = clock->high - offset;
	span_out->begin_ns = stamps->start + (uint64_t)offset;
	span_out->end_ns = stamps->end + (uint64_t)offset;
	span_out->error_ns = (uint64_t)(below > above ? below : above);
	return true;
}

void opencl_clock_read(struct opencl_clock *clock, uint64_t device_ns, uint64_t before, uint64_t after)
{
	bool usable = device_ns && device_ns < STAMP_LIMIT &&
		      narrow(clock, (int64_t)(before - device_ns), (int64_t)(after - device_ns), after);

	clock->timer = usable ? 1 : 2;
	clock->timer_asked = after;
}
