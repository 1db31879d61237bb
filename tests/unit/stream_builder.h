/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes stream files beside a tally of tally_builder.h, and shows events as text. Times as there. */
#ifndef SONDE_TESTS_STREAM_BUILDER_H
#define SONDE_TESTS_STREAM_BUILDER_H

#include "format/stream.h"
#include "read/events.h"
#include "tally_builder.h"

struct stream_builder {
	char path[400];
	uint8_t *bytes;
	size_t used, capacity;
	size_t packet;           /* offset of the current one */
	uint64_t sequence;
	enum fmt_stream_class class;
};

/* ctf/thread.<n>, or ctf/device for READ_NONE, of a tally that has been written. */
void stream_start(struct stream_builder *stream, const struct builder *builder, uint32_t n);
/* Ends the last packet and begins another. */
struct fmt_packet *stream_packet(struct stream_builder *stream, uint32_t tid, uint64_t begin);
/* The current packet, to damage it; moves with the next event. */
struct fmt_packet *stream_current(struct stream_builder *stream);
void stream_event(struct stream_builder *stream, uint16_t id, uint64_t time, const void *payload, size_t bytes);
void stream_entry(struct stream_builder *stream, uint32_t function, uint64_t time);
void stream_exit(struct stream_builder *stream, uint32_t function, uint64_t time, uint64_t result);
void stream_failed(struct stream_builder *stream, uint32_t function, uint64_t time, uint64_t result);
void stream_link(struct stream_builder *stream, uint64_t time, uint64_t correlation);
void stream_bytes(struct stream_builder *stream, uint64_t time, uint64_t out, uint64_t in);
/* An operation of device 0, queue 0, backend 0, delivered at its end. */
void stream_operation(struct stream_builder *stream, uint64_t name, uint64_t begin, uint64_t end, uint64_t correlation);
/* The same of which all is known: 64x2x1 groups of 128, node 9 of graph 5. */
void stream_kernel(struct stream_builder *stream, uint64_t name, uint64_t begin, uint64_t end, uint64_t correlation);
/* Makes the current packet sound: content, size, end. Done by stream_packet() and stream_write() as well. */
void stream_seal(struct stream_builder *stream);
/* Leaves out sealing, so that damage stays; frees. */
void stream_write_raw(struct stream_builder *stream);
void stream_write(struct stream_builder *stream);

/*
 * All events, "; " between them; text lives until the next call. By type:
 *	">name@10" "<name@10-20" "!name@10-20" (failed) "<?name@20" (no entry) "<name@10-20:left|cut|open"
 *	"[name 10-20]" (call; "#n" behind it: links, "+out/in": bytes), "{name 10-20}" operation, "gap(n) 10-20",
 *	"link n", "bytes out/in", "memory n". Depth as dots in front, the thread when it changes: "t100:".
 */
const char *stream_text(const char *run, const struct events_wish *wish);
/* Codes of the notes that the recording had after the last stream_text(), "code|code". */
const char *stream_notes(void);
const struct events_counts *stream_counts(void);

#endif
