/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens the streams of all processes. Files are looked at before the names are loaded: a running process
 * writes a name before the first event that uses it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "read/events_internal.h"

#define MEMORY_DEFAULT (64u << 20)  /* of operations that are sorted */
#define WINDOWS_BYTES (64u << 20)   /* of all windows and rings together, within the limits of each */
#define WINDOW_LEAST 8192u
#define WINDOW_MOST (256u << 10)
#define RING_LEAST 64u
#define RING_MOST 4096u
#define FILES_SPARE 64              /* descriptors that are left to others */

/* ---- one source ---- */

void source_close(struct source *source)
{
	stream_file_close(&source->file);
}

static void source_destroy(struct source *source)
{
	source_close(source);
	if (source->calls)
		stream_calls_free(source->calls);
	if (source->device)
		stream_device_close(source->device);
	free(source->calls);
	free(source->device);
}

/* What one of `shares` gets, a power of 2. */
static size_t share(size_t bytes, size_t shares, size_t least, size_t most)
{
	size_t part = least;

	while (part < most && 2 * part <= bytes / (shares ? shares : 1))
		part *= 2;
	return part;
}

static int thread_start(struct events *events, struct source *source)
{
	struct stream_calls *calls = calloc(1, sizeof(*calls));
	struct stream_pair *pair;

	if (!calls)
		return log_error(SONDE_EIO, "out of memory");
	source->calls = calls;
	pair = &calls->pair;
	stream_cursor_start(&pair->cursor, &source->file, &source->trouble, &source->process->layout,
			    FMT_STREAM_THREAD);
	pair->cursor.alive = source->process->process.tally->alive;
	pair->cursor.live = events->live && pair->cursor.alive;
	pair->events = events;
	pair->process = source->process;
	pair->counts = &events->counts;
	pair->stream = source->number;
	pair->keep = events->what == EVENTS_CALLS_BY_END;
	stream_pair_start(pair);
	stream_calls_start(calls, events->what,
			   (uint32_t)share(WINDOWS_BYTES / sizeof(struct call_slot), events->sources, RING_LEAST,
					   RING_MOST));
	return 0;
}

static int device_start(struct events *events, struct source *source)
{
	static const uint32_t size[] = {
		[0] = LAYOUT_UNKNOWN,
		[FMT_EVENT_OPERATION] = sizeof(struct fmt_event_operation),
		[FMT_EVENT_DETAILED] = sizeof(struct fmt_event_detailed),
		[FMT_EVENT_NAME] = LAYOUT_VARIABLE | sizeof(uint64_t),
	};
	static const struct stream_layout layout = {.size = size, .ids = sizeof(size) / sizeof(size[0])};
	struct stream_device *device = calloc(1, sizeof(*device));
	struct stream_cursor cursor;

	if (!device)
		return log_error(SONDE_EIO, "out of memory");
	source->device = device;
	device->process = source->process;
	device->counts = &events->counts;
	device->scratch = &events->scratch;
	stream_cursor_start(&cursor, &source->file, &source->trouble, &layout, FMT_STREAM_DEVICE);
	cursor.alive = source->process->process.tally->alive;
	cursor.live = events->live && cursor.alive;
	return stream_device_open(device, &cursor);
}

/* ---- files ---- */

