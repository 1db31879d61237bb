/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for libOpenCL.so.1 with one device that does nothing, without the loader's layers: just what
 * cl_run calls and what a tool may ask. Its device's stamps are as FAKE_STAMPS says: good (default), none (not
 * available), zero, ones (all bits), half (the end is 0), backwards (the end lies before the start), narrow (the low 32
 * bits of them), early (an hour before), touching (each kernel begins where the last one ended, every third lasts
 * 0 ns), overlapping (27 ns before the end of the last one). A kernel takes FAKE_KERNEL_NS. With FAKE_COUNTS set, how
 * often it was made to wait is printed at the end. Completion callbacks run inside clFinish.
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "app.h"

struct object {
	int references;
	size_t size;
	cl_command_queue_properties properties;
	char *name;
	cl_ulong begin, end;
};

struct callback {
	cl_event event;
	void(CL_CALLBACK *call)(cl_event, cl_int, void *);
	void *data;
};

static struct object platform = { .name = "Fake" }, device = { .name = "Fake device" };
static struct object *the_context, *the_queue;
static struct callback pending[4096];
static int pending_count;
static long finishes, flushes, waits;
static cl_ulong last_end;

__attribute__((destructor)) static void tell(void)
{
	if (!getenv("FAKE_COUNTS"))
		return;
	app_say("finishes", finishes);
	app_say("flushes", flushes);
	app_say("waits", waits);
}

static void *make(cl_int *code)
{
	struct object *object = calloc(1, sizeof(*object));

	object->references = 1;
	if (code)
		*code = CL_SUCCESS;
	return object;
}

static cl_int release(void *handle)
{
	struct object *object = handle;

	if (!--object->references) {
		if (object->name && object != &device && object != &platform)
			free(object->name);
		free(object);
	}
	return CL_SUCCESS;
}

static cl_int retain(void *handle)
{
	((struct object *)handle)->references++;
	return CL_SUCCESS;
}

static cl_int give(const void *from, size_t bytes, size_t room, void *value, size_t *used)
{
	if (value && room < bytes)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, from, bytes);
	if (used)
		*used = bytes;
	return CL_SUCCESS;
}

static cl_int give_text(const char *text, size_t room, void *value, size_t *used)
{
	return give(text, strlen(text) + 1, room, value, used);
}

static cl_ulong device_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (cl_ulong)now.tv_sec * 1000000000 + (cl_ulong)now.tv_nsec;
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *count)
{
	if (out && room)
		*out = (cl_platform_id)&platform;
	if (count)
		*count = 1;
	return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id which, cl_platform_info what, size_t room, void *value, size_t *used)
{
	(void)which;
	return give_text(what == CL_PLATFORM_VERSION ? "OpenCL 1.2 fake" : "Fake", room, value, used);
}

cl_int clGetDeviceIDs(cl_platform_id which, cl_device_type type, cl_uint room, cl_device_id *out, cl_uint *count)
{
	(void)which;
	(void)type;
	if (out && room)
		*out = (cl_device_id)&device;
	if (count)
		*count = 1;
	return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id which, cl_device_info what, size_t room, void *value, size_t *used)
{
	void *holder = &platform;

	(void)which;
	if (what == CL_DEVICE_PLATFORM)
		return give(&holder, sizeof(holder), room, value, used);
	if (what == CL_DEVICE_NAME)
		return give_text(device.name, room, value, used);
	return CL_INVALID_VALUE;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
			   void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
			   cl_int *code)
{
	(void)properties;
	(void)count;
	(void)devices;
	(void)notify;
	(void)data;
	return (cl_context)(the_context = make(code));
}

cl_int clGetContextInfo(cl_context which, cl_context_info what, size_t room, void *value, size_t *used)
{
	void *holder = &device;

	(void)which;
	return what == CL_CONTEXT_DEVICES ? give(&holder, sizeof(holder), room, value, used) : CL_INVALID_VALUE;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id which, cl_command_queue_properties properties,
				      cl_int *code)
{
	(void)context;
	(void)which;
	the_queue = make(code);
	the_queue->properties = properties;
	return (cl_command_queue)the_queue;
}

cl_int clGetCommandQueueInfo(cl_command_queue which, cl_command_queue_info what, size_t room, void *value, size_t *used)
{
	struct object *queue = (struct object *)which;
	void *holder = what == CL_QUEUE_DEVICE ? &device : the_context;

	if (what == CL_QUEUE_PROPERTIES)
		return give(&queue->properties, sizeof(queue->properties), room, value, used);
	if (what == CL_QUEUE_DEVICE || what == CL_QUEUE_CONTEXT)
		return give(&holder, sizeof(holder), room, value, used);
	return CL_INVALID_VALUE;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **source, const size_t *lengths,
				     cl_int *code)
{
	(void)context;
	(void)count;
	(void)source;
	(void)lengths;
	return make(code);
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
		      void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
	(void)program;
	(void)count;
	(void)devices;
	(void)options;
	if (notify)
		notify(program, data);
	return CL_SUCCESS;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code)
{
	struct object *kernel = make(code);

	(void)program;
	kernel->name = strdup(name);
	return (cl_kernel)kernel;
}

