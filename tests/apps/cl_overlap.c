/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_overlap KERNELS: as many kernels of different length in each of two out-of-order queues, then a read.
 * Prints what the runtime says of every command: "command NAME BEGIN END".
 */
#include "cl_app.h"

#define QUEUES 2
#define KERNELS_MAX 100

static void say_times(const char *name, cl_event event)
{
	cl_ulong begin, end;

	CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, NULL));
	CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	printf("command %s %llu %llu\n", name, (unsigned long long)begin, (unsigned long long)end);
	CL_OK(clReleaseEvent(event));
}

int main(int argc, char **argv)
{
	const cl_command_queue_properties properties = CL_QUEUE_PROFILING_ENABLE |
						       CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	int kernels = argc > 1 ? atoi(argv[1]) : 10, i, k;
	cl_event event[QUEUES][KERNELS_MAX], read;
	cl_int data[CL_APP_ITEMS];
	cl_command_queue queue[QUEUES];
	struct cl_app app;
	size_t one = 1;
	cl_int code;

	if (kernels < 1 || kernels > KERNELS_MAX)
		return 1;
	cl_app_open(&app, properties);
	queue[0] = app.queue;
	queue[1] = clCreateCommandQueue(app.context, app.device, properties, &code);
	CL_OK(code);
	for (k = 0; k < kernels; k++)
		for (i = 0; i < QUEUES; i++) {
			cl_int rounds = 100000 * (1 + (k + i) % 3);

			CL_OK(clSetKernelArg(app.spin, 1, sizeof(rounds), &rounds));
			CL_OK(clEnqueueNDRangeKernel(queue[i], app.spin, 1, NULL, &one, NULL, 0, NULL, &event[i][k]));
		}
	for (i = 0; i < QUEUES; i++)
		CL_OK(clFinish(queue[i]));
	CL_OK(clEnqueueReadBuffer(queue[0], app.buffer, CL_TRUE, 0, sizeof(data), data, 0, NULL, &read));
	for (k = 0; k < kernels; k++)
		for (i = 0; i < QUEUES; i++)
			say_times("spin", event[i][k]);
	say_times("read", read);
	CL_OK(clReleaseCommandQueue(queue[1]));
	cl_app_close(&app);
	return 0;
}
