/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest useful OpenCL set-up: one context, one in-order queue, kernels `add_one` and `spin`. */
#ifndef CL_APP_H
#define CL_APP_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "app.h"

#define CL_OK(call)                                  \
	do {                                         \
		cl_int code_ = (call);               \
		if (code_ != CL_SUCCESS)             \
			app_die(__FILE__ ": " #call, code_);       \
	} while (0)

enum { CL_APP_ITEMS = 64 };

struct cl_app {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel add_one; /* adds 1 to each of CL_APP_ITEMS ints */
	cl_kernel spin; /* takes as long as its count says */
	cl_mem buffer;
};

static const char cl_app_source[] =
	"__kernel void add_one(__global int *a) { a[get_global_id(0)] += 1; }\n"
	"__kernel void spin(__global int *a, int rounds) {\n"
	"	uint x = get_global_id(0) + 1;\n"
	"	for (int i = 0; i < rounds; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }\n"
	"	a[get_global_id(0)] = (int)x;\n"
	"}\n";

static inline void cl_app_open(struct cl_app *app, cl_command_queue_properties properties)
{
	const char *source = cl_app_source;
	cl_platform_id platform;
	cl_int code;

	CL_OK(clGetPlatformIDs(1, &platform, NULL));
	CL_OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &app->device, NULL));
	app->context = clCreateContext(NULL, 1, &app->device, NULL, NULL, &code);
	CL_OK(code);
	app->queue = clCreateCommandQueue(app->context, app->device, properties, &code);
	CL_OK(code);
	app->program = clCreateProgramWithSource(app->context, 1, &source, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(app->program, 1, &app->device, "", NULL, NULL));
	app->add_one = clCreateKernel(app->program, "add_one", &code);
	CL_OK(code);
	app->spin = clCreateKernel(app->program, "spin", &code);
	CL_OK(code);
	app->buffer = clCreateBuffer(app->context, CL_MEM_READ_WRITE, CL_APP_ITEMS * sizeof(cl_int), NULL, &code);
	CL_OK(code);
	CL_OK(clSetKernelArg(app->add_one, 0, sizeof(app->buffer), &app->buffer));
	CL_OK(clSetKernelArg(app->spin, 0, sizeof(app->buffer), &app->buffer));
}

static inline void cl_app_enqueue(struct cl_app *app, int kernels)
{
	size_t items = CL_APP_ITEMS;

	for (int i = 0; i < kernels; i++)
		CL_OK(clEnqueueNDRangeKernel(app->queue, app->add_one, 1, NULL, &items, NULL, 0, NULL, NULL));
}

static inline void cl_app_run(struct cl_app *app, int kernels)
{
	cl_app_enqueue(app, kernels);
	CL_OK(clFinish(app->queue));
}

static inline void cl_app_spin(struct cl_app *app, int rounds)
{
	size_t one = 1;

	CL_OK(clSetKernelArg(app->spin, 1, sizeof(rounds), &rounds));
	CL_OK(clEnqueueNDRangeKernel(app->queue, app->spin, 1, NULL, &one, NULL, 0, NULL, NULL));
}

static inline void cl_app_close(struct cl_app *app)
{
	CL_OK(clReleaseMemObject(app->buffer));
	CL_OK(clReleaseKernel(app->add_one));
	CL_OK(clReleaseKernel(app->spin));
	CL_OK(clReleaseProgram(app->program));
	CL_OK(clReleaseCommandQueue(app->queue));
	CL_OK(clReleaseContext(app->context));
}

#endif
