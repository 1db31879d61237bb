/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulation of CUDA for machines without a GPU:
 *
 *	sim_app.c      the program; its arguments say what it does
 *	sim_runtime.c  the runtime: libcudart.so.13, or part of the program, as nvcc links it
 *	sim_driver.c   the driver, libcuda.so.1: loads what CUDA_INJECTION64_PATH names; "runs" what is started at once
 *	sim_cupti.c    CUPTI: callbacks, records in the tool's buffers, delivered by a thread of its own
 *	sim_client.c   another tool of the program
 *
 * They take from the backend what it declares of CUPTI, which layout.c compares with the real headers.
 */
#ifndef SIM_H
#define SIM_H

#include "../cupti.h"

#define SIM_EXPORT __attribute__((visibility("default")))

/* ---- what the next operation of the thread does ---- */

struct sim_grid {
	unsigned x, y, z;
};

struct sim_operation {
	uint32_t device, context, stream;
	uint64_t begin, end;    /* ns; 0 and 0: now */
	bool untimed;           /* the record has no begin */
	bool silent;            /* no record comes */
	const char *name;       /* of a kernel */
	uint8_t copy, from, to; /* enum cupti_copy, enum cupti_memory_kind */
	bool asynchronous;
	uint64_t bytes;
	struct sim_grid grid, block; /* of a kernel */
	uint32_t registers, static_shared, dynamic_shared;
	uint64_t nodes;         /* of a graph */
	uint32_t graph;         /* its number */
	uint32_t memory;        /* enum cupti_memory_kind */
	uint32_t jit;           /* enum cupti_jit, of code that is loaded; 0: none; the name is the path in the cache */
	int32_t answer;         /* of the call; not 0: it fails, and nothing runs */
	uint64_t took;          /* ns that the driver spends in the call */
	bool starts_more;       /* the runtime makes further calls into the driver, one with a number of its own */
};

enum sim_action {
	SIM_NOTHING,
	SIM_KERNEL,
	SIM_GRAPH,
	SIM_COPY,
	SIM_PEER,
	SIM_FILL,
	SIM_ALLOCATE,
	SIM_RELEASE,
	SIM_LOAD,
	SIM_CAPTURE,
	SIM_CAPTURED
};

/* X(name, arguments, what it does): the driver; CUPTI's number of a function is its place, from 1 */
#define SIM_DRIVER(X)                                                                                              \
	X(cuCtxGetCurrent, (void **context), NOTHING)                                                              \
	X(cuCtxSynchronize, (void), NOTHING)                                                                       \
	X(cuDevicePrimaryCtxRetain, (void **context, int device), NOTHING)                                         \
	X(cuGraphLaunch, (void *graph, void *stream), GRAPH)                                                       \
	X(cuLaunchKernel, (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,    \
			   unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters,   \
			   void **extra), KERNEL)                                                                  \
	X(cuLaunchKernel_ptsz, (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                 \
				unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,             \
				void *stream, void **parameters, void **extra), KERNEL)                            \
	X(cuMemAlloc, (unsigned *pointer, unsigned bytes), ALLOCATE)                                               \
	X(cuMemAlloc_v2, (uint64_t *pointer, size_t bytes), ALLOCATE)                                              \
	X(cuMemFree_v2, (uint64_t pointer), RELEASE)                                                               \
	X(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags), ALLOCATE)                                \
	X(cuMemFreeHost, (void *pointer), RELEASE)                                                                 \
	X(cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t bytes), COPY)                                    \
	X(cuMemcpyAsync, (uint64_t to, uint64_t from, size_t bytes, void *stream), COPY)                           \
	X(cuMemcpyPeerAsync, (uint64_t to, void *to_context, uint64_t from, void *from_context, size_t bytes,      \
			      void *stream), PEER)                                                                 \
	X(cuMemsetD8Async, (uint64_t to, unsigned char value, size_t bytes, void *stream), FILL)                   \
	X(cuModuleLoadData, (void **module, const void *image), LOAD)                                              \
	X(cuProfilerStart, (void), NOTHING)                                                                        \
	X(cuProfilerStop, (void), NOTHING)                                                                         \
	X(cuStreamBeginCapture_v2, (void *stream, unsigned mode), CAPTURE)                                         \
	X(cuStreamEndCapture, (void *stream, void **graph), CAPTURED)                                              \
	X(cuStreamSynchronize, (void *stream), NOTHING)

