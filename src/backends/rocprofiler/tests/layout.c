/* SPDX-License-Identifier: BSD-3-Clause */
/* Our declarations of rocprofiler-sdk against the headers that are installed. A line per difference, exit status 1. */
#include <stddef.h>
#include <stdio.h>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include "rocprofiler.h"

static int faults;

static void compare(const char *what, unsigned long long ours, unsigned long long theirs)
{
	if (ours == theirs)
		return;
	printf("%s: %llu here, %llu in %s\n", what, ours, theirs, ROCPROFILER_VERSION_STRING);
	faults++;
}

#define MEMBER(our, member, their, name)                                                                             \
	do {                                                                                                         \
		compare(#our "." #member, offsetof(struct our, member), offsetof(their, name));                      \
		compare("size of " #our "." #member, sizeof(((struct our *)0)->member), sizeof(((their *)0)->name)); \
	} while (0)
#define VALUE(our, their) compare(#our, (unsigned long long)(our), (unsigned long long)(their))

static void compare_kernel(void)
{
	MEMBER(rocp_kernel, size, rocprofiler_buffer_tracing_kernel_dispatch_record_t, size);
	MEMBER(rocp_kernel, kind, rocprofiler_buffer_tracing_kernel_dispatch_record_t, kind);
	MEMBER(rocp_kernel, operation, rocprofiler_buffer_tracing_kernel_dispatch_record_t, operation);
	MEMBER(rocp_kernel, correlation, rocprofiler_buffer_tracing_kernel_dispatch_record_t, correlation_id);
	MEMBER(rocp_kernel, correlation.external, rocprofiler_buffer_tracing_kernel_dispatch_record_t,
	       correlation_id.external);
	MEMBER(rocp_kernel, thread, rocprofiler_buffer_tracing_kernel_dispatch_record_t, thread_id);
	MEMBER(rocp_kernel, begin, rocprofiler_buffer_tracing_kernel_dispatch_record_t, start_timestamp);
	MEMBER(rocp_kernel, end, rocprofiler_buffer_tracing_kernel_dispatch_record_t, end_timestamp);
	MEMBER(rocp_kernel, dispatch, rocprofiler_buffer_tracing_kernel_dispatch_record_t, dispatch_info);
	MEMBER(rocp_dispatch, agent, rocprofiler_kernel_dispatch_info_t, agent_id);
	MEMBER(rocp_dispatch, queue, rocprofiler_kernel_dispatch_info_t, queue_id);
	MEMBER(rocp_dispatch, kernel, rocprofiler_kernel_dispatch_info_t, kernel_id);
	MEMBER(rocp_dispatch, number, rocprofiler_kernel_dispatch_info_t, dispatch_id);
	MEMBER(rocp_dispatch, shared, rocprofiler_kernel_dispatch_info_t, group_segment_size);
	MEMBER(rocp_dispatch, group, rocprofiler_kernel_dispatch_info_t, workgroup_size);
	MEMBER(rocp_dispatch, grid, rocprofiler_kernel_dispatch_info_t, grid_size);
	compare("size of rocp_kernel", sizeof(struct rocp_kernel),
		sizeof(rocprofiler_buffer_tracing_kernel_dispatch_record_t));
}

static void compare_copy(void)
{
	MEMBER(rocp_memory_copy, operation, rocprofiler_buffer_tracing_memory_copy_record_t, operation);
	MEMBER(rocp_memory_copy, correlation, rocprofiler_buffer_tracing_memory_copy_record_t, correlation_id);
	MEMBER(rocp_memory_copy, thread, rocprofiler_buffer_tracing_memory_copy_record_t, thread_id);
	MEMBER(rocp_memory_copy, begin, rocprofiler_buffer_tracing_memory_copy_record_t, start_timestamp);
	MEMBER(rocp_memory_copy, end, rocprofiler_buffer_tracing_memory_copy_record_t, end_timestamp);
	MEMBER(rocp_memory_copy, to, rocprofiler_buffer_tracing_memory_copy_record_t, dst_agent_id);
	MEMBER(rocp_memory_copy, from, rocprofiler_buffer_tracing_memory_copy_record_t, src_agent_id);
	MEMBER(rocp_memory_copy, bytes, rocprofiler_buffer_tracing_memory_copy_record_t, bytes);
	VALUE(ROCP_H2H, ROCPROFILER_MEMORY_COPY_HOST_TO_HOST);
	VALUE(ROCP_H2D, ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE);
	VALUE(ROCP_D2H, ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST);
	VALUE(ROCP_D2D, ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE);
}

#if ROCPROFILER_VERSION_MAJOR >= 1
#define CALL rocp_call_1

static void compare_memory(void)
{
	MEMBER(rocp_memory, operation, rocprofiler_buffer_tracing_memory_allocation_record_t, operation);
	MEMBER(rocp_memory, ancestor, rocprofiler_buffer_tracing_memory_allocation_record_t, correlation_id.ancestor);
	MEMBER(rocp_memory, thread, rocprofiler_buffer_tracing_memory_allocation_record_t, thread_id);
	MEMBER(rocp_memory, agent, rocprofiler_buffer_tracing_memory_allocation_record_t, agent_id);
	MEMBER(rocp_memory, address, rocprofiler_buffer_tracing_memory_allocation_record_t, address);
	MEMBER(rocp_memory, bytes, rocprofiler_buffer_tracing_memory_allocation_record_t, allocation_size);
	MEMBER(rocp_scratch_memory, agent, rocprofiler_buffer_tracing_scratch_memory_record_t, agent_id);
	MEMBER(rocp_scratch_memory, queue, rocprofiler_buffer_tracing_scratch_memory_record_t, queue_id);
	MEMBER(rocp_scratch_memory, flags, rocprofiler_buffer_tracing_scratch_memory_record_t, flags);
	MEMBER(rocp_scratch_memory, bytes, rocprofiler_buffer_tracing_scratch_memory_record_t, allocation_size);
	MEMBER(rocp_call_1, ancestor, rocprofiler_callback_tracing_record_t, correlation_id.ancestor);
	MEMBER(rocp_stream_set, stream, rocprofiler_callback_tracing_hip_stream_data_t, stream_id);
	VALUE(ROCP_CALLBACK_STREAM, ROCPROFILER_CALLBACK_TRACING_HIP_STREAM);
	VALUE(ROCP_STREAM_SET, ROCPROFILER_HIP_STREAM_SET);
	VALUE(ROCP_SCRATCH, ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY);
	VALUE(ROCP_ALLOCATION, ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION);
	VALUE(ROCP_ALLOCATE, ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE);
	VALUE(ROCP_VMEM_ALLOCATE, ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE);
	VALUE(ROCP_FREE, ROCPROFILER_MEMORY_ALLOCATION_FREE);
	VALUE(ROCP_VMEM_FREE, ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE);
	VALUE(ROCP_SCRATCH_ALLOC, ROCPROFILER_SCRATCH_MEMORY_ALLOC);
	VALUE(ROCP_SCRATCH_FREE, ROCPROFILER_SCRATCH_MEMORY_FREE);
}
#else
#define CALL rocp_call_0

static void compare_memory(void)
{
}
#endif

static void compare_callbacks(void)
{
	MEMBER(CALL, thread, rocprofiler_callback_tracing_record_t, thread_id);
	MEMBER(CALL, correlation.external, rocprofiler_callback_tracing_record_t, correlation_id.external);
	MEMBER(CALL, kind, rocprofiler_callback_tracing_record_t, kind);
	MEMBER(CALL, operation, rocprofiler_callback_tracing_record_t, operation);
	MEMBER(CALL, phase, rocprofiler_callback_tracing_record_t, phase);
	MEMBER(CALL, payload, rocprofiler_callback_tracing_record_t, payload);
	compare("size of a callback's record", sizeof(struct CALL), sizeof(rocprofiler_callback_tracing_record_t));
	MEMBER(rocp_kernel_symbol, kernel, rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t,
	       kernel_id);
	MEMBER(rocp_kernel_symbol, name, rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t,
	       kernel_name);
	MEMBER(rocp_code, uri, rocprofiler_callback_tracing_code_object_load_data_t, uri);
	MEMBER(rocp_code, bytes, rocprofiler_callback_tracing_code_object_load_data_t, load_size);
	VALUE(ROCP_CALLBACK_CODE_OBJECT, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT);
	VALUE(ROCP_CODE_OBJECT_LOAD, ROCPROFILER_CODE_OBJECT_LOAD);
	VALUE(ROCP_CODE_OBJECT_KERNEL, ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER);
	VALUE(ROCP_ENTER, ROCPROFILER_CALLBACK_PHASE_ENTER);
	VALUE(ROCP_EXIT, ROCPROFILER_CALLBACK_PHASE_EXIT);
	VALUE(ROCP_LOAD, ROCPROFILER_CALLBACK_PHASE_LOAD);
}

static void compare_rest(void)
{
	MEMBER(rocp_header, category, rocprofiler_record_header_t, category);
	MEMBER(rocp_header, kind, rocprofiler_record_header_t, kind);
	MEMBER(rocp_header, record, rocprofiler_record_header_t, payload);
	MEMBER(rocp_agent, id, rocprofiler_agent_v0_t, id);
	MEMBER(rocp_agent, type, rocprofiler_agent_v0_t, type);
	MEMBER(rocp_agent, location, rocprofiler_agent_v0_t, location_id);
	MEMBER(rocp_agent, domain, rocprofiler_agent_v0_t, domain);
	MEMBER(rocp_agent, name, rocprofiler_agent_v0_t, name);
	MEMBER(rocp_agent, product, rocprofiler_agent_v0_t, product_name);
	compare("rocp_agent is short enough", 1, sizeof(struct rocp_agent) <= sizeof(rocprofiler_agent_v0_t));
	MEMBER(rocp_configured, initialize, rocprofiler_tool_configure_result_t, initialize);
	MEMBER(rocp_configured, finalize, rocprofiler_tool_configure_result_t, finalize);
	MEMBER(rocp_configured, data, rocprofiler_tool_configure_result_t, tool_data);
	compare("size of a handle", sizeof(rocp_handle), sizeof(rocprofiler_context_id_t));
	VALUE(ROCP_KERNEL, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH);
	VALUE(ROCP_COPY, ROCPROFILER_BUFFER_TRACING_MEMORY_COPY);
	VALUE(ROCP_REQUEST_COPY, ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_COPY);
	VALUE(ROCP_REQUEST_KERNEL, ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH);
	VALUE(ROCP_AGENT_CPU, ROCPROFILER_AGENT_TYPE_CPU);
	VALUE(ROCP_AGENT_GPU, ROCPROFILER_AGENT_TYPE_GPU);
	VALUE(ROCP_CATEGORY_TRACING, ROCPROFILER_BUFFER_CATEGORY_TRACING);
	VALUE(ROCP_POLICY_LOSSLESS, ROCPROFILER_BUFFER_POLICY_LOSSLESS);
	VALUE(ROCP_AGENTS_VERSION, ROCPROFILER_AGENT_INFO_VERSION_0);
}

int main(void)
{
	compare_kernel();
	compare_copy();
	compare_memory();
	compare_callbacks();
	compare_rest();
	if (!faults)
		printf("as in rocprofiler-sdk %s\n", ROCPROFILER_VERSION_STRING);
	return faults != 0;
}
