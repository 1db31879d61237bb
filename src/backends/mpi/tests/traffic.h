/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this folder share: they do known calls and state, per function, how often they called it
 * and what it moved, worked out from what they sent and never by asking MPI. told.py compares.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include <mpi.h>
#include <stddef.h>

#include "app.h"

#define TOLD_MAX 128

static struct {
	const char *name;
	long long calls, out, in, posted;
} told[TOLD_MAX];
static int told_used;

/* posted: in is what was asked for, because nobody can know yet what comes */
static inline void tell_posted(const char *name, long long out, long long in, int posted)
{
	int i = 0;

	while (i < told_used && strcmp(told[i].name, name))
		i++;
	if (i == TOLD_MAX)
		app_die("too many names", i);
	if (i == told_used)
		told[told_used++].name = name;
	told[i].calls++;
	told[i].out += out;
	told[i].in += in;
	told[i].posted += posted;
}

static inline void tell(const char *name, long long out, long long in)
{
	tell_posted(name, out, in, 0);
}

/* A time, for the test to compare; comes after the program's other keys. */
static char times[400];
static inline void tell_us(const char *name, double us)
{
	size_t used = strlen(times);

	snprintf(times + used, sizeof(times) - used, "%s_us=%ld\n", name, (long)us);
}

/* Into a file per process of the working directory: launchers mix what ranks print. */
static inline void tell_all(void)
{
	char name[32];
	FILE *file;

	snprintf(name, sizeof(name), "told.%ld", (long)getpid());
	file = fopen(name, "w");
	if (!file)
		app_die(name, errno);
	for (int i = 0; i < told_used; i++)
		fprintf(file, "%s.calls=%lld\n%s.out=%lld\n%s.in=%lld\n%s.posted=%lld\n", told[i].name, told[i].calls,
			told[i].name, told[i].out, told[i].name, told[i].in, told[i].name, told[i].posted);
	fputs(times, file);
	fclose(file);
}

static inline void must(int error, const char *what)
{
	if (error != MPI_SUCCESS)
		app_die(what, error);
}

/* Calls name(...), which has to succeed, and states what it moves. */
#define DO(name, out, in, ...)                        \
	do {                                          \
		must(name(__VA_ARGS__), #name);       \
		tell(#name, (long long)(out), (long long)(in)); \
	} while (0)

/* The same for calls whose bytes are only asked for so far. */
#define POST(name, out, in, ...)                      \
	do {                                          \
		must(name(__VA_ARGS__), #name);       \
		tell_posted(#name, (long long)(out), (long long)(in), 1); \
	} while (0)

#endif
