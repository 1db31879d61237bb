/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A libamdhip64.so.5 over simulated devices: as much of HIP as tests need, with the prototypes that the vendor's
 * documentation has. Memory of a device is the host's own. Left out: streams wait for nothing but events (the null
 * stream orders no others).
 *
 * Beside what sim.h reads from the environment:
 *   SIM_COPY_NS=N            a copy takes so long at least (0)
 *   SIM_EVENT_NS=N           an event does (0): it is over so long after what is before it
 *   SIM_LAST_ERROR=always    each call sets what hipGetLastError() gives, as up to ROCm 5; else failures alone do
 *   SIM_HIP_WAITS=FILE       how many calls that wait were made, at the end
 *   SIM_NO=FUNCTION          hipGetProcAddress() does not know it
 * While a stream is captured, calls that may not be made then fail and spoil the capture.
 */
#ifndef SIM_HIP_H
#define SIM_HIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int hipError_t;
enum {
	hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorOutOfMemory = 2, hipErrorInvalidDevice = 101,
	hipErrorInvalidDeviceFunction = 98, hipErrorNoDevice = 100, hipErrorInvalidImage = 200,
	hipErrorInvalidHandle = 400,
	hipErrorNotFound = 500, hipErrorNotReady = 600, hipErrorLaunchFailure = 719,
	hipErrorStreamCaptureUnsupported = 900, hipErrorStreamCaptureInvalidated = 901,
	hipErrorStreamCaptureImplicit = 906
};
enum { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice, hipMemcpyDefault };

typedef struct sim_hip_stream *hipStream_t;
typedef struct sim_hip_event *hipEvent_t;
typedef struct sim_hip_module *hipModule_t;
typedef const struct sim_kernel *hipFunction_t;
typedef struct sim_hip_graph *hipGraph_t, *hipGraphExec_t;
typedef struct sim_hip_node *hipGraphNode_t;
typedef struct sim_hip_program *hiprtcProgram;
typedef struct { uint32_t x, y, z; } dim3;

#define hipStreamPerThread ((hipStream_t)2)

typedef struct {
	dim3 blockDim;
	void **extra;
	void *func;
	dim3 gridDim;
	void **kernelParams;
	unsigned sharedMemBytes;
} hipKernelNodeParams;

#pragma GCC visibility push(default)
hipError_t hipInit(unsigned flags);
hipError_t hipGetDeviceCount(int *count);
hipError_t hipDriverGetVersion(int *version);
hipError_t hipGetDevice(int *device);
hipError_t hipSetDevice(int device);
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceReset(void);
hipError_t hipDeviceGetName(char *name, int bytes, int device);
hipError_t hipDeviceGetPCIBusId(char *name, int bytes, int device);
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
const char *hipGetErrorName(hipError_t error);
hipError_t hipGetProcAddress(const char *name, void **address, int version, uint64_t flags, int *status);
hipError_t hipProfilerStart(void);
hipError_t hipProfilerStop(void);

hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamSynchronize_spt(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags);
int hipGetStreamDeviceId(hipStream_t stream);
hipError_t hipEventCreate(hipEvent_t *event);
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop);

hipError_t hipMalloc(void **address, size_t bytes);
hipError_t hipMallocAsync(void **address, size_t bytes, hipStream_t stream);
hipError_t hipMallocManaged(void **address, size_t bytes, unsigned flags);
hipError_t hipHostMalloc(void **address, size_t bytes, unsigned flags);
hipError_t hipHostRegister(void *address, size_t bytes, unsigned flags);
hipError_t hipHostUnregister(void *address);
hipError_t hipFree(void *address);
hipError_t hipFreeAsync(void *address, hipStream_t stream);
hipError_t hipHostFree(void *address);
hipError_t hipMemcpy(void *to, const void *from, size_t bytes, int kind);
hipError_t hipMemcpy_spt(void *to, const void *from, size_t bytes, int kind);
hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, hipStream_t stream);
hipError_t hipMemcpyAsync_spt(void *to, const void *from, size_t bytes, int kind, hipStream_t stream);
hipError_t hipMemcpyHtoD(void *to, void *from, size_t bytes);
hipError_t hipMemcpyDtoH(void *to, void *from, size_t bytes);
hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
		       int kind);
