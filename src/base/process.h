/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether another process of this machine runs. It may end at any moment. */
#ifndef SONDE_BASE_PROCESS_H
#define SONDE_BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct process {
	pid_t pid, parent;
	char state;               /* R, S, Z, ... of its initial thread */
	bool ended;               /* all of it: others may run on when the initial thread is a zombie */
	unsigned long long start; /* field 22 of /proc/PID/stat: tells a process from a later one with its number */
	char name[32];            /* comm */
};

/* False: there is no such process. */
bool process_read(pid_t pid, struct process *process_out);

/* Runs, and is the process that started then. One that waits for its parent to ask for its status does not run. */
bool process_runs(pid_t pid, unsigned long long start);

#endif
