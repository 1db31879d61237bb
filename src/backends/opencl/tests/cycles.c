/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cycles LIBRARY N: opens OpenCL, runs 3 kernels, closes it; N times. Says how often a function that the library
 * does not have was found all the same.
 */
#include <dlfcn.h>

#include "ocl.h"

#define FUNCTIONS(X)                                                                                         \
	X(clGetPlatformIDs) X(clGetDeviceIDs) X(clCreateContext) X(clCreateCommandQueue) X(clCreateBuffer)   \
	X(clCreateProgramWithSource) X(clBuildProgram) X(clCreateKernel) X(clSetKernelArg)                   \
	X(clEnqueueNDRangeKernel) X(clFinish) X(clReleaseMemObject) X(clReleaseKernel) X(clReleaseProgram)   \
	X(clReleaseCommandQueue) X(clReleaseContext)

#define POINTER(name) static __typeof__(&name) p_##name;
FUNCTIONS(POINTER)

static void run(void)
{
	const char *source = ocl_source;
	size_t items = 16;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem buffer;
	cl_int code;

	OK(p_clGetPlatformIDs(1, &platform, NULL));
	OK(p_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = p_clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	OK(code);
	queue = p_clCreateCommandQueue(context, device, 0, &code);
	OK(code);
	program = p_clCreateProgramWithSource(context, 1, &source, NULL, &code);
	OK(code);
	OK(p_clBuildProgram(program, 0, NULL, "", NULL, NULL));
	kernel = p_clCreateKernel(program, "add_one", &code);
	OK(code);
	buffer = p_clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &code);
	OK(code);
	OK(p_clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	for (int i = 0; i < 3; i++)
		OK(p_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
	OK(p_clFinish(queue));
	OK(p_clReleaseMemObject(buffer));
	OK(p_clReleaseKernel(kernel));
	OK(p_clReleaseProgram(program));
	OK(p_clReleaseCommandQueue(queue));
	OK(p_clReleaseContext(context));
}

int main(int argc, char **argv)
{
	int with_il = 0;

	EXPECT(argc == 3);
	for (int i = 0; i < atoi(argv[2]); i++) {
		void *handle = dlopen(argv[1], RTLD_NOW);

		EXPECT(handle != NULL);
#define FIND(name) p_##name = (__typeof__(&name))dlsym(handle, #name); EXPECT(p_##name != NULL);
		FUNCTIONS(FIND)
		with_il += dlsym(handle, "clCreateProgramWithIL") != NULL;
		run();
		EXPECT(dlclose(handle) == 0);
	}
	SAY("kernels", 3 * atoi(argv[2]));
	SAY("with_il", with_il);
	return 0;
}
