/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzzer of everything that reads streams: events and calls in every order, arguments, print. The first byte of
 * an input says how the rest is used, so that damage deep inside is reached without a corpus of binaries:
 *	'W' a whole file of a thread, 'D' of a device
 *	'P' 12-byte patches (place, value) to a sound file of a thread, 'Q' of a device
 *	'E' events of a thread in sound packets: id, ticks since the last, length of the payload, its bytes; '0' is 0
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/stream_builder.h"
#include "base/log.h"
#include "views/view_print.h"

#define PATCH_BYTES 12
#define RECORDING_RUNS 1000
#define PATCHES_MAX 32
#define EVENT_BYTES 3
#define PACKET_EVENTS 40 /* of 'E' */

static struct builder *builder;
static char *run;
static struct stream_builder sound[2]; /* of a thread, of a device */
static int sink;

static void need(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* ---- the recording around the input ---- */

static void finish(void)
{
	builder_remove(run);
}

static void make_tally(void)
{
	run = strdup(builder_run_directory());
	atexit(finish);
	builder = builder_create(run, 100, 0, 10 * SECOND);
	builder_backend(builder, "api");
	builder_device(builder, 0, "key", "GPU");
	builder_queue(builder, 0, 0, "queue");
	builder_function(builder, 0, "none", SONDE_KIND_launch);
	builder_function(builder, 0, "some", SONDE_KIND_copy);
	builder_function(builder, 0, "many", SONDE_KIND_wait);
	builder_arg(builder, 1, FMT_ARG_IN, FMT_ARG_S8, "small", "ANY=-1 NULL=-2");
	builder_arg(builder, 1, FMT_ARG_IN, FMT_ARG_U32, "flags", "READ=1 WRITE=2")->flags = FMT_ARG_FLAGS;
	builder_arg(builder, 1, FMT_ARG_OUT, FMT_ARG_F64, "ratio", NULL);
	builder_arg(builder, 2, FMT_ARG_IN, FMT_ARG_STRING, "name", NULL);
	builder_arg(builder, 2, FMT_ARG_IN, FMT_ARG_U16, "sizes", NULL)->flags = FMT_ARG_ARRAY;
	builder_arg(builder, 2, FMT_ARG_OUT, FMT_ARG_STRING, "names", NULL)->flags = FMT_ARG_ARRAY;
	builder_arg(builder, 2, FMT_ARG_OUT, FMT_ARG_POINTER, "made", NULL)->flags = FMT_ARG_ARRAY | FMT_ARG_SCALAR;
	builder_arg(builder, 1, FMT_ARG_RESULT, FMT_ARG_S32, "", "OK=0 BAD=-1");
	builder_arg(builder, 2, FMT_ARG_RESULT, FMT_ARG_VOID, "", NULL);
	builder->process.streams = FMT_STREAMS_TRACE;
	builder_write(builder);
}

static void make_sound(void)
{
	struct stream_builder *thread = &sound[0], *device = &sound[1];
	uint64_t i;

	stream_start(thread, builder, 1);
	for (i = 0; i < 30; i++) {
		if (i % 10 == 0)
			stream_packet(thread, 100 + (uint32_t)(i / 20), 1000 * i);
		stream_entry(thread, 0, 1000 * i + 1);
		stream_event(thread, fmt_event_id(3, FMT_CALL_ENTRY), 1000 * i + 2, "text\0\2\0\0\0\1\0\2\0", 13);
		stream_event(thread, fmt_event_id(3, FMT_CALL_EXIT), 1000 * i + 3, 
			     "\0\0\0\0\0\0\0\0\1\0\0\0x\0\1\0\0\0" "pointer", 26);
		if (i % 5 == 0) {
			stream_event(thread, fmt_event_id(3, FMT_CALL_BARE_ENTRY), 1000 * i + 3, NULL, 0);
			stream_event(thread, fmt_event_id(3, FMT_CALL_BARE_EXIT), 1000 * i + 3, "result..", 8);
		}
		stream_bytes(thread, 1000 * i + 4, 1, 2);
		stream_exit(thread, 0, 1000 * i + 5, 0);
		stream_link(thread, 1000 * i + 6, i);
	}
	stream_seal(thread);
	stream_start(device, builder, READ_NONE);
	stream_packet(device, 0, 1);
	for (i = 0; i < 40; i++) {
		if (i % 16 == 0)
			stream_event(device, FMT_EVENT_NAME, 10 * i, "\0\0\0\0\0\0\0\0name", 13);
		stream_operation(device, builder->function[0].name, 1000 - 10 * i, 1000, i);
	}
	stream_seal(device);
}

static void write_file(const struct stream_builder *stream, const void *data, size_t size)
{
	int fd = open(stream->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	need(fd >= 0 && write(fd, data, size) == (ssize_t)size, stream->path);
	close(fd);
}

/* ---- what is done with it ---- */

/* Promises of events.h that hold for any input. */
static void check(const struct events *events, const struct events_wish *wish, const struct event *event, int64_t last)
{
	need(event->end >= event->begin, "an event ends before it begins");
	need(wish->order == EVENTS_BY_STREAM || event->time >= last, "time runs backward");
	need(event->lane == READ_NONE || event->depth < FMT_FRAMES, "too deep");
	need(event->type == EVENT_OPERATION || event->lane < events_lanes(events), "no lane");
	need(event->type != EVENT_CALL || event->has_begin, "a call without begin");
}

static void iterate(struct recording *recording, const struct events_wish *wish)
{
	struct event_arguments arguments;
	struct event_argument argument;
	struct events *events;
	const struct event *event;
	int64_t last = INT64_MIN;

	need(!events_open(recording, wish, &events), "not opened");
	while ((event = events_next(events))) {
		check(events, wish, event, last);
		last = event->time;
		if (event->type != EVENT_CALL)
			continue;
		event_arguments(&arguments, events, event, FMT_ARG_IN);
		while (event_arguments_next(&arguments, &argument))
			need(argument.count == 1 || argument.arg->flags & FMT_ARG_ARRAY, "an array that is none");
	}
	events_close(events);
}

static void print(struct recording *recording, bool json)
{
	const struct print_options options = {.json = json};
	const struct events_wish wish = {.what = EVENTS_SINGLE};
	struct events *events;

	need(!events_open(recording, &wish, &events), "not opened");
	need(!view_print(recording, events, sink, &options, NULL), "not printed");
	events_close(events);
}

/* The recording around the input stays open for a while: what is looked at is read anew by every events_open(). */
static struct recording *open_recording(void)
{
	static struct recording *recording;
	static unsigned runs;
	const char *path = run;

	if (runs++ % RECORDING_RUNS == 0) {
		recording_close(recording);
		need(!recording_open(&path, 1, &recording), "no recording");
	}
	recording->notes = 0;
	return recording;
}

/* One way to look at it per input, which one depends on its length: all of them are tried with all kinds of inputs. */
static void look(size_t size)
{
	static const struct events_wish wishes[] = {
		{.what = EVENTS_CALLS_BY_BEGIN},
		{.what = EVENTS_CALLS_BY_END, .order = EVENTS_BY_STREAM},
		{.what = EVENTS_CALLS_BY_END, .memory_bytes = 1,
		 .filter = {.has_from = true, .from = 1000, .has_to = true, .to = 20000, .include = "m*"}},
	};
	const size_t count = sizeof(wishes) / sizeof(wishes[0]);
	struct recording *recording = open_recording();

	size %= count + 2;
	if (size < count)
		iterate(recording, &wishes[size]);
	else
		print(recording, size > count);
}

/* ---- inputs ---- */

static void run_patches(const struct stream_builder *stream, const uint8_t *data, size_t size)
{
	size_t count = size / PATCH_BYTES < PATCHES_MAX ? size / PATCH_BYTES : PATCHES_MAX, i;
	uint8_t *damaged = malloc(stream->used);
	uint32_t place;

	memcpy(damaged, stream->bytes, stream->used);
	for (i = 0; i < count; i++) {
		memcpy(&place, data + i * PATCH_BYTES, sizeof(place));
		place %= (uint32_t)(stream->used - sizeof(uint64_t));
		memcpy(damaged + place, data + i * PATCH_BYTES + sizeof(place), sizeof(uint64_t));
	}
	write_file(stream, damaged, stream->used);
	free(damaged);
}

static void run_events(const uint8_t *data, size_t size)
{
	struct stream_builder stream;
	uint8_t *shifted = malloc(size + 1), *at = shifted;
	uint64_t time = 1;
	size_t count = 0, length;

	for (size_t i = 0; i < size; i++)
		shifted[i] = (uint8_t)(data[i] - '0');
	stream_start(&stream, builder, 1);
	for (; size >= EVENT_BYTES; count++) {
		length = at[2] < size - EVENT_BYTES ? at[2] : size - EVENT_BYTES;
		if (count % PACKET_EVENTS == 0)
			stream_packet(&stream, 100 + (uint32_t)(count / PACKET_EVENTS % 3 / 2), time);
		time += at[1];
		stream_event(&stream, at[0], time, at + EVENT_BYTES, length);
		at += EVENT_BYTES + length;
		size -= EVENT_BYTES + length;
	}
	stream_seal(&stream);
	write_file(&stream, stream.used ? stream.bytes : data, stream.used);
	free(stream.bytes);
	free(shifted);
}

static void start(void)
{
	log_descriptor = -1;
	sink = open("/dev/null", O_WRONLY);
	make_tally();
	make_sound();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t last;
	const uint8_t kind = size ? data[0] : 'W';

	if (!builder)
		start();
	data += size > 0;
	size -= size > 0;
	if (kind != last) /* the other file is of an earlier input */
		unlink(sound[kind != 'D' && kind != 'Q'].path);
	last = kind;
	if (kind == 'D')
		write_file(&sound[1], data, size);
	else if (kind == 'P')
		run_patches(&sound[0], data, size);
	else if (kind == 'Q')
		run_patches(&sound[1], data, size);
	else if (kind == 'E')
		run_events(data, size);
	else
		write_file(&sound[0], data, size);
	look(size);
	return 0;
}
