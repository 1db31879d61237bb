/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sampled counters: a track per counter under one per device, of no process. Those of devices that the processes
 * used, or of all where none of these is known. And those that a program sets, each a track below the process.
 */
#include <stdlib.h>

#include "views/timeline_internal.h"
#include "views/view_internal.h"

struct sampled {
	struct timeline *timeline;
	const struct read_samples *samples;
	struct timeline_process owner;  /* has the seed of the tracks' numbers and their machine, and nothing else */
	uint32_t process;               /* on its host: for times */
	int64_t from, to;
	struct timeline_counter *counter; /* [device * counters + counter] */
	bool *shown;
};

/* A process of the host whose times can be told; READ_NONE: none. */
static uint32_t process_on(const struct recording *recording, uint32_t host)
{
	uint32_t i;

	for (i = 0; i < recording->tallies; i++)
		if (recording->tally[i].host == host)
			return i;
	return READ_NONE;
}

static bool is_used(const struct timeline *timeline, uint32_t host, const struct fmt_sample_device *device)
{
	size_t i, k;

	for (i = 0; i < timeline->gpus; i++)
		for (k = 0; timeline->gpu[i].host == host && k < FMT_SAMPLES_KEYS; k++)
			if (*device->key[k] && !strcmp(timeline->gpu[i].key, device->key[k]))
				return true;
	return false;
}

static void choose(struct sampled *sampled, struct arena *arena)
{
	uint32_t devices = sampled->samples->raw.devices, i;
	bool any = false;

	sampled->shown = arena_array(arena, devices, sizeof(*sampled->shown));
	for (i = 0; i < devices; i++) {
		sampled->shown[i] = is_used(sampled->timeline, sampled->samples->host, &sampled->samples->device[i]);
		any |= sampled->shown[i];
	}
	for (i = 0; !any && i < devices; i++)
		sampled->shown[i] = true;
}

static void describe(struct sampled *sampled, uint32_t device, uint32_t index, struct timeline_counter *counter)
{
	const struct read_samples *samples = sampled->samples;
	struct timeline *timeline = sampled->timeline;
	uint64_t parent = timeline_uuid(&sampled->owner, TRACK_SAMPLED_DEVICE, device);
	uint64_t uuid = timeline_uuid(&sampled->owner, TRACK_SAMPLED, device * FMT_SAMPLES_COUNTERS + index);
	struct timeline_counter *first = &sampled->counter[device * samples->raw.counters];
	struct arena scratch = {NULL};
	bool known = false;
	uint32_t i;

	for (i = 0; i < samples->raw.counters; i++)
		known |= first[i].file == timeline->file;
	if (!known)
		timeline_track_describe(timeline, &sampled->owner, parent, 0,
					arena_printf(&scratch, "sampled: %s #%u", samples->device[device].name,
						     samples->device[device].ordinal));
	timeline_counter_track(timeline, sampled->owner.machine, uuid, parent, samples->counter[index].unit,
			       samples->counter[index].name);
	timeline_sequence_start(timeline, &counter->sequence, sampled->owner.machine, uuid);
	counter->file = timeline->file;
	arena_free(&scratch);
}

/* The event of a value, up to where that stands. */
static uint8_t *value_start(struct timeline *timeline, const struct timeline_counter *counter, int64_t time)
{
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start;

	pf_packet_start(&timeline->trace, &counter->sequence);
	pf_u64(message, PF_PACKET_TIMESTAMP, (uint64_t)time);
	pf_u64(message, PF_PACKET_FLAGS, PF_FLAGS_NEEDED);
	start = pf_begin(message, PF_PACKET_TRACK_EVENT);
	pf_u64(message, PF_EVENT_TYPE, PF_TYPE_COUNTER);
	return start;
}

static void value_put(struct timeline *timeline, uint8_t *start)
{
	pf_end(&timeline->trace.packet, start);
	pf_packet_put(&timeline->trace);
}

static void put(struct sampled *sampled, const struct timeline_counter *counter, int64_t time, uint32_t index,
		int64_t value)
{
	struct timeline *timeline = sampled->timeline;
	struct pf_message *message = &timeline->trace.packet;
	uint64_t divisor = sampled->samples->counter[index].divisor;
	uint8_t *start = value_start(timeline, counter, time);

	if (divisor == 1)
		pf_u64(message, PF_EVENT_COUNTER, (uint64_t)value);
	else
		pf_double(message, PF_EVENT_COUNTER_DOUBLE, (double)value / (double)divisor);
	value_put(timeline, start);
}

