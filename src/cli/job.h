/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launchers of one parallel job on this machine find each other in a directory named after the job's
 * key, <tmp>/sonde-<uid>-job-<host>-<key>, one sub-directory per generation: a rank that runs
 * `sonde` twice, one after the other, belongs to two.
 *
 *	lock            held while something here is changed
 *	<n>/l.<rank>    a launcher: exclusively locked while it lives; text: its program's pid and start
 *	                time, its launch file, and "ended"
 *	<n>/s.<rank>    a rank that is not traced (--ranks)
 *	<n>/run         symbolic link to where processes record
 *	<n>/keep        symbolic link to where the recording is kept, if it is
 *	<n>/keeper      exclusively locked while the keeper lives (see keeper.h)
 *	<n>/failed      the output could not be prepared: no launcher starts its program
 *	<n>/closed      the keeper has counted: who comes later begins another generation
 */
#ifndef SONDE_CLI_JOB_H
#define SONDE_CLI_JOB_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/ranks.h"
#include "cli/result.h"

struct job {
	struct ranks ranks;
	char control[PATH_MAX];    /* the job's directory */
	char generation[PATH_MAX];
	int own;                   /* l.<rank>, locked; -1: this rank is not traced */
	int keeper;                /* <n>/keeper */
	bool first;                /* this launcher made the generation and starts its keeper */
	bool failed;               /* told by the first: exit with SONDE_EXIT_BAD */
};

/*
 * Joins the job, or begins it: then result_prepare() is called. result->run is set on success.
 * traced: false for a rank that is left out by --ranks. 0 or SONDE_E..., logged.
 */
int job_join(struct job *job, const struct ranks *ranks, struct result *result, const struct options *options,
	     bool traced);

/* The keeper lives: its descriptor holds the lock, this process only watches it from now on. */
void job_hand_over(struct job *job);

/* The program runs: whoever waits for its end after this launcher's death has to know. */
void job_started(struct job *job, pid_t program, const char *launch_file);

/*
 * The program has ended. The last launcher of the generation waits until the keeper has printed; when the keeper
 * is gone without having done so, it prints itself.
 */
void job_leave(struct job *job, struct result *result);

/* ---- for the keeper ---- */

struct job_member {
	pid_t program;             /* 0: not started, or not known */
	unsigned long long start;
	char launch_file[PATH_MAX];
	int rank;
	bool traced;
	bool ended;                /* the launcher has seen the program's end */
};

/* Locks the job's directory. -1: it is gone, or cannot be locked. */
int job_lock(const struct job *job);
void job_unlock(int lock);

/*
 * Calls visit for each member of the generation; fd is a descriptor of l.<rank>, closed afterwards, or -1.
 * Returns the number of members, or -1 when the generation is gone.
 */
int job_each(const struct job *job, void (*visit)(const struct job_member *member, int fd, void *context),
	     void *context);

void job_close(const struct job *job);  /* no more members; with the lock held */
void job_remove(const struct job *job); /* with the lock held */

#endif