hipError_t hipMemset(void *to, int value, size_t bytes);
hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream);
hipError_t hipMemsetD32Async(void *to, int value, size_t count, hipStream_t stream);

void **__hipRegisterFatBinary(const void *data);
void __hipUnregisterFatBinary(void **modules);
void __hipRegisterFunction(void **modules, const void *host, char *device, const char *name, unsigned threads,
			   void *tid, void *bid, void *block, void *grid, int *size);
hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
				 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
				 hipStream_t stream, void **arguments, void **extra);
hipError_t hipLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments, size_t shared,
			   hipStream_t stream);
hipError_t hipLaunchKernel_spt(const void *host, dim3 grid, dim3 block, void **arguments, size_t shared,
			       hipStream_t stream);
/* Sizes are of the whole, in work items. The name is a C++ compiler's. */
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t x, uint32_t y, uint32_t z, uint32_t block_x,
				    uint32_t block_y, uint32_t block_z, size_t shared, hipStream_t stream,
				    void **arguments, void **extra, hipEvent_t start, hipEvent_t stop, uint32_t flags)
	__asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j");
const char *hipKernelNameRef(hipFunction_t function);
const char *hipKernelNameRefByPtr(const void *host, hipStream_t stream);
int hiprtcCreateProgram(hiprtcProgram *program, const char *source, const char *name, int headers, const char **texts,
			const char **names);
int hiprtcCompileProgram(hiprtcProgram program, int options, const char **option);
int hiprtcDestroyProgram(hiprtcProgram *program);

hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
				 const hipKernelNodeParams *params);
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
				   void *to, const void *from, size_t bytes, int kind);
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphNodeGetType(hipGraphNode_t node, unsigned *type);
hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *bad, char *log, size_t bytes);
hipError_t hipGraphExecDestroy(hipGraphExec_t exec);
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipStreamBeginCapture(hipStream_t stream, unsigned mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph);
hipError_t hipStreamIsCapturing(hipStream_t stream, unsigned *status);

#pragma GCC visibility pop

#ifdef SIM_HIP_INSIDE
#include "sim.h"

/* Counts the call and lets it fail where it is to: for the beginning of functions that return an error. */
#define SIM_HIP(code)                                           \
	do {                                                    \
		if (sim_fails(__func__))                        \
			return sim_hip_answer(code);            \
	} while (0)
hipError_t sim_hip_answer(hipError_t error); /* sets the last error */

struct sim_hip_stream {
	unsigned device;
	struct sim_queue *queue;
	hipGraph_t graph;       /* being captured */
	hipStream_t next;
};
/* The stream behind a handle; NULL: that of the current device, or of the thread. */
hipStream_t sim_hip_stream(hipStream_t stream, bool thread);
hipStream_t sim_hip_streams(void); /* the first of all */
/* Puts the work on the stream, or into the graph that is captured there. */
hipError_t sim_hip_put(hipStream_t stream, struct sim_work *work);
hipError_t sim_hip_wait(hipStream_t stream);
/* A call that may not be made while a stream is captured. */
bool sim_hip_spoils(void);
void sim_hip_count_wait(void);
void sim_hip_add(hipGraph_t graph, const struct sim_work *work, hipGraphNode_t *node_out);
/* Work of a kernel, by its name on the host or of itself; arguments are taken over. */
void sim_hip_kernel(struct sim_work *work, const struct sim_kernel *kernel, void **arguments, uint64_t items);
const struct sim_kernel *sim_hip_registered(const void *host);
#endif
#endif
