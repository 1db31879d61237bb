/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_mixed: kernels in two queues and copies in a third one beside them, then a copy alone and a kernel alone. Prints
 * what the runtime says of every command: "kernel BEGIN END" or "copy BEGIN END".
 */
#include "cl_app.h"

#define ROUNDS 6
#define BYTES (32u << 20)
#define COMMANDS_MAX 64

static struct {
	const char *kind;
	cl_event event;
} command[COMMANDS_MAX];
static int commands;

static cl_event *next_command(const char *kind)
{
	if (commands == COMMANDS_MAX)
		app_die("too many commands", 0);
	command[commands].kind = kind;
	return &command[commands++].event;
}

static void say_all(void)
{
	cl_ulong begin, end;

	for (int i = 0; i < commands; i++) {
		cl_event event = command[i].event;

		CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, NULL));
		CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
		printf("%s %llu %llu\n", command[i].kind, (unsigned long long)begin, (unsigned long long)end);
		CL_OK(clReleaseEvent(event));
	}
}

static void spin(struct cl_app *app, cl_command_queue queue)
{
	cl_int rounds = 5000000;
	size_t one = 1;

	CL_OK(clSetKernelArg(app->spin, 1, sizeof(rounds), &rounds));
	CL_OK(clEnqueueNDRangeKernel(queue, app->spin, 1, NULL, &one, NULL, 0, NULL, next_command("kernel")));
	CL_OK(clFlush(queue));
}

int main(void)
{
	cl_command_queue queue[3];
	struct cl_app app;
	cl_mem large;
	cl_int code;
	char *host = malloc(BYTES);
	int i, k;

	cl_app_open(&app, CL_QUEUE_PROFILING_ENABLE);
	queue[0] = app.queue;
	for (i = 1; i < 3; i++) {
		queue[i] = clCreateCommandQueue(app.context, app.device, CL_QUEUE_PROFILING_ENABLE, &code);
		CL_OK(code);
	}
	large = clCreateBuffer(app.context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
	CL_OK(code);
	memset(host, 1, BYTES);
	for (k = 0; k < ROUNDS; k++) {
		spin(&app, queue[k % 2]);
		CL_OK(clEnqueueWriteBuffer(queue[2], large, CL_FALSE, 0, BYTES, host, 0, NULL, next_command("copy")));
		CL_OK(clFlush(queue[2]));
	}
	for (i = 0; i < 3; i++)
		CL_OK(clFinish(queue[i]));
	CL_OK(clEnqueueReadBuffer(queue[2], large, CL_TRUE, 0, BYTES, host, 0, NULL, next_command("copy")));
	spin(&app, queue[0]);
	CL_OK(clFinish(queue[0]));
	say_all();
	return 0;
}
