/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trace Event JSON, as chrome://tracing and others read it. Times are us with three decimals, so that no ns is
 * lost; work of devices stands on rows of its own, on which slices never overlap.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "views/view_details.h"
#include "views/view_export.h"
#include "views/view_internal.h"

#define ROW_FIRST 1000000000u /* thread ids of rows of devices: greater than those of threads */
#define EVENT_ROOM 64

struct chrome_row {
	uint32_t process, device, queue;
	int64_t last;
};

struct chrome {
	struct json json;
	bool *described;         /* by process */
	bool *lane;              /* by lane: described */
	size_t lanes;
	struct chrome_row *row;
	size_t rows, row_capacity;
};

/* Process ids of several hosts can be equal: then the index in the recording stands for them. */
static uint64_t chrome_pid(const struct export *export, uint32_t process)
{
	return export->recording->hosts > 1 ? process + 1 : export->recording->tally[process].raw.pid;
}

static void time_write(struct json *json, const char *key, int64_t ns)
{
	const bool negative = ns < 0;
	const uint64_t value = negative ? 0 - (uint64_t)ns : (uint64_t)ns;
	char text[40];

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%03" PRIu64, negative ? "-" : "", value / 1000, value % 1000);
	json_number(json, key, text);
}

static void event_open(struct export *export, const char *phase, const char *name, uint32_t process, uint64_t tid)
{
	struct chrome *chrome = export->state;

	json_object_line(&chrome->json, NULL);
	json_text(&chrome->json, "ph", phase);
	json_text(&chrome->json, "name", name);
	json_u64(&chrome->json, "pid", chrome_pid(export, process));
	json_u64(&chrome->json, "tid", tid);
}

static void name_write(struct export *export, const char *what, const char *key, const char *text, int64_t number,
		       uint32_t process, uint64_t tid)
{
	struct chrome *chrome = export->state;

	event_open(export, "M", what, process, tid);
	json_object(&chrome->json, "args");
	if (text)
		json_text(&chrome->json, key, text);
	else
		json_i64(&chrome->json, key, number);
	json_object_end(&chrome->json);
	json_object_end(&chrome->json);
}

static void process_describe(struct export *export, uint32_t process)
{
	struct chrome *chrome = export->state;
	const struct tally *tally = &export->recording->tally[process];
	const char *slash = strrchr(tally->exe, '/'), *exe = slash ? slash + 1 : tally->exe;
	struct arena scratch = {NULL};

	if (chrome->described[process])
		return;
	chrome->described[process] = true;
	name_write(export, "process_name", "name", tally->rank >= 0 ?
		   arena_printf(&scratch, "rank %d: %s (%s)", (int)tally->rank, exe,
				export->recording->host[tally->host].name) : exe, 0, process, 0);
	name_write(export, "process_sort_index", "sort_index", NULL, tally->rank >= 0 ? tally->rank : (int64_t)process,
		   process, 0);
	arena_free(&scratch);
}

static uint64_t lane_describe(struct export *export, const struct event *event)
{
	struct chrome *chrome = export->state;
	const struct events_lane *lane = events_lane(export->events, event->lane);
	struct arena scratch = {NULL};

	process_describe(export, event->process);
	if (event->lane >= chrome->lanes) {
		size_t lanes = 2 * (size_t)event->lane + EVENT_ROOM;
		bool *larger = arena_array(&export->arena, lanes, sizeof(*larger));

		if (chrome->lanes)
			memcpy(larger, chrome->lane, chrome->lanes * sizeof(*larger));
		chrome->lane = larger;
		chrome->lanes = lanes;
	}
	if (!chrome->lane[event->lane]) {
		chrome->lane[event->lane] = true;
		name_write(export, "thread_name", "name",
			   view_thread_name(&scratch, events_process(export->events, event->process)->names,
					    &export->recording->tally[event->process], lane->tid, lane->stream),
			   0, event->process, lane->tid);
	}
	arena_free(&scratch);
	return lane->tid;
}

