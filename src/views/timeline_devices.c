/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work of devices: as typed packets, whose rows viewers arrange by themselves, or as plain slices on rows of
 * which none holds two at once. Beside it the number of running kernels, and memory in use.
 */
#include <stdlib.h>

#include "base/log.h"
#include "views/timeline_internal.h"
#include "views/view_details.h"
#include "views/view_internal.h"

#define STAGE_OTHER 0
#define STAGE_COMPUTE 2
#define UNKNOWN_EVENT ((uint64_t)1 << 62) /* event ids of operations whose launch is not known */

/* Viewers look for the first two by these very names. */
static const char note_device[] = "device", note_stream[] = "stream", note_bytes[] = "bytes",
		  note_direction[] = "direction", note_memory[] = "host memory", note_error[] = "clock_error_ns";

static bool is_kernel(const struct event_operation *operation)
{
	return operation->kind == SONDE_KIND_launch || operation->kind == SONDE_KIND_graph_launch;
}

static bool is_transfer(const struct event_operation *operation)
{
	return operation->kind == SONDE_KIND_copy || operation->kind == SONDE_KIND_fill ||
	       operation->kind == SONDE_KIND_map;
}

static const char *operation_name(const struct event_operation *operation)
{
	return *operation->name ? operation->name : view_kind[operation->kind];
}

/* Index in process->device and process->queue. */
static uint32_t device_index(const struct timeline_process *process, const struct event_operation *operation)
{
	return operation->device < process->devices ? operation->device : process->devices;
}

static uint32_t queue_index(const struct timeline_process *process, const struct event_operation *operation)
{
	return operation->queue < process->queues ? operation->queue :
	       process->queues + device_index(process, operation);
}

static const char *device_name(const struct tally_body *names, uint32_t device)
{
	return device < names->devices && *names->device[device].name ? names->device[device].name : "unknown device";
}

/* "api:0 queue 003 rank 2": viewers sort queues as text, and tell them apart by name. */
static const char *queue_name(struct timeline *timeline, struct arena *arena, const struct event *event, bool whole)
{
	const struct tally_body *names = timeline_names(timeline, event->process);
	const struct tally *tally = &timeline->recording->tally[event->process];
	const struct event_operation *operation = &event->operation;
	const char *who, *queue;

	queue = operation->queue < names->queues ? arena_printf(arena, "queue %03u", operation->queue) :
						   "no queue known";
	if (operation->queue < names->queues && *names->queue[operation->queue].name)
		queue = arena_printf(arena, "%s (%s)", queue, names->queue[operation->queue].name);
	if (!whole)
		return queue;
	who = tally->rank >= 0 ? arena_printf(arena, " rank %d", (int)tally->rank) :
	      timeline->recording->tallies > 1 ? arena_printf(arena, " pid %u", tally->raw.pid) : "";
	if (operation->device < names->devices)
		return arena_printf(arena, "%s:%u %s%s", names->backend[operation->backend].name,
				    names->device[operation->device].ordinal, queue, who);
	return arena_printf(arena, "%s %s%s", names->backend[operation->backend].name, queue, who);
}

/* ---- counters ---- */

static void counter_put(struct timeline *timeline, struct timeline_counter *counter, int64_t time, int64_t value)
{
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start;

	counter->time = time;
	pf_packet_start(&timeline->trace, &counter->sequence);
	pf_u64(message, PF_PACKET_TIMESTAMP, (uint64_t)time);
	pf_u64(message, PF_PACKET_FLAGS, PF_FLAGS_NEEDED);
	start = pf_begin(message, PF_PACKET_TRACK_EVENT);
	pf_u64(message, PF_EVENT_TYPE, PF_TYPE_COUNTER);
	pf_u64(message, PF_EVENT_COUNTER, (uint64_t)value);
	pf_end(message, start);
	pf_packet_put(&timeline->trace);
}

