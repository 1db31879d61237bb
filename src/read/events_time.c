/* SPDX-License-Identifier: BSD-3-Clause */
/* The common axis of all hosts, and the wall clock; see events.h. */
#include "read/stream.h"

__extension__ typedef __int128 signed_wide;

#define DRIFT_SHIFT 40
#define DRIFT_MAX (((int64_t)1 << DRIFT_SHIFT) / 1000) /* more than 1/1000: the clock was set */
#define DRIFT_BASELINE_NS 1000000000u
#define AXIS_MAX ((int64_t)1 << 61) /* beyond it readings are damaged, and sums could overflow */

static uint64_t birth_raw(const struct recording *recording, const struct tally *tally)
{
	const struct read_clock *clock = &recording->host[tally->host].clock[tally->raw.clock];
	uint64_t birth = tally->raw.birth_ticks;

	if (!birth || (tally->raw.open.ticks && birth > tally->raw.open.ticks))
		birth = tally->raw.open.ticks;
	return birth ? read_clock_raw(clock, birth) : 0;
}

static uint64_t triple_raw(const struct recording *recording, uint32_t host, uint32_t kind,
			   const struct fmt_triple *triple)
{
	return triple->ticks ? read_clock_raw(&recording->host[host].clock[kind], triple->ticks) : triple->raw_ns;
}

static void earliest(uint64_t *least, uint64_t value)
{
	if (value && (!*least || value < *least))
		*least = value;
}

/* A host's first and last reading of both clocks. */
struct readings {
	struct fmt_triple first, last;
	uint64_t start_raw;
};

static void axis_readings_add(struct readings *readings, const struct fmt_triple *triple)
{
	if (!triple->raw_ns || !triple->real_ns || triple->raw_ns > INT64_MAX / 2 || triple->real_ns > INT64_MAX / 2)
		return;
	if (!readings->first.raw_ns || triple->raw_ns < readings->first.raw_ns)
		readings->first = *triple;
	if (triple->raw_ns > readings->last.raw_ns)
		readings->last = *triple;
}

static void readings_collect(const struct recording *recording, struct readings *readings)
{
	size_t i;

	for (i = 0; i < recording->launches; i++) {
		const struct read_launch *launch = &recording->launch[i];

		axis_readings_add(&readings[launch->host], &launch->raw.start);
		if (launch->raw.ended)
			axis_readings_add(&readings[launch->host], &launch->raw.end);
		earliest(&readings[launch->host].start_raw,
			 triple_raw(recording, launch->host, launch->raw.clock, &launch->raw.start));
	}
	for (i = 0; i < recording->tallies; i++) {
		const struct tally *tally = &recording->tally[i];

		axis_readings_add(&readings[tally->host], &tally->raw.open);
		axis_readings_add(&readings[tally->host], &tally->raw.last);
		earliest(&readings[tally->host].start_raw, birth_raw(recording, tally));
	}
}

static int64_t axis_wall(const struct events_axis *axis, int64_t raw)
{
	signed_wide distance = (signed_wide)raw - (int64_t)axis->raw_ns;
	signed_wide wall = (signed_wide)axis->real_ns + distance + ((distance * axis->drift) >> DRIFT_SHIFT);

	return wall > INT64_MAX ? INT64_MAX : wall < INT64_MIN ? INT64_MIN : (int64_t)wall;
}

static void axis_fit(struct events_axis *axis, const struct readings *readings)
{
	int64_t baseline = (int64_t)(readings->last.raw_ns - readings->first.raw_ns);
	signed_wide drift;

	axis->raw_ns = readings->first.raw_ns;
	axis->real_ns = readings->first.real_ns;
	if (baseline < DRIFT_BASELINE_NS)
		return;
	drift = (signed_wide)readings->last.real_ns - readings->first.real_ns - baseline;
	drift = drift * ((signed_wide)1 << DRIFT_SHIFT) / baseline;
	if (drift > -DRIFT_MAX && drift < DRIFT_MAX)
		axis->drift = (int64_t)drift;
}

struct events_axis *events_axes(struct recording *recording, struct arena *arena)
{
	struct events_axis *axes = arena_array(arena, recording->hosts + 1, sizeof(*axes));
	struct readings *readings = arena_array(arena, recording->hosts + 1, sizeof(*readings));
	int64_t first_wall = INT64_MAX, wall, start;
	size_t i;

	readings_collect(recording, readings);
	for (i = 0; i < recording->hosts; i++) {
		axis_fit(&axes[i], &readings[i]);
		if (readings[i].start_raw > (uint64_t)AXIS_MAX)
			readings[i].start_raw = 0;
		wall = axis_wall(&axes[i], (int64_t)readings[i].start_raw);
		if (axes[i].real_ns && wall < first_wall)
			first_wall = wall;
	}
	for (i = 0; i < recording->hosts; i++) {
		start = (int64_t)readings[i].start_raw;
		wall = axes[i].real_ns ? axis_wall(&axes[i], start) : first_wall;
		axes[i].origin = start;
		if (wall - first_wall < AXIS_MAX)
			axes[i].origin -= wall - first_wall;
	}
	return axes;
}

int64_t stream_process_time(const struct stream_process *process, uint64_t raw_ns)
{
	int64_t time;

	if (raw_ns > INT64_MAX)
		raw_ns = INT64_MAX;
	return __builtin_sub_overflow((int64_t)raw_ns, process->axis->origin, &time) ? INT64_MAX : time;
}

int64_t stream_process_ticks(const struct stream_process *process, uint64_t ticks)
{
	return stream_process_time(process, read_clock_raw(process->clock, ticks));
}

/* What is far from all that makes sense takes the slow way, which stops at the ends of the range. */
void stream_process_clock(struct stream_process *process, const struct read_clock *clock,
			  const struct events_axis *axis)
{
	stream_wide quick;

	process->clock = clock;
	process->axis = axis;
	process->base = stream_process_time(process, clock->raw_ns);
	if (clock->rate < ((uint64_t)1 << (READ_RATE_SHIFT - 4)) || clock->raw_ns > (uint64_t)AXIS_MAX ||
	    process->base > AXIS_MAX || process->base < -AXIS_MAX)
		return;
	quick = ((stream_wide)AXIS_MAX << READ_RATE_SHIFT) / clock->rate;
	process->quick = quick > INT64_MAX ? INT64_MAX : (uint64_t)quick;
}

uint64_t stream_process_raw(const struct stream_process *process, int64_t time)
{
	int64_t raw;

	if (__builtin_add_overflow(time, process->axis->origin, &raw))
		raw = time < 0 ? 0 : INT64_MAX;
	return raw < 0 ? 0 : (uint64_t)raw;
}

int64_t stream_process_wall(const struct stream_process *process, int64_t time)
{
	return axis_wall(process->axis, (int64_t)stream_process_raw(process, time));
}

uint64_t events_process_end(const struct recording *recording, const struct tally *tally)
{
	const struct read_launch *launch = tally->is_program ? &recording->launch[tally->launch] : NULL;
	uint64_t end;

	if (tally->alive)
		return read_clock_now();
	if (launch && launch->raw.ended && tally->raw.end != FMT_END_EXEC)
		return triple_raw(recording, launch->host, launch->raw.clock, &launch->raw.end);
	end = tally->raw.end_ticks > tally->raw.last.ticks ? tally->raw.end_ticks : tally->raw.last.ticks;
	return end ? read_clock_raw(&recording->host[tally->host].clock[tally->raw.clock], end) : 0;
}
