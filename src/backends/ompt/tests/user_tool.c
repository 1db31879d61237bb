/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's own tool: counts events and tells them on standard output at the end. */
#include <omp-tools.h>
#include <stdio.h>

static int parallel, implicit, work;

static void on_parallel(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned wanted, int flags,
			const void *code)
{
	(void)task, (void)frame, (void)region, (void)wanted, (void)flags, (void)code;
	__atomic_fetch_add(&parallel, 1, __ATOMIC_RELAXED);
}

static void on_implicit(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned threads,
			unsigned index, int flags)
{
	(void)region, (void)task, (void)threads, (void)index, (void)flags;
	if (endpoint == ompt_scope_begin)
		__atomic_fetch_add(&implicit, 1, __ATOMIC_RELAXED);
}

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
		    const void *code)
{
	(void)kind, (void)region, (void)task, (void)code;
	if (endpoint == ompt_scope_begin)
		__atomic_fetch_add(&work, 1, __ATOMIC_RELAXED);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)tool;
	set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel);
	set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit);
	set(ompt_callback_sync_region_wait, (ompt_callback_t)on_wait);
	return 1;
}

static void finalize(ompt_data_t *tool)
{
	(void)tool;
	printf("tool_parallel=%d\ntool_implicit=%d\ntool_waits=%d\n", parallel, implicit, work);
	fflush(stdout);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
	static ompt_start_tool_result_t result = {initialize, finalize, {0}};

	(void)version, (void)runtime;
	return &result;
}
