/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An output of any size: a buffer in front of a file, compressed where its name ends in .gz. The bytes go to
 * NAME.partial, which takes its name when all is written; what could not be written whole is removed.
 */
#ifndef SONDE_VIEWS_SINK_H
#define SONDE_VIEWS_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SINK_BUFFER (1u << 20)

struct sink {
	uint8_t *buffer;
	size_t used;
	uint64_t written;  /* bytes that left the buffer, before compression */
	int fd;
	void *gzip;        /* NULL: as it is */
	char *path;
	char *partial;     /* NULL: written in place, because it is no plain file */
	int error;         /* errno of the first write that failed; nothing is written after it */
};

/* "-": standard output. 0 or SONDE_E..., logged. */
int sink_open(struct sink *sink, const char *path);
void sink_flush(struct sink *sink);
void sink_put(struct sink *sink, const void *bytes, size_t count);
/* For writers of text; closing it does not close the sink. NULL: no memory, logged. */
FILE *sink_file(struct sink *sink);
/* Gives the file its name if `whole` and all could be written, else removes it. 0 or SONDE_EIO, logged. */
int sink_close(struct sink *sink, bool whole);

/* Room for `bytes` (at most SINK_BUFFER); the caller adds to `used` what it writes. */
static inline uint8_t *sink_room(struct sink *sink, size_t bytes)
{
	if (sink->used + bytes > SINK_BUFFER)
		sink_flush(sink);
	return sink->buffer + sink->used;
}

static inline uint64_t sink_bytes(const struct sink *sink)
{
	return sink->written + sink->used;
}

#endif
