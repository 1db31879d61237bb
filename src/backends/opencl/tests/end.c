/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * end WHAT: the program ends while commands are on their way.
 *   exit     100 kernels, exit(0) without waiting for any
 *   _exit    likewise by _exit
 *   never    a kernel behind a user event that nobody signals, beside 10 that run
 *   long     a kernel that runs on when the program ends
 *   late     memory is released by a destructor of a library, after exit handlers have run
 */
#include <unistd.h>

#include "ocl.h"

void late_keep(cl_mem buffer); /* late.c */

int main(int argc, char **argv)
{
	static struct ocl ocl;
	cl_command_queue queue;
	size_t items = 1024;
	cl_event gate;
	cl_mem buffer;
	cl_int code;

	EXPECT(argc == 2);
	ocl_open(&ocl);
	queue = ocl_queue(&ocl, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	buffer = ocl_buffer(&ocl, CL_MEM_READ_WRITE, 4096, NULL);
	if (strcmp(argv[1], "never") == 0) {
		gate = clCreateUserEvent(ocl.context, &code);
		OK(code);
		OK(clSetKernelArg(ocl.add_one, 0, sizeof(buffer), &buffer));
		OK(clEnqueueNDRangeKernel(queue, ocl.add_one, 1, NULL, &items, NULL, 1, &gate, NULL));
		for (int i = 0; i < 10; i++)
			ocl_add_one(&ocl, queue, buffer, items, NULL);
		OK(clFlush(queue));
		usleep(300000);
		return 0;
	}
	if (strcmp(argv[1], "long") == 0) {
		ocl_spin(&ocl, queue, buffer, 1000, NULL);
		OK(clFinish(queue));
		ocl_spin(&ocl, queue, buffer, 2000000000, NULL);
		OK(clFlush(queue));
		usleep(100000);
		return 0;
	}
	for (int i = 0; i < 100; i++)
		ocl_add_one(&ocl, queue, buffer, items, NULL);
	if (strcmp(argv[1], "_exit") == 0)
		_exit(0);
	if (strcmp(argv[1], "late") == 0) {
		OK(clFinish(queue));
		late_keep(buffer);
	}
	exit(0);
}
