/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracks of a timeline. Their numbers come from host, process and start of the process, so that they differ
 * over ranks and hosts, also between files that somebody joins later.
 */
#include <stdlib.h>
#include <string.h>

#include "views/timeline_internal.h"
#include "views/view_internal.h"

#define MACHINE_NAME 17 /* of the system's description */

uint64_t timeline_uuid(const struct timeline_process *process, enum timeline_track kind, uint64_t number)
{
	return view_mix(process->seed + view_mix((uint64_t)kind << 56 | number)) | 1; /* 0 is the root of all tracks */
}

const struct tally_body *timeline_names(const struct timeline *timeline, uint32_t process)
{
	return events_process(timeline->events, process)->names;
}

/* ---- packets that describe ---- */

static uint8_t *track_start(struct timeline *timeline, uint64_t uuid, uint64_t parent)
{
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *track;

	track = pf_begin(message, PF_PACKET_TRACK);
	pf_u64(message, PF_TRACK_UUID, uuid);
	if (parent)
		pf_u64(message, PF_TRACK_PARENT, parent);
	return track;
}

static void track_put(struct timeline *timeline, uint8_t *track)
{
	pf_end(&timeline->trace.packet, track);
	pf_packet_put(&timeline->trace);
}

/* A packet of the global sequence that belongs to the machine of a process. */
static void packet_start(struct timeline *timeline, uint32_t machine)
{
	timeline->global.machine = machine;
	pf_packet_start(&timeline->trace, &timeline->global);
	timeline->global.machine = 0;
}

void timeline_track_describe(struct timeline *timeline, const struct timeline_process *process, uint64_t uuid,
			     uint64_t parent, const char *name)
{
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *track;

	packet_start(timeline, process->machine);
	track = track_start(timeline, uuid, parent);
	pf_text(message, PF_TRACK_NAME, name);
	track_put(timeline, track);
}

/* ---- the beginning of a file ---- */

static void attribute(struct pf_message *message, const char *key, const char *text, uint64_t number)
{
	uint8_t *start = pf_begin(message, 1);

	pf_text(message, 1, key);
	if (text)
		pf_text(message, 3, text);
	else
		pf_u64(message, 2, number);
	pf_end(message, start);
}

static void attributes_write(struct timeline *timeline)
{
	const struct recording *recording = timeline->recording;
	struct pf_message *message = &timeline->trace.packet;
	uint32_t ranks = 0;
	uint8_t *start;
	size_t i;

	for (i = 0; i < recording->tallies; i++)
		ranks += recording->tally[i].rank >= 0;
	packet_start(timeline, 0);
	start = pf_begin(message, PF_PACKET_ATTRIBUTES);
	attribute(message, "tool", "sonde " SONDE_VERSION, 0);
	attribute(message, "start_ns_since_1970", NULL, (uint64_t)events_wall(timeline->events, 0, 0));
	attribute(message, "start_monotonic_raw_ns", NULL, timeline->trace.origin);
	attribute(message, "processes", NULL, recording->tallies);
	attribute(message, "ranks", NULL, ranks);
	attribute(message, "hosts", NULL, recording->hosts);
	if (recording->tallies)
		attribute(message, "command", recording->tally[0].command, 0);
	pf_end(message, start);
	pf_packet_put(&timeline->trace);
}

/* The number of a device on its host; two processes that use one device name the same. */
static uint32_t gpu_number(struct timeline *timeline, uint32_t host, const struct tally_body *names, uint32_t device)
{
	const struct tally_device *what = &names->device[device];
	const char *key = *what->key ? what->key : arena_printf(&timeline->arena, "%s:%u",
			names->backend[what->backend].name, what->ordinal);
	uint32_t number = 0;
	size_t i;

	for (i = 0; i < timeline->gpus; i++) {
		if (timeline->gpu[i].host != host)
			continue;
		if (!strcmp(timeline->gpu[i].key, key))
			return timeline->gpu[i].number;
		number++;
	}
	timeline->gpu = arena_grow(&timeline->arena, timeline->gpu, timeline->gpus, &timeline->gpu_capacity,
				   sizeof(*timeline->gpu));
	timeline->gpu[timeline->gpus++] = (struct timeline_gpu){host, number, what->name, key};
	return number;
}

static void gpus_collect(struct timeline *timeline)
{
	uint32_t process, device;

	for (process = 0; process < timeline->recording->tallies; process++) {
		const struct tally_body *names = timeline_names(timeline, process);

		for (device = 0; device < names->devices; device++)
			gpu_number(timeline, timeline->recording->tally[process].host, names, device);
	}
}