/* The first row of the queue whose last operation is over. */
static uint64_t row_find(struct export *export, const struct event *event, const struct export_row *row)
{
	struct chrome *chrome = export->state;
	const struct event_operation *operation = &event->operation;
	struct arena scratch = {NULL};
	size_t i;

	process_describe(export, event->process);
	for (i = 0; i < chrome->rows; i++) {
		struct chrome_row *place = &chrome->row[i];

		if (place->process != event->process || place->device != operation->device ||
		    place->queue != operation->queue || place->last > event->begin)
			continue;
		place->last = event->end;
		return ROW_FIRST + i;
	}
	chrome->row = arena_grow(&export->arena, chrome->row, chrome->rows, &chrome->row_capacity,
				 sizeof(*chrome->row));
	chrome->row[chrome->rows] = (struct chrome_row){event->process, operation->device, operation->queue,
							event->end};
	name_write(export, "thread_name", "name",
		   arena_printf(&scratch, "%s:%s %s", row->backend, row->device ? row->device : "unknown device",
				row->queue ? row->queue : ""), 0, event->process, ROW_FIRST + chrome->rows);
	arena_free(&scratch);
	return ROW_FIRST + chrome->rows++;
}

/* ---- slices ---- */

static void notes_write(struct json *json, const struct export *export, const struct event *event,
			const struct export_row *row)
{
	json_object(json, "args");
	if (event->type == EVENT_CALL) {
		if (event->failed)
			json_bool(json, "failed", true);
		if (event->has_result && event->result)
			json_i64(json, "result", (int64_t)event->result);
		if (event->bytes_out)
			json_u64(json, "bytes_out", event->bytes_out);
		if (event->bytes_in)
			json_u64(json, "bytes_in", event->bytes_in);
		export_arguments(json, export, event);
	} else if (event->type == EVENT_OPERATION && row->direction) {
		json_u64(json, "bytes", event->operation.bytes);
		json_text(json, "direction", row->direction);
		json_text(json, "memory", row->memory);
	}
	if (event->type == EVENT_OPERATION)
		view_details_json(json, event->operation.details);
	if (row->ended)
		json_text(json, "ended", row->ended);
	json_object_end(json);
}

/* Unique over processes, and exact where readers take numbers as doubles. */
static uint64_t flow_id(uint32_t process, uint64_t correlation)
{
	if (process >> 20 || correlation >> 32)
		return view_mix(view_mix(process + 1) + correlation) >> 11;
	return (uint64_t)process << 32 | correlation;
}

/* One arrow per launch and operation. */
static void flow_write(struct export *export, const struct event *event, uint64_t tid, uint64_t correlation,
		       bool starts)
{
	struct json *json = &((struct chrome *)export->state)->json;

	event_open(export, starts ? "s" : "f", "launch", event->process, tid);
	json_text(json, "cat", "launch");
	json_u64(json, "id", flow_id(event->process, correlation));
	time_write(json, "ts", event->begin);
	if (!starts)
		json_text(json, "bp", "e");
	json_object_end(json);
}

static void slice_write(struct export *export, const struct event *event)
{
	struct json *json = &((struct chrome *)export->state)->json;
	struct export_row row;
	uint64_t tid;
	uint32_t i;

	export_row_make(export, event, &row);
	tid = event->type == EVENT_CALL ? lane_describe(export, event) : row_find(export, event, &row);
	event_open(export, "X", row.name, event->process, tid);
	json_text(json, "cat", event->type == EVENT_CALL ? row.backend : row.kind);
	time_write(json, "ts", row.begin);
	time_write(json, "dur", row.duration);
	notes_write(json, export, event, &row);
	json_object_end(json);
	if (event->type == EVENT_OPERATION && event->operation.correlation)
		flow_write(export, event, tid, event->operation.correlation, false);
	for (i = 0; event->type == EVENT_CALL && i < event->links; i++)
		flow_write(export, event, tid, event->link[i], true);
	export->rows++;
}

static void memory_write(struct export *export, const struct event *event)
{
	struct json *json = &((struct chrome *)export->state)->json;
	struct arena scratch = {NULL};
	struct export_row row;

	process_describe(export, event->process);
	export_row_make(export, event, &row);
	event_open(export, "C", row.device ? arena_printf(&scratch, "memory in use: %s, %s %u", row.memory, row.device,
							  row.ordinal) :
		   arena_printf(&scratch, "memory in use: %s", row.memory), event->process, 0);
	time_write(json, "ts", event->time);
	json_object(json, "args");
	json_u64(json, "bytes", event->memory.live_bytes);
	json_object_end(json);
	json_object_end(json);
	arena_free(&scratch);
}

