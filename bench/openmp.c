/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * openmp THREADS REGIONS: parallel regions that do nothing, one after the other, once the threads are there; prints the
 * time per region in ns. Built by each compiler whose runtime is traced in another way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static __attribute__((noinline)) void regions(int threads, long count)
{
	for (long i = 0; i < count; i++) {
#pragma omp parallel num_threads(threads)
		__asm__ volatile("");
	}
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[1]) : 0;
	long count = argc > 2 ? atol(argv[2]) : 0;
	double begin;

	if (threads < 1 || count < 10)
		return fprintf(stderr, "usage: openmp THREADS REGIONS\n"), 2;
	regions(threads, count / 10);
	begin = now();
	regions(threads, count);
	printf("%.1f\n", (now() - begin) / (double)count);
	return 0;
}
