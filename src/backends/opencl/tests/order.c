/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * order WHAT: commands in unusual order.
 *   chain    write, kernel, read on an in-order queue, 50 times: none may overlap another
 *   free     an out-of-order queue, dependencies by events of the program's and of two queues
 *   gate     commands behind a user event that is signalled late, from another thread
 *   failed   a command whose user event reports an error: it never ran
 *   released everything is released before the commands have run
 *   wait     a blocking read behind a long kernel; `waited_ns` in the call, `busy_ns` of the read on the device
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "ocl.h"

#define ROUNDS 50

static int host[1024];

static cl_event user_event(struct ocl *ocl)
{
	cl_int code;
	cl_event event = clCreateUserEvent(ocl->context, &code);

	OK(code);
	return event;
}

static void chain(struct ocl *ocl, cl_mem buffer)
{
	cl_command_queue queue = ocl_queue(ocl, 0);

	for (int i = 0; i < ROUNDS; i++) {
		OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof(host), host, 0, NULL, NULL));
		ocl_add_one(ocl, queue, buffer, 1024, NULL);
		OK(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof(host), host, 0, NULL, NULL));
	}
	OK(clFinish(queue));
	EXPECT(host[0] == ROUNDS);
	SAY("kernels", ROUNDS);
	SAY("commands", 3 * ROUNDS);
}

static void free_order(struct ocl *ocl, cl_mem buffer)
{
	cl_command_queue queue = ocl_queue(ocl, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), other = ocl_queue(ocl, 0);
	size_t items = 1024;
	cl_event event[3];

	OK(clSetKernelArg(ocl->add_one, 0, sizeof(buffer), &buffer));
	for (int i = 0; i < ROUNDS; i++) {
		OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof(host), host, 0, NULL, &event[0]));
		OK(clEnqueueNDRangeKernel(other, ocl->add_one, 1, NULL, &items, NULL, 1, &event[0], &event[1]));
		OK(clFlush(queue));
		OK(clFlush(other));
		OK(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof(host), host, 1, &event[1], &event[2]));
		OK(clEnqueueBarrierWithWaitList(queue, 1, &event[2], NULL));
		OK(clWaitForEvents(1, &event[2]));
		for (int e = 0; e < 3; e++)
			OK(clReleaseEvent(event[e]));
	}
	OK(clFinish(queue));
	EXPECT(host[0] == ROUNDS);
	SAY("kernels", ROUNDS);
	SAY("commands", 4 * ROUNDS);
}

static void *open_gate(void *event)
{
	usleep(100000);
	OK(clSetUserEventStatus(event, CL_COMPLETE));
	return NULL;
}

static void gate(struct ocl *ocl, cl_mem buffer)
{
	cl_command_queue queue = ocl_queue(ocl, 0);
	cl_event event = user_event(ocl);
	pthread_t thread;

	OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof(host), host, 1, &event, NULL));
	for (int i = 0; i < ROUNDS; i++)
		ocl_add_one(ocl, queue, buffer, 1024, NULL);
	EXPECT(pthread_create(&thread, NULL, open_gate, event) == 0);
	OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(host), host, 0, NULL, NULL));
	pthread_join(thread, NULL);
	OK(clReleaseEvent(event));
	EXPECT(host[0] == ROUNDS);
	SAY("kernels", ROUNDS);
	SAY("commands", ROUNDS + 2);
}

static void failed(struct ocl *ocl, cl_mem buffer)
{
	cl_command_queue queue = ocl_queue(ocl, 0);
	cl_event event = user_event(ocl), ended;
	cl_int status = 1;
	size_t items = 16;

	OK(clSetKernelArg(ocl->add_one, 0, sizeof(buffer), &buffer));
	OK(clEnqueueNDRangeKernel(queue, ocl->add_one, 1, NULL, &items, NULL, 1, &event, &ended));
	OK(clFlush(queue));
	OK(clSetUserEventStatus(event, -5));
	for (int i = 0; i < 1000 && status > 0; i++) {
		usleep(1000);
		OK(clGetEventInfo(ended, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	}
	SAY("status", status);
}

static void released(struct ocl *ocl, cl_mem buffer)
{
	cl_command_queue queue = ocl_queue(ocl, 0);

	for (int i = 0; i < ROUNDS; i++)
		ocl_add_one(ocl, queue, buffer, 1024, NULL);
	OK(clFlush(queue));
	OK(clReleaseMemObject(buffer));
	OK(clReleaseCommandQueue(queue));
	OK(clReleaseKernel(ocl->add_one));
	OK(clReleaseKernel(ocl->spin));
	OK(clReleaseProgram(ocl->program));
	OK(clReleaseContext(ocl->context));
	SAY("kernels", ROUNDS);
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void blocking(struct ocl *ocl, cl_mem buffer)
{
	cl_command_queue queue = ocl_queue(ocl, CL_QUEUE_PROFILING_ENABLE);
	cl_ulong start, end;
	long long begin;
	cl_event event;

	ocl_spin(ocl, queue, buffer, 1000, NULL);
	OK(clFinish(queue)); /* the kernel is compiled by now */
	ocl_spin(ocl, queue, buffer, 100000000, NULL);
	begin = now_ns();
	OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(host), host, 0, NULL, &event));
	SAY("waited_ns", now_ns() - begin);
	OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
	OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	SAY("busy_ns", end - start);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct ocl *, cl_mem);
	} modes[] = {{"chain", chain}, {"free", free_order}, {"gate", gate}, {"failed", failed},
		     {"released", released}, {"wait", blocking}};
	static struct ocl ocl;

	EXPECT(argc == 2);
	ocl_open(&ocl);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			modes[i].run(&ocl, ocl_buffer(&ocl, CL_MEM_READ_WRITE, sizeof(host), NULL));
	return 0;
}
