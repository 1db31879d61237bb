/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the launcher wants of streams: RUN/streams, mapped, because all processes of a job on a node share the
 * room that their streams may take. Without that file there are no streams.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include "format/stream.h"
#include "record/rec_state.h"

static struct fmt_plan *plan;

const struct fmt_plan *rec_plan(void)
{
	static char path[REC_PATH_MAX + 16]; /* the stack may be a small one */
	void *map;
	int fd;

	if (plan)
		return plan;
	snprintf(path, sizeof(path), "%s/" FMT_PLAN_FILE, rec_state.dir);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	map = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED && lseek(fd, 0, SEEK_END) >= (off_t)sizeof(*plan) &&
	    memcmp(map, FMT_PLAN_MAGIC, sizeof(plan->magic)) == 0)
		plan = map;
	close(fd);
	return plan;
}

bool rec_plan_use(int64_t bytes)
{
	uint64_t used;

	if (!plan)
		return true;
	used = __atomic_add_fetch(&plan->bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
	if (bytes <= 0 || used <= plan->limit)
		return true;
	__atomic_sub_fetch(&plan->bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
	return false;
}
