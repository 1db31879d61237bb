/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devices [sub]: (10 + 10 x its number) kernels on each device of the platform, or on each half of the first.
 */
#include "ocl.h"

int main(int argc, char **argv)
{
	static struct ocl ocl;
	cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
	cl_device_id *device = ocl.device, sub[OCL_DEVICES];
	cl_uint devices;
	cl_context context;
	cl_kernel kernel;
	cl_program program;
	const char *source = ocl_source;
	size_t items = 256;
	cl_int code;

	(void)argv;
	ocl_open(&ocl);
	devices = ocl.devices;
	if (argc > 1) {
		cl_uint units;

		OK(clGetDeviceInfo(ocl.device[0], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
		halves[1] = units > 1 ? units / 2 : 1;
		code = clCreateSubDevices(ocl.device[0], halves, OCL_DEVICES, sub, &devices);
		SAY("partition", code);
		OK(code);
		device = sub;
	}
	context = clCreateContext(NULL, devices, device, NULL, NULL, &code);
	OK(code);
	program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
	OK(code);
	OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	kernel = clCreateKernel(program, "add_one", &code);
	OK(code);
	for (cl_uint i = 0; i < devices; i++) {
		cl_command_queue queue = clCreateCommandQueueWithProperties(context, device[i], NULL, &code);
		cl_mem buffer;

		OK(code);
		buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &code);
		OK(code);
		OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
		for (cl_uint k = 0; k < 10 + 10 * i; k++)
			OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
		OK(clFinish(queue));
	}
	SAY("devices", devices);
	return 0;
}
