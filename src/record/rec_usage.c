/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All processes of a job on a node share one limit of what their streams may use of its disk: RUN/usage, two
 * words that the launcher made. Without that file there is no limit.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/mman.h>

#include "format/stream.h"
#include "record/rec_state.h"

static struct fmt_usage *usage;

void rec_usage_open(void)
{
	char path[REC_PATH_MAX + 16];
	void *map;
	int fd;

	if (usage)
		return;
	snprintf(path, sizeof(path), "%s/" FMT_USAGE_FILE, rec_state.dir);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	map = mmap(NULL, sizeof(*usage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (lseek(fd, 0, SEEK_END) >= (off_t)sizeof(*usage) && map != MAP_FAILED)
		usage = map;
	close(fd);
}

bool rec_usage_add(int64_t bytes)
{
	uint64_t used;

	if (!usage)
		return true;
	used = __atomic_add_fetch(&usage->bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
	if (bytes <= 0 || used <= usage->limit)
		return true;
	__atomic_sub_fetch(&usage->bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
	return false;
}
