/* SPDX-License-Identifier: BSD-3-Clause */
/* A look at the program before it is started: where it is, and whether libraries can be put into it. */
#ifndef SONDE_CLI_TARGET_H
#define SONDE_CLI_TARGET_H

#include <limits.h>
#include <stdbool.h>

/* X(id, text of "PROGRAM is/has ...", are its children still reached by our environment) */
#define TARGET_REASONS(X)                                                        \
	X(STATIC, "is statically linked", true)                                  \
	X(SET_ID, "runs with other rights (set-user-id or set-group-id)", false) \
	X(CAPABILITIES, "has file capabilities", false)                          \
	X(OTHER_LIBC, "is linked with another C library", false)                 \
	X(OTHER_MACHINE, "is built for another architecture", false)             \
	X(SANITIZER, "needs its sanitizer loaded first, which was not found", false)

#define TARGET_ENUM(id, text, children) TARGET_##id,
enum target_reason { TARGET_TRACEABLE = 0, TARGET_REASONS(TARGET_ENUM) TARGET_REASON_COUNT };

struct target {
	char path[PATH_MAX];   /* the file that exec will run; for a script, the script */
	char object[PATH_MAX]; /* the ELF file behind it: the interpreter of a script, or path */
	enum target_reason reason;
};

/* Finds the program as execvp() would. 0, or ENOENT, EACCES, ... when it cannot be run. */
int target_look(const char *program, struct target *target_out);

const char *target_reason_text(enum target_reason reason);
bool target_children_reached(enum target_reason reason);

#endif
