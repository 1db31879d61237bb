/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device: OpenCL work inside of NVTX ranges; prints by range what the runtime says of the operations that were started
 * in it: "first", "second" inside of "both", "whole" over all of the process.
 */
#include "cl_app.h"
#include "client.h"

static long took(cl_event event)
{
	cl_ulong begin, end;

	CL_OK(clWaitForEvents(1, &event));
	CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, NULL));
	CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	CL_OK(clReleaseEvent(event));
	return (long)(end - begin);
}

static cl_event spin(struct cl_app *app, cl_int rounds)
{
	size_t one = 1;
	cl_event event;

	CL_OK(clSetKernelArg(app->spin, 1, sizeof(rounds), &rounds));
	CL_OK(clEnqueueNDRangeKernel(app->queue, app->spin, 1, NULL, &one, NULL, 0, NULL, &event));
	return event;
}

int main(void)
{
	cl_event first[5], second[3], copy, outside;
	struct client client;
	struct cl_app app;
	cl_int data[CL_APP_ITEMS];
	long first_ns = 0, second_ns = 0, outside_ns;
	uint64_t id;

	client_open(&client);
	cl_app_open(&app, CL_QUEUE_PROFILING_ENABLE);
	id = client_start(&client, "whole");
	client_push(&client, "both");
	client_push(&client, "first");
	for (int i = 0; i < 5; i++)
		first[i] = spin(&app, 300000);
	client_pop(&client); /* long before they have run */
	client_push(&client, "second");
	for (int i = 0; i < 3; i++)
		second[i] = spin(&app, 100000);
	CL_OK(clEnqueueReadBuffer(app.queue, app.buffer, CL_FALSE, 0, sizeof(data), data, 0, NULL, &copy));
	client_pop(&client);
	client_pop(&client);
	client_end(&client, id);
	outside = spin(&app, 100000);
	CL_OK(clFinish(app.queue));
	for (int i = 0; i < 5; i++)
		first_ns += took(first[i]);
	for (int i = 0; i < 3; i++)
		second_ns += took(second[i]);
	second_ns += took(copy);
	outside_ns = took(outside);
	app_say("first", first_ns);
	app_say("second", second_ns);
	app_say("both", first_ns + second_ns);
	app_say("outside", outside_ns);
	cl_app_close(&app);
	return 0;
}
