/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel regions of known shape and duration: host MODE. What happened is told by the program's own clock. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

/* Four threads that are done one after the other, and thrice so, with a rest in between that belongs to no region. */
static void uneven(void)
{
	uint64_t started[4], done[4], wall = 0, waited = 0, work = 0;

#pragma omp parallel num_threads(4)
	rest(1); /* threads are made before the first region is told of */
	for (int round = 0; round < 3; round++) {
		uint64_t begin = now(), end;

#pragma omp parallel num_threads(4)
		{
			started[omp_get_thread_num()] = now();
			rest(20 * (omp_get_thread_num() + 1));
			done[omp_get_thread_num()] = now();
		}
		end = now();
		wall += end - begin;
		for (int thread = 0; thread < 4; thread++) {
			waited += end - done[thread];
			work += thread ? done[thread] - started[thread] : 0;
		}
		rest(50);
	}
	printf("wall=%llu\nwaited=%llu\nwork=%llu\n", (unsigned long long)wall, (unsigned long long)waited,
	       (unsigned long long)work);
}

/* Gives up what the runtime holds, between two regions. A num_threads() behind that is too much for LLVM's. */
static __attribute__((noinline)) void paused(omp_pause_resource_t how)
{
	int threads = 0;

#pragma omp parallel reduction(+ : threads)
	threads++;
	printf("paused=%d\n", omp_pause_resource_all(how));
#pragma omp parallel reduction(+ : threads)
	threads++;
	printf("threads=%d\n", threads);
}

static void nested(void)
{
	omp_set_max_active_levels(2);
	for (int round = 0; round < 5; round++) {
#pragma omp parallel num_threads(2)
		{
#pragma omp parallel num_threads(3)
			rest(2);
		}
	}
}

static void small(int threads, int regions)
{
	uint64_t begin;
	int sum = 0;

#pragma omp parallel num_threads(threads)
	sum = 0;
	begin = now();
	for (int i = 0; i < regions; i++) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
		sum += 1;
	}
	printf("sum=%d\n", sum);
	fprintf(stderr, "per_region=%.1f\n", (double)(now() - begin) / regions);
}

static void *of_thread(void *unused)
{
#pragma omp parallel num_threads(2)
	rest(1);
	return unused;
}

static void threads(void)
{
	for (int i = 0; i < 20; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, of_thread, NULL);
		pthread_join(thread, NULL);
	}
}

static void forks(void)
{
	pid_t child;
	int status = 0;

	of_thread(NULL);
	child = fork();
	if (!child) {
		of_thread(NULL);
		of_thread(NULL);
		exit(0);
	}
	waitpid(child, &status, 0);
	of_thread(NULL);
	printf("status=%d\n", status);
}

static void pauses(void)
{
	of_thread(NULL);
	printf("paused=%d\n", omp_pause_resource_all(omp_pause_hard) == 0);
	of_thread(NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "uneven";

	if (!strcmp(mode, "uneven"))
		uneven();
	else if (!strcmp(mode, "nested"))
		nested();
	else if (!strncmp(mode, "pause_", 6))
		paused(!strcmp(mode, "pause_hard") ? omp_pause_hard : omp_pause_soft);
	else if (!strcmp(mode, "small"))
		small(atoi(argv[2]), atoi(argv[3]));
	else if (!strcmp(mode, "threads"))
		threads();
	else if (!strcmp(mode, "forks"))
		forks();
	else if (!strcmp(mode, "pauses"))
		pauses();
	else
		return 2;
	return 0;
}
