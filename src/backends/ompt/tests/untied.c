/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that are no plain ones: untied ones, which stop where they yield, make a task or wait, and go on in any thread;
 * undeferred and included ones, which run where they are made. What each took is told by the program's own clock.
 */
#include <omp.h>
#include <stdio.h>

#include "clock.h"

static uint64_t untied_ns, inner_ns, undeferred_ns, outer_ns, included_ns;

/* Adds what a rest took. */
static void rest_in(uint64_t *sum, int milliseconds)
{
	uint64_t begin = now();

	__atomic_fetch_add(sum, rest(milliseconds) - begin, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void untied(void)
{
	for (int i = 0; i < 6; i++) {
#pragma omp task untied
		{
			rest_in(&untied_ns, 4);
#pragma omp taskyield
			rest_in(&untied_ns, 4);
#pragma omp task
			rest_in(&inner_ns, 3);
#pragma omp taskwait
			rest_in(&untied_ns, 4);
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
		rest_in(&undeferred_ns, 7);
#pragma omp task final(1) mergeable
		{
			rest_in(&outer_ns, 4);
#pragma omp task mergeable
			rest_in(&included_ns, 6);
		}
	}
	printf("untied=%llu\ninner=%llu\n", (unsigned long long)untied_ns, (unsigned long long)inner_ns);
	printf("undeferred=%llu\nouter=%llu\nincluded=%llu\n", (unsigned long long)undeferred_ns,
	       (unsigned long long)outer_ns, (unsigned long long)included_ns);
	return 0;
}
