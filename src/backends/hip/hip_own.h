/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations of our own for tools/api_extract.py (see hip.sources); nothing else includes this. */
#ifndef HIP_OWN_H
#define HIP_OWN_H

#include <stddef.h>
#include <stdint.h>

typedef enum hipError_t { hipSuccess } hipError_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipLibrary_t *hipLibrary_t;
typedef struct ihipKernel_t *hipKernel_t;

/* Calls that a compiler puts before main(): registering what a program brings for the device. */
void **__hipRegisterFatBinary(const void *data);
void __hipUnregisterFatBinary(void **modules);
void __hipRegisterFunction(void **modules, const void *hostFunction, char *deviceFunction, const char *deviceName,
			   unsigned threadLimit, void *tid, void *bid, void *blockDim, void *gridDim, int *wSize);

/* Of C++: the names that the library exports for these are mangled. */
hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
				    uint32_t globalWorkSizeZ, uint32_t localWorkSizeX, uint32_t localWorkSizeY,
				    uint32_t localWorkSizeZ, size_t sharedMemBytes, hipStream_t stream,
				    void **kernelParams, void **extra, hipEvent_t startEvent, hipEvent_t stopEvent,
				    uint32_t flags);
hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
				    uint32_t globalWorkSizeZ, uint32_t localWorkSizeX, uint32_t localWorkSizeY,
				    uint32_t localWorkSizeZ, size_t sharedMemBytes, hipStream_t stream,
				    void **kernelParams, void **extra, hipEvent_t startEvent, hipEvent_t stopEvent);

/* Later than the headers at hand. */
hipError_t hipLaunchKernelExC(const void *config, const void *function, void **args);
hipError_t hipDrvLaunchKernelEx(const void *config, hipFunction_t f, void **params, void **extra);
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags);
hipError_t hipLibraryGetKernel(hipKernel_t *kernel, hipLibrary_t library, const char *name);

#endif
