/* SPDX-License-Identifier: BSD-3-Clause */
/* Is this process one of several that a parallel launcher started, and which? From the attach table. */
#ifndef SONDE_CLI_RANKS_H
#define SONDE_CLI_RANKS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/attach.h"
#include "cli/launch_file.h"

#define RANKS_KEY_MAX 128

struct ranks {
	struct launch_ranks numbers;
	const char *variable;    /* that holds the rank; NULL: not started by a parallel launcher */
	char key[RANKS_KEY_MAX]; /* the same for all launchers of a job on this machine, and for no others */
	pid_t ancestor;          /* nearest process above that is not a rank; 0: unknown */
};

/* Does this process's environment say what the rule wants? */
bool ranks_rule_applies(const struct attach_rank *rule);

/* The innermost parallel launcher's word. False: not started by one. */
bool ranks_find(struct ranks *ranks_out);

/* Topmost of the parallel launchers above `ancestor` in direct line; 0: it is none itself. */
pid_t ranks_launcher(pid_t ancestor);

/* Checks "0,2,8-15". 0 or SONDE_EUSAGE, logged. */
int ranks_check_list(const char *list);

#endif
