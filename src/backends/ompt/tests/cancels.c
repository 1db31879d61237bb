/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cancels MODE: constructs that are left before their end, with OMP_CANCELLATION=true, by the thread that cancels, by
 * one that finds that at a cancellation point, by one that has nothing left to do; with a barrier behind and without.
 * How long threads were in them, and how many tasks began, is told by the program's own clock and count.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

static uint64_t taken; /* by what is cancelled, in all threads */
static int begun, after;

static void took(uint64_t begin, uint64_t end)
{
	__atomic_fetch_add(&taken, end - begin, __ATOMIC_RELAXED);
}

/* Iterations that the runtime hands out: it is told of no thread that leaves. */
static __attribute__((noinline)) void shared(void)
{
#pragma omp parallel num_threads(3)
	{
		int thread = omp_get_thread_num();
		uint64_t begin, end;

#pragma omp barrier
		begin = end = now();
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 3; i++) {
			end = rest(5 + 10 * thread);
			if (thread == 0) {
#pragma omp cancel for
			}
			if (thread == 1) {
#pragma omp cancellation point for
			}
		}
		took(begin, end);
		rest(4);
	}
}

/* No barrier is behind it but the region's end, and in a region of one thread not even that. */
static __attribute__((noinline)) void alone(int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic)
	for (int i = 0; i < 8; i++) {
		uint64_t begin = now();

		took(begin, rest(5));
#pragma omp cancel for
	}
	rest(4);
}

static __attribute__((noinline)) void outside(void)
{
#pragma omp for schedule(dynamic)
	for (int i = 0; i < 8; i++) {
		uint64_t begin = now();

		took(begin, rest(5));
#pragma omp cancel for
	}
	rest(4);
}

static __attribute__((noinline)) void nested(void)
{
#pragma omp parallel for num_threads(2) schedule(dynamic)
	for (int i = 0; i < 8; i++) {
#pragma omp parallel num_threads(2)
		{
			uint64_t begin = now(), end = begin;

#pragma omp for schedule(guided) /* inner */
			for (int j = 0; j < 8; j++) {
				end = rest(4);
#pragma omp cancel for
			}
			took(begin, end);
			rest(2);
		}
		rest(1);
#pragma omp cancel for
	}
}

static __attribute__((noinline)) void in_sections(void)
{
#pragma omp parallel num_threads(2)
	{
		uint64_t begin = now(), end = begin;

#pragma omp sections
		{
#pragma omp section
			{
				end = rest(5);
#pragma omp cancel sections
			}
#pragma omp section
			{
				end = rest(10);
#pragma omp cancellation point sections
			}
#pragma omp section
			end = rest(10);
		}
		took(begin, end);
		rest(4);
	}
}

/* Tasks of a group that is cancelled are thrown away, here by a thread that is done with the region. */
static __attribute__((noinline)) void group(void)
{
	uint64_t done = 0, end = 0;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num()) {
			done = now();
		} else {
#pragma omp taskgroup
			{
				rest(20);
#pragma omp task if (0)
				{
					__atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED);
#pragma omp cancel taskgroup
				}
				for (int i = 0; i < 10; i++) {
#pragma omp task
					__atomic_add_fetch(&after, 1, __ATOMIC_RELAXED);
				}
				rest(20);
			}
			end = now();
		}
	}
	took(done, end);
}

/* One cancels, one looks until it is told, one waits at a barrier that they never come to; tasks are thrown away. */
static __attribute__((noinline)) void region(void)
{
#pragma omp parallel num_threads(3)
	{
		int thread = omp_get_thread_num();

		if (thread == 0) {
			rest(5);
			for (int i = 0; i < 5; i++) {
#pragma omp task
				__atomic_add_fetch(&begun, rest(1) != 0, __ATOMIC_RELAXED);
			}
#pragma omp cancel parallel
		} else if (thread == 1) {
			for (;;) {
#pragma omp cancellation point parallel
				rest(1);
			}
		} else {
#pragma omp barrier
		}
		__atomic_add_fetch(&after, 1, __ATOMIC_RELAXED);
	}
	rest(4);
}

/* One each time: what LLVM's runtime keeps of a loop that was cancelled is in the way of other loops. */
int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	omp_set_max_active_levels(2);
	if (!strcmp(mode, "shared"))
		shared();
	else if (!strcmp(mode, "alone"))
		alone(atoi(argv[2]));
	else if (!strcmp(mode, "outside"))
		outside();
	else if (!strcmp(mode, "nested"))
		nested();
	else if (!strcmp(mode, "sections"))
		in_sections();
	else if (!strcmp(mode, "group"))
		group();
	else if (!strcmp(mode, "region"))
		region();
	else
		return 2;
	printf("cancels=%d\ntaken=%llu\nbegun=%d\nafter=%d\n", omp_get_cancellation(), (unsigned long long)taken, begun,
	       after);
	return 0;
}
