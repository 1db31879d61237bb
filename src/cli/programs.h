/* SPDX-License-Identifier: BSD-3-Clause */
/* Which programs --include and --exclude mean, in the form that a process can compare with itself. */
#ifndef SONDE_CLI_PROGRAMS_H
#define SONDE_CLI_PROGRAMS_H

#include "base/arena.h"

/*
 * list: globs with commas between them, or NULL. Those with a slash, which are of whole paths, become absolute and
 * without links, as /proc/self/exe is: "./a*" is that of the current directory. What begins with '*' stays.
 */
const char *programs_absolute(struct arena *arena, const char *list);

#endif