/* X(name, arguments, CUPTI's name, arguments of the function of the driver behind it, which is the last) */
#define SIM_RUNTIME(X)                                                                                             \
	X(cudaDeviceSynchronize, (void), "cudaDeviceSynchronize_v3020", (), cuCtxSynchronize)                      \
	X(cudaFree, (void *pointer), "cudaFree_v3020", ((uint64_t)(uintptr_t)pointer), cuMemFree_v2)               \
	X(cudaFreeHost, (void *pointer), "cudaFreeHost_v3020", (pointer), cuMemFreeHost)                           \
	X(cudaGraphLaunch, (void *graph, void *stream), "cudaGraphLaunch_v10000", (graph, stream), cuGraphLaunch)  \
	X(cudaLaunchKernel, (const void *function, struct sim_grid grid, struct sim_grid block,                    \
			     void **parameters, size_t shared, void *stream), "cudaLaunchKernel_v7000",            \
	  ((void *)(uintptr_t)function, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared,       \
	   stream, parameters, NULL), cuLaunchKernel)                                                              \
	X(cudaLaunchKernel_ptsz, (const void *function, struct sim_grid grid, struct sim_grid block,               \
				  void **parameters, size_t shared, void *stream), "cudaLaunchKernel_ptsz_v7000",  \
	  ((void *)(uintptr_t)function, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared,       \
	   stream, parameters, NULL), cuLaunchKernel_ptsz)                                                         \
	X(cudaMalloc, (void **pointer, size_t bytes), "cudaMalloc_v3020", ((uint64_t *)pointer, bytes),            \
	  cuMemAlloc_v2)                                                                                           \
	X(cudaMallocHost, (void **pointer, size_t bytes), "cudaMallocHost_v3020", (pointer, bytes, 0),             \
	  cuMemHostAlloc)                                                                                          \
	X(cudaMemcpy, (void *to, const void *from, size_t bytes, int kind), "cudaMemcpy_v3020",                    \
	  ((uint64_t)(uintptr_t)to, from, bytes), cuMemcpyHtoD_v2)                                                 \
	X(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, int kind, void *stream),                     \
	  "cudaMemcpyAsync_v3020",                                                                                 \
	  ((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, bytes, stream), cuMemcpyAsync)                      \
	X(cudaMemcpyPeerAsync, (void *to, int to_device, const void *from, int from_device, size_t bytes,          \
				void *stream), "cudaMemcpyPeerAsync_v4000",                                        \
	  ((uint64_t)(uintptr_t)to, NULL, (uint64_t)(uintptr_t)from, NULL, bytes, stream), cuMemcpyPeerAsync)      \
	X(cudaMemsetAsync, (void *to, int value, size_t bytes, void *stream), "cudaMemsetAsync_v3020",             \
	  ((uint64_t)(uintptr_t)to, (unsigned char)value, bytes, stream), cuMemsetD8Async)                         \
	X(cudaProfilerStart, (void), "cudaProfilerStart_v4000", (), cuProfilerStart)                               \
	X(cudaProfilerStop, (void), "cudaProfilerStop_v4000", (), cuProfilerStop)                                  \
	X(cudaStreamBeginCapture, (void *stream, unsigned mode), "cudaStreamBeginCapture_v10000", (stream, mode),  \
	  cuStreamBeginCapture_v2)                                                                                 \
	X(cudaStreamEndCapture, (void *stream, void **graph), "cudaStreamEndCapture_v10000", (stream, graph),      \
	  cuStreamEndCapture)                                                                                      \
	X(cudaStreamSynchronize, (void *stream), "cudaStreamSynchronize_v3020", (stream), cuStreamSynchronize)

#define SIM_D_NUMBER(name, arguments, action) SIM_NUMBER_##name,
#define SIM_R_NUMBER(name, arguments, reported, values, driver) SIM_NUMBER_##name,
enum sim_driver_number { SIM_DRIVER_NONE, SIM_DRIVER(SIM_D_NUMBER) SIM_DRIVER_END };
enum sim_runtime_number { SIM_RUNTIME_NONE, SIM_RUNTIME(SIM_R_NUMBER) SIM_RUNTIME_END };

#define SIM_D_PROTOTYPE(name, arguments, action) int name arguments;
#define SIM_R_PROTOTYPE(name, arguments, reported, values, driver) int name arguments;
SIM_DRIVER(SIM_D_PROTOTYPE)
SIM_RUNTIME(SIM_R_PROTOTYPE)
void **__cudaRegisterFatBinary(void *code);
int __cudaLaunchKernel(void *kernel, struct sim_grid grid, struct sim_grid block, void **parameters, size_t shared,
		       void *stream);
int __cudaLaunchKernel_ptsz(void *kernel, struct sim_grid grid, struct sim_grid block, void **parameters, size_t shared,
			    void *stream);
int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetUuid_v2(unsigned char *uuid, int device);
int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *found);

/* ---- the driver, beside its interface ---- */

/* What CUPTI puts into the driver when it is loaded. */
struct sim_tools {
	void (*call)(int domain, uint32_t id, const struct cupti_call *call);
	void (*record)(const struct cupti_record *record, size_t bytes);
	uint64_t (*now)(void);        /* by the clock that the tool has given it */
	void (*drop)(size_t records); /* as if there had been no room */
	void (*hand_out)(void);       /* the buffer that is being filled, as it is */
	const char *(*facts)(void);
};

/* A call of the runtime, from its beginning to its end. */
struct sim_call {
	struct cupti_call report;
	uint64_t kept;
	int32_t result;
	uint32_t outer; /* number of the call around it */
};

struct sim_driver {
	struct sim_tools *tools; /* NULL: no CUPTI has been loaded */
	void (*enter)(struct sim_call *call, uint32_t id);
	int (*leave)(struct sim_call *call, uint32_t id, int result);
	struct sim_operation *(*operation)(void); /* of this thread */
};
struct sim_driver *sim_driver(void); /* a function: a variable could be copied into the program */

/* ---- the other tool ---- */

/* how: "subscribe", "register", or "lookup": finds cuptiSubscribe() by dlsym(). CUPTI's answer. */
int sim_client_start(const char *how);
void sim_client_print(void);

#endif
