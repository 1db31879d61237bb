/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes after the program's end: the summary, the kept recording, what the user has to be told. */
#ifndef SONDE_CLI_RESULT_H
#define SONDE_CLI_RESULT_H

#include <limits.h>
#include <sys/types.h>

#include "cli/options.h"
#include "cli/preload.h"
#include "cli/target.h"

/* All that is needed for it; the keeper of a job has a copy of its first launcher's. */
struct result {
	struct options options;       /* paths in it are absolute */
	char run[PATH_MAX];           /* where processes record; "": nowhere, the program runs untraced */
	char keep[PATH_MAX];          /* --output; "": the recording is removed */
	bool created;                 /* that directory was not there before */
	struct target target;
	struct preload preload;
	const char *program;          /* as the user named it */
	bool alone;                   /* in no job: what began before this process has not our variables */
	pid_t first_pid;              /* descendants of the program have no smaller number; 0: not known */
	char missing_ranks[256];      /* sentence about ranks that never came, or "" */
};

/*
 * --output, --json, --csv: makes paths absolute, finds what cannot be written, creates the directory
 * that processes record into. 0 or SONDE_E..., logged.
 */
int result_prepare(struct result *result, const struct options *options);

/* Undoes result_prepare() when the program could not be started. */
void result_cancel(struct result *result);

/* Prints, writes and removes. The wait status is that of the program (0 in a keeper). */
void result_show(struct result *result, int wait_status);

#endif