static long files_at_once(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (limit.rlim_cur < limit.rlim_max) { /* many ranks and threads: as many as may be */
		limit.rlim_cur = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	return (long)limit.rlim_cur - FILES_SPARE;
}

static void source_add(struct events *events, struct stream_process *process, const char *path, uint32_t number)
{
	struct source *source;

	events->source = arena_grow(&events->arena, events->source, events->sources, &events->source_capacity,
				    sizeof(*events->source));
	source = &events->source[events->sources];
	memset(source, 0, sizeof(*source));
	if (stream_file_open(&source->file, path, WINDOW_LEAST, (long)events->sources < files_at_once())) {
		recording_note(events->recording, "unreadable", "%s: %s", path, strerror(errno));
		return;
	}
	source->process = process;
	source->number = number;
	source->trouble = (struct stream_trouble){.recording = events->recording, .path = path};
	process->process.streams++;
	events->sources++;
}

/* thread.<n> or device: the number, READ_NONE for the device's. False: no stream. */
static bool parse_name(const char *name, uint32_t *number_out)
{
	char *end;
	unsigned long number;

	*number_out = READ_NONE;
	if (!strcmp(name, "device"))
		return true;
	if (strncmp(name, "thread.", 7) || name[7] < '0' || name[7] > '9')
		return false;
	number = strtoul(name + 7, &end, 10);
	*number_out = (uint32_t)number;
	return !*end && number < READ_NONE;
}

static int number_order(const void *left, const void *right)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* Files of one process, in the order of their numbers whatever the directory's order is. */
static void process_list(struct events *events, struct stream_process *process)
{
	struct arena *arena = &events->arena;
	const char *path = process->process.tally->path, *slash = strrchr(path, '/');
	int length = slash ? (int)(slash + 1 - path) : 0;
	const char *folder = arena_printf(arena, "%.*s" FMT_STREAM_DIRECTORY, length, path);
	DIR *directory = opendir(folder);
	uint32_t *number = NULL, found;
	size_t count = 0, capacity = 0, i;
	struct dirent *entry;

	if (!directory) {
		if (process->process.tally->raw.streams && errno == ENOENT)
			recording_note(events->recording, "unreadable", "%s: its streams are missing", path);
		else if (errno != ENOENT && errno != ENOTDIR)
			recording_note(events->recording, "unreadable", "%s: %s", folder, strerror(errno));
		return;
	}
	events->begun |= process->process.tally->raw.streams != FMT_STREAMS_NONE;
	while ((entry = readdir(directory))) {
		if (!parse_name(entry->d_name, &found) || (found == READ_NONE && events->threads_only))
			continue;
		number = arena_grow(arena, number, count, &capacity, sizeof(*number));
		number[count++] = found;
	}
	closedir(directory);
	if (count)
		qsort(number, count, sizeof(*number), number_order);
	for (i = 0; i < count; i++)
		source_add(events, process, number[i] == READ_NONE ? arena_printf(arena, "%s/device", folder) :
				   arena_printf(arena, "%s/thread.%u", folder, number[i]), number[i]);
}

/* ---- processes ---- */

static uint32_t size_of_range(enum fmt_call_event event)
{
	switch (event) {
	case FMT_CALL_NUMBERED:
	case FMT_CALL_ASYNC:
		return sizeof(uint64_t);
	case FMT_CALL_TOLD:
		return sizeof(struct fmt_event_told);
	case FMT_CALL_TOLD_START:
		return sizeof(struct fmt_event_told_start);
	default:
		return 0;
	}
}

static uint32_t size_of_call(const struct tally_function *function, enum fmt_call_event event, bool has_arguments)
{
	const uint32_t front = fmt_is_entry(event) ? 0 : sizeof(uint64_t);
	const struct tally_args *args = &function->args[event == FMT_CALL_ENTRY ? FMT_ARG_IN : FMT_ARG_OUT];
	static const uint8_t zeros[8 * FMT_FRAMES];
	uint32_t i, size = 0, one;

	if (function_is_range(function))
		return size_of_range(event);
	if (event > FMT_CALL_BARE_FAILED)
		return LAYOUT_UNKNOWN;
	if (!has_arguments || event >= FMT_CALL_BARE_ENTRY)
		return front;
	if (function->args_damaged)
		return LAYOUT_UNKNOWN;
	for (i = 0; i < args->count; i++) {
		if (args->arg[i].type == FMT_ARG_STRING || args->arg[i].flags & FMT_ARG_ARRAY)
			return LAYOUT_VARIABLE | front;
		one = stream_values_size(args->arg[i].type, 1, zeros, sizeof(zeros));
		size += one;
	}
	return front + size;
}

static void layout_make(struct events *events, struct stream_process *process)
{
	static const uint32_t fixed[FMT_EVENT_FUNCTION] = {
		[FMT_EVENT_LINK] = sizeof(struct fmt_event_link),
		[FMT_EVENT_BYTES] = sizeof(struct fmt_event_bytes),
		[FMT_EVENT_MEMORY] = sizeof(struct fmt_event_memory),
		[FMT_EVENT_LEFT] = sizeof(struct fmt_event_left),
	};
	const struct tally_body *body = process->body;
	uint32_t functions = body->functions < FMT_EVENT_FUNCTIONS_MAX ? body->functions : FMT_EVENT_FUNCTIONS_MAX;
	uint32_t ids = FMT_EVENT_FUNCTION + FMT_CALL_IDS * functions, id, i;

	process->size = arena_array(&events->arena, ids, sizeof(*process->size));
	for (id = 0; id < FMT_EVENT_FUNCTION; id++)
		process->size[id] = fixed[id] ? fixed[id] : LAYOUT_UNKNOWN;
	for (i = 0; i < functions; i++)
		for (id = 0; id < FMT_CALL_IDS; id++)
			process->size[fmt_event_id(i + 1, FMT_CALL_ENTRY) + id] =
				size_of_call(&body->function[i], (enum fmt_call_event)id,
					     process->process.has_arguments);
	process->layout = (struct stream_layout){.size = process->size, .ids = ids, .names = body};
	process->show = arena_array(&events->arena, functions + 1, sizeof(*process->show));
	for (i = 0; i < functions; i++)
		process->show[i] = filter_has_name(&events->filter, body->backend[body->function[i].backend].name,
						   body->function[i].name);
}

static void process_open(struct events *events, uint32_t index)
{
	static struct tally_backend unknown = {
		.name = "?", .attached_by = "", .library = "", .second = "", .note = "", .serialised = ""};
	static struct tally_body nothing = {.backend = &unknown};
	struct stream_process *process = &events->process[index];
	const struct tally *tally = &events->recording->tally[index];

	process->index = index;
	process->process.tally = tally;
	process->process.names = &nothing;
	process->process.has_arguments = tally->raw.streams == FMT_STREAMS_TRACE;
	stream_process_clock(process, &events->recording->host[tally->host].clock[tally->raw.clock],
			     &events->axis[tally->host]);
	process->end = stream_process_time(process, events_process_end(events->recording, tally));
	if (filter_has_rank(&events->filter, tally->rank))
		process_list(events, process);
	if (!process->process.streams)
		return;
	process->body = tally_names_load(events->recording, tally);
	if (process->body)
		process->process.names = process->body;
	else
		process->body = calloc(1, sizeof(*process->body));
	if (process->body && process->process.names == &nothing)
		process->body->backend = &unknown;
	if (process->body)
		layout_make(events, process);
}

static int sources_start(struct events *events)
{
	size_t window = share(WINDOWS_BYTES, events->sources, WINDOW_LEAST, WINDOW_MOST);
	uint32_t i;
	int err = 0;

	for (i = 0; i < events->sources && !err; i++) {
		struct source *source = &events->source[i];

		/* a small file does not need a large one; a growing one is read in more steps */
		source->file.window_capacity = source->file.bytes < window ?
			share(window, 1, WINDOW_LEAST, source->file.bytes) : window;
		if (!source->process->body)
			err = log_error(SONDE_EIO, "out of memory");
		else if (source->number == READ_NONE)
			err = device_start(events, source);
		else
			err = thread_start(events, source);
	}
	return err;
}

static bool is_windowed(const struct events_filter *wish)
{
	return wish->has_from || wish->has_to || wish->min_duration > 0;
}

static bool is_selective(const struct events_filter *wish)
{
	return wish->threads || wish->backends || wish->include || wish->exclude;
}

int events_open(struct recording *recording, const struct events_wish *wish, struct events **events_out)
{
	struct events *events = calloc(1, sizeof(*events));
	uint64_t bytes;
	uint32_t i;
	int err;

	if (!events)
		return log_error(SONDE_EIO, "out of memory");
	events->recording = recording;
	events->what = wish->what;
	events->order = wish->order;
	events->live = wish->live;
	events->threads_only = wish->threads_only || wish->filter.threads;
	events->selective = is_selective(&wish->filter);
	events->windowed = is_windowed(&wish->filter);
	events->scratch = (struct device_scratch){wish->memory_bytes ? wish->memory_bytes : MEMORY_DEFAULT, -1, 0};
	err = filter_prepare(&events->filter, &wish->filter, &events->arena);
	if (!err) {
		events->axis = events_axes(recording, &events->arena);
		events->process = arena_array(&events->arena, recording->tallies, sizeof(*events->process));
		for (i = 0; i < recording->tallies; i++)
			process_open(events, i);
		err = filter_check_backends(&events->filter, events, &events->arena);
		events_progress(events, &bytes);
		events->too_large = wish->bytes_max && bytes > wish->bytes_max;
		if (!err && !events->too_large)
			err = sources_start(events);
	}
	if (err) {
		events_close(events);
		return err;
	}
	*events_out = events;
	return 0;
}

void events_close(struct events *events)
{
	uint32_t i;

	if (!events)
		return;
	for (i = 0; i < events->sources; i++)
		source_destroy(&events->source[i]);
	for (i = 0; events->process && i < events->recording->tallies; i++)
		tally_body_destroy(events->process[i].body);
	if (events->scratch.fd >= 0)
		close(events->scratch.fd);
	arena_free(&events->arena);
	free(events);
}
