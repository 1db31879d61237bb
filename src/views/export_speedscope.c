/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call trees for speedscope: a profile per thread, its calls as openings and closings. With the release of
 * speedscope at hand, one page that holds the viewer and the data and needs neither server nor network.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "views/view_export.h"

#define RELEASE_MAX (8u << 20)
#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct open_call {
	int64_t end;
	uint32_t frame, depth;
};

struct speedscope {
	FILE *file;                /* where the JSON goes */
	struct json json;
	struct map frames;         /* backend and name -> 1 + index in name */
	uint32_t **known;          /* by process, by function: the same */
	const char **name;
	size_t names, name_capacity;
	uint32_t lane;             /* whose profile is open; READ_NONE: none */
	int64_t last;
	struct open_call open[FMT_FRAMES + FMT_RANGES];
	uint32_t depth;
};

/* ---- profiles ---- */

/* One frame for functions of one name, in whichever process. */
static uint32_t frame_add(struct export *export, const struct export_row *row)
{
	struct speedscope *scope = export->state;
	struct map_key key = {0};
	void **known;

	map_key_start(&key);
	map_key_text(&key, &export->arena, row->backend);
	map_key_text(&key, &export->arena, row->name);
	known = map_value(&scope->frames, key.bytes, key.length);
	if (!*known) {
		scope->name = arena_grow(&export->arena, scope->name, scope->names, &scope->name_capacity,
					 sizeof(*scope->name));
		scope->name[scope->names++] = arena_printf(&export->arena, "%s:%s", row->backend, row->name);
		*known = (void *)(uintptr_t)scope->names;
	}
	return (uint32_t)(uintptr_t)*known;
}

static uint32_t frame_number(struct export *export, const struct event *event, const struct export_row *row)
{
	struct speedscope *scope = export->state;
	uint32_t **known = &scope->known[event->process];

	if (!*known)
		*known = arena_array(&export->arena, events_process(export->events, event->process)->names->functions,
				     sizeof(**known));
	if (!(*known)[event->function])
		(*known)[event->function] = frame_add(export, row);
	return (*known)[event->function] - 1;
}

static void edge_write(struct speedscope *scope, const char *type, uint32_t frame, int64_t time)
{
	json_object_line(&scope->json, NULL);
	json_text(&scope->json, "type", type);
	json_u64(&scope->json, "frame", frame);
	json_i64(&scope->json, "at", time);
	json_object_end(&scope->json);
	scope->last = time;
}

static void calls_close(struct speedscope *scope, uint32_t depth)
{
	while (scope->depth && scope->open[scope->depth - 1].depth >= depth) {
		const struct open_call *call = &scope->open[--scope->depth];

		edge_write(scope, "C", call->frame, call->end);
	}
}

static void profile_close(struct speedscope *scope)
{
	if (scope->lane == READ_NONE)
		return;
	calls_close(scope, 0);
	json_array_end(&scope->json);
	json_i64(&scope->json, "endValue", scope->last);
	json_object_end(&scope->json);
	scope->lane = READ_NONE;
}

static void profile_open(struct export *export, const struct event *event, const struct export_row *row)
{
	struct speedscope *scope = export->state;
	struct arena scratch = {NULL};
	const char *who = row->rank >= 0 ? arena_printf(&scratch, "rank %d ", (int)row->rank) : "";
	const char *name = tally_thread_name(events_process(export->events, event->process)->names, row->tid);

	json_object(&scope->json, NULL);
	json_text(&scope->json, "type", "evented");
	json_text(&scope->json, "name", row->tid == row->pid && !name ?
		  arena_printf(&scratch, "%spid %u", who, row->pid) :
		  arena_printf(&scratch, "%spid %u thread %u%s%s", who, row->pid, row->tid, name ? " " : "",
			       name ? name : ""));
	json_text(&scope->json, "unit", "nanoseconds");
	json_i64(&scope->json, "startValue", event->begin);
	json_array(&scope->json, "events");
	scope->lane = event->lane;
	scope->last = event->begin;
	arena_free(&scratch);
}

static void speedscope_event(struct export *export, const struct event *event)
{
	struct speedscope *scope = export->state;
	struct export_row row;

	if (event->type != EVENT_CALL)
		return;
	export_row_make(export, event, &row);
	if (scope->lane != event->lane) {
		profile_close(scope);
		profile_open(export, event, &row);
	}
	calls_close(scope, event->depth);
	if (scope->depth == FMT_FRAMES + FMT_RANGES || event->begin < scope->last)
		return;
	scope->open[scope->depth++] = (struct open_call){event->end, frame_number(export, event, &row), event->depth};
	edge_write(scope, "O", scope->open[scope->depth - 1].frame, event->begin);
	export->rows++;
}

