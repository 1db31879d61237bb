/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that are no plain ones: untied ones, which stop where they yield, make a task or wait, and go on in any thread;
 * undeferred and included ones, which run where they are made. What each took is told by the program's own clock.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static uint64_t untied_ns, inner_ns, undeferred_ns, outer_ns, included_ns;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Adds what a rest took. */
static void rest(int milliseconds, uint64_t *sum)
{
	struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
	uint64_t begin = now();

	nanosleep(&time, NULL);
	__atomic_fetch_add(sum, now() - begin, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void untied(void)
{
	for (int i = 0; i < 6; i++) {
#pragma omp task untied
		{
			rest(4, &untied_ns);
#pragma omp taskyield
			rest(4, &untied_ns);
#pragma omp task
			rest(3, &inner_ns);
#pragma omp taskwait
			rest(4, &untied_ns);
		}
	}
}

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
		untied();
#pragma omp task if (0)
		rest(7, &undeferred_ns);
#pragma omp task final(1) mergeable
		{
			rest(4, &outer_ns);
#pragma omp task mergeable
			rest(6, &included_ns);
		}
	}
	printf("untied=%llu\ninner=%llu\n", (unsigned long long)untied_ns, (unsigned long long)inner_ns);
	printf("undeferred=%llu\nouter=%llu\nincluded=%llu\n", (unsigned long long)undeferred_ns,
	       (unsigned long long)outer_ns, (unsigned long long)included_ns);
	return 0;
}
