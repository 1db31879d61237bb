/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RUN/launch.<host>.<pid>.<start>: what the launcher alone knows of a program, above all how and when
 * it ended. Trouble with it is told once and never keeps the program from running.
 */
#ifndef SONDE_CLI_LAUNCH_FILE_H
#define SONDE_CLI_LAUNCH_FILE_H

#include <limits.h>
#include <sys/types.h>

#include "format/tally.h"

struct launch_file {
	char path[PATH_MAX];
	int fd; /* -1: could not be written */
	struct fmt_launch record;
};

struct launch_ranks {
	int rank, size, local_size; /* -1: unknown */
};

/* Just before the program is started; `untraceable` is 0 or an enum target_reason. */
void launch_file_create(struct launch_file *file, const char *directory, char **words,
			const struct launch_ranks *ranks, uint64_t untraceable);
void launch_file_started(struct launch_file *file, pid_t program);
/* Just after waitpid(); closes the file. */
void launch_file_ended(struct launch_file *file, int wait_status);
/*
 * For a program whose launcher was killed: it has ended just now, by that signal; 0: nobody knows how.
 * The file is changed only where it does not tell of an end already.
 */
void launch_file_ended_later(const char *path, int signal);

/* There was no program after all. */
void launch_file_discard(struct launch_file *file);

#endif
