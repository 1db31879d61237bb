/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes stream files for tests; see stream_builder.h. */
#include "stream_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT_BYTES (1u << 20)

static void need(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "stream builder: %s\n", what);
	abort();
}

/* ---- writing ---- */

void stream_start(struct stream_builder *stream, const struct builder *builder, uint32_t n)
{
	memset(stream, 0, sizeof(*stream));
	snprintf(stream->path, sizeof(stream->path), "%s/" FMT_STREAM_DIRECTORY, builder->directory);
	mkdir(stream->path, 0700);
	stream->class = n == READ_NONE ? FMT_STREAM_DEVICE : FMT_STREAM_THREAD;
	if (n == READ_NONE)
		strcat(stream->path, "/device");
	else
		sprintf(stream->path + strlen(stream->path), "/thread.%u", n);
	stream->packet = SIZE_MAX;
}

static void append(struct stream_builder *stream, const void *bytes, size_t count)
{
	while (stream->used + count > stream->capacity) {
		stream->capacity = stream->capacity ? 2 * stream->capacity : 65536;
		stream->bytes = realloc(stream->bytes, stream->capacity);
		need(stream->bytes, "out of memory");
	}
	if (bytes)
		memcpy(stream->bytes + stream->used, bytes, count);
	else
		memset(stream->bytes + stream->used, 0, count);
	stream->used += count;
}

struct fmt_packet *stream_current(struct stream_builder *stream)
{
	return (struct fmt_packet *)(void *)(stream->bytes + stream->packet);
}

void stream_seal(struct stream_builder *stream)
{
	size_t content;

	if (stream->packet == SIZE_MAX)
		return;
	content = stream->used - stream->packet;
	append(stream, NULL, (FMT_PACKET_UNIT - content % FMT_PACKET_UNIT) % FMT_PACKET_UNIT);
	stream_current(stream)->content_bits = content * 8;
	stream_current(stream)->packet_bits = (stream->used - stream->packet) * 8;
}

struct fmt_packet *stream_packet(struct stream_builder *stream, uint32_t tid, uint64_t begin)
{
	struct fmt_packet packet = {
		.magic = FMT_PACKET_MAGIC, .stream = (uint32_t)stream->class,
		.begin = EPOCH + begin, .end = EPOCH + begin, .sequence = stream->sequence++,
		.pid = 100, .tid = tid, .raw_ns = EPOCH + begin, .real_ns = EPOCH + begin,
	};

	if (stream->packet != SIZE_MAX && !stream_current(stream)->content_bits)
		stream_seal(stream);
	if (stream->packet != SIZE_MAX)
		packet.discarded = stream_current(stream)->discarded;
	stream->packet = stream->used;
	append(stream, &packet, sizeof(packet));
	return stream_current(stream);
}

void stream_event(struct stream_builder *stream, uint16_t id, uint64_t time, const void *payload, size_t bytes)
{
	uint64_t head = (EPOCH + time) << FMT_EVENT_TICKS_SHIFT | id;

	append(stream, &head, sizeof(head));
	append(stream, payload, bytes);
	stream_current(stream)->end = EPOCH + time;
}

void stream_entry(struct stream_builder *stream, uint32_t function, uint64_t time)
{
	stream_event(stream, fmt_event_id(function + 1, FMT_CALL_ENTRY), time, NULL, 0);
}

void stream_exit(struct stream_builder *stream, uint32_t function, uint64_t time, uint64_t result)
{
	stream_event(stream, fmt_event_id(function + 1, FMT_CALL_EXIT), time, &result, sizeof(result));
}

void stream_failed(struct stream_builder *stream, uint32_t function, uint64_t time, uint64_t result)
{
	stream_event(stream, fmt_event_id(function + 1, FMT_CALL_FAILED), time, &result, sizeof(result));
}

void stream_link(struct stream_builder *stream, uint64_t time, uint64_t correlation)
{
	struct fmt_event_link link = {correlation};

	stream_event(stream, FMT_EVENT_LINK, time, &link, sizeof(link));
}

void stream_bytes(struct stream_builder *stream, uint64_t time, uint64_t out, uint64_t in)
{
	struct fmt_event_bytes bytes = {out, in};

	stream_event(stream, FMT_EVENT_BYTES, time, &bytes, sizeof(bytes));
}

void stream_operation(struct stream_builder *stream, uint64_t name, uint64_t begin, uint64_t end, uint64_t correlation)
{
	struct fmt_event_operation operation = {
		.begin_ns = EPOCH + begin, .end_ns = EPOCH + end, .correlation = correlation, .name = name,
		.kind = SONDE_KIND_launch,
	};

	stream_event(stream, FMT_EVENT_OPERATION, end, &operation, sizeof(operation));
}