void timeline_memory(struct timeline *timeline, const struct event *event)
{
	struct timeline_process *process = timeline_process(timeline, event->process);
	const struct tally_body *names = timeline_names(timeline, event->process);
	const struct event_memory *memory = &event->memory;
	uint32_t device = memory->device < process->devices ? memory->device : process->devices;
	uint32_t index = device * SONDE_MEMORY_COUNT + memory->memory;
	struct timeline_counter *counter = &process->memory[index];
	struct arena scratch = {NULL};

	if (event->time < 0)
		return;
	if (timeline->thin && counter->file == timeline->file && event->time - counter->time < timeline->thin)
		return;
	if (counter->file != timeline->file) {
		const char *name = device < process->devices ?
			arena_printf(&scratch, "memory in use: %s, %s %u", view_memory[memory->memory],
				     device_name(names, device), names->device[device].ordinal) :
			arena_printf(&scratch, "memory in use: %s", view_memory[memory->memory]);

		timeline_counter_describe(timeline, counter, event->process,
					  timeline_uuid(process, TRACK_MEMORY, index), PF_UNIT_BYTES, name);
		arena_free(&scratch);
	}
	counter_put(timeline, counter, event->time, (int64_t)memory->live_bytes);
}

/* ---- how many kernels run ---- */

static bool ends_push(struct timeline_ends *ends, int64_t end)
{
	uint32_t i = ends->used;

	if (ends->used == ends->capacity) {
		uint32_t capacity = ends->capacity ? 2 * ends->capacity : 64;
		int64_t *larger = realloc(ends->end, capacity * sizeof(*larger));

		if (!larger)
			return false;
		ends->end = larger;
		ends->capacity = capacity;
	}
	for (; i && ends->end[(i - 1) / 2] > end; i = (i - 1) / 2)
		ends->end[i] = ends->end[(i - 1) / 2];
	ends->end[i] = end;
	ends->used++;
	return true;
}

static void ends_pop(struct timeline_ends *ends)
{
	int64_t last = ends->end[--ends->used];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < ends->used) {
		if (child + 1 < ends->used && ends->end[child + 1] < ends->end[child])
			child++;
		if (ends->end[child] >= last)
			break;
		ends->end[i] = ends->end[child];
		i = child;
	}
	ends->end[i] = last;
}

/* Kernels that end until `time` are over; what happens at one time is one value. */
static void running_advance(struct timeline *timeline, struct timeline_device *device, int64_t time)
{
	struct timeline_ends *ends = &device->ends;
	int64_t end;

	while (ends->used && ends->end[0] <= time) {
		end = ends->end[0];
		while (ends->used && ends->end[0] == end)
			ends_pop(ends);
		if (end < time && device->running.file == timeline->file)
			counter_put(timeline, &device->running, end, ends->used);
	}
}

static void running_add(struct timeline *timeline, const struct event *event)
{
	struct timeline_process *process = timeline_process(timeline, event->process);
	const struct tally_body *names = timeline_names(timeline, event->process);
	uint32_t index = device_index(process, &event->operation);
	struct timeline_device *device = &process->device[index];
	struct arena scratch = {NULL};

	if (device->running.file != timeline->file) {
		timeline_counter_describe(timeline, &device->running, event->process,
					  timeline_uuid(process, TRACK_RUNNING, index), PF_UNIT_COUNT,
					  arena_printf(&scratch, "running kernels: %s %u", device_name(names, index),
						       index < names->devices ? names->device[index].ordinal : 0));
		arena_free(&scratch);
	}
	running_advance(timeline, device, event->begin);
	if (event->end > event->begin && ends_push(&device->ends, event->end))
		counter_put(timeline, &device->running, event->begin, device->ends.used);
}

void timeline_devices_finish(struct timeline *timeline)
{
	size_t i, k;

	for (i = 0; i < timeline->recording->tallies; i++)
		for (k = 0; timeline->process[i] && k <= timeline->process[i]->devices; k++)
			running_advance(timeline, &timeline->process[i]->device[k], INT64_MAX);
}

/* ---- typed packets ---- */

static uint32_t stage_number(struct timeline *timeline, struct pf_sequence *sequence, const void *key,
			     const char *name, uint64_t category)
{
	struct pf_message *message;
	uint32_t number;

	if (!pf_number(sequence, PF_GPU_STAGES, key, &number))
		return number;
	message = pf_define_start(&timeline->trace, number);
	pf_text(message, 2, name);
	if (category)
		pf_u64(message, 4, category);
	pf_define(&timeline->trace, sequence, PF_GPU_STAGES);
	return number;
}

