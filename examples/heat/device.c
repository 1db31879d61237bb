/* SPDX-License-Identifier: BSD-3-Clause */
/* The OpenCL side: device, kernel, queues. */
#include <stdio.h>
#include <stdlib.h>

#include "heat.h"

static const char source[] =
	"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	"__kernel void stencil(__global const double *from, __global double *to, int width, int first, double r)\n"
	"{\n"
	"	size_t column = get_global_id(0) + 1, at = (get_global_id(1) + first) * width + column;\n"
	"	double here;\n"
	"\n"
	"	if (column > width - 2)\n"
	"		return; /* the rows are padded to whole work groups */\n"
	"	here = from[at];\n"
	"	to[at] = here + r * (from[at - 1] + from[at + 1] + from[at - width] + from[at + width] - 4 * here);\n"
	"}\n";

void check_cl(cl_int status, const char *what)
{
	if (status != CL_SUCCESS)
		die(what, status);
}

/* The number-th device of the machine, counted over all platforms, modulo how many there are. */
static cl_device_id pick_device(int number)
{
	cl_platform_id platforms[16];
	cl_device_id devices[64];
	cl_uint platform_count = 0, count = 0;

	check_cl(clGetPlatformIDs(16, platforms, &platform_count), "clGetPlatformIDs");
	for (cl_uint i = 0; i < platform_count && i < 16 && count < 64; i++) {
		cl_uint found = 0;

		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 64 - count, devices + count, &found) != CL_SUCCESS)
			continue;
		count += found < 64 - count ? found : 64 - count;
	}
	if (!count)
		die("no OpenCL device", 0);
	return devices[(cl_uint)number % count];
}

static void build_kernel(struct device *device, const struct block *block, double diffusion)
{
	const char *text = source;
	double since = now();
	cl_int width = block->width, status;

	device->program = clCreateProgramWithSource(device->context, 1, &text, NULL, &status);
	check_cl(status, "clCreateProgramWithSource");
	check_cl(clBuildProgram(device->program, 1, &device->id, "", NULL, NULL), "clBuildProgram");
	device->stencil = clCreateKernel(device->program, "stencil", &status);
	check_cl(status, "clCreateKernel");
	check_cl(clSetKernelArg(device->stencil, 2, sizeof(width), &width), "clSetKernelArg");
	check_cl(clSetKernelArg(device->stencil, 4, sizeof(diffusion), &diffusion), "clSetKernelArg");
	add_time(&timers.build, since);
}

void device_open(struct device *device, const struct block *block, int number, double diffusion)
{
	size_t bytes = block_points(block) * sizeof(double);
	double since = now();
	cl_int status;

	device->id = pick_device(number);
	device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
	check_cl(status, "clCreateContext");
	device->compute = clCreateCommandQueue(device->context, device->id, 0, &status);
	check_cl(status, "clCreateCommandQueue");
	device->transfer = clCreateCommandQueue(device->context, device->id, 0, &status);
	check_cl(status, "clCreateCommandQueue");
	for (int i = 0; i < 2; i++) {
		device->field[i] = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
		check_cl(status, "clCreateBuffer");
	}
	add_time(&timers.setup, since);
	build_kernel(device, block, diffusion);
}

void device_close(struct device *device)
{
	double since = now();

	clReleaseMemObject(device->field[0]);
	clReleaseMemObject(device->field[1]);
	clReleaseKernel(device->stencil);
	clReleaseProgram(device->program);
	clReleaseCommandQueue(device->compute);
	clReleaseCommandQueue(device->transfer);
	clReleaseContext(device->context);
	add_time(&timers.setup, since);
}

void device_finish(cl_command_queue queue)
{
	double since = now();

	check_cl(clFinish(queue), "clFinish");
	add_time(&timers.device_wait, since);
}

void device_step(struct device *device, const struct block *block, int first, int rows,
		 int waits, const cl_event *wait, cl_event *event)
{
	/* a fixed work group: left alone, a runtime has to divide odd sizes, and some do it badly */
	size_t group[2] = {64, 1}, size[2] = {((size_t)block->width - 2 + 63) / 64 * 64, (size_t)rows};
	cl_int first_row = first;
	double since = now();

	check_cl(clSetKernelArg(device->stencil, 0, sizeof(cl_mem), &device->field[0]), "clSetKernelArg");
	check_cl(clSetKernelArg(device->stencil, 1, sizeof(cl_mem), &device->field[1]), "clSetKernelArg");
	check_cl(clSetKernelArg(device->stencil, 3, sizeof(first_row), &first_row), "clSetKernelArg");
	check_cl(clEnqueueNDRangeKernel(device->compute, device->stencil, 2, NULL, size, group, (cl_uint)waits,
					waits ? wait : NULL, event), "clEnqueueNDRangeKernel");
	add_time(&timers.launch, since);
}

void device_swap(struct device *device)
{
	cl_mem current = device->field[0];

	device->field[0] = device->field[1];
	device->field[1] = current;
}
