/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file behind the record: a sparse tally, sized once, mapped as a whole and closed at once (the
 * program may close all descriptors and get our number for a file of its own). Locked slow path.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "format/mappable.h"
#include "format/stream.h"
#include "record/rec_state.h"

struct area_plan {
	uint32_t kind;
	uint32_t stride;
	uint64_t capacity;
};

/* In file order: small areas first, thread blocks last, so that a short file loses threads only. */
static const struct area_plan plan[] = {
	{FMT_SECTION_PROCESS, sizeof(struct fmt_process), 1},
	{FMT_SECTION_BACKENDS, sizeof(struct fmt_backend), FMT_BACKENDS_MAX},
	{FMT_SECTION_FUNCTIONS, sizeof(struct fmt_function), REC_ROWS_MAX},
	{FMT_SECTION_TRANSFERS, sizeof(struct fmt_transfer), 256},
	{FMT_SECTION_MEMORY, sizeof(struct fmt_memory), 256},
	{FMT_SECTION_BUILDS, sizeof(struct fmt_build), 1024},
	{FMT_SECTION_FAILURES, sizeof(struct fmt_failure), REC_FAILURES_MAX},
	{FMT_SECTION_QUEUES, sizeof(struct fmt_queue), 4096},
	{FMT_SECTION_ARGS, sizeof(struct fmt_arg), 16384},
	{FMT_SECTION_NAMED, sizeof(struct fmt_named), REC_NAMED_MAX},
	{FMT_SECTION_STRINGS, 1, 16u << 20},
	{FMT_SECTION_DEVICES, sizeof(struct fmt_device), 16},
	{FMT_SECTION_OPS, sizeof(struct fmt_op), 4096},
	{FMT_SECTION_GRAPHS, sizeof(struct fmt_graph), 4096},
	{FMT_SECTION_NODES, sizeof(struct fmt_node), 65536},
	{FMT_SECTION_THREADS, REC_THREAD_SPAN, REC_THREADS_MAX},
};
#define PLAN_COUNT (sizeof(plan) / sizeof(plan[0]))

/* Lays the areas out for `threads` thread blocks; returns the size of the file. */
static uint64_t lay_out(struct fmt_head *head, uint64_t threads)
{
	uint64_t offset = REC_PAGE;

	for (size_t i = 0; i < PLAN_COUNT; i++) {
		struct fmt_section *section = &head->section[i];
		bool is_threads = plan[i].kind == FMT_SECTION_THREADS;

		section->kind = plan[i].kind;
		section->stride = plan[i].stride;
		section->capacity = is_threads ? threads : plan[i].capacity;
		section->offset = offset = rec_round_up(offset, is_threads ? REC_THREAD_SPAN : REC_PAGE);
		offset += section->stride * section->capacity;
	}
	head->section_count = PLAN_COUNT;
	return rec_round_up(offset, REC_PAGE);
}

static bool mappable(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fmt_is_mappable((uint64_t)fs.f_type);
}

static int create_unique(void)
{
	struct rec_state *state = &rec_state;
	char host[65] = "host";
	int length, fd = -1;

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, "./")] = '\0';
	/* the same pid and start time come again after exec: number the images */
	for (int image = 1; image < 1000 && fd < 0; image++) {
		char suffix[16] = "";

		if (image > 1)
			snprintf(suffix, sizeof(suffix), ".%d", image);
		length = snprintf(state->path, sizeof(state->path), "%s/%s.%u.%llu%s", state->dir, host,
				  rec_pid(), (unsigned long long)rec_proc_start_time(), suffix);
		if (length < 0 || (size_t)length > sizeof(state->path) - 8) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (mkdir(state->path, 0700) != 0) {
			if (errno == EEXIST)
				continue;
			return -1;
		}
		strcat(state->path, "/tally");
		fd = open(state->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0) {
			int why = errno;

			*strrchr(state->path, '/') = '\0';
			rmdir(state->path);
			errno = why;
			return -1;
		}
	}
	return fd;
}

/* The file stays, empty, where nothing else can tell of calls of which nothing could be recorded. */
static void give_up(int fd, int error)
{
	char *path = rec_state.path;

	(void)!ftruncate(fd, 0);
	close(fd);
	if (!rec_missing_add(error))
		return;
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
}

/* Size that RLIMIT_FSIZE allows: a file extended past it would kill the program by SIGXFSZ. */
static uint64_t size_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

bool rec_file_may_grow(uint64_t bytes)
{
	return bytes <= size_limit();
}

/* Address space that the record may take of what RLIMIT_AS leaves the program. */
static uint64_t memory_share(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur / 16;
}

/* NULL: errno says why. */
static char *map_file(int fd, struct fmt_head *head, uint64_t *bytes_out)
{
	struct rec_state *state = &rec_state;
	uint64_t limit = size_limit(), memory = memory_share();

	/* a small RLIMIT_AS or RLIMIT_FSIZE gets a small file with room for fewer threads */
	for (uint64_t threads = REC_THREADS_MAX; threads >= 2; threads /= 4) {
		uint64_t bytes = lay_out(head, threads);
		int flags = state->private ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
		char *map;

		if (bytes > memory && threads > 8)
			continue;
		errno = EFBIG;
		if (!state->private && (bytes > limit || ftruncate(fd, (off_t)bytes) != 0))
			continue;
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, state->private ? -1 : fd, 0);
		if (map == MAP_FAILED)
			continue;
		madvise(map, bytes, MADV_DONTDUMP);
		/* read-ahead fills the holes with large folios: 330 KiB per thread instead of 16 */
		madvise(map, bytes, MADV_RANDOM);
		state->threads_max = (uint32_t)threads;
		*bytes_out = bytes;
		return map;
	}
	return NULL;
}

