/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts [LIBRARY]: 1,000 kernels on two queues and known copies. The program asks for times itself and adds them
 * up. With LIBRARY, OpenCL is opened RTLD_LOCAL|RTLD_DEEPBIND and called by address alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "ocl.h"

#define KERNELS 1000
#define ITEMS 4096
#define COPIES 10

#define FUNCTIONS(X)                                                                                          \
	X(clGetPlatformIDs) X(clGetDeviceIDs) X(clCreateContext) X(clCreateCommandQueue) X(clCreateBuffer)    \
	X(clCreateProgramWithSource) X(clBuildProgram) X(clCreateKernel) X(clSetKernelArg)                    \
	X(clEnqueueNDRangeKernel) X(clEnqueueWriteBuffer) X(clEnqueueReadBuffer) X(clEnqueueCopyBuffer)       \
	X(clEnqueueFillBuffer) X(clFinish) X(clGetEventProfilingInfo) X(clReleaseEvent) X(clReleaseMemObject) \
	X(clReleaseCommandQueue) X(clGetPlatformInfo)

#define POINTER(name) static __typeof__(&name) p_##name;
FUNCTIONS(POINTER)

static void find_functions(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

	EXPECT(handle != NULL);
#define FIND(name) p_##name = (__typeof__(&name))dlsym(handle, #name); EXPECT(p_##name != NULL);
	FUNCTIONS(FIND)
}

static cl_kernel make_kernel(cl_context context)
{
	const char *source = ocl_source;
	cl_int code;
	cl_program program = p_clCreateProgramWithSource(context, 1, &source, NULL, &code);
	cl_kernel kernel;

	OK(code);
	OK(p_clBuildProgram(program, 0, NULL, "", NULL, NULL));
	kernel = p_clCreateKernel(program, "add_one", &code);
	OK(code);
	return kernel;
}

static cl_ulong device_time(cl_event event)
{
	cl_ulong start, end;

	OK(p_clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
	OK(p_clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	OK(p_clReleaseEvent(event));
	return end - start;
}

/* One copy of each kind, their sizes all different. */
static void copy(cl_command_queue queue, cl_mem from, cl_mem to, int *host)
{
	int zero = 0;

	OK(p_clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, 4096, host, 0, NULL, NULL));
	OK(p_clEnqueueReadBuffer(queue, from, CL_FALSE, 0, 1000, host, 0, NULL, NULL));
	OK(p_clEnqueueCopyBuffer(queue, from, to, 0, 0, 2048, 0, NULL, NULL));
	OK(p_clEnqueueFillBuffer(queue, to, &zero, sizeof(zero), 0, 512, 0, NULL, NULL));
	OK(p_clFinish(queue));
}

int main(int argc, char **argv)
{
	static cl_event event[KERNELS];
	static int host[ITEMS];
	size_t items = ITEMS;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue[2];
	cl_mem buffer[2];
	cl_kernel kernel;
	cl_ulong kernels_ns = 0;
	cl_int code;

#define LINKED(name) p_##name = name;
	if (argc > 1)
		find_functions(argv[1]);
	else {
		FUNCTIONS(LINKED)
	}
	platform = ocl_platform(p_clGetPlatformIDs, p_clGetPlatformInfo);
	OK(p_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = p_clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	OK(code);
	kernel = make_kernel(context);
	for (int i = 0; i < 2; i++) {
		queue[i] = p_clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
		OK(code);
		buffer[i] = p_clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(host), NULL, &code);
		OK(code);
	}
	OK(p_clEnqueueWriteBuffer(queue[0], buffer[0], CL_TRUE, 0, sizeof(host), host, 0, NULL, NULL));
	for (int i = 0; i < KERNELS; i++) {
		OK(p_clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer[i % 2]));
		OK(p_clEnqueueNDRangeKernel(queue[i % 2], kernel, 1, NULL, &items, NULL, 0, NULL, &event[i]));
	}
	OK(p_clFinish(queue[0]));
	OK(p_clFinish(queue[1]));
	for (int i = 0; i < KERNELS; i++)
		kernels_ns += device_time(event[i]);
	OK(p_clEnqueueReadBuffer(queue[0], buffer[0], CL_TRUE, 0, sizeof(host), host, 0, NULL, NULL));
	EXPECT(host[0] == KERNELS / 2 && host[ITEMS - 1] == KERNELS / 2);
	for (int i = 0; i < COPIES; i++)
		copy(queue[0], buffer[0], buffer[1], host);
	for (int i = 0; i < 2; i++) {
		OK(p_clReleaseMemObject(buffer[i]));
		OK(p_clReleaseCommandQueue(queue[i]));
	}
	SAY("kernels", KERNELS);
	SAY("kernels_ns", kernels_ns);
	SAY("h2d", sizeof(host) + COPIES * 4096);
	SAY("d2h", sizeof(host) + COPIES * 1000);
	SAY("d2d", COPIES * 2048);
	SAY("fill", COPIES * 512);
	return 0;
}
