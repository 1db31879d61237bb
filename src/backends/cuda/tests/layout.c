/* SPDX-License-Identifier: BSD-3-Clause */
/* Our declarations of CUPTI against those of the headers that are installed. A line per difference, exit status 1. */
#include <stddef.h>
#include <stdio.h>

#include <cuda.h>
#include <cupti.h>

#include "../cupti.h"

static int faults;

static void compare(const char *what, unsigned long long ours, unsigned long long theirs)
{
	if (ours == theirs)
		return;
	printf("%s: %llu here, %llu in CUPTI %d\n", what, ours, theirs, CUPTI_API_VERSION);
	faults++;
}

#define MEMBER(our, member, their, name)                                                                       \
	do {                                                                                                   \
		compare(#our "." #member, offsetof(struct our, member), offsetof(their, name));                \
		compare("size of " #our "." #member, sizeof(((struct our *)0)->member), sizeof(((their *)0)->name)); \
	} while (0)
#define VALUE(our, their) compare(#our, (unsigned long long)(our), (unsigned long long)(their))

#define KERNEL(their)                                                \
	do {                                                         \
		MEMBER(cupti_kernel, kind, their, kind);             \
		MEMBER(cupti_kernel, registers, their, registersPerThread); \
		MEMBER(cupti_kernel, begin, their, start);           \
		MEMBER(cupti_kernel, end, their, end);               \
		MEMBER(cupti_kernel, completed, their, completed);   \
		MEMBER(cupti_kernel, device, their, deviceId);       \
		MEMBER(cupti_kernel, context, their, contextId);     \
		MEMBER(cupti_kernel, stream, their, streamId);       \
		MEMBER(cupti_kernel, grid[0], their, gridX);         \
		MEMBER(cupti_kernel, grid[2], their, gridZ);         \
		MEMBER(cupti_kernel, block[0], their, blockX);       \
		MEMBER(cupti_kernel, block[2], their, blockZ);       \
		MEMBER(cupti_kernel, static_shared, their, staticSharedMemory); \
		MEMBER(cupti_kernel, dynamic_shared, their, dynamicSharedMemory); \
		MEMBER(cupti_kernel, local_total, their, localMemoryTotal); \
		MEMBER(cupti_kernel, correlation, their, correlationId); \
		MEMBER(cupti_kernel, number, their, gridId);         \
		MEMBER(cupti_kernel, name, their, name);             \
		MEMBER(cupti_kernel, queued, their, queued);         \
		MEMBER(cupti_kernel, submitted, their, submitted);   \
		MEMBER(cupti_kernel, shared_total, their, sharedMemoryExecuted); \
		MEMBER(cupti_kernel, graph_node, their, graphNodeId); \
		MEMBER(cupti_kernel, graph, their, graphId);         \
		compare(#their " is long enough", 1, sizeof(their) >= sizeof(struct cupti_kernel)); \
	} while (0)

#define COPY(their)                                                  \
	do {                                                         \
		MEMBER(cupti_memcpy, kind, their, kind);             \
		MEMBER(cupti_memcpy, copy, their, copyKind);         \
		MEMBER(cupti_memcpy, from, their, srcKind);          \
		MEMBER(cupti_memcpy, to, their, dstKind);            \
		MEMBER(cupti_memcpy, flags, their, flags);           \
		MEMBER(cupti_memcpy, bytes, their, bytes);           \
		MEMBER(cupti_memcpy, begin, their, start);           \
		MEMBER(cupti_memcpy, end, their, end);               \
		MEMBER(cupti_memcpy, device, their, deviceId);       \
		MEMBER(cupti_memcpy, context, their, contextId);     \
		MEMBER(cupti_memcpy, stream, their, streamId);       \
		MEMBER(cupti_memcpy, correlation, their, correlationId); \
		MEMBER(cupti_memcpy, graph_node, their, graphNodeId); \
		MEMBER(cupti_memcpy, graph, their, graphId);    \
		compare(#their " is long enough", 1, sizeof(their) >= sizeof(struct cupti_memcpy)); \
	} while (0)

#define PEER(their)                                                  \
	do {                                                         \
		MEMBER(cupti_memcpy_peer, copy, their, copyKind);    \
		MEMBER(cupti_memcpy_peer, from, their, srcKind);     \
		MEMBER(cupti_memcpy_peer, to, their, dstKind);       \
		MEMBER(cupti_memcpy_peer, flags, their, flags);      \
		MEMBER(cupti_memcpy_peer, bytes, their, bytes);      \
		MEMBER(cupti_memcpy_peer, begin, their, start);      \
		MEMBER(cupti_memcpy_peer, end, their, end);          \
		MEMBER(cupti_memcpy_peer, device, their, deviceId);  \
		MEMBER(cupti_memcpy_peer, context, their, contextId); \
		MEMBER(cupti_memcpy_peer, stream, their, streamId);  \
		MEMBER(cupti_memcpy_peer, from_device, their, srcDeviceId); \
		MEMBER(cupti_memcpy_peer, to_device, their, dstDeviceId); \
		MEMBER(cupti_memcpy_peer, correlation, their, correlationId); \
		MEMBER(cupti_memcpy_peer, graph_node, their, graphNodeId); \
		MEMBER(cupti_memcpy_peer, graph, their, graphId);    \
		compare(#their " is long enough", 1, sizeof(their) >= sizeof(struct cupti_memcpy_peer)); \
	} while (0)

#define FILL(their)                                                  \
	do {                                                         \
		MEMBER(cupti_memset, value, their, value);           \
		MEMBER(cupti_memset, bytes, their, bytes);           \
		MEMBER(cupti_memset, begin, their, start);           \
		MEMBER(cupti_memset, end, their, end);               \
		MEMBER(cupti_memset, device, their, deviceId);       \
		MEMBER(cupti_memset, context, their, contextId);     \
		MEMBER(cupti_memset, stream, their, streamId);       \
		MEMBER(cupti_memset, correlation, their, correlationId); \
		MEMBER(cupti_memset, flags, their, flags);           \
		MEMBER(cupti_memset, memory, their, memoryKind);     \
		MEMBER(cupti_memset, graph_node, their, graphNodeId); \
		MEMBER(cupti_memset, graph, their, graphId);    \
		compare(#their " is long enough", 1, sizeof(their) >= sizeof(struct cupti_memset)); \
	} while (0)

#define MEMORY(their)                                                \
	do {                                                         \
		MEMBER(cupti_memory, operation, their, memoryOperationType); \
		MEMBER(cupti_memory, memory, their, memoryKind);     \
		MEMBER(cupti_memory, correlation, their, correlationId); \
		MEMBER(cupti_memory, address, their, address);       \
		MEMBER(cupti_memory, bytes, their, bytes);           \
		MEMBER(cupti_memory, time, their, timestamp);        \
		MEMBER(cupti_memory, code, their, PC);               \
		MEMBER(cupti_memory, process, their, processId);     \
		MEMBER(cupti_memory, device, their, deviceId);       \
		MEMBER(cupti_memory, context, their, contextId);     \
		MEMBER(cupti_memory, stream, their, streamId);       \
		compare(#their " is long enough", 1, sizeof(their) >= sizeof(struct cupti_memory)); \
	} while (0)

#define JIT(their)                                                   \
	do {                                                         \
		MEMBER(cupti_jit_record, entry, their, jitEntryType); \
		MEMBER(cupti_jit_record, operation, their, jitOperationType); \
		MEMBER(cupti_jit_record, device, their, deviceId);   \
		MEMBER(cupti_jit_record, begin, their, start);       \
		MEMBER(cupti_jit_record, end, their, end);           \
		MEMBER(cupti_jit_record, correlation, their, correlationId); \
		MEMBER(cupti_jit_record, unit, their, jitOperationCorrelationId); \
		MEMBER(cupti_jit_record, cache_bytes, their, cacheSize); \
		MEMBER(cupti_jit_record, cache_path, their, cachePath); \
		compare(#their " is long enough", 1, sizeof(their) >= sizeof(struct cupti_jit_record)); \
	} while (0)

static void compare_records(void)
{
	JIT(CUpti_ActivityJit2);
	KERNEL(CUpti_ActivityKernel9);
	COPY(CUpti_ActivityMemcpy5);
	PEER(CUpti_ActivityMemcpyPtoP4);
	FILL(CUpti_ActivityMemset4);
	MEMORY(CUpti_ActivityMemory3);
#if CUPTI_API_VERSION >= 130000
	KERNEL(CUpti_ActivityKernel10);
	COPY(CUpti_ActivityMemcpy6);
	MEMORY(CUpti_ActivityMemory4);
#endif
}

static void compare_calls(void)
{
	MEMBER(cupti_call, site, CUpti_CallbackData, callbackSite);
	MEMBER(cupti_call, function, CUpti_CallbackData, functionName);
	MEMBER(cupti_call, params, CUpti_CallbackData, functionParams);
	MEMBER(cupti_call, result, CUpti_CallbackData, functionReturnValue);
	MEMBER(cupti_call, kernel, CUpti_CallbackData, symbolName);
	MEMBER(cupti_call, context, CUpti_CallbackData, context);
	MEMBER(cupti_call, context_number, CUpti_CallbackData, contextUid);
	MEMBER(cupti_call, kept, CUpti_CallbackData, correlationData);
	MEMBER(cupti_call, correlation, CUpti_CallbackData, correlationId);
	compare("size of cupti_call", sizeof(struct cupti_call), sizeof(CUpti_CallbackData));
	compare("size of a subscriber", sizeof(void *), sizeof(CUpti_SubscriberHandle));
	compare("size of a domain", sizeof(int), sizeof(CUpti_CallbackDomain));
	compare("size of a kind", sizeof(int), sizeof(CUpti_ActivityKind));
	compare("size of a result", sizeof(int), sizeof(CUptiResult));
	VALUE(CUPTI_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
	VALUE(CUPTI_RUNTIME, CUPTI_CB_DOMAIN_RUNTIME_API);
	VALUE(CUPTI_ENTER, CUPTI_API_ENTER);
	VALUE(CUPTI_EXIT, CUPTI_API_EXIT);
	VALUE(CUPTI_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
	compare("CUPTI_ERROR_INVALID_PARAMETER", 1, CUPTI_ERROR_INVALID_PARAMETER);
	compare("flag of cuptiActivityFlushAll()", 1, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

static void compare_values(void)
{
	VALUE(CUPTI_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
	VALUE(CUPTI_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
	VALUE(CUPTI_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	VALUE(CUPTI_MEMCPY_PEER, CUPTI_ACTIVITY_KIND_MEMCPY2);
	VALUE(CUPTI_MEMORY, CUPTI_ACTIVITY_KIND_MEMORY2);
	VALUE(CUPTI_JIT, CUPTI_ACTIVITY_KIND_JIT);
	VALUE(CUPTI_JIT_CACHE_LOAD, CUPTI_ACTIVITY_JIT_OPERATION_CACHE_LOAD);
	VALUE(CUPTI_JIT_COMPILE, CUPTI_ACTIVITY_JIT_OPERATION_COMPILE);
	VALUE(CUPTI_COPY_HTOD, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
	VALUE(CUPTI_COPY_DTOH, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
	VALUE(CUPTI_COPY_HTOA, CUPTI_ACTIVITY_MEMCPY_KIND_HTOA);
	VALUE(CUPTI_COPY_ATOH, CUPTI_ACTIVITY_MEMCPY_KIND_ATOH);
	VALUE(CUPTI_COPY_ATOA, CUPTI_ACTIVITY_MEMCPY_KIND_ATOA);
	VALUE(CUPTI_COPY_ATOD, CUPTI_ACTIVITY_MEMCPY_KIND_ATOD);
	VALUE(CUPTI_COPY_DTOA, CUPTI_ACTIVITY_MEMCPY_KIND_DTOA);
	VALUE(CUPTI_COPY_DTOD, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
	VALUE(CUPTI_COPY_HTOH, CUPTI_ACTIVITY_MEMCPY_KIND_HTOH);
	VALUE(CUPTI_COPY_PTOP, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
	VALUE(CUPTI_PAGEABLE, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
	VALUE(CUPTI_PINNED, CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
	VALUE(CUPTI_DEVICE, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
	VALUE(CUPTI_ARRAY, CUPTI_ACTIVITY_MEMORY_KIND_ARRAY);
	VALUE(CUPTI_MANAGED, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED);
	VALUE(CUPTI_DEVICE_STATIC, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC);
	VALUE(CUPTI_MANAGED_STATIC, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC);
	VALUE(CUPTI_ASYNC, CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC);
	VALUE(CUPTI_ALLOCATED, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
	VALUE(CUPTI_RELEASED, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE);
}

int main(void)
{
	compare_records();
	compare_calls();
	compare_values();
	if (!faults)
		printf("as in CUPTI %d\n", CUPTI_API_VERSION);
	return faults != 0;
}
