/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sampled counters: minimum, mean, maximum. The mean is weighted by time, each sample with the time since the one
 * before it, which is what rates and utilisations are of; the first one has none and counts only where it is alone.
 * Shown are the devices that the traced processes used, and all that were sampled where none of those is known.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "base/number.h"

#define LATE_INTERVALS 3 /* samples that end so long before the run are noted ... */
#define LATE_NS 100000000u /* ... when that is no moment, as a sampler's last breath may take */

struct counter_sum {
	int64_t min, max;
	double weighted, time, first;
	uint64_t samples, last_raw;
	uint32_t last_round;
};

struct sampling {
	const struct read_samples *samples;
	struct counter_sum *sum;    /* [device * counters + counter] */
	uint64_t last_raw;
	bool *shown;                /* by device */
	const char **label;
};

static bool sum_add(void *context, const struct fmt_sample *sample)
{
	struct sampling *sampling = context;
	const struct read_samples *samples = sampling->samples;
	uint32_t i;

	if (sample->raw_ns > sampling->last_raw)
		sampling->last_raw = sample->raw_ns;
	for (i = 0; i < samples->raw.counters; i++) {
		struct counter_sum *sum = &sampling->sum[sample->device * samples->raw.counters + i];
		int64_t value = sample->value[i];
		double time;

		if (value == FMT_SAMPLE_NONE)
			continue;
		time = sum->samples && sample->raw_ns > sum->last_raw ? (double)(sample->raw_ns - sum->last_raw) : 0;
		sum->min = !sum->samples || value < sum->min ? value : sum->min;
		sum->max = !sum->samples || value > sum->max ? value : sum->max;
		sum->first = sum->samples ? sum->first : (double)value;
		sum->weighted += (double)value * time;
		sum->time += time;
		sum->last_raw = sample->raw_ns;
		sum->last_round = sample->round;
		sum->samples++;
	}
	return true;
}

static const struct summary_device *used_device(const struct analysis *analysis, const struct read_samples *samples,
						const struct fmt_sample_device *device)
{
	const char *host = analysis->recording->host[samples->host].name;
	size_t i, k;

	for (i = 0; i < analysis->summary->devices; i++) {
		const struct summary_device *used = &analysis->summary->device[i];

		for (k = 0; !strcmp(used->host, host) && k < FMT_SAMPLES_KEYS; k++)
			if (*device->key[k] && !strcmp(used->key, device->key[k]))
				return used;
	}
	return NULL;
}

/* Its name, with its number where another has the same. */
static const char *own_label(struct analysis *analysis, const struct read_samples *samples, uint32_t index)
{
	const struct fmt_sample_device *device = &samples->device[index];
	uint32_t i, same = 0;

	for (i = 0; i < samples->raw.devices; i++)
		same += !strcmp(samples->device[i].name, device->name);
	if (same > 1)
		return arena_printf(analysis->arena, "%s #%u", device->name, device->ordinal);
	return keep(analysis, device->name);
}

static void choose_devices(struct analysis *analysis, struct sampling *sampling)
{
	const struct read_samples *samples = sampling->samples;
	bool any = false;
	uint32_t i;

	sampling->shown = arena_array(&analysis->scratch, samples->raw.devices, sizeof(*sampling->shown));
	sampling->label = arena_array(&analysis->scratch, samples->raw.devices, sizeof(*sampling->label));
	for (i = 0; i < samples->raw.devices; i++) {
		const struct summary_device *used = used_device(analysis, samples, &samples->device[i]);

		sampling->label[i] = used ? used->label : own_label(analysis, samples, i);
		sampling->shown[i] = used != NULL;
		any |= used != NULL;
	}
	for (i = 0; !any && i < samples->raw.devices; i++)
		sampling->shown[i] = true;
}

/* In double precision a mean of equal values may be a little less than they are. */
static double between(double value, double least, double most)
{
	value = value > most ? most : value;
	return value < least ? least : value;
}

