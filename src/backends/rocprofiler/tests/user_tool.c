/* SPDX-License-Identifier: BSD-3-Clause */
/* A tool of the user's: counts the kernels that it is told of, and says how many at the end. */
#include <stdio.h>
#include <string.h>

#include "rocprofiler.h"

extern int rocprofiler_create_context(rocp_handle *context);
extern int rocprofiler_start_context(rocp_handle context);
extern int rocprofiler_create_buffer(rocp_handle context, size_t bytes, size_t at, int policy, rocp_buffer_full take,
				     void *data, rocp_handle *buffer);
extern int rocprofiler_flush_buffer(rocp_handle buffer);
extern int rocprofiler_configure_buffer_tracing_service(rocp_handle context, int kind, const int32_t *operations,
							size_t count, rocp_handle buffer);
__attribute__((visibility("default"))) struct rocp_configured *rocprofiler_configure(uint32_t version, const char *text,
										     uint32_t priority,
										     struct rocp_client *client);

static rocp_handle context, buffer;
static long kernels;

static void take(rocp_handle of, rocp_handle from, struct rocp_header **headers, size_t count, void *data,
		 uint64_t lost)
{
	(void)of;
	(void)from;
	(void)headers;
	(void)data;
	(void)lost;
	kernels += (long)count;
}

static int start(void *finalize, void *data)
{
	(void)finalize;
	(void)data;
	return rocprofiler_create_context(&context) ||
	       rocprofiler_create_buffer(context, 65536, 4096, ROCP_POLICY_LOSSLESS, take, NULL, &buffer) ||
	       rocprofiler_configure_buffer_tracing_service(context, ROCP_KERNEL, NULL, 0, buffer) ||
	       rocprofiler_start_context(context);
}

static void end(void *data)
{
	(void)data;
	rocprofiler_flush_buffer(buffer);
	printf("user_tool=%ld\n", kernels);
	fflush(stdout);
}

struct rocp_configured *rocprofiler_configure(uint32_t version, const char *text, uint32_t priority,
					      struct rocp_client *client)
{
	static struct rocp_configured configured = {sizeof(configured), start, end, NULL};

	(void)version;
	(void)text;
	(void)priority;
	(void)client;
	return &configured;
}
