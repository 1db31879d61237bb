/* SPDX-License-Identifier: BSD-3-Clause */
/* What commands that turn recordings into files share: where they read, where they write. */
#ifndef SONDE_CLI_PLACE_H
#define SONDE_CLI_PLACE_H

#include "base/arena.h"
#include "cli/options.h"
#include "read/recording.h"
#include "views/timeline.h"

/* Opens the recordings that the words name. command: for the message. 0 or SONDE_E..., logged. */
int place_open(const struct options *options, char **words, const char *command, struct recording **recording_out);
/* --output, else `name` in the directory of the recording; of several, --output is needed. */
int place_output(const struct options *options, char **words, const char *name, struct arena *arena,
		 const char **path_out);
/* What is in a timeline, for people: "12 calls, 3 ranges and marks, 4 device operations, 1 KiB". */
const char *place_counts(struct arena *arena, const struct timeline_result *result);
/* What it lacks, for people; NULL: nothing. */
const char *place_left_out(struct arena *arena, const struct timeline_result *result);
/* Closes; tells what could not be read, unless an error has been told. */
void place_close(struct recording *recording, int err);

#endif
