/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs of any size; see sink.h. */
#include "views/sink.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

#define GZIP_MODE "wb4" /* of 9: three quarters of the best ratio at four times its speed */
#define GZIP_OK 0

/*
 * zlib, loaded when a name ends in .gz: every run of `sonde` would pay for it otherwise. Declarations as in zlib.h of
 * 1.2.3.5 and later.
 */
static struct {
	void *(*open)(int fd, const char *mode);
	int (*buffer)(void *file, unsigned bytes);
	int (*write)(void *file, const void *bytes, unsigned count);
	int (*close)(void *file);
} zlib;

static bool zlib_load(void)
{
	void *library = dlopen("libz.so.1", RTLD_LAZY | RTLD_LOCAL);

	if (!library)
		return false;
	*(void **)&zlib.open = dlsym(library, "gzdopen");
	*(void **)&zlib.buffer = dlsym(library, "gzbuffer");
	*(void **)&zlib.write = dlsym(library, "gzwrite");
	*(void **)&zlib.close = dlsym(library, "gzclose");
	return zlib.open && zlib.buffer && zlib.write && zlib.close;
}

static bool is_gzip(const char *path)
{
	size_t length = strlen(path);

	return length > 3 && !strcmp(path + length - 3, ".gz");
}

/* A device, a pipe: something that is there and is no plain file. */
static bool is_special(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static int sink_fail(struct sink *sink, int code)
{
	if (sink->fd > STDERR_FILENO)
		close(sink->fd);
	if (sink->fd > STDERR_FILENO && sink->partial)
		unlink(sink->partial);
	free(sink->partial);
	free(sink->path);
	free(sink->buffer);
	memset(sink, 0, sizeof(*sink));
	return code;
}

static int sink_open_gzip(struct sink *sink)
{
	int fd;

	if (!zlib.open && !zlib_load())
		return log_error(SONDE_EUSAGE, "%s: to compress, zlib (libz.so.1) is needed, which is not here",
				 sink->path);
	fd = dup(sink->fd); /* zlib closes its own */
	sink->gzip = fd < 0 ? NULL : zlib.open(fd, GZIP_MODE);
	if (sink->gzip) {
		zlib.buffer(sink->gzip, SINK_BUFFER / 4);
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return log_error(SONDE_EIO, "%s: no memory to compress", sink->path);
}

int sink_open(struct sink *sink, const char *path)
{
	bool standard = !strcmp(path, "-");
	const char *target;
	int err;

	memset(sink, 0, sizeof(*sink));
	sink->fd = -1;
	sink->buffer = malloc(SINK_BUFFER);
	sink->path = strdup(path);
	if (!standard && !is_special(path) && asprintf(&sink->partial, "%s.partial", path) < 0)
		sink->partial = NULL;
	if (!sink->buffer || !sink->path)
		return sink_fail(sink, log_error(SONDE_EIO, "%s: no memory", path));
	target = sink->partial ? sink->partial : path;
	sink->fd = standard ? STDOUT_FILENO : open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (sink->fd < 0)
		return sink_fail(sink, log_error(SONDE_EIO, "%s: %s", path, strerror(errno)));
	if (is_gzip(path)) {
		err = sink_open_gzip(sink);
		if (err)
			return sink_fail(sink, err);
	}
	return 0;
}

static void sink_write(struct sink *sink, const uint8_t *bytes, size_t count)
{
	while (count && !sink->error) {
		ssize_t done;

		errno = 0;
		done = sink->gzip ? zlib.write(sink->gzip, bytes, (unsigned)count) : write(sink->fd, bytes, count);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			sink->error = errno ? errno : EIO;
			return;
		}
		bytes += done;
		count -= (size_t)done;
	}
}

void sink_flush(struct sink *sink)
{
	sink_write(sink, sink->buffer, sink->used);
	sink->written += sink->used;
	sink->used = 0;
}

void sink_put(struct sink *sink, const void *bytes, size_t count)
{
	const uint8_t *from = bytes;

	while (count) {
		size_t part = count < SINK_BUFFER ? count : SINK_BUFFER;

		memcpy(sink_room(sink, part), from, part);
		sink->used += part;
		from += part;
		count -= part;
	}
}

static ssize_t file_write(void *cookie, const char *bytes, size_t count)
{
	struct sink *sink = cookie;

	sink_put(sink, bytes, count);
	return sink->error ? 0 : (ssize_t)count;
}

FILE *sink_file(struct sink *sink)
{
	FILE *file = fopencookie(sink, "w", (cookie_io_functions_t){.write = file_write});

	if (!file)
		log_error(SONDE_EIO, "%s: %s", sink->path, strerror(errno));
	return file;
}

static void sink_finish(struct sink *sink)
{
	sink_flush(sink);
	errno = 0;
	if (sink->gzip && zlib.close(sink->gzip) != GZIP_OK && !sink->error)
		sink->error = errno ? errno : EIO;
	if (sink->fd > STDERR_FILENO && close(sink->fd) && !sink->error)
		sink->error = errno;
}

int sink_close(struct sink *sink, bool whole)
{
	int err = 0;

	if (!sink->buffer)
		return 0;
	sink_finish(sink);
	if (!sink->error && whole && sink->partial && rename(sink->partial, sink->path))
		sink->error = errno;
	if (sink->error)
		err = log_error(SONDE_EIO, "%s: %s", sink->path, strerror(sink->error));
	if (sink->partial && (err || !whole))
		unlink(sink->partial);
	sink->fd = -1;
	return sink_fail(sink, err);
}
