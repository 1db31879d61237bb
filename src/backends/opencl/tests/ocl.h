/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the test programs share: one context on the first device, a program with two kernels. A program says
 * what it did as key=value lines on standard output; any surprise ends it with status 9.
 */
#ifndef OCL_H
#define OCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void ocl_check(cl_int code, const char *what, int line)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "line %d: %s is %d\n", line, what, code);
	exit(9);
}
#define OK(call) ocl_check((call), #call, __LINE__)
#define EXPECT(condition) ocl_check(!(condition), #condition, __LINE__)
#define SAY(key, value) printf("%s=%lld\n", key, (long long)(value))

#define OCL_DEVICES 8

struct ocl {
	cl_platform_id platform;
	cl_device_id device[OCL_DEVICES];
	cl_uint devices;
	cl_context context;
	cl_program program;
	cl_kernel add_one; /* (buffer): adds 1 to each item */
	cl_kernel spin;    /* (buffer, rounds): takes as long as that */
};

static const char ocl_source[] =
	"__kernel void add_one(__global int *a) { a[get_global_id(0)] += 1; }\n"
	"__kernel void spin(__global int *a, int rounds) {\n"
	"	uint x = get_global_id(0) + 1;\n"
	"	for (int i = 0; i < rounds; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }\n"
	"	a[get_global_id(0)] = (int)x;\n"
	"}\n";

/* The first platform whose name holds $OCL_PLATFORM, asked for by these two functions. */
static inline cl_platform_id ocl_platform(__typeof__(&clGetPlatformIDs) ids, __typeof__(&clGetPlatformInfo) info)
{
	const char *wanted = getenv("OCL_PLATFORM");
	cl_platform_id platform[8];
	cl_uint platforms;
	char name[256];

	OK(ids(8, platform, &platforms));
	for (cl_uint i = 0; wanted && i < platforms && i < 8; i++) {
		OK(info(platform[i], CL_PLATFORM_NAME, sizeof(name), name, NULL));
		if (strstr(name, wanted))
			return platform[i];
	}
	EXPECT(!wanted);
	return platform[0];
}

static inline void ocl_open(struct ocl *ocl)
{
	const char *source = ocl_source;
	cl_int code;

	ocl->platform = ocl_platform(clGetPlatformIDs, clGetPlatformInfo);
	OK(clGetDeviceIDs(ocl->platform, CL_DEVICE_TYPE_ALL, OCL_DEVICES, ocl->device, &ocl->devices));
	ocl->context = clCreateContext(NULL, ocl->devices, ocl->device, NULL, NULL, &code);
	OK(code);
	ocl->program = clCreateProgramWithSource(ocl->context, 1, &source, NULL, &code);
	OK(code);
	OK(clBuildProgram(ocl->program, 0, NULL, "", NULL, NULL));
	ocl->add_one = clCreateKernel(ocl->program, "add_one", &code);
	OK(code);
	ocl->spin = clCreateKernel(ocl->program, "spin", &code);
	OK(code);
}

static inline cl_command_queue ocl_queue(struct ocl *ocl, cl_command_queue_properties properties)
{
	cl_int code;
	cl_command_queue queue = clCreateCommandQueue(ocl->context, ocl->device[0], properties, &code);

	OK(code);
	return queue;
}

static inline cl_mem ocl_buffer(struct ocl *ocl, cl_mem_flags flags, size_t bytes, void *host)
{
	cl_int code;
	cl_mem buffer = clCreateBuffer(ocl->context, flags, bytes, host, &code);

	OK(code);
	return buffer;
}

static inline void ocl_add_one(struct ocl *ocl, cl_command_queue queue, cl_mem buffer, size_t items, cl_event *event)
{
	OK(clSetKernelArg(ocl->add_one, 0, sizeof(buffer), &buffer));
	OK(clEnqueueNDRangeKernel(queue, ocl->add_one, 1, NULL, &items, NULL, 0, NULL, event));
}

static inline void ocl_spin(struct ocl *ocl, cl_command_queue queue, cl_mem buffer, int rounds, cl_event *event)
{
	size_t one = 1;

	OK(clSetKernelArg(ocl->spin, 0, sizeof(buffer), &buffer));
	OK(clSetKernelArg(ocl->spin, 1, sizeof(rounds), &rounds));
	OK(clEnqueueNDRangeKernel(queue, ocl->spin, 1, NULL, &one, NULL, 0, NULL, event));
}

#endif
