/* SPDX-License-Identifier: BSD-3-Clause */
/* A libOpenCL.so.1 of the old days: some functions, passed on to the real one; no clCreateProgramWithIL, no layers. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uintptr_t word;

static word pass(const char *name, word a, word b, word c, word d, word e, word f, word g, word h, word i)
{
	static void *real;
	word (*function)(word, word, word, word, word, word, word, word, word);

	if (!real)
		real = dlopen(REAL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	function = (word (*)(word, word, word, word, word, word, word, word, word))dlsym(real, name);
	if (!function) {
		fprintf(stderr, "no %s\n", name);
		exit(9);
	}
	return function(a, b, c, d, e, f, g, h, i);
}

#define PASS(name)                                                                                       \
	word name(word a, word b, word c, word d, word e, word f, word g, word h, word i);               \
	word name(word a, word b, word c, word d, word e, word f, word g, word h, word i)                \
	{                                                                                                \
		return pass(#name, a, b, c, d, e, f, g, h, i);                                           \
	}
PASS(clGetPlatformIDs) PASS(clGetDeviceIDs) PASS(clCreateContext) PASS(clCreateCommandQueue) PASS(clCreateBuffer)
PASS(clCreateProgramWithSource) PASS(clBuildProgram) PASS(clCreateKernel) PASS(clSetKernelArg)
PASS(clEnqueueNDRangeKernel) PASS(clFinish) PASS(clReleaseMemObject) PASS(clReleaseKernel) PASS(clReleaseProgram)
PASS(clReleaseCommandQueue) PASS(clReleaseContext)
PASS(clGetEventInfo) PASS(clSetEventCallback) PASS(clGetEventProfilingInfo) PASS(clReleaseEvent) PASS(clRetainEvent)
PASS(clGetCommandQueueInfo) PASS(clGetDeviceInfo) PASS(clGetPlatformInfo) PASS(clGetKernelInfo)
PASS(clGetContextInfo) PASS(clGetMemObjectInfo) PASS(clGetProgramInfo)
