/* SPDX-License-Identifier: BSD-3-Clause */
/* A window of bytes that moves over a stream file; see stream.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "read/stream.h"

int stream_file_open(struct stream_file *file, const char *path, size_t window_capacity, bool keep_open)
{
	*file = (struct stream_file){.path = path, .fd = -1, .window_capacity = window_capacity};
	file->fd = file_open(path, &file->bytes);
	if (file->fd < 0)
		return SONDE_EIO;
	if (!keep_open) {
		close(file->fd);
		file->fd = -1;
	}
	return 0;
}

void stream_file_close(struct stream_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->window);
	file->window = NULL;
	file->fd = -1;
}

void stream_file_refresh(struct stream_file *file)
{
	struct stat status;

	if (!(file->fd >= 0 ? fstat(file->fd, &status) : stat(file->path, &status)) && status.st_size >= 0)
		file->bytes = (uint64_t)status.st_size;
}

size_t stream_file_read(struct stream_file *file, uint64_t offset, void *buffer, size_t bytes)
{
	uint64_t size;
	int fd = file->fd >= 0 ? file->fd : file_open(file->path, &size);
	int64_t got;

	if (fd < 0)
		return 0;
	got = file_read_at(fd, offset, buffer, bytes);
	if (fd != file->fd)
		close(fd);
	return got < 0 ? 0 : (size_t)got;
}

const uint8_t *stream_file_window(struct stream_file *file, uint64_t offset, uint64_t end, size_t need,
				  size_t *bytes_out)
{
	size_t want, have = 0;

	if (need > file->window_capacity || !file->window) {
		uint8_t *larger;

		while (file->window_capacity < need)
			file->window_capacity *= 2;
		larger = realloc(file->window, file->window_capacity);
		if (!larger) {
			*bytes_out = 0;
			return file->window;
		}
		file->window = larger;
	}
	want = end - offset < file->window_capacity ? (size_t)(end - offset) : file->window_capacity;
	/* what is there already is not read again: it may have been changed since */
	if (offset >= file->window_at && offset < file->window_at + file->window_bytes) {
		have = (size_t)(file->window_at + file->window_bytes - offset);
		if (have > want)
			have = want;
		memmove(file->window, file->window + (offset - file->window_at), have);
	}
	if (have < want)
		have += stream_file_read(file, offset + have, file->window + have, want - have);
	file->window_at = offset;
	file->window_bytes = have;
	*bytes_out = have;
	return file->window;
}