/* The context says whose work it is. Its number is looked up per machine, so it is the one of a process's API. */
static uint32_t context_number(const struct event *event)
{
	return event->process * FMT_BACKENDS_MAX + event->operation.backend + 1;
}

static void context_define(struct timeline *timeline, struct pf_sequence *sequence, const struct event *event)
{
	const struct tally_body *names = timeline_names(timeline, event->process);
	struct pf_message *message = pf_define_start(&timeline->trace, context_number(event));
	uint32_t api = names->backend[event->operation.backend].raw.perfetto_api;

	pf_u64(message, 2, timeline->recording->tally[event->process].raw.pid);
	if (api)
		pf_u64(message, 3, api);
	pf_define(&timeline->trace, sequence, PF_GPU_CONTEXTS);
}

static void argument_u64(struct timeline *timeline, struct pf_sequence *sequence, const char *name,
			 enum pf_launch_argument_field type, uint64_t value)
{
	uint32_t number = pf_name(&timeline->trace, sequence, PF_ARGUMENT_NAMES, name, name);
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start = pf_begin(message, PF_LAUNCH_ARGUMENT);

	pf_u64(message, PF_ARGUMENT_NAME, number);
	pf_u64(message, type, value);
	pf_end(message, start);
}

static void argument_text(struct timeline *timeline, struct pf_sequence *sequence, const char *name, const char *text)
{
	uint32_t number = pf_name(&timeline->trace, sequence, PF_ARGUMENT_NAMES, name, name);
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start = pf_begin(message, PF_LAUNCH_ARGUMENT);

	pf_u64(message, PF_ARGUMENT_NAME, number);
	pf_text(message, PF_ARGUMENT_TEXT, text);
	pf_end(message, start);
}

static void extent_write(struct timeline *timeline, enum pf_launch_field field, const uint32_t extent[3])
{
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start = pf_begin(message, field);

	for (int i = 0; i < 3; i++)
		pf_u64(message, (uint32_t)(PF_EXTENT_X + i), extent[i]);
	pf_end(message, start);
}

static void details_write(struct timeline *timeline, struct pf_sequence *sequence,
			  const struct event_operation *operation)
{
	for (int kind = 0; kind < VIEW_DETAILS; kind++) {
		struct view_detail detail = view_detail_of(operation->details, kind);

		if (detail.known && !detail.extent)
			argument_u64(timeline, sequence, view_detail[kind], PF_ARGUMENT_UINT, detail.value);
	}
}

static void launch_write(struct timeline *timeline, struct pf_sequence *sequence, const struct event *event)
{
	const struct event_operation *operation = &event->operation;
	const struct tally_body *names = timeline_names(timeline, event->process);
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start = pf_begin(message, PF_STAGE_LAUNCH);

	if (operation->details->shape.known & FMT_SHAPE_GRID)
		extent_write(timeline, PF_LAUNCH_GRID, operation->details->shape.grid);
	if (operation->details->shape.known & FMT_SHAPE_BLOCK)
		extent_write(timeline, PF_LAUNCH_BLOCK, operation->details->shape.block);
	if (operation->device < names->devices)
		argument_u64(timeline, sequence, note_device, PF_ARGUMENT_INT,
			     names->device[operation->device].ordinal);
	if (operation->queue < names->queues)
		argument_u64(timeline, sequence, note_stream, PF_ARGUMENT_INT, operation->queue);
	if (is_transfer(operation)) {
		argument_u64(timeline, sequence, note_bytes, PF_ARGUMENT_UINT, operation->bytes);
		argument_text(timeline, sequence, note_direction, view_direction[operation->direction]);
		argument_text(timeline, sequence, note_memory, view_memory[operation->memory]);
	}
	if (operation->error_ns)
		argument_u64(timeline, sequence, note_error, PF_ARGUMENT_UINT, operation->error_ns);
	details_write(timeline, sequence, operation);
	pf_end(message, start);
}

