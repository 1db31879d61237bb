/* SPDX-License-Identifier: BSD-3-Clause */
/* A wrapper that reads the clock twice and keeps the difference: what no tracer can be cheaper than. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <time.h>

#include "api.h"

static int (*real_test)(int *, int *, void *);
static volatile uint64_t total;

static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
#endif
}

__attribute__((constructor)) static void find(void)
{
	real_test = (int (*)(int *, int *, void *))dlsym(RTLD_NEXT, "MPI_Test");
}

int MPI_Test(int *request, int *flag, void *status)
{
	uint64_t begin = ticks();
	int result = real_test(request, flag, status);

	total += ticks() - begin;
	return result;
}