/* What is told of a range or a mark. */
static void told_write(struct export *export, const struct event *event)
{
	struct json *json = &((struct chrome *)export->state)->json;

	if (!event->in.length)
		return;
	json_object(json, "args");
	export_arguments(json, export, event);
	json_object_end(json);
}

static void gap_write(struct export *export, const struct event *event)
{
	struct json *json = &((struct chrome *)export->state)->json;
	uint64_t tid = event->lane == READ_NONE ? 0 : lane_describe(export, event);

	process_describe(export, event->process);
	event_open(export, "i", "events lost", event->process, tid);
	json_text(json, "s", "t");
	time_write(json, "ts", event->begin);
	json_object(json, "args");
	json_u64(json, "lost", event->lost);
	json_i64(json, "duration_ns", event->end - event->begin);
	json_object_end(json);
	json_object_end(json);
}

static void mark_write(struct export *export, const struct event *event)
{
	bool is_counter = events_function(export->events, event)->kind == SONDE_KIND_counter;
	struct json *json = &((struct chrome *)export->state)->json;
	struct export_row row;

	export_row_make(export, event, &row);
	event_open(export, is_counter ? "C" : "i", row.name, event->process, lane_describe(export, event));
	if (!is_counter)
		json_text(json, "s", "t");
	json_text(json, "cat", row.backend);
	time_write(json, "ts", event->time);
	told_write(export, event);
	json_object_end(json);
	export->rows++;
}

/* Ranges of the process need not nest: the format pairs their ends by a number. */
static void range_write(struct export *export, const struct event *event)
{
	struct json *json = &((struct chrome *)export->state)->json;
	struct arena scratch = {NULL};
	struct export_row row;

	export_row_make(export, event, &row);
	event_open(export, event->type == EVENT_START ? "b" : "e", row.name, event->process,
		   lane_describe(export, event));
	json_text(json, "cat", row.backend);
	json_text(json, "id", arena_printf(&scratch, "0x%llx", (unsigned long long)view_mix(event->process + 1) ^
					   (unsigned long long)event->result));
	time_write(json, "ts", event->time);
	told_write(export, event);
	json_object_end(json);
	arena_free(&scratch);
	export->rows++;
}

static void chrome_event(struct export *export, const struct event *event)
{
	switch (event->type) {
	case EVENT_CALL:
	case EVENT_OPERATION:
		slice_write(export, event);
		break;
	case EVENT_MEMORY:
		memory_write(export, event);
		break;
	case EVENT_MARK:
		mark_write(export, event);
		break;
	case EVENT_START:
	case EVENT_END:
		range_write(export, event);
		break;
	case EVENT_GAP:
		gap_write(export, event);
		break;
	default:
		break;
	}
}

/* ---- the file ---- */

static int chrome_start(struct export *export)
{
	struct chrome *chrome = export->state = arena_zalloc(&export->arena, sizeof(*chrome));

	chrome->described = arena_array(&export->arena, export->recording->tallies, sizeof(*chrome->described));
	json_start(&chrome->json, export->file);
	json_object(&chrome->json, NULL);
	json_text(&chrome->json, "displayTimeUnit", "ns");
	json_object(&chrome->json, "otherData");
	json_text(&chrome->json, "tool", "sonde " SONDE_VERSION);
	json_text(&chrome->json, "command", export->recording->tallies ? export->recording->tally[0].command : "");
	json_object_end(&chrome->json);
	json_array(&chrome->json, "traceEvents");
	return 0;
}

static int chrome_end(struct export *export)
{
	struct chrome *chrome = export->state;

	json_array_end(&chrome->json);
	json_object_end(&chrome->json);
	json_finish(&chrome->json);
	return 0;
}

const struct export_format export_chrome = {
	.name = "chrome", .file = "trace.json", .start = chrome_start, .event = chrome_event, .end = chrome_end,
};
