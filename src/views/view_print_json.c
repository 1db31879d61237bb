/* SPDX-License-Identifier: BSD-3-Clause */
/* One event as a JSON object on a line of its own; keys are in docs/FORMAT.md. */
#include <string.h>

#include "base/utf8.h"
#include "views/view_details.h"
#include "views/view_internal.h"
#include "views/view_print.h"

/* Bytes of a JSON string between its quotes, kept. */
static const char *quoted(struct printer *printer, const char *bytes)
{
	static struct text text; /* large, and only used while labels are made */

	text_start(&text, -1);
	text_json(&text, bytes, strlen(bytes) < TEXT_BYTES / 8 ? strlen(bytes) : TEXT_BYTES / 8);
	return arena_strndup(&printer->arena, text.bytes, text.used);
}

struct print_label print_json_lane(struct printer *printer, const struct tally *tally, const struct events_lane *lane)
{
	struct arena *arena = &printer->arena;
	const char *host = quoted(printer, printer->recording->host[tally->host].name);
	const char *name = lane ? print_thread(printer, lane) : NULL;
	const char *tid = !lane ? "" : !name ? arena_printf(arena, ",\"tid\":%u", lane->tid) :
			  arena_printf(arena, ",\"tid\":%u,\"thread\":\"%s\"", lane->tid, quoted(printer, name));
	const char *rank = tally->rank >= 0 ? arena_printf(arena, ",\"rank\":%d", tally->rank) : "";

	return print_label_make(arena_printf(arena, ",\"host\":\"%s\",\"pid\":%u%s%s", host, tally->raw.pid, tid,
					     rank));
}

struct print_label print_json_function(struct printer *printer, const char *backend, const char *function)
{
	return print_label_make(arena_printf(&printer->arena, ",\"backend\":\"%s\",\"function\":\"%s\"",
				       quoted(printer, backend), quoted(printer, function)));
}

static void key_u64(struct text *text, const char *key, uint64_t value)
{
	text_word(text, ",\"");
	text_bytes(text, key, strlen(key));
	text_word(text, "\":");
	text_u64(text, value);
}

static void key_i64(struct text *text, const char *key, int64_t value)
{
	text_word(text, ",\"");
	text_bytes(text, key, strlen(key));
	text_word(text, "\":");
	text_i64(text, value);
}

static void key_text(struct text *text, const char *key, const char *value)
{
	text_word(text, ",\"");
	text_bytes(text, key, strlen(key));
	text_word(text, "\":\"");
	text_json(text, value, strlen(value));
	text_char(text, '"');
}

static void json_front(struct printer *printer, const struct event *event)
{
	static const char *const types[] = {
		[EVENT_ENTRY] = "entry", [EVENT_EXIT] = "exit", [EVENT_CALL] = "call", [EVENT_LINK] = "link",
		[EVENT_BYTES] = "bytes", [EVENT_MEMORY] = "memory", [EVENT_OPERATION] = "operation",
		[EVENT_MARK] = "mark", [EVENT_START] = "start", [EVENT_END] = "end", [EVENT_GAP] = "gap",
	};
	const struct print_label *lane = print_lane(printer, event);
	struct text *text = printer->text;

	text_word(text, "{\"type\":\"");
	text_bytes(text, types[event->type], strlen(types[event->type]));
	text_char(text, '"');
	key_i64(text, "time_ns", event->time);
	key_i64(text, "wall_ns", events_wall(printer->events, event->process, event->time));
	text_bytes(text, lane->bytes, lane->length);
}

static void print_call(struct printer *printer, const struct event *event)
{
	const struct print_label *function = print_function(printer, event);

	key_u64(printer->text, "depth", event->depth);
	text_bytes(printer->text, function->bytes, function->length);
}

static void json_in(struct printer *printer, const struct event *event)
{
	if (!event->in.length)
		return;
	text_word(printer->text, ",\"args\":{");
	print_arguments_json(printer, event, FMT_ARG_IN);
	text_char(printer->text, '}');
}

