/* SPDX-License-Identifier: BSD-3-Clause */
/* A summary through the views that the options ask for; the same for `sonde` and `sonde report`. */
#ifndef SONDE_CLI_SHOW_H
#define SONDE_CLI_SHOW_H

#include <stdio.h>

#include "analyze/summary.h"
#include "cli/attach.h"
#include "cli/options.h"

/*
 * Can the files and directories be written that --json and --csv name? Leaves nothing.
 * 0 or SONDE_E..., logged.
 */
int show_check(const struct options *options);

/*
 * What the backends were tested on, with a note of those that recorded something and never ran on the real thing: who
 * reads their figures has to know. backends ends with name NULL.
 */
void show_states(struct summary *summary, const struct attach_backend *backends);

/*
 * Adds what the backends were tested on. The table to `table` unless --quiet, and --json and --csv. 0 or SONDE_E...,
 * logged.
 */
int show_summary(struct summary *summary, const struct options *options, FILE *table);

#endif
