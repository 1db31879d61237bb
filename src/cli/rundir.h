/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Directories that recordings are written into. Recorders map their files, so these lie on a file
 * system of this machine that backs a mapping reliably; network file systems get a copy at the end.
 */
#ifndef SONDE_CLI_RUNDIR_H
#define SONDE_CLI_RUNDIR_H

#include <limits.h>
#include <stdbool.h>

#define RUNDIR_PATH_MAX 3700 /* a longer path leaves recorders no room for their own names */

/* Can recorders map files there? */
bool rundir_can_map(const char *directory);

/*
 * First usable place for temporary files: $SONDE_TMPDIR, $TMPDIR, /tmp, /var/tmp, /dev/shm; one that can be
 * mapped wins over one that cannot. False: none can be written to.
 */
bool rundir_find_base(char base_out[PATH_MAX]);

/* Creates a directory of a unique name that only this user can enter. 0 or SONDE_E..., logged. */
int rundir_create_temporary(char path_out[PATH_MAX]);

/* Makes a path of the command line independent of the current directory. 0 or SONDE_E..., logged. */
int rundir_absolute(const char *path, char absolute_out[PATH_MAX]);

/*
 * Creates the user's directory (an absolute path) where needed. It has to be empty and writable.
 * *created_out: it was not there before. 0 or SONDE_E..., logged.
 */
int rundir_create_output(const char *path, bool *created_out);

/* Copies all files of a recording. 0 or SONDE_E..., logged. */
int rundir_copy(const char *from, const char *to);

/* Removes a directory with all that is in it; what cannot be removed stays. */
void rundir_remove(const char *path);

#endif
