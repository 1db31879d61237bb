/* SPDX-License-Identifier: BSD-3-Clause */
/* What recorders are to write beside their tallies: --timeline, --on-loss, --max-size. */
#ifndef SONDE_CLI_PLAN_H
#define SONDE_CLI_PLAN_H

#include <stdbool.h>

#include "cli/options.h"

/* Do the options make sense? 0 or SONDE_E..., logged. */
int plan_check(const struct options *options);

bool plan_wants_streams(const struct options *options);

/* Writes the plan into a run directory. 0 or SONDE_E..., logged. */
int plan_create(const char *directory, const struct options *options);

/* Nobody records there any more. */
void plan_remove(const char *directory);

#endif