static void gpus_write(struct timeline *timeline, uint32_t host, uint32_t machine)
{
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start, *gpu, *info;
	size_t i;

	packet_start(timeline, machine);
	start = pf_begin(message, PF_PACKET_GPU_INFO);
	for (i = 0; i < timeline->gpus && !pf_is_full(message); i++) {
		if (timeline->gpu[i].host != host)
			continue;
		gpu = pf_begin(message, 1);
		pf_text(message, 1, timeline->gpu[i].name);
		info = pf_begin(message, 6);
		pf_text(message, 1, "identity");
		pf_text(message, 2, timeline->gpu[i].key);
		pf_end(message, info);
		pf_end(message, gpu);
	}
	pf_end(message, start);
	pf_packet_put(&timeline->trace);
}

uint32_t timeline_machine(const struct timeline *timeline, uint32_t host)
{
	return timeline->recording->hosts > 1 ? host + 1 : 0; /* 0 costs nothing in a packet */
}

void timeline_file_start(struct timeline *timeline)
{
	struct pf_message *message = &timeline->trace.packet;
	uint32_t host;
	uint8_t *start;

	pf_sequence_free(&timeline->global);
	pf_sequence_start(&timeline->trace, &timeline->global, 0, 0);
	if (!timeline->gpus)
		gpus_collect(timeline);
	attributes_write(timeline);
	packet_start(timeline, 0);
	start = track_start(timeline, 0, 0);
	pf_u64(message, PF_TRACK_PROCESS_ORDER, 1);
	pf_u64(message, PF_TRACK_THREAD_ORDER, 1);
	track_put(timeline, start);
	for (host = 0; host < timeline->recording->hosts; host++) {
		packet_start(timeline, timeline_machine(timeline, host));
		start = pf_begin(message, PF_PACKET_SYSTEM_INFO);
		pf_text(message, MACHINE_NAME, timeline->recording->host[host].name);
		pf_end(message, start);
		pf_packet_put(&timeline->trace);
		if (timeline->gpus)
			gpus_write(timeline, host, timeline_machine(timeline, host));
	}
}

/* ---- processes ---- */

struct timeline_process *timeline_process(struct timeline *timeline, uint32_t index)
{
	const struct tally *tally = &timeline->recording->tally[index];
	struct timeline_process *process = timeline->process[index];
	const struct tally_body *names;
	const char *host;
	uint32_t i;

