/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The keeper of a job on this machine: a background process that outlives the launchers, because
 * parallel launchers kill them on any abnormal end. It waits for all of them and for their
 * programs, and it alone prints the summary, on the standard error of the job's own launcher.
 */
#ifndef SONDE_CLI_KEEPER_H
#define SONDE_CLI_KEEPER_H

#include "cli/job.h"

/* Called by the launcher that began the generation, before it starts its program. */
void keeper_start(struct job *job, struct result *result);

/* What a keeper does at the end: prints the job's summary and removes the generation. */
void keeper_finish(const struct job *job, struct result *result);

#endif
