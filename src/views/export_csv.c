/* SPDX-License-Identifier: BSD-3-Clause */
/* A row per call, device operation, change of memory in use and gap: as CSV, and with the same names as JSON lines. */
#include <string.h>

#include "base/csv.h"
#include "views/view_details.h"
#include "views/view_export.h"

struct csv_state {
	struct csv csv;
};

static const char *const columns[] = {
	"type", "begin_ns", "duration_ns", "host", "pid", "tid", "rank", "backend", "name", "kind", "depth", "failed",
	"ended", "result", "bytes_out", "bytes_in", "bytes", "direction", "memory", "device", "ordinal", "queue",
	"correlation", "clock_error_ns", "lost", "value", "unit", "grid", "block", "registers", "static_shared_bytes",
	"dynamic_shared_bytes", "graph", "graph_node", NULL
};

/* Numbers of an event that not every type has. */
struct numbers {
	bool has_depth, has_result, has_bytes, has_lost, has_error, has_traffic;
	uint64_t bytes;
};

static struct numbers numbers_of(const struct event *event)
{
	const bool call = event->type == EVENT_CALL, operation = event->type == EVENT_OPERATION;

	return (struct numbers){
		.has_depth = call, .has_result = call && event->has_result,
		.has_traffic = call && (event->bytes_out || event->bytes_in), .has_error = operation,
		.has_bytes = event->type == EVENT_MEMORY || (operation && event->operation.bytes),
		.has_lost = event->type == EVENT_GAP,
		.bytes = operation ? event->operation.bytes : event->memory.live_bytes,
	};
}

/* ---- CSV ---- */

static void field_text(struct csv *csv, const char *text)
{
	if (text)
		csv_text(csv, text);
	else
		csv_empty(csv);
}

static void field_u64(struct csv *csv, bool there, uint64_t value)
{
	if (there)
		csv_u64(csv, value);
	else
		csv_empty(csv);
}

/* What the call started, or the number by which its call knows the operation. */
static void field_correlation(struct csv *csv, const struct event *event)
{
	char text[4096];
	size_t used = 0;
	uint32_t i;

	if (event->type == EVENT_OPERATION) {
		field_u64(csv, event->operation.correlation, event->operation.correlation);
		return;
	}
	if (event->type == EVENT_START || event->type == EVENT_END) { /* which range of the process */
		csv_u64(csv, event->result);
		return;
	}
	text[0] = '\0';
	for (i = 0; event->type == EVENT_CALL && i < event->links && used + 24 < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%llu", i ? " " : "",
					 (unsigned long long)event->link[i]);
	field_text(csv, used ? text : NULL);
}

static void fields_details(struct csv *csv, const struct event *event)
{
	char extent[VIEW_EXTENT_BYTES];

	for (int kind = 0; kind < VIEW_DETAILS; kind++) {
		struct view_detail detail = {false, NULL, 0};

		if (event->type == EVENT_OPERATION)
			detail = view_detail_of(event->operation.details, kind);
		if (detail.extent && detail.known)
			csv_text(csv, view_extent(detail.extent, extent));
		else
			field_u64(csv, detail.known, detail.value);
	}
}

static int csv_start_file(struct export *export)
{
	struct csv_state *state = export->state = arena_zalloc(&export->arena, sizeof(*state));

	csv_start(&state->csv, export->file);
	csv_header(&state->csv, columns);
	return 0;
}

/* Of a counter that the program has set. */
static void field_value(struct csv *csv, const struct export *export, const struct event *event)
{
	struct event_arguments arguments;
	struct event_argument value;
	char text[EXPORT_NUMBER_BYTES];

	if (event->type != EVENT_MARK || events_function(export->events, event)->kind != SONDE_KIND_counter) {
		csv_empty(csv);
		return;
	}
	event_arguments(&arguments, export->events, event, FMT_ARG_IN);
	if (!event_arguments_next(&arguments, &value) || value.arg->type == FMT_ARG_STRING)
		csv_empty(csv);
	else
		csv_text(csv, export_number(&value, text));
}

