/* SPDX-License-Identifier: BSD-3-Clause */
/* The call traced by LTTng-UST: an event at entry with the arguments, one at exit with result and output. */
#define _GNU_SOURCE
#include <dlfcn.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_events.h"

#include "api.h"

static int (*real_test)(int *, int *, void *);

__attribute__((constructor)) static void find(void)
{
	real_test = (int (*)(int *, int *, void *))dlsym(RTLD_NEXT, "MPI_Test");
}

int MPI_Test(int *request, int *flag, void *status)
{
	int result;

	lttng_ust_tracepoint(bench, test_entry, request, flag, status);
	result = real_test(request, flag, status);
	lttng_ust_tracepoint(bench, test_exit, result, *flag);
	return result;
}
