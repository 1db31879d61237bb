/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loop CALLS: prints the thread's CPU time per call of MPI_Test in ns, and CLOCK_MONOTONIC in ns at the
 * end. The first calls do not count: a tracer opens its files then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "api.h"

#define WARM_UP 10000

static double clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void repeat(long calls)
{
	int request = 0, flag;

	for (long i = 0; i < calls; i++)
		MPI_Test(&request, &flag, NULL);
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000000;
	double begin, end;

	MPI_Init(&argc, &argv);
	repeat(WARM_UP);
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	repeat(calls);
	end = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	printf("%.3f %.0f\n", (end - begin) / (double)calls, clock_ns(CLOCK_MONOTONIC));
	return 0;
}