static bool timeline_sample_write(void *context, const struct fmt_sample *sample)
{
	struct sampled *sampled = context;
	struct timeline *timeline = sampled->timeline;
	int64_t time = events_time(timeline->events, sampled->process, sample->raw_ns);
	uint32_t counters = sampled->samples->raw.counters, i;

	if (time < 0 || time < sampled->from || !sampled->shown[sample->device])
		return true;
	for (i = 0; time < sampled->to && i < counters; i++) {
		struct timeline_counter *counter = &sampled->counter[sample->device * counters + i];

		if (sample->value[i] == FMT_SAMPLE_NONE)
			continue;
		if (counter->file != timeline->file)
			describe(sampled, sample->device, i, counter);
		else if (timeline->thin && time - counter->time < timeline->thin)
			continue;
		counter->time = time;
		put(sampled, counter, time, i, sample->value[i]);
	}
	return !timeline->trace.sink.error;
}

static void timeline_samples_write(struct sampled *sampled)
{
	uint32_t count = sampled->samples->raw.devices * sampled->samples->raw.counters, i;
	struct arena arena = {NULL};

	sampled->counter = arena_array(&arena, count, sizeof(*sampled->counter));
	choose(sampled, &arena);
	samples_each(sampled->samples, timeline_sample_write, sampled);
	for (i = 0; i < count; i++)
		pf_sequence_free(&sampled->counter[i].sequence);
	arena_free(&arena);
}

void timeline_counters(struct timeline *timeline, int64_t from, int64_t to)
{
	const struct events_filter *filter = &timeline->options->filter;
	size_t i;

	for (i = 0; i < timeline->recording->samplings; i++) {
		const struct read_samples *samples = &timeline->recording->samples[i];
		struct sampled sampled = {.timeline = timeline, .samples = samples, .from = from, .to = to};

		sampled.owner.seed = view_mix(samples->raw.start_raw_ns + samples->raw.pid + i);
		sampled.owner.machine = timeline_machine(timeline, samples->host);
		sampled.process = process_on(timeline->recording, samples->host);
		if (filter->has_from && filter->from > from)
			sampled.from = filter->from;
		if (filter->has_to && filter->to < to)
			sampled.to = filter->to;
		if (sampled.process != READ_NONE)
			timeline_samples_write(&sampled);
	}
}

/* ---- counters of the program ---- */

/* NULL: no memory. */
static struct timeline_counter *counter_of(struct timeline *timeline, const struct event *event)
{
	struct timeline_process *process = timeline_process(timeline, event->process);

	if (!process->counter) {
		process->functions = timeline_names(timeline, event->process)->functions;
		process->counter = calloc(process->functions, sizeof(*process->counter));
	}
	return process->counter ? &process->counter[event->function] : NULL;
}

void timeline_value(struct timeline *timeline, const struct event *event)
{
	struct timeline_process *process = timeline_process(timeline, event->process);
	struct timeline_counter *counter = counter_of(timeline, event);
	const char *name = events_function(timeline->events, event)->name;
	uint64_t uuid = timeline_uuid(process, TRACK_COUNTER, event->function);
	struct pf_message *message = &timeline->trace.packet;
	struct event_arguments arguments;
	struct event_argument value;
	uint8_t *start;

	event_arguments(&arguments, timeline->events, event, FMT_ARG_IN);
	if (!counter || event->time < 0 || !event_arguments_next(&arguments, &value) ||
	    value.arg->type == FMT_ARG_STRING)
		return;
	if (counter->file != timeline->file) {
		counter->file = timeline->file;
		timeline_process_describe(timeline, event->process);
		timeline_counter_track(timeline, process->machine, uuid, timeline_uuid(process, TRACK_PROCESS, 0), "",
				       name);
		timeline_sequence_start(timeline, &counter->sequence, process->machine, uuid);
	} else if (timeline->thin && event->time - counter->time < timeline->thin) {
		return;
	}
	counter->time = event->time;
	start = value_start(timeline, counter, event->time);
	if (value.arg->type == FMT_ARG_F32 || value.arg->type == FMT_ARG_F64)
		pf_double(message, PF_EVENT_COUNTER_DOUBLE, event_double(&value, 0));
	else if (value.arg->type == FMT_ARG_U64 && event_word(&value, 0) > INT64_MAX)
		pf_double(message, PF_EVENT_COUNTER_DOUBLE, (double)event_word(&value, 0));
	else
		pf_u64(message, PF_EVENT_COUNTER, event_word(&value, 0));
	value_put(timeline, start);
}