void stream_kernel(struct stream_builder *stream, uint64_t name, uint64_t begin, uint64_t end, uint64_t correlation)
{
	struct fmt_event_detailed kernel = {
		.operation = {.begin_ns = EPOCH + begin, .end_ns = EPOCH + end, .correlation = correlation,
			      .name = name, .kind = SONDE_KIND_launch},
		.details = {.shape = builder_shape, .graph = 5, .node = 9},
	};

	stream_event(stream, FMT_EVENT_DETAILED, end, &kernel, sizeof(kernel));
}

void stream_write_raw(struct stream_builder *stream)
{
	FILE *file = fopen(stream->path, "w");

	need(file, stream->path);
	need(!stream->used || fwrite(stream->bytes, stream->used, 1, file) == 1, stream->path);
	need(!fclose(file), stream->path);
	free(stream->bytes);
	stream->bytes = NULL;
}

void stream_write(struct stream_builder *stream)
{
	if (stream->packet != SIZE_MAX && !stream_current(stream)->content_bits)
		stream_seal(stream);
	stream_write_raw(stream);
}

/* ---- looking ---- */

static char text[TEXT_BYTES], notes[4096];
static size_t text_used;
static struct events_counts counts;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_used += (size_t)vsnprintf(text + text_used, sizeof(text) - text_used, format, arguments);
	va_end(arguments);
	need(text_used < sizeof(text), "too many events to show");
}

static void say_call(const struct events *events, const struct event *event)
{
	static const char *const endings[] = {"", ":left", ":cut", ":open"};
	const char *name = event->function == READ_NONE ? "-" : events_function(events, event)->name;
	uint32_t i;

	for (i = 0; i < event->depth; i++)
		say(".");
	switch (event->type) {
	case EVENT_ENTRY:
		say(">%s@%lld", name, (long long)event->time);
		break;
	case EVENT_EXIT:
		if (event->has_begin)
			say("%s%s@%lld-%lld%s", event->failed ? "!" : "<", name, (long long)event->begin,
			    (long long)event->time, endings[event->ended]);
		else
			say("%s?%s@%lld", event->failed ? "!" : "<", name, (long long)event->time);
		break;
	case EVENT_CALL:
		say("[%s%s %lld-%lld%s", event->failed ? "!" : "", name, (long long)event->begin, (long long)event->end,
		    endings[event->ended]);
		for (i = 0; i < event->links; i++)
			say(" #%llu", (unsigned long long)event->link[i]);
		if (event->bytes_out || event->bytes_in)
			say(" +%llu/%llu", (unsigned long long)event->bytes_out, (unsigned long long)event->bytes_in);
		say("]");
		break;
	case EVENT_LINK:
		say("link %llu of %s", (unsigned long long)event->link[0], name);
		break;
	default:
		say("bytes %llu/%llu of %s", (unsigned long long)event->bytes_out, (unsigned long long)event->bytes_in,
		    name);
		break;
	}
}

static void say_event(const struct events *events, const struct event *event)
{
	switch (event->type) {
	case EVENT_GAP:
		say("gap(%llu) %lld-%lld", (unsigned long long)event->lost, (long long)event->begin,
		    (long long)event->end);
		break;
	case EVENT_MEMORY:
		say("memory %llu", (unsigned long long)event->memory.live_bytes);
		break;
	case EVENT_OPERATION:
		say("{%s %lld-%lld", event->operation.name, (long long)event->begin, (long long)event->end);
		if (event->operation.correlation)
			say(" #%llu", (unsigned long long)event->operation.correlation);
		say("}");
		break;
	default:
		say_call(events, event);
		break;
	}
}

const char *stream_text(const char *run, const struct events_wish *wish)
{
	struct recording *recording;
	struct events *events;
	const struct event *event;
	uint32_t lane = READ_NONE;
	size_t i;

	need(!recording_open(&run, 1, &recording), "no recording");
	need(!events_open(recording, wish, &events), "no events");
	text_used = 0;
	text[0] = notes[0] = '\0';
	while ((event = events_next(events))) {
		if (text_used)
			say("; ");
		if (event->lane != READ_NONE && event->lane != lane) {
			lane = event->lane;
			say("t%u: ", events_lane(events, lane)->tid);
		}
		say_event(events, event);
	}
	counts = *events_counts(events);
	for (i = 0; i < recording->notes; i++)
		snprintf(notes + strlen(notes), sizeof(notes) - strlen(notes), "%s%s", i ? "|" : "",
			 recording->note[i].code);
	events_close(events);
	recording_close(recording);
	return text;
}

const char *stream_notes(void)
{
	return notes;
}

const struct events_counts *stream_counts(void)
{
	return &counts;
}