static void counter_row_add(struct analysis *analysis, const struct sampling *sampling, uint32_t device, uint32_t index)
{
	const struct read_samples *samples = sampling->samples;
	const struct fmt_counter *counter = &samples->counter[index];
	const struct counter_sum *sum = &sampling->sum[device * samples->raw.counters + index];
	struct summary *summary = analysis->summary;
	double mean = sum->time > 0 ? sum->weighted / sum->time : sum->first;
	double divisor = (double)counter->divisor, min = (double)sum->min / divisor, max = (double)sum->max / divisor;
	uint64_t rounds = (uint64_t)sum->last_round + 1;

	if (!sum->samples)
		return;
	summary->counter = arena_grow(analysis->arena, summary->counter, summary->counters, &summary->counter_capacity,
				      sizeof(*summary->counter));
	summary->counter[summary->counters++] = (struct summary_counter){
		.backend = "", .name = keep(analysis, counter->name), .unit = keep(analysis, counter->unit),
		.host = keep(analysis, analysis->recording->host[samples->host].name),
		.key = keep(analysis, samples->device[device].key[0]), .device = sampling->label[device],
		.min = min, .max = max, .mean = between(mean / divisor, min, max),
		.samples = sum->samples,
		.missed = rounds > sum->samples ? rounds - sum->samples : 0, .interval_ns = samples->raw.interval_ns,
	};
}

/* Names of counters in a state, "power, SM clock"; "": none. */
static const char *in_state(struct analysis *analysis, const struct sampling *sampling, uint32_t device,
			    enum fmt_counter_state state)
{
	const struct read_samples *samples = sampling->samples;
	const char *names = "";
	uint32_t i;

	for (i = 0; i < samples->raw.counters; i++)
		if (samples->device[device].state[i] == state &&
		    !sampling->sum[device * samples->raw.counters + i].samples)
			names = arena_printf(&analysis->scratch, "%s%s%s", names, *names ? ", " : "",
					     samples->counter[i].name);
	return names;
}

static void note_device(struct analysis *analysis, const struct sampling *sampling, uint32_t index)
{
	const struct read_samples *samples = sampling->samples;
	const struct fmt_sample_device *device = &samples->device[index];
	uint64_t start = samples->raw.start_raw_ns;
	const char *denied = in_state(analysis, sampling, index, FMT_COUNTER_DENIED);
	struct number time;

	if (*denied)
		summary_add_note(analysis->summary, "counters", "%s: no permission to know: %s",
				 sampling->label[index], denied);
	if (device->gone_raw_ns)
		summary_add_note(analysis->summary, "counters", "%s: its counters end %s after the start: %s",
				 sampling->label[index],
				 number_time_u(&time, device->gone_raw_ns > start ? device->gone_raw_ns - start : 0),
				 *device->why ? device->why : "it does not answer");
}

/* Whatever ended it: nobody saw the rest of the run. */
static void note_end(struct analysis *analysis, const struct sampling *sampling)
{
	const struct read_samples *samples = sampling->samples;
	const struct host_window *window = &analysis->window[samples->host];
	uint64_t last = sampling->last_raw ? sampling->last_raw : samples->raw.start_raw_ns, left;
	bool gone = samples->raw.devices > 0;
	struct number time;
	uint32_t i;

	for (i = 0; i < samples->raw.devices; i++)
		gone &= samples->device[i].gone_raw_ns != 0; /* then it is said of each */
	left = window->end > last ? window->end - last : 0;
	if (samples->raw.error)
		summary_add_note(analysis->summary, "counters", "%s: counters end %s before the run does: %s",
				 samples->raw.what, number_time_u(&time, left), strerror((int)samples->raw.error));
	else if (!gone && left > LATE_NS && left / LATE_INTERVALS > samples->raw.interval_ns)
		summary_add_note(analysis->summary, "counters", "%s: counters end %s before the run does",
				 samples->raw.what, number_time_u(&time, left));
}

static void samples_add(struct analysis *analysis, const struct read_samples *samples)
{
	struct sampling sampling = {.samples = samples};
	uint32_t i, k;

	if (*samples->raw.trouble) {
		summary_add_note(analysis->summary, "counters", "no counters of %s: %s", samples->raw.what,
				 samples->raw.trouble);
		return;
	}
	sampling.sum = arena_array(&analysis->scratch, (size_t)samples->raw.devices * samples->raw.counters,
				   sizeof(*sampling.sum));
	samples_each(samples, sum_add, &sampling);
	choose_devices(analysis, &sampling);
	for (i = 0; i < samples->raw.devices; i++) {
		if (!sampling.shown[i])
			continue;
		for (k = 0; k < samples->raw.counters; k++)
			counter_row_add(analysis, &sampling, i, k);
		note_device(analysis, &sampling, i);
	}
	note_end(analysis, &sampling);
}

void counters_finish(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->recording->samplings; i++)
		samples_add(analysis, &analysis->recording->samples[i]);
}
