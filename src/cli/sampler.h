/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samplers of --sample: programs sonde-sample-WHAT beside the libraries, one process each per job and node, started
 * by whoever prints the summary: the keeper of a job, else the launcher. See sample/sample.h.
 */
#ifndef SONDE_CLI_SAMPLER_H
#define SONDE_CLI_SAMPLER_H

#include "cli/result.h"

#define SAMPLERS_MAX 8

struct sampler {
	pid_t pid;
	int pipe;              /* its end tells the sampler that it is over */
	char what[32];
	char path[PATH_MAX];   /* the file that it writes */
};

struct samplers {
	struct sampler sampler[SAMPLERS_MAX];
	unsigned count;
};

/* --sample: are there such samplers, and are the intervals good? 0 or SONDE_EUSAGE, logged. */
int samplers_check(const struct options *options);

/* What cannot be started is told; the program runs without it. alone: of a job there is one process, ours. */
void samplers_start(struct samplers *samplers, const struct result *result, bool alone);

/* --sample of a sonde under another one, which has no samplers in its recording, is told of: there will be none. */
void samplers_left_out(const struct options *options, const char *run);

/* The program has ended, or was never started: then nothing is said of samplers. Waits for no sample. */
void samplers_stop(struct samplers *samplers, bool started);

#endif
