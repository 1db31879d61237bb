/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * enqueue KERNELS: launches an empty kernel so often on the first device and prints, per kernel in ns,
 *	CPU time of the launching thread, wall time until all have run
 * The queue is emptied after every 100 launches, as a time step would.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEP 100
#define WARM_UP 1000

static const char *source = "__kernel void empty(void) { }";

static void check(cl_int error, const char *what)
{
	if (error != CL_SUCCESS) {
		fprintf(stderr, "enqueue: %s: OpenCL error %d\n", what, error);
		exit(1);
	}
}

static double clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void launch(cl_command_queue queue, cl_kernel kernel, long kernels)
{
	size_t one = 1;

	for (long i = 1; i <= kernels; i++) {
		check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL), "enqueue");
		if (i % STEP == 0)
			check(clFinish(queue), "finish");
	}
	check(clFinish(queue), "finish");
}

int main(int argc, char **argv)
{
	long kernels = argc > 1 ? atol(argv[1]) : 10000;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_int error;
	double cpu, wall;

	check(clGetPlatformIDs(1, &platform, NULL), "platform");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "context");
	queue = clCreateCommandQueue(context, device, 0, &error);
	check(error, "queue");
	program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
	check(error, "program");
	check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "build");
	kernel = clCreateKernel(program, "empty", &error);
	check(error, "kernel");
	launch(queue, kernel, WARM_UP);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	wall = clock_ns(CLOCK_MONOTONIC);
	launch(queue, kernel, kernels);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	wall = clock_ns(CLOCK_MONOTONIC) - wall;
	printf("%.1f %.1f\n", cpu / (double)kernels, wall / (double)kernels);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return 0;
}