static void csv_event(struct export *export, const struct event *event)
{
	struct csv *csv = &((struct csv_state *)export->state)->csv;
	const struct numbers numbers = numbers_of(event);
	struct export_row row;

	export_row_make(export, event, &row);
	csv_text(csv, row.type);
	csv_i64(csv, row.begin);
	csv_i64(csv, row.duration);
	csv_text(csv, row.host);
	csv_u64(csv, row.pid);
	field_u64(csv, row.tid, row.tid);
	field_u64(csv, row.rank >= 0, (uint64_t)row.rank);
	field_text(csv, row.backend);
	field_text(csv, row.name);
	field_text(csv, row.kind);
	field_u64(csv, numbers.has_depth, event->depth);
	field_text(csv, event->type == EVENT_CALL ? (event->failed ? "true" : "false") : NULL);
	field_text(csv, row.ended);
	if (numbers.has_result)
		csv_i64(csv, (int64_t)event->result);
	else
		csv_empty(csv);
	field_u64(csv, numbers.has_traffic, event->bytes_out);
	field_u64(csv, numbers.has_traffic, event->bytes_in);
	field_u64(csv, numbers.has_bytes, numbers.bytes);
	field_text(csv, row.direction);
	field_text(csv, row.memory);
	field_text(csv, row.device);
	field_u64(csv, row.device, row.ordinal);
	field_text(csv, row.queue);
	field_correlation(csv, event);
	field_u64(csv, numbers.has_error, row.error);
	field_u64(csv, numbers.has_lost, event->lost);
	field_value(csv, export, event);
	csv_empty(csv);
	fields_details(csv, event);
	csv_end(csv);
	export->rows++;
}

/* As a decimal without an exponent, whatever the locale. */
static void value_text(char text[48], const struct export_sample *sample)
{
	uint64_t size = sample->value < 0 ? 0 - (uint64_t)sample->value : (uint64_t)sample->value;
	uint64_t whole = size / sample->divisor, rest = size % sample->divisor;

	snprintf(text, 48, "%s%llu", sample->value < 0 ? "-" : "", (unsigned long long)whole);
	if (rest)
		snprintf(text + strlen(text), 16, ".%03llu",
			 (unsigned long long)((double)rest / (double)sample->divisor * 1000));
}

static void csv_sample(struct export *export, const struct export_sample *sample)
{
	struct csv *csv = &((struct csv_state *)export->state)->csv;
	const char *const *column;
	char value[48];

	value_text(value, sample);
	for (column = columns; *column; column++) {
		if (!strcmp(*column, "type"))
			csv_text(csv, "counter");
		else if (!strcmp(*column, "begin_ns"))
			csv_i64(csv, sample->time);
		else if (!strcmp(*column, "duration_ns"))
			csv_u64(csv, 0);
		else if (!strcmp(*column, "host"))
			csv_text(csv, sample->host);
		else if (!strcmp(*column, "name"))
			csv_text(csv, sample->name);
		else if (!strcmp(*column, "device"))
			csv_text(csv, sample->device);
		else if (!strcmp(*column, "ordinal"))
			csv_u64(csv, sample->ordinal);
		else if (!strcmp(*column, "value"))
			csv_text(csv, value);
		else if (!strcmp(*column, "unit"))
			csv_text(csv, sample->unit);
		else
			csv_empty(csv);
	}
	csv_end(csv);
	export->rows++;
}

static int csv_end_file(struct export *export)
{
	(void)export;
	return 0;
}

const struct export_format export_csv = {
	.name = "csv", .file = "events.csv", .start = csv_start_file, .event = csv_event,
	.sample = csv_sample, .end = csv_end_file,
};

/* ---- JSON ---- */

static void member_text(struct json *json, const char *key, const char *text)
{
	if (text)
		json_text(json, key, text);
}