static void json_exit(struct printer *printer, const struct event *event)
{
	struct text *text = printer->text;

	if (event->has_result) {
		text_word(text, ",\"result\":\"");
		print_result(printer, event);
		text_char(text, '"');
	}
	if (event->out.length) {
		text_word(text, ",\"out\":{");
		print_arguments_json(printer, event, FMT_ARG_OUT);
		text_char(text, '}');
	}
	if (event->failed)
		text_word(text, ",\"failed\":true");
	if (event->ended != EVENT_RETURNED)
		key_text(text, "ended", print_ending[event->ended]);
	if (event->has_begin)
		key_i64(text, "duration_ns", event->time - event->begin);
}

static void json_device(struct printer *printer, const struct event *event, uint32_t device)
{
	const struct tally_body *names = events_process(printer->events, event->process)->names;

	if (device == READ_NONE)
		return;
	key_text(printer->text, "device", names->device[device].name);
	key_u64(printer->text, "ordinal", names->device[device].ordinal);
}

static void json_details(struct text *text, const struct event_operation *operation)
{
	for (int kind = 0; kind < VIEW_DETAILS; kind++) {
		struct view_detail detail = view_detail_of(operation->details, kind);

		if (!detail.known)
			continue;
		if (!detail.extent) {
			key_u64(text, view_detail[kind], detail.value);
			continue;
		}
		text_word(text, ",\"");
		text_bytes(text, view_detail[kind], strlen(view_detail[kind]));
		text_word(text, "\":[");
		for (int i = 0; i < 3; i++) {
			if (i)
				text_char(text, ',');
			text_u64(text, detail.extent[i]);
		}
		text_char(text, ']');
	}
}

static void json_operation(struct printer *printer, const struct event *event)
{
	const struct tally_body *names = events_process(printer->events, event->process)->names;
	const struct event_operation *operation = &event->operation;
	struct text *text = printer->text;

	key_text(text, "backend", names->backend[operation->backend].name);
	key_text(text, "name", operation->name);
	key_text(text, "kind", view_kind[operation->kind]);
	if (operation->kind == SONDE_KIND_copy || operation->kind == SONDE_KIND_fill) {
		key_text(text, "direction", view_direction[operation->direction]);
		key_text(text, "memory", view_memory[operation->memory]);
	}
	json_device(printer, event, operation->device);
	if (operation->queue != READ_NONE)
		key_text(text, "queue", names->queue[operation->queue].name);
	key_i64(text, "duration_ns", event->end - event->begin);
	key_u64(text, "error_ns", operation->error_ns);
	if (operation->bytes)
		key_u64(text, "bytes", operation->bytes);
	if (operation->correlation)
		key_u64(text, "correlation", operation->correlation);
	json_details(text, operation);
}

static void json_memory(struct printer *printer, const struct event *event)
{
	key_text(printer->text, "memory", view_memory[event->memory.memory]);
	json_device(printer, event, event->memory.device);
	key_u64(printer->text, "live_bytes", event->memory.live_bytes);
	key_i64(printer->text, "change", event->memory.change);
}

void print_json(struct printer *printer, const struct event *event)
{
	struct text *text = printer->text;

	json_front(printer, event);
	switch (event->type) {
	case EVENT_ENTRY:
		print_call(printer, event);
		json_in(printer, event);
		break;
	case EVENT_EXIT:
	case EVENT_CALL:
		print_call(printer, event);
		json_exit(printer, event);
		break;
	case EVENT_LINK:
		print_call(printer, event);
		key_u64(text, "correlation", event->link[0]);
		break;
	case EVENT_BYTES:
		print_call(printer, event);
		key_u64(text, "bytes_out", event->bytes_out);
		key_u64(text, "bytes_in", event->bytes_in);
		break;
	case EVENT_MEMORY:
		json_memory(printer, event);
		break;
	case EVENT_OPERATION:
		json_operation(printer, event);
		break;
	case EVENT_MARK:
	case EVENT_START:
	case EVENT_END:
		print_call(printer, event);
		if (event->type != EVENT_MARK)
			key_u64(text, "range", event->result);
		json_in(printer, event);
		break;
	case EVENT_GAP:
		key_i64(text, "duration_ns", event->end - event->begin);
		key_u64(text, "lost", event->lost);
		break;
	}
	text_word(text, "}\n");
}
