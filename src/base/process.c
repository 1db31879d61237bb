/* SPDX-License-Identifier: BSD-3-Clause */
/* See process.h. */
#include "base/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fields of /proc/PID/stat, counted from 1. */
enum { FIELD_STATE = 3, FIELD_PARENT = 4, FIELD_THREADS = 20, FIELD_START = 22 };

static ssize_t stat_read(pid_t pid, char *text, size_t size)
{
	int fd;
	ssize_t length;

	snprintf(text, size, "/proc/%d/stat", (int)pid);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	length = read(fd, text, size - 1);
	close(fd);
	if (length > 0)
		text[length] = '\0';
	return length;
}

bool process_read(pid_t pid, struct process *process_out)
{
	char text[1024], *name, *rest, *field;
	long threads = 0;

	if (stat_read(pid, text, sizeof(text)) <= 0)
		return false;
	name = strchr(text, '(');
	rest = strrchr(text, ')'); /* the name itself may hold parentheses and spaces */
	if (!name || !rest || rest < name || !rest[1])
		return false;
	*rest = '\0';
	memset(process_out, 0, sizeof(*process_out));
	process_out->pid = pid;
	snprintf(process_out->name, sizeof(process_out->name), "%s", name + 1);
	field = rest + 2;
	process_out->state = *field;
	for (int i = FIELD_STATE + 1; i <= FIELD_START; i++) {
		field = strchr(field + 1, ' ');
		if (!field)
			return false;
		if (i == FIELD_PARENT)
			process_out->parent = (pid_t)strtol(field, NULL, 10);
		else if (i == FIELD_THREADS)
			threads = strtol(field, NULL, 10); /* the initial one counts until the process has ended */
	}
	process_out->start = strtoull(field, NULL, 10);
	process_out->ended = process_out->state == 'X' || (process_out->state == 'Z' && threads <= 1);
	return true;
}

bool process_runs(pid_t pid, unsigned long long start)
{
	struct process proc;

	return process_read(pid, &proc) && proc.start == start && !proc.ended;
}