static void member_u64(struct json *json, const char *key, bool there, uint64_t value)
{
	if (there)
		json_u64(json, key, value);
}

static void member_correlation(struct json *json, const struct event *event)
{
	uint32_t i;

	if (event->type == EVENT_OPERATION && event->operation.correlation)
		json_u64(json, "correlation", event->operation.correlation);
	if (event->type == EVENT_START || event->type == EVENT_END)
		json_u64(json, "range", event->result);
	if (event->type != EVENT_CALL || !event->links)
		return;
	json_array_line(json, "correlation");
	for (i = 0; i < event->links; i++)
		json_u64(json, NULL, event->link[i]);
	json_array_end(json);
}

static void json_call(struct json *json, const struct event *event)
{
	json_u64(json, "depth", event->depth);
	json_bool(json, "failed", event->failed);
	if (event->has_result)
		json_i64(json, "result", (int64_t)event->result);
}

static void json_args(struct json *json, const struct export *export, const struct event *event)
{
	if (!event->in.length && !event->out.length)
		return;
	json_object_line(json, "args");
	export_arguments(json, export, event);
	json_object_end(json);
}

static int json_start_file(struct export *export)
{
	(void)export;
	return 0;
}

static void json_event(struct export *export, const struct event *event)
{
	const struct numbers numbers = numbers_of(event);
	struct export_row row;
	struct json json;

	export_row_make(export, event, &row);
	json_start(&json, export->file);
	json_object_line(&json, NULL);
	json_text(&json, "type", row.type);
	json_i64(&json, "begin_ns", row.begin);
	json_i64(&json, "duration_ns", row.duration);
	json_text(&json, "host", row.host);
	json_u64(&json, "pid", row.pid);
	member_u64(&json, "tid", row.tid, row.tid);
	member_u64(&json, "rank", row.rank >= 0, (uint64_t)row.rank);
	member_text(&json, "backend", row.backend);
	member_text(&json, "name", row.name);
	member_text(&json, "kind", row.kind);
	if (event->type == EVENT_CALL)
		json_call(&json, event);
	if (event->type == EVENT_CALL || event_is_moment(event->type))
		json_args(&json, export, event);
	member_text(&json, "ended", row.ended);
	member_u64(&json, "bytes_out", numbers.has_traffic, event->bytes_out);
	member_u64(&json, "bytes_in", numbers.has_traffic, event->bytes_in);
	member_u64(&json, "bytes", numbers.has_bytes, numbers.bytes);
	member_text(&json, "direction", row.direction);
	member_text(&json, "memory", row.memory);
	member_text(&json, "device", row.device);
	member_u64(&json, "ordinal", row.device, row.ordinal);
	member_text(&json, "queue", row.queue);
	member_correlation(&json, event);
	member_u64(&json, "clock_error_ns", numbers.has_error, row.error);
	member_u64(&json, "lost", numbers.has_lost, event->lost);
	if (event->type == EVENT_OPERATION)
		view_details_json(&json, event->operation.details);
	json_object_end(&json);
	json_finish(&json);
	export->rows++;
}

static void json_sample(struct export *export, const struct export_sample *sample)
{
	struct json json;
	char value[48];

	value_text(value, sample);
	json_start(&json, export->file);
	json_object_line(&json, NULL);
	json_text(&json, "type", "counter");
	json_i64(&json, "begin_ns", sample->time);
	json_u64(&json, "duration_ns", 0);
	json_text(&json, "host", sample->host);
	json_text(&json, "name", sample->name);
	json_text(&json, "device", sample->device);
	json_u64(&json, "ordinal", sample->ordinal);
	json_number(&json, "value", value);
	json_text(&json, "unit", sample->unit);
	json_object_end(&json);
	json_finish(&json);
	export->rows++;
}

static int json_end_file(struct export *export)
{
	(void)export;
	return 0;
}

const struct export_format export_json = {
	.name = "json", .file = "events.json", .start = json_start_file, .event = json_event,
	.sample = json_sample, .end = json_end_file,
};