/* ---- the page ---- */

/* The one file of the release that begins and ends so; NULL: logged. */
static const char *release_file(struct export *export, const char *folder, const char *end)
{
	DIR *directory = opendir(folder);
	const char *found = NULL;
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		size_t length = strlen(entry->d_name), tail = strlen(end);

		if (!strncmp(entry->d_name, "speedscope", 10) && length > tail &&
		    !strcmp(entry->d_name + length - tail, end))
			found = arena_printf(&export->arena, "%s/%s", folder, entry->d_name);
	}
	if (directory)
		closedir(directory);
	if (!found)
		log_error(SONDE_EIO, "%s: no release of speedscope (npm package speedscope, dist/release)", folder);
	return found;
}

/* Copies a script or a style; the words that would end the element around it are written in another way. */
static int release_copy(struct export *export, const char *path)
{
	static const char *const ends[] = {"</script", "</style", "<!--"};
	FILE *from = fopen(path, "re");
	char *text = from ? arena_zalloc(&export->arena, RELEASE_MAX + 1) : NULL;
	size_t length = from ? fread(text, 1, RELEASE_MAX + 1, from) : 0, at, i;

	if (!from || ferror(from) || length > RELEASE_MAX) {
		log_error(SONDE_EIO, "%s: %s", path, length > RELEASE_MAX ? "too large for a script" : strerror(errno));
		if (from)
			fclose(from);
		return SONDE_EIO;
	}
	fclose(from);
	for (at = 0; at < length; at++) {
		fputc(text[at], export->file);
		for (i = 0; text[at] == '<' && i < sizeof(ends) / sizeof(ends[0]); i++)
			if (!strncasecmp(text + at, ends[i], strlen(ends[i])))
				fputc('\\', export->file);
	}
	return 0;
}

static int page_start(struct export *export)
{
	const char *folder = export->options->speedscope;
	const char *script = release_file(export, folder, ".js"), *style;
	int err;

	style = script ? release_file(export, folder, ".css") : NULL;
	if (!style)
		return SONDE_EIO;
	fputs("<!DOCTYPE html>\n<html><head><meta charset=\"UTF-8\"><title>sonde</title>\n<style>", export->file);
	err = release_copy(export, style);
	/* the hash makes the viewer wait for a profile, and offer the function that takes it */
	fputs("</style></head>\n<body><script>location.hash = '#localProfilePath=sonde';</script>\n<script>",
	      export->file);
	if (!err)
		err = release_copy(export, script);
	fputs("</script>\n<script>speedscope.loadFileFromBase64('sonde.json', '", export->file);
	return err;
}

/* ---- the file ---- */

static int speedscope_start(struct export *export)
{
	struct speedscope *scope = export->state = arena_zalloc(&export->arena, sizeof(*scope));
	int err = export->options->speedscope ? page_start(export) : 0;

	if (err)
		return err;
	scope->file = export->options->speedscope ? export_base64(export->file) : export->file;
	if (!scope->file)
		return log_error(SONDE_EIO, "out of memory");
	scope->frames.arena = &export->arena;
	scope->known = arena_array(&export->arena, export->recording->tallies, sizeof(*scope->known));
	scope->lane = READ_NONE;
	json_start(&scope->json, scope->file);
	json_object(&scope->json, NULL);
	json_text(&scope->json, "$schema", SCHEMA);
	json_text(&scope->json, "exporter", "sonde " SONDE_VERSION);
	json_text(&scope->json, "name", export->recording->tallies ? export->recording->tally[0].command : "");
	json_array(&scope->json, "profiles");
	return 0;
}

static int speedscope_end(struct export *export)
{
	struct speedscope *scope = export->state;
	size_t i;

	profile_close(scope);
	json_array_end(&scope->json);
	json_object(&scope->json, "shared");
	json_array(&scope->json, "frames");
	for (i = 0; i < scope->names; i++) {
		json_object_line(&scope->json, NULL);
		json_text(&scope->json, "name", scope->name[i]);
		json_object_end(&scope->json);
	}
	json_array_end(&scope->json);
	json_object_end(&scope->json);
	json_object_end(&scope->json);
	json_finish(&scope->json);
	if (scope->file != export->file) {
		fclose(scope->file);
		fputs("');</script></body></html>\n", export->file);
	}
	return 0;
}

const struct export_format export_speedscope = {
	.name = "speedscope", .file = "speedscope.json", .is_html = true, .order = EVENTS_BY_STREAM,
	.start = speedscope_start, .event = speedscope_event, .end = speedscope_end,
};
