/* SPDX-License-Identifier: BSD-3-Clause */
/* See proc.h. */
#include "cli/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "cli/clock.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* the same number everywhere */
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static int open_proc(pid_t pid, const char *entry)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, entry);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Compares one NAME=VALUE of an environment block; `whole`: entry is not cut off. */
static bool entry_matches(const char *entry, const char *name, const char *value)
{
	size_t length = strlen(name);

	if (strncmp(entry, name, length) != 0 || entry[length] != '=')
		return false;
	return !value || !strcmp(entry + length + 1, value);
}

/* An initial thread that has ended has no memory any more, and no environment: another thread is asked then. */
static int open_environment(pid_t pid)
{
	struct process proc;
	struct dirent *entry;
	DIR *threads;
	char path[64];
	int fd = -1;

	if (!process_read(pid, &proc) || proc.state != 'Z')
		return open_proc(pid, "environ");
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	while (threads && fd < 0 && (entry = readdir(threads))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && tid != pid)
			fd = open_proc(tid, "environ"); /* a thread's number leads to its process */
	}
	if (threads)
		closedir(threads);
	return fd;
}

bool proc_is_bare(pid_t pid)
{
	int fd = open_environment(pid);
	char byte;
	bool bare = fd >= 0 && read(fd, &byte, 1) == 0;

	if (fd >= 0)
		close(fd);
	return bare;
}

bool proc_has_variable(pid_t pid, const char *name, const char *value)
{
	enum { PIECE = 1 << 16 };
	int fd = open_environment(pid);
	char *text = fd < 0 ? NULL : malloc(PIECE + 1);
	size_t used = 0;
	bool found = false;

	while (text && !found) {
		ssize_t got = read(fd, text + used, PIECE - used);
		char *entry = text, *end;

		if (got <= 0)
			break;
		used += (size_t)got;
		text[used] = '\0';
		while (!found && (end = memchr(entry, '\0', used - (size_t)(entry - text)))) {
			found = entry_matches(entry, name, value);
			entry = end + 1;
		}
		used -= (size_t)(entry - text);
		if (used == PIECE)
			used = 0; /* longer than any value that is looked for */
		memmove(text, entry, used);
	}
	free(text);
	if (fd >= 0)
		close(fd);
	return found;
}

pid_t proc_newest(void)
{
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	char text[128], *last;
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	last = strrchr(text, ' ');
	return last ? (pid_t)strtol(last, NULL, 10) : 0;
}

bool proc_wait(pid_t pid, unsigned long long start, int timeout_ms)
{
	uint64_t deadline = clock_now_ns() + (uint64_t)timeout_ms * 1000000u;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd >= 0) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };

		/* the number may belong to a later process by now */
		if (process_runs(pid, start))
			poll(&wait, 1, timeout_ms);
		close(fd);
	}
	while (process_runs(pid, start)) { /* Linux < 5.3 has no pidfd */
		if (clock_now_ns() >= deadline)
			return false;
		usleep(5000);
	}
	return true;
}

static bool close_range_of(unsigned first, unsigned last)
{
	return first > last || syscall(SYS_close_range, first, last, 0) == 0;
}

void proc_close_above_stderr(int keep)
{
	unsigned first = STDERR_FILENO + 1, kept = keep < (int)first ? first - 1 : (unsigned)keep;
	DIR *directory;
	struct dirent *entry;

	if (close_range_of(first, kept - 1) && close_range_of(kept + 1, ~0u))
		return;
	directory = opendir("/proc/self/fd"); /* Linux < 5.9 */
	while (directory && (entry = readdir(directory))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd > STDERR_FILENO && fd != keep && fd != dirfd(directory))
			close(fd);
	}
	if (directory)
		closedir(directory);
}
