/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that cannot make its record says so where it still can: in the record of the process that it was forked
 * from, whose mapping it has, or else in a launch record, which has its place on the disk already. The mapping stays
 * until a record was made: what is forked until then tries for itself. Locked slow path.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "record/rec_state.h"

#define LAUNCH_PREFIX "launch."

struct entry { /* as getdents64() gives it */
	uint64_t inode, offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static char *kept; /* a page: the process of the parent's record */

void rec_missing_keep(void)
{
	void *page = MAP_FAILED;

	/* a second view, without a descriptor; of a record that is no file there is none to be had */
	if (!rec_state.private)
		page = mremap(rec_state.process, 0, REC_PAGE, MREMAP_MAYMOVE);
	kept = page == MAP_FAILED ? NULL : page;
}

void rec_missing_drop(void)
{
	if (kept)
		munmap(kept, REC_PAGE);
	kept = NULL;
}

static void count(struct fmt_unrecorded *unrecorded, int error)
{
	__atomic_store_n(&unrecorded->error, (uint32_t)error, __ATOMIC_RELAXED);
	__atomic_fetch_add(&unrecorded->processes, 1, __ATOMIC_RELAXED);
}

/* Any launch record of the run; -1: none. Not readdir(), which allocates. */
static int open_launch(int directory)
{
	static char names[4096] __attribute__((aligned(8)));
	long got, at;

	while ((got = syscall(SYS_getdents64, directory, names, sizeof(names))) > 0)
		for (at = 0; at < got;) {
			const struct entry *entry = (const struct entry *)(names + at);

			if (strncmp(entry->name, LAUNCH_PREFIX, sizeof(LAUNCH_PREFIX) - 1) == 0)
				return openat(directory, entry->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
			at += entry->bytes;
		}
	return -1;
}

static bool count_in_launch(int error)
{
	int directory = open(rec_state.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = directory < 0 ? -1 : open_launch(directory);
	struct fmt_launch *launch;
	bool counted = false;

	if (directory >= 0)
		close(directory);
	if (fd < 0)
		return false;
	if (lseek(fd, 0, SEEK_END) >= (off_t)sizeof(*launch)) {
		launch = mmap(NULL, sizeof(*launch), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (launch != MAP_FAILED) {
			counted = rec_back(launch, REC_PAGE); /* a disk that copies what is written may be full */
			if (counted)
				count(&launch->unrecorded, error);
			munmap(launch, sizeof(*launch));
		}
	}
	close(fd);
	return counted;
}

bool rec_missing_add(int error)
{
	rec_debug("no record: error %d", error);
	if (!kept)
		return count_in_launch(error);
	count(&((struct fmt_process *)kept)->unrecorded, error);
	return true;
}
