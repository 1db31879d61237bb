/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading of files that may be sparse, growing, cut off or gone; see read_internal.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "read/read_internal.h"

int64_t file_read_at(int fd, uint64_t offset, void *buffer, size_t bytes)
{
	size_t done = 0;
	ssize_t got;

	if (offset > INT64_MAX - bytes)
		bytes = 0;
	while (done < bytes) {
		got = pread(fd, (char *)buffer + done, bytes - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t)got;
	}
	memset((char *)buffer + done, 0, bytes - done);
	return (int64_t)done;
}

uint64_t file_next_data(int fd, uint64_t offset)
{
	off_t data;

	if (offset > INT64_MAX)
		return UINT64_MAX;
	data = lseek(fd, (off_t)offset, SEEK_DATA);
	if (data >= 0)
		return (uint64_t)data;
	return errno == ENXIO ? UINT64_MAX : offset;
}

int file_open(const char *path, uint64_t *bytes_out)
{
	/* O_NONBLOCK: a fifo in a run directory must not stop the reader */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	*bytes_out = (uint64_t)status.st_size;
	return fd;
}

uint64_t read_clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