	if (process)
		return process;
	names = timeline_names(timeline, index);
	process = timeline->process[index] = arena_zalloc(&timeline->arena, sizeof(*process));
	process->machine = timeline_machine(timeline, tally->host);
	process->devices = names->devices;
	process->queues = names->queues;
	process->device = arena_array(&timeline->arena, names->devices + 1u, sizeof(*process->device));
	process->queue = arena_array(&timeline->arena, (size_t)names->queues + names->devices + 1,
				     sizeof(*process->queue));
	process->memory = arena_array(&timeline->arena, ((size_t)names->devices + 1) * SONDE_MEMORY_COUNT,
				      sizeof(*process->memory));
	process->gpu = arena_array(&timeline->arena, names->devices + 1u, sizeof(*process->gpu));
	for (i = 0; i < names->devices; i++)
		process->gpu[i] = gpu_number(timeline, tally->host, names, i);
	for (i = 0; i < timeline->gpus; i++) /* a number beyond all others for work of no known device */
		process->gpu[names->devices] += timeline->gpu[i].host == tally->host;
	host = timeline->recording->host[tally->host].name;
	process->seed = view_mix(((uint64_t)tally->raw.pid << 32) + tally->raw.start_time +
				 view_mix(tally->raw.birth_ticks));
	while (*host)
		process->seed = view_mix(process->seed + (unsigned char)*host++);
	return process;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void timeline_process_describe(struct timeline *timeline, uint32_t index)
{
	const struct tally *tally = &timeline->recording->tally[index];
	struct timeline_process *process = timeline_process(timeline, index);
	struct pf_message *message = &timeline->trace.packet;
	const char *exe = base_name(tally->exe), *host = timeline->recording->host[tally->host].name;
	struct arena scratch = {NULL};
	uint8_t *track, *inner;

	if (process->file == timeline->file)
		return;
	process->file = timeline->file;
	packet_start(timeline, process->machine);
	track = track_start(timeline, timeline_uuid(process, TRACK_PROCESS, 0), 0);
	inner = pf_begin(message, PF_TRACK_PROCESS);
	pf_u64(message, PF_PROCESS_PID, tally->raw.pid);
	pf_text(message, PF_PROCESS_COMMAND, tally->command);
	pf_text(message, PF_PROCESS_NAME, tally->rank >= 0 ?
		arena_printf(&scratch, "rank %d: %s (%s)", (int)tally->rank, exe, host) :
		timeline->recording->hosts > 1 ? arena_printf(&scratch, "%s (%s)", exe, host) : exe);
	pf_end(message, inner);
	pf_u64(message, PF_TRACK_RANK, tally->rank >= 0 ? (uint64_t)tally->rank : index);
	track_put(timeline, track);
	arena_free(&scratch);
}

void timeline_sequence_start(struct timeline *timeline, struct pf_sequence *sequence, uint32_t machine, uint64_t track)
{
	pf_sequence_free(sequence); /* a new file: ids begin anew */
	pf_sequence_start(&timeline->trace, sequence, machine, track);
}

void timeline_lane_describe(struct timeline *timeline, struct timeline_lane *lane)
{
	const struct tally *tally = &timeline->recording->tally[lane->process];
	struct timeline_process *process;
	struct pf_message *message = &timeline->trace.packet;
	struct arena scratch = {NULL};
	uint8_t *track, *inner;
	uint64_t uuid;

	if (lane->file == timeline->file)
		return;
	lane->file = timeline->file;
	timeline_process_describe(timeline, lane->process);
	process = timeline_process(timeline, lane->process);
	uuid = timeline_uuid(process, TRACK_THREAD, (uint64_t)lane->tid << 20 ^ lane->stream);
	packet_start(timeline, process->machine);
	track = track_start(timeline, uuid, 0); /* viewers find the process by its id */
	inner = pf_begin(message, PF_TRACK_THREAD);
	pf_u64(message, PF_THREAD_PID, tally->raw.pid);
	pf_u64(message, PF_THREAD_TID, lane->tid);
	pf_text(message, PF_THREAD_NAME, view_thread_name(&scratch, timeline_names(timeline, lane->process),
							  tally, lane->tid, lane->stream));
	pf_end(message, inner);
	pf_u64(message, PF_TRACK_RANK, lane->tid == tally->raw.pid ? 0 : lane->stream + 1);
	track_put(timeline, track);
	timeline_sequence_start(timeline, &lane->sequence, process->machine, uuid);
	arena_free(&scratch);
}

bool timeline_counter_describe(struct timeline *timeline, struct timeline_counter *counter, uint32_t process,
			       uint64_t uuid, enum pf_unit unit, const char *name)
{
	struct timeline_process *owner = timeline_process(timeline, process);
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *track, *inner;

	if (counter->file == timeline->file)
		return false;
	counter->file = timeline->file;
	timeline_process_describe(timeline, process);
	packet_start(timeline, owner->machine);
	track = track_start(timeline, uuid, timeline_uuid(owner, TRACK_PROCESS, 0));
	pf_text(message, PF_TRACK_NAME, name);
	inner = pf_begin(message, PF_TRACK_COUNTER);
	pf_u64(message, PF_COUNTER_UNIT, unit);
	pf_text(message, PF_COUNTER_SHARE, unit == PF_UNIT_BYTES ? "bytes" : "kernels");
	pf_end(message, inner);
	track_put(timeline, track);
	timeline_sequence_start(timeline, &counter->sequence, owner->machine, uuid);
	return true;
}

void timeline_counter_track(struct timeline *timeline, uint32_t machine, uint64_t uuid, uint64_t parent,
			    const char *unit, const char *name)
{
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *track, *inner;

	packet_start(timeline, machine);
	track = track_start(timeline, uuid, parent);
	pf_text(message, PF_TRACK_NAME, name);
	inner = pf_begin(message, PF_TRACK_COUNTER);
	if (!strcmp(unit, "bytes"))
		pf_u64(message, PF_COUNTER_UNIT, PF_UNIT_BYTES);
	else if (*unit)
		pf_text(message, PF_COUNTER_UNIT_NAME, unit);
	pf_end(message, inner);
	track_put(timeline, track);
}

/* ---- the end ---- */

static void process_free(struct timeline_process *process)
{
	size_t i, k;

	for (i = 0; i <= process->devices; i++) {
		pf_sequence_free(&process->device[i].sequence);
		pf_sequence_free(&process->device[i].running.sequence);
		free(process->device[i].ends.end);
	}
	for (i = 0; i <= (size_t)process->queues + process->devices; i++) {
		for (k = 0; k < process->queue[i].rows; k++)
			pf_sequence_free(&process->queue[i].row[k].sequence);
		free(process->queue[i].row);
	}
	for (i = 0; i < ((size_t)process->devices + 1) * SONDE_MEMORY_COUNT; i++)
		pf_sequence_free(&process->memory[i].sequence);
	for (i = 0; process->counter && i < process->functions; i++)
		pf_sequence_free(&process->counter[i].sequence);
	free(process->counter);
	for (i = 0; i < process->lanes; i++) {
		if (process->lane[i])
			pf_sequence_free(&process->lane[i]->sequence);
		free(process->lane[i]);
	}
	timeline_ranges_free(&process->ranges);
	free(process->lane);
}

void timeline_free(struct timeline *timeline)
{
	size_t i;

	for (i = 0; timeline->process && i < timeline->recording->tallies; i++)
		if (timeline->process[i])
			process_free(timeline->process[i]);
	pf_sequence_free(&timeline->global);
	arena_free(&timeline->arena);
}
