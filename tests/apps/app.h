/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all test programs share: a clock, a pause, key=value output, and the ways a process can end.
 * Test programs state their own truth on stdout; the tests compare it with what was recorded.
 */
#ifndef APP_H
#define APP_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline double app_now(void) /* seconds */
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void app_pause_ms(long ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static inline void app_die(const char *what, long code)
{
	fprintf(stderr, "%s: error %ld\n", what, code);
	_exit(99);
}

static inline void app_say(const char *key, long value)
{
	printf("%s=%ld\n", key, value);
	fflush(stdout);
}

/* Ends the process as `how` says: "return" comes back, a number is an exit status. */
static inline void app_end(const char *how)
{
	fflush(NULL);
	if (!strcmp(how, "return"))
		return;
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "quick_exit"))
		quick_exit(0);
	if (!strcmp(how, "exit_group"))
		syscall(SYS_exit_group, 0);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "term"))
		kill(getpid(), SIGTERM);
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "hang"))
		for (;;)
			pause();
	exit(atoi(how));
}

#endif
