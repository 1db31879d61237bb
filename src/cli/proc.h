/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What /proc tells about other processes. They may end at any moment: every answer may be "unknown". And this process's
 * descriptors.
 */
#ifndef SONDE_CLI_PROC_H
#define SONDE_CLI_PROC_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/process.h"

/*
 * Does the environment that the process was started with set the variable (value NULL: to anything)?
 * False also when it cannot be read, as with another user's process.
 */
bool proc_has_variable(pid_t pid, const char *name, const char *value);

/* Has it no environment: a kernel thread, one that was started with none, or one that is in the midst of exec? */
bool proc_is_bare(pid_t pid);

/* The number that was given to a process last; 0: not known. */
pid_t proc_newest(void);

/* Waits until the process has ended, for `timeout_ms` at most. True: it has. */
bool proc_wait(pid_t pid, unsigned long long start, int timeout_ms);

/* Closes all descriptors but the first three and `keep` (-1: none). */
void proc_close_above_stderr(int keep);

#endif