cl_int clGetKernelInfo(cl_kernel which, cl_kernel_info what, size_t room, void *value, size_t *used)
{
	return what == CL_KERNEL_FUNCTION_NAME ? give_text(((struct object *)which)->name, room, value, used) :
						 CL_INVALID_VALUE;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
	struct object *buffer = make(code);

	(void)context;
	(void)flags;
	(void)host;
	buffer->size = size;
	return (cl_mem)buffer;
}

cl_int clGetMemObjectInfo(cl_mem which, cl_mem_info what, size_t room, void *value, size_t *used)
{
	struct object *buffer = (struct object *)which;
	cl_uint references = (cl_uint)buffer->references;

	if (what == CL_MEM_SIZE)
		return give(&buffer->size, sizeof(buffer->size), room, value, used);
	if (what == CL_MEM_REFERENCE_COUNT)
		return give(&references, sizeof(references), room, value, used);
	return CL_INVALID_VALUE;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	(void)kernel;
	(void)index;
	(void)size;
	(void)value;
	return CL_SUCCESS;
}

/* Stamps that depend on the kernel before. */
static void shift(struct object *event)
{
	static int kernels;
	const char *stamps = getenv("FAKE_STAMPS");

	stamps = stamps ? stamps : "good";
	if (!strcmp(stamps, "touching") && last_end) {
		event->begin = last_end;
		if (++kernels % 3 == 0)
			event->end = event->begin;
	}
	if (!strcmp(stamps, "overlapping") && last_end)
		event->begin = last_end - 27;
	last_end = event->end;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
			      const size_t *global, const size_t *local, cl_uint count, const cl_event *events,
			      cl_event *event_out)
{
	const char *duration = getenv("FAKE_KERNEL_NS");
	struct object *event;
	cl_ulong begin = device_now(), end = begin + (duration ? (cl_ulong)atol(duration) : 1000);

	(void)queue;
	(void)kernel;
	(void)dimensions;
	(void)offset;
	(void)global;
	(void)local;
	(void)count;
	(void)events;
	while (device_now() < end)
		;
	if (!event_out)
		return CL_SUCCESS;
	event = make(NULL);
	event->begin = begin;
	event->end = end;
	shift(event);
	*event_out = (cl_event)event;
	return CL_SUCCESS;
}

cl_int clSetEventCallback(cl_event event, cl_int type, void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *data)
{
	(void)type;
	if (pending_count == (int)(sizeof(pending) / sizeof(*pending)))
		return CL_OUT_OF_RESOURCES;
	pending[pending_count++] = (struct callback){ event, call, data };
	return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event which, cl_event_info what, size_t room, void *value, size_t *used)
{
	cl_int complete = CL_COMPLETE;
	cl_uint references = (cl_uint)((struct object *)which)->references;
	void *queue = the_queue;

	if (what == CL_EVENT_COMMAND_EXECUTION_STATUS)
		return give(&complete, sizeof(complete), room, value, used);
	if (what == CL_EVENT_REFERENCE_COUNT)
		return give(&references, sizeof(references), room, value, used);
	return what == CL_EVENT_COMMAND_QUEUE ? give(&queue, sizeof(queue), room, value, used) : CL_INVALID_VALUE;
}

cl_int clGetEventProfilingInfo(cl_event which, cl_profiling_info what, size_t room, void *value, size_t *used)
{
	struct object *event = (struct object *)which;
	const char *stamps = getenv("FAKE_STAMPS");
	cl_ulong stamp = what == CL_PROFILING_COMMAND_END ? event->end : event->begin;
	static cl_ulong first;

	if (!first)
		first = event->begin;
	stamps = stamps ? stamps : "good";
	if (!strcmp(stamps, "none"))
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	if (!strcmp(stamps, "zero"))
		stamp = 0;
	if (!strcmp(stamps, "narrow")) /* it wraps around a second before the first kernel, and not while any runs */
		stamp = (cl_uint)(stamp - first + 1000000000);
	if (!strcmp(stamps, "early"))
		stamp -= (cl_ulong)3600 * 1000000000;
	if (!strcmp(stamps, "ones"))
		stamp = ~(cl_ulong)0;
	if (!strcmp(stamps, "half") && what == CL_PROFILING_COMMAND_END)
		stamp = 0;
	if (!strcmp(stamps, "backwards") && what == CL_PROFILING_COMMAND_END)
		stamp = event->begin - 5000;
	return give(&stamp, sizeof(stamp), room, value, used);
}

cl_int clFlush(cl_command_queue queue)
{
	(void)queue;
	flushes++;
	return CL_SUCCESS;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
	(void)count;
	(void)events;
	waits++;
	return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue queue)
{
	(void)queue;
	finishes++;
	for (int i = 0; i < pending_count; i++)
		pending[i].call(pending[i].event, CL_COMPLETE, pending[i].data);
	pending_count = 0;
	return CL_SUCCESS;
}

cl_int clRetainEvent(cl_event event) { return retain(event); }
cl_int clRetainCommandQueue(cl_command_queue queue) { return retain(queue); }
cl_int clRetainKernel(cl_kernel kernel) { return retain(kernel); }
cl_int clReleaseEvent(cl_event event) { return release(event); }
cl_int clReleaseMemObject(cl_mem buffer) { return release(buffer); }
cl_int clReleaseKernel(cl_kernel kernel) { return release(kernel); }
cl_int clReleaseProgram(cl_program program) { return release(program); }
cl_int clReleaseCommandQueue(cl_command_queue queue) { return release(queue); }
cl_int clReleaseContext(cl_context context) { return release(context); }
