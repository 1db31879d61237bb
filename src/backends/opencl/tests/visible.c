/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * visible: prints all that a program can see of its queues and events. The output must not depend on who
 * watches.
 */
#include <unistd.h>

#include "ocl.h"

#define LONG_LIST 40 /* words: more than any implementation takes, to be refused as it is */

static void show_queue(const char *name, cl_command_queue queue, cl_int code)
{
	cl_command_queue_properties properties = 77;
	cl_queue_properties list[16] = {0};
	size_t bytes = 77, small = 77;
	cl_uint references = 0;
	cl_int answer;

	printf("%s: code %d", name, code);
	if (code != CL_SUCCESS) {
		puts("");
		return;
	}
	answer = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, &bytes);
	printf(", properties %d %llx in %zu", answer, (unsigned long long)properties, bytes);
	printf(", room %d", clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, 1, &small, NULL));
	bytes = 77;
	answer = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &bytes);
	printf(", list %d of %zu", answer, bytes);
	answer = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, bytes, list, NULL);
	printf(" %d:", answer);
	for (size_t i = 0; answer == CL_SUCCESS && i < bytes / sizeof(list[0]); i++)
		printf(" %llx", (unsigned long long)list[i]);
	if (bytes > 8)
		printf(", short %d", clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, bytes - 8, list, NULL));
	OK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(references), &references, NULL));
	printf(", references %u\n", references);
}

/* Counts that hold whatever the runtime does beside: the event waits for one that has not been signalled. */
static void show_references(const char *name, cl_event event)
{
	cl_uint references = 0;
	cl_int status;

	OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	if (status == CL_COMPLETE)
		usleep(50000); /* the runtime drops its own references a moment later */
	OK(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(references), &references, NULL));
	printf("%s: done %d, references %u", name, status == CL_COMPLETE, references);
	OK(clRetainEvent(event));
	OK(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(references), &references, NULL));
	OK(clReleaseEvent(event));
	printf(" and %u\n", references);
}

static void show_times(const char *name, cl_event event)
{
	cl_ulong stamp[5] = {7, 7, 7, 7, 7};
	cl_int answer = 0;

	printf("%s:", name);
	for (int i = 0; i < 4; i++) {
		answer = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + (cl_uint)i, sizeof(cl_ulong),
						 &stamp[i], NULL);
		printf(" %d", answer);
	}
	printf(" %d, written %d, in order %d\n", clGetEventProfilingInfo(event, 12345, 8, &stamp[4], NULL),
	       stamp[3] != 7, answer || (stamp[0] <= stamp[1] && stamp[1] <= stamp[2] && stamp[2] <= stamp[3]));
}

/* A command before and after its end, on a queue with and without times. */
static void show_command(struct ocl *ocl, const char *name, cl_command_queue queue, cl_mem buffer)
{
	size_t items = 16;
	cl_event gate, event, marker;
	cl_int code;

	gate = clCreateUserEvent(ocl->context, &code);
	OK(code);
	printf("%s\n", name);
	show_times("gate", gate);
	show_references("gate", gate);
	OK(clSetKernelArg(ocl->add_one, 0, sizeof(buffer), &buffer));
	OK(clEnqueueNDRangeKernel(queue, ocl->add_one, 1, NULL, &items, NULL, 1, &gate, &event));
	OK(clEnqueueMarkerWithWaitList(queue, 1, &event, &marker));
	show_references("waiting", event);
	if (strcmp(name, "times") != 0)
		show_times("waiting", event);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clFinish(queue));
	show_times("done", event);
	show_references("marker", marker);
	OK(clReleaseEvent(marker));
	show_references("done", event);
	OK(clReleaseEvent(event));
	OK(clReleaseEvent(gate));
}

static void show_queues(struct ocl *ocl)
{
	const cl_queue_properties empty[] = {0};
	const cl_queue_properties none[] = {CL_QUEUE_PROPERTIES, 0, 0};
	const cl_queue_properties order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	const cl_queue_properties times[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	const cl_queue_properties device[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE |
					      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_SIZE, 4096, 0};
	const struct {
		const char *name;
		const cl_queue_properties *list;
	} lists[] = {{"NULL", NULL}, {"empty", empty}, {"none", none}, {"order", order}, {"times", times},
		     {"device", device}};
	cl_queue_properties many[LONG_LIST + 1];
	cl_command_queue queue;
	cl_int code;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		queue = clCreateCommandQueueWithProperties(ocl->context, ocl->device[0], lists[i].list, &code);
		show_queue(lists[i].name, queue, code);
	}
	for (int i = 0; i < LONG_LIST; i++)
		many[i] = i % 2 ? 1 : 0x7777 + (cl_queue_properties)i;
	many[LONG_LIST] = 0;
	queue = clCreateCommandQueueWithProperties(ocl->context, ocl->device[0], many, &code);
	show_queue("many", queue, code);
	for (cl_command_queue_properties bits = 0; bits < 4; bits++) {
		queue = clCreateCommandQueue(ocl->context, ocl->device[0], bits, &code);
		show_queue("word", queue, code);
	}
	queue = clCreateCommandQueue(ocl->context, ocl->device[0], 0, NULL);
	show_queue("no place for the code", queue, CL_SUCCESS);
}

int main(void)
{
	static struct ocl ocl;
	cl_mem buffer;

	ocl_open(&ocl);
	buffer = ocl_buffer(&ocl, CL_MEM_READ_WRITE, 64, NULL);
	show_queues(&ocl);
	show_command(&ocl, "plain", ocl_queue(&ocl, 0), buffer);
	show_command(&ocl, "times", ocl_queue(&ocl, CL_QUEUE_PROFILING_ENABLE), buffer);
	show_command(&ocl, "order", ocl_queue(&ocl, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), buffer);
	return 0;
}
