/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_threads THREADS CALLS: THREADS threads at once, each with a kernel object of its own, make CALLS calls
 * of clSetKernelArg and run one kernel each.
 */
#include <pthread.h>

#include "cl_app.h"

static struct cl_app app;
static int calls;
static pthread_barrier_t all;

static void *work(void *unused)
{
	size_t items = 1;
	cl_kernel kernel;
	cl_int code;

	kernel = clCreateKernel(app.program, "spin", &code);
	CL_OK(code);
	pthread_barrier_wait(&all);
	CL_OK(clSetKernelArg(kernel, 0, sizeof(app.buffer), &app.buffer));
	for (cl_int i = 1; i < calls; i++)
		CL_OK(clSetKernelArg(kernel, 1, sizeof(i), &i));
	CL_OK(clEnqueueNDRangeKernel(app.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
	CL_OK(clReleaseKernel(kernel));
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 16;
	pthread_t thread[256];

	calls = argc > 2 ? atoi(argv[2]) : 1000;
	if (threads < 1 || threads > 256)
		return 1;
	cl_app_open(&app, 0);
	pthread_barrier_init(&all, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	CL_OK(clFinish(app.queue));
	app_say("set_arg", (long)threads * calls + 2);
	app_say("kernels", threads);
	app_say("threads", threads + 1);
	cl_app_close(&app);
	return 0;
}