static void bind_areas(void)
{
	struct rec_state *state = &rec_state;

	for (uint32_t i = 0; i < state->head->section_count; i++) {
		struct fmt_section *section = &state->head->section[i];
		struct rec_area *area = &state->area[section->kind];

		area->section = section;
		area->base = state->map + section->offset;
		area->populated = 0;
	}
	state->process = (struct fmt_process *)state->area[FMT_SECTION_PROCESS].base;
}

/* Bytes of the small areas that every record needs: head, process, backends, some functions. */
static uint64_t start_bytes(void)
{
	return rec_state.head->section[2].offset + REC_PAGE;
}

static void start_is_populated(void)
{
	struct rec_state *state = &rec_state;

	state->area[FMT_SECTION_PROCESS].populated = REC_PAGE;
	state->area[FMT_SECTION_BACKENDS].populated =
		state->head->section[2].offset - state->head->section[1].offset;
	state->area[FMT_SECTION_FUNCTIONS].populated = REC_PAGE;
}

bool rec_file_create(void)
{
	struct rec_state *state = &rec_state;
	struct fmt_head head = {.major = FMT_MAJOR, .minor = FMT_MINOR, .byte_order = FMT_BYTE_ORDER,
				.head_bytes = sizeof(head)};
	int fd = create_unique();

	if (fd < 0) {
		rec_missing_add(errno);
		return false;
	}
	state->private = !mappable(fd);
	state->map = map_file(fd, &head, &state->map_bytes);
	if (!state->map) {
		give_up(fd, errno);
		return false;
	}
	state->head = &head; /* until the page of the real one is known to exist */
	if (!rec_populate(state->map, start_bytes())) {
		int why = errno == EFAULT ? ENOSPC : errno; /* as the kernel says it of pages */

		munmap(state->map, state->map_bytes);
		state->map = NULL;
		state->head = NULL;
		give_up(fd, why);
		return false;
	}
	close(fd);
	memcpy(state->map, &head, sizeof(head));
	state->head = (struct fmt_head *)state->map;
	bind_areas();
	start_is_populated();
	state->head->section[0].used = 1;
	/* offset 0 of the strings is the empty name */
	if (rec_area_reserve(FMT_SECTION_STRINGS, 1))
		state->area[FMT_SECTION_STRINGS].section->used = 1;
	return true;
}

/*
 * A wrapper that was open across the fork may still store into the parent's block when it returns in
 * the child: give it anonymous pages to write to.
 */
void rec_file_forget(void)
{
	struct rec_state *state = &rec_state;

	mmap(state->map, state->map_bytes, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	state->map = NULL;
	state->head = NULL;
	state->process = NULL;
}

static bool write_all(int fd, const char *from, uint64_t bytes, uint64_t offset)
{
	while (bytes) {
		ssize_t done = pwrite(fd, from, bytes, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		from += done;
		offset += (uint64_t)done;
		bytes -= (uint64_t)done;
	}
	return true;
}

/* Where the directory's file system cannot be mapped safely, the record reaches its file only here. */
void rec_file_write_private(void)
{
	struct rec_state *state = &rec_state;
	uint64_t limit = size_limit();
	int fd;

	if (!state->private || !state->map)
		return;
	fd = open(state->path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	for (uint32_t i = 0; i < state->head->section_count; i++) {
		const struct fmt_section *section = &state->head->section[i];
		uint64_t bytes = section->kind == FMT_SECTION_THREADS ? 0 : section->used * section->stride;

		if (section->offset + bytes <= limit)
			write_all(fd, state->map + section->offset, bytes, section->offset);
	}
	/* of a thread's block, which is large, what is in use; the rest is a hole */
	for (uint32_t i = 0; i < state->area[FMT_SECTION_THREADS].section->used; i++) {
		const struct fmt_thread *thread = rec_thread_block(i);
		uint64_t offset = (uint64_t)((const char *)thread - state->map);
		uint64_t bytes = FMT_THREAD_ROWS_OFFSET + thread->rows * sizeof(struct fmt_stats);

		if (offset + bytes <= limit)
			write_all(fd, (const char *)thread, bytes, offset);
		if (offset + REC_THREAD_SPAN <= limit)
			(void)!ftruncate(fd, (off_t)(offset + REC_THREAD_SPAN));
	}
	write_all(fd, state->map, sizeof(struct fmt_head), 0);
	close(fd);
}

/* Allocates file blocks under a range of the mapping. What is in it stays as it is. */
bool rec_file_back(uintptr_t from, uint64_t bytes)
{
	struct rec_state *state = &rec_state;
	int fd, failed;

	if (state->private)
		return true;
	fd = open(state->path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	do
		failed = fallocate(fd, 0, (off_t)(from - (uintptr_t)state->map), (off_t)bytes);
	while (failed && errno == EINTR);
	close(fd);
	return !failed;
}
