/* SPDX-License-Identifier: BSD-3-Clause */
/* See launch_file.h. */
#include "cli/launch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/uio.h>

#include "base/log.h"
#include "cli/clock.h"
#include "cli/proc.h"

#define COMMAND_MAX 65536 /* bytes of the command line that are kept */
#define OWN_BYTES offsetof(struct fmt_launch, unrecorded) /* what is behind it is written by traced processes */

static size_t pack_command(char **words, char *packed)
{
	size_t used = 0;

	for (; *words; words++) {
		size_t length = strlen(*words) + 1;

		if (length > COMMAND_MAX - used)
			break; /* whole arguments only */
		memcpy(packed + used, *words, length);
		used += length;
	}
	return used;
}

static void give_up_file(struct launch_file *file)
{
	log_warning("%s: %s; the end of the program will be missing in its recording", file->path, strerror(errno));
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* Host names in file names end at the first dot, as recorders write them. */
static void name_file(const struct fmt_launch *record, const char *directory, const char *before, char *path_out)
{
	struct process self = { 0 };
	int host = (int)strcspn(record->host, "./");

	process_read(getpid(), &self);
	snprintf(path_out, PATH_MAX, "%s/%slaunch.%.*s.%u.%llu", directory, before, host, record->host, record->pid,
		 self.start);
}

static void fill(struct fmt_launch *record, const struct launch_ranks *ranks, uint64_t untraceable)
{
	memset(record, 0, sizeof(*record));
	memcpy(record->magic, FMT_LAUNCH_MAGIC, sizeof(record->magic));
	record->major = FMT_MAJOR;
	record->minor = FMT_MINOR;
	record->byte_order = FMT_BYTE_ORDER;
	record->launch_bytes = sizeof(*record);
	record->pid = (uint32_t)getpid();
	record->rank = ranks->rank;
	record->size = ranks->size;
	record->local_size = ranks->local_size;
	record->clock = clock_choose();
	record->untraceable = untraceable;
	gethostname(record->host, sizeof(record->host) - 1);
}

void launch_file_create(struct launch_file *file, const char *directory, char **words,
			const struct launch_ranks *ranks, uint64_t untraceable)
{
	static char command[COMMAND_MAX];
	char draft[PATH_MAX];
	struct iovec parts[2];

	fill(&file->record, ranks, untraceable);
	file->record.command_bytes = (uint32_t)pack_command(words, command);
	name_file(&file->record, directory, "", file->path);
	name_file(&file->record, directory, ".", draft); /* readers pass over it: who looks on sees all or nothing */
	file->fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file->fd < 0) {
		give_up_file(file);
		return;
	}
	file->record.start = clock_triple((enum fmt_clock)file->record.clock);
	parts[0] = (struct iovec){ &file->record, sizeof(file->record) };
	parts[1] = (struct iovec){ command, file->record.command_bytes };
	if (writev(file->fd, parts, 2) != (ssize_t)(parts[0].iov_len + parts[1].iov_len) || rename(draft, file->path)) {
		give_up_file(file);
		unlink(draft);
	}
}

/* One write, so that a reader never sees half of it. */
static void update(struct launch_file *file)
{
	if (file->fd >= 0 &&
	    pwrite(file->fd, &file->record, OWN_BYTES, 0) != (ssize_t)OWN_BYTES)
		log_warning("launch record: %s", strerror(errno));
}

void launch_file_started(struct launch_file *file, pid_t program)
{
	struct process proc = { 0 };

	process_read(program, &proc);
	file->record.program_pid = (uint32_t)program;
	file->record.program_start = proc.start;
	update(file);
}

void launch_file_ended(struct launch_file *file, int wait_status)
{
	file->record.end = clock_triple((enum fmt_clock)file->record.clock);
	file->record.wait_status = wait_status;
	file->record.ended = FMT_ENDED_SEEN;
	update(file);
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

void launch_file_discard(struct launch_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	unlink(file->path);
}

void launch_file_ended_later(const char *path, int signal)
{
	struct fmt_launch record;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return;
	if (pread(fd, &record, sizeof(record), 0) == (ssize_t)sizeof(record) &&
	    !memcmp(record.magic, FMT_LAUNCH_MAGIC, sizeof(record.magic)) && record.ended == FMT_ENDED_NOT) {
		record.end = clock_triple((enum fmt_clock)record.clock);
		record.wait_status = signal; /* as waitpid() encodes it */
		record.ended = signal ? FMT_ENDED_SEEN : FMT_ENDED_LATER;
		if (pwrite(fd, &record, OWN_BYTES, 0) != (ssize_t)OWN_BYTES)
			log_warning("%s: %s", path, strerror(errno));
	}
	close(fd);
}
