/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The started program: same process group, terminal, descriptors, signal mask and dispositions as
 * if it had been started directly. Meanwhile signals that somebody sends to the launcher are passed on,
 * and the launcher stops and continues together with it.
 */
#ifndef SONDE_CLI_PROGRAM_H
#define SONDE_CLI_PROGRAM_H

#include <sys/types.h>

struct program {
	pid_t pid;
	int wait_status;
	int error; /* errno of a failed exec; 0: it was started */
};

/* Signals wait from here on until program_start(). To be called first, once. */
void program_hold_signals(void);

/* Starts the program with the environment that prepare(context) makes of ours. program->error tells of failure. */
void program_start(struct program *program, char **words, void (*prepare)(void *context), void *context);

/* Returns when the program has ended. */
void program_wait(struct program *program);

/* Replaces this process by the program; returns the exit status of sonde when that failed, logged. */
int program_become(char **words);

/* The line for a program that cannot be run, and the exit status that a shell has for it. */
int program_cannot_run(const char *name, int error);

/* Ends this process as the program ended. */
void program_exit_like(int wait_status) __attribute__((noreturn));

#endif