/* Numbers of queues are looked up per device and machine: the key is the queue, the name says the rank. */
static uint32_t queue_number(struct timeline *timeline, struct pf_sequence *sequence, const struct event *event,
			     const struct timeline_queue *queue)
{
	struct arena scratch = {NULL};
	struct pf_message *message;
	uint32_t number;

	if (!pf_number(sequence, PF_GPU_STAGES, queue, &number))
		return number;
	message = pf_define_start(&timeline->trace, number);
	pf_text(message, 2, queue_name(timeline, &scratch, event, true));
	pf_define(&timeline->trace, sequence, PF_GPU_STAGES);
	arena_free(&scratch);
	return number;
}

static void typed_put(struct timeline *timeline, const struct event *event)
{
	const struct event_operation *operation = &event->operation;
	struct timeline_process *process = timeline_process(timeline, event->process);
	uint32_t index = device_index(process, operation);
	struct timeline_device *device = &process->device[index];
	struct pf_sequence *sequence = &device->sequence;
	struct pf_message *message = &timeline->trace.packet;
	const char *name = operation_name(operation);
	uint32_t queue, stage;
	uint8_t *start;

	if (device->file != timeline->file) {
		device->file = timeline->file;
		timeline_process_describe(timeline, event->process);
		timeline_sequence_start(timeline, sequence, process->machine, 0);
		context_define(timeline, sequence, event);
	}
	queue = queue_number(timeline, sequence, event, &process->queue[queue_index(process, operation)]);
	stage = stage_number(timeline, sequence, view_kind[operation->kind],
			     is_kernel(operation) ? "kernel" : view_kind[operation->kind],
			     is_kernel(operation) ? STAGE_COMPUTE : STAGE_OTHER);
	pf_packet_start(&timeline->trace, sequence);
	pf_u64(message, PF_PACKET_TIMESTAMP, (uint64_t)event->begin);
	pf_u64(message, PF_PACKET_FLAGS, PF_FLAGS_NEEDED);
	start = pf_begin(message, PF_PACKET_GPU_STAGE);
	pf_u64(message, PF_STAGE_EVENT, operation->correlation ?
	       timeline_correlation(event->process, operation->correlation) :
	       UNKNOWN_EVENT | timeline->result.operations);
	pf_u64(message, PF_STAGE_DURATION, (uint64_t)(event->end - event->begin));
	pf_u64(message, PF_STAGE_CONTEXT, context_number(event));
	pf_u64(message, PF_STAGE_GPU, process->gpu[index]);
	pf_u64(message, PF_STAGE_QUEUE, queue);
	pf_u64(message, PF_STAGE_STAGE, stage);
	pf_u64(message, PF_STAGE_NAME, pf_name(&timeline->trace, sequence, PF_EVENT_NAMES, name, name));
	if (is_kernel(operation))
		pf_u64(message, PF_STAGE_KERNEL, pf_name(&timeline->trace, sequence, PF_KERNELS, name, name));
	launch_write(timeline, sequence, event);
	pf_end(message, start);
	pf_packet_put(&timeline->trace);
}

/* ---- plain slices ---- */

/* The first row whose last operation is over. */
static struct timeline_row *queue_row(struct timeline_queue *queue, int64_t begin)
{
	struct timeline_row *larger;
	uint32_t i;

	for (i = 0; i < queue->rows; i++)
		if (queue->row[i].last <= begin)
			return &queue->row[i];
	larger = realloc(queue->row, (queue->rows + 1u) * sizeof(*larger));
	if (!larger)
		return NULL;
	queue->row = larger;
	memset(&larger[queue->rows], 0, sizeof(*larger));
	return &larger[queue->rows++];
}

