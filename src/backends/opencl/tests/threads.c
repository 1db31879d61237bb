/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads N ROUNDS: N threads with queues, kernels and buffers of their own; half of the commands with an event of
 * the program's, every tenth read blocks, buffers come and go.
 */
#include <pthread.h>

#include "ocl.h"

static struct ocl ocl;
static int rounds;

static void *work(void *data)
{
	cl_command_queue queue = ocl_queue(&ocl, 0);
	cl_int code;
	cl_kernel kernel = clCreateKernel(ocl.program, "add_one", &code);
	size_t items = 64;
	int host[64];

	(void)data;
	OK(code);
	for (int i = 0; i < rounds; i++) {
		cl_mem buffer = ocl_buffer(&ocl, CL_MEM_READ_WRITE, sizeof(host), NULL);
		cl_event event;

		OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
		OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof(host), host, 0, NULL, NULL));
		OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
		OK(clEnqueueReadBuffer(queue, buffer, i % 10 == 0, 0, sizeof(host), host, 0, NULL, NULL));
		OK(clReleaseEvent(event));
		OK(clReleaseMemObject(buffer));
	}
	OK(clFinish(queue));
	OK(clReleaseKernel(kernel));
	OK(clReleaseCommandQueue(queue));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[64];
	int threads;

	EXPECT(argc == 3 && atoi(argv[1]) <= 64);
	threads = atoi(argv[1]);
	rounds = atoi(argv[2]);
	ocl_open(&ocl);
	for (int i = 0; i < threads; i++)
		EXPECT(pthread_create(&thread[i], NULL, work, NULL) == 0);
	for (int i = 0; i < threads; i++)
		EXPECT(pthread_join(thread[i], NULL) == 0);
	SAY("kernels", threads * rounds);
	SAY("bytes", (long long)threads * rounds * 256);
	return 0;
}