static void row_describe(struct timeline *timeline, const struct event *event, struct timeline_row *row,
			 uint32_t row_index)
{
	const struct tally_body *names = timeline_names(timeline, event->process);
	struct timeline_process *process = timeline_process(timeline, event->process);
	uint32_t index = device_index(process, &event->operation), queue = queue_index(process, &event->operation);
	uint64_t parent = timeline_uuid(process, TRACK_DEVICE, index);
	uint64_t uuid = timeline_uuid(process, TRACK_QUEUE, (uint64_t)queue << 24 | row_index);
	struct arena scratch = {NULL};

	timeline_process_describe(timeline, event->process);
	if (process->device[index].file != timeline->file)
		timeline_track_describe(timeline, process, parent, timeline_uuid(process, TRACK_PROCESS, 0),
					index < names->devices ?
					arena_printf(&scratch, "%s device %u: %s",
						     names->backend[event->operation.backend].name,
						     names->device[index].ordinal, device_name(names, index)) :
					"unknown device");
	process->device[index].file = timeline->file;
	row->file = timeline->file;
	timeline_track_describe(timeline, process, uuid, parent, queue_name(timeline, &scratch, event, false));
	timeline_sequence_start(timeline, &row->sequence, process->machine, uuid);
	arena_free(&scratch);
}

static uint8_t *edge_start(struct timeline *timeline, const struct timeline_row *row, int64_t time,
			   enum pf_event_type type)
{
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start;

	pf_packet_start(&timeline->trace, &row->sequence);
	pf_u64(message, PF_PACKET_TIMESTAMP, (uint64_t)time);
	pf_u64(message, PF_PACKET_FLAGS, PF_FLAGS_NEEDED);
	start = pf_begin(message, PF_PACKET_TRACK_EVENT);
	pf_u64(message, PF_EVENT_TYPE, type);
	return start;
}

static void edge_put(struct timeline *timeline, uint8_t *start)
{
	pf_end(&timeline->trace.packet, start);
	pf_packet_put(&timeline->trace);
}

static void plain_notes(struct timeline *timeline, struct pf_sequence *sequence,
			const struct event_operation *operation)
{
	if (is_transfer(operation)) {
		timeline_note_u64(timeline, sequence, note_bytes, operation->bytes);
		timeline_note_text(timeline, sequence, note_direction, view_direction[operation->direction]);
		timeline_note_text(timeline, sequence, note_memory, view_memory[operation->memory]);
	}
	if (operation->error_ns)
		timeline_note_u64(timeline, sequence, note_error, operation->error_ns);
	for (int kind = 0; kind < VIEW_DETAILS; kind++) {
		struct view_detail detail = view_detail_of(operation->details, kind);

		if (detail.known && detail.extent)
			timeline_note_extent(timeline, sequence, view_detail[kind], detail.extent);
		else if (detail.known)
			timeline_note_u64(timeline, sequence, view_detail[kind], detail.value);
	}
}

static bool plain_put(struct timeline *timeline, const struct event *event)
{
	const struct event_operation *operation = &event->operation;
	struct timeline_process *process = timeline_process(timeline, event->process);
	struct timeline_queue *queue = &process->queue[queue_index(process, operation)];
	struct timeline_row *row = queue_row(queue, event->begin);
	const char *name = operation_name(operation), *category = view_kind[operation->kind];
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start;

	if (!row)
		return false;
	if (row->file != timeline->file)
		row_describe(timeline, event, row, (uint32_t)(row - queue->row));
	row->last = event->end;
	start = edge_start(timeline, row, event->begin, PF_TYPE_BEGIN);
	pf_u64(message, PF_EVENT_NAME, pf_name(&timeline->trace, &row->sequence, PF_EVENT_NAMES, name, name));
	pf_u64(message, PF_EVENT_CATEGORY,
	       pf_name(&timeline->trace, &row->sequence, PF_CATEGORIES, category, category));
	if (operation->correlation)
		pf_fixed64(message, PF_EVENT_FLOW_END, timeline_correlation(event->process, operation->correlation));
	plain_notes(timeline, &row->sequence, operation);
	edge_put(timeline, start);
	edge_put(timeline, edge_start(timeline, row, event->end, PF_TYPE_END));
	return true;
}

void timeline_operation(struct timeline *timeline, const struct event *event)
{
	if (event->begin < 0 || event->end < event->begin) {
		timeline->result.left_out++;
		return;
	}
	if (is_kernel(&event->operation) && !timeline->thin) /* an overview lacks the short ones */
		running_add(timeline, event);
	if (!timeline->options->gpu_tracks)
		typed_put(timeline, event);
	else if (!plain_put(timeline, event))
		timeline->result.left_out++;
	timeline->result.operations++;
}
