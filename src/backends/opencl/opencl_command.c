/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One command on a queue: gives it an event where the program wants none, and has its times
 * recorded. A call that fails has no command and leaves nothing but its failure.
 */
#include <string.h>
#include <sys/mman.h>

#include "opencl.h"

#define FUNCTIONS 1024 /* more than the API has */

/* rec_call.user of a command */
enum {
	USER_EVENT,  /* where the runtime puts the event when the program wants none */
	USER_BEGIN,  /* raw ns before the call */
	USER_FREES   /* bytes that the command frees */
};

/* ---- names ---------------------------------------------------------------------------------------- */

struct kernel {
	uint64_t name;
	uint32_t generation;
	uint32_t reserved;
};
static struct rec_map kernels = REC_MAP(struct kernel);

/* A new kernel may have the handle of one that is gone. */
void opencl_kernel_leave(const struct opencl_call *view, rec_word result)
{
	const cl_handle *made = (const cl_handle *)opencl_arg(view, OPENCL_ARG_KERNEL);
	const uint32_t *made_count = (const uint32_t *)opencl_arg(view, OPENCL_ARG_MADE);
	uint32_t room = opencl_arg32(view, OPENCL_ARG_COUNT);

	if (view->call->failed)
		return;
	if (!opencl_has(view, OPENCL_ARG_COUNT)) {
		rec_map_take(&kernels, result, NULL);
		return;
	}
	if (made && made_count && *made_count < room)
		room = *made_count;
	for (uint32_t i = 0; made && i < room; i++)
		rec_map_take(&kernels, made[i], NULL);
}

/* A name that has no room on the stack. 0: there is none. */
static uint64_t long_name(enum opencl_variant level, cl_handle handle)
{
	size_t bytes = opencl_info(level, OPENCL_OWN_clGetKernelInfo, handle, CL_KERNEL_FUNCTION_NAME, 0, NULL);
	uint64_t name = 0;
	char *text = bytes > 1 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
			       : MAP_FAILED;

	if (text == MAP_FAILED)
		return 0;
	if (opencl_info(level, OPENCL_OWN_clGetKernelInfo, handle, CL_KERNEL_FUNCTION_NAME, bytes, text) == bytes)
		name = rec_name(text, bytes - 1);
	munmap(text, bytes);
	return name;
}

uint64_t opencl_kernel_name(enum opencl_variant level, cl_handle handle)
{
	struct kernel kernel = { 0 };
	char text[1024];
	size_t bytes;

	if (rec_map_get(&kernels, handle, &kernel) && kernel.generation == opencl_generation)
		return kernel.name;
	bytes = opencl_info(level, OPENCL_OWN_clGetKernelInfo, handle, CL_KERNEL_FUNCTION_NAME, sizeof(text), text);
	kernel.name = bytes > 1 ? rec_name(text, bytes - 1) : long_name(level, handle);
	if (!kernel.name)
		kernel.name = rec_name("unnamed kernel", 14);
	kernel.generation = opencl_generation;
	rec_map_put(&kernels, handle, &kernel);
	return kernel.name;
}

/* Commands without a kernel are known by the function that made them. */
static uint64_t function_name(uint32_t function)
{
	static struct kernel known[FUNCTIONS];
	const char *name = opencl_backend.pool + opencl_backend.function[function].name;

	if (function >= FUNCTIONS)
		return rec_name(name, strlen(name));
	if (__atomic_load_n(&known[function].generation, __ATOMIC_ACQUIRE) != opencl_generation) {
		known[function].name = rec_name(name, strlen(name));
		__atomic_store_n(&known[function].generation, opencl_generation, __ATOMIC_RELEASE);
	}
	return known[function].name;
}

static uint64_t correlations; /* commands of this process that were given a number */

/* ---- hooks ---------------------------------------------------------------------------------------- */

void opencl_command_enter(const struct opencl_call *view)
{
	struct rec_call *call = view->call;
	rec_word *event = &view->args[view->role->arg[OPENCL_ARG_EVENT]];

	if (!call->slot)
		return;
	call->user[USER_EVENT] = 0;
	call->user[USER_FREES] = opencl_transfer_frees(view);
	/* clEnqueueMarker without an event is an error of the program's that it must get */
	if (!*event && !view->role->needs_event)
		*event = (rec_word)&call->user[USER_EVENT];
	call->user[USER_BEGIN] = rec_raw_ns();
}

/* The device that a command without a queue of its own runs on. */
static cl_handle queue_of_event(enum opencl_variant level, cl_handle event)
{
	return opencl_info_word(level, OPENCL_OWN_clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE);
}

static void retain_event(enum opencl_variant level, cl_handle event)
{
	int32_t (*retain)(cl_handle) = opencl_own_call(level, OPENCL_OWN_clRetainEvent);
	uint32_t token = rec_guard_enter();

	if (retain)
		retain(event);
	rec_guard_leave(token);
}

static void release_event(enum opencl_variant level, cl_handle event)
{
	int32_t (*release)(cl_handle) = opencl_own_call(level, OPENCL_OWN_clReleaseEvent);
	uint32_t token = rec_guard_enter();

	if (release)
		release(event);
	rec_guard_leave(token);
}

/* A call that waited for its command: the times are there, no callback is needed. False: they are not. */
static bool deliver_now(const struct opencl_call *view, struct opencl_pending *command)
{
	struct fmt_stats *row = rec_call_row(view->call);
	uint64_t now = rec_raw_ns(), device_ns;
	int32_t status = 1;

	if (!opencl_info(view->level, OPENCL_OWN_clGetEventInfo, command->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
			 sizeof(status), &status) ||
	    status > CL_COMPLETE)
		return false;
	command->waited = 1;
	if (opencl_pending_deliver(command, status, now, &device_ns)) {
		row->blocked += view->call->duration;
		row->device_ns += device_ns < now - command->begin_raw ? device_ns : now - command->begin_raw;
	}
	return true;
}

/* Has the command's times recorded, now or later. own: its event is ours. */
static void follow(const struct opencl_call *view, struct opencl_pending *command, bool own)
{
	struct opencl_queue queue = { 0 };
	cl_handle handle = opencl_arg(view, OPENCL_ARG_QUEUE);

	if (!handle)
		handle = queue_of_event(view->level, command->event);
	if (opencl_queue_of(view->level, handle, &queue) && (queue.flags & OPENCL_QUEUE_TIMED)) {
		command->device = queue.device;
		command->queue = queue.recorded;
		command->in_order = (queue.flags & OPENCL_QUEUE_IN_ORDER) != 0;
		if (opencl_arg32(view, OPENCL_ARG_BLOCKING) && deliver_now(view, command)) {
			if (own)
				release_event(view->level, command->event);
			return;
		}
		if (!own)
			retain_event(view->level, command->event);
		if (opencl_pending_add(command))
			return;
		release_event(view->level, command->event);
		rec_device_lost(&opencl_backend);
		return;
	}
	if (own)
		release_event(view->level, command->event);
	rec_device_untimed(&opencl_backend);
}

void opencl_command_leave(const struct opencl_call *view, rec_word result)
{
	struct rec_call *call = view->call;
	cl_handle *event = (cl_handle *)opencl_arg(view, OPENCL_ARG_EVENT);
	struct opencl_pending command = {
		.kind = opencl_kind(view),
		.level = view->level,
		.begin_raw = call->user[USER_BEGIN],
		.context = rec_context(&opencl_backend)
	};
	bool own = event == (cl_handle *)&call->user[USER_EVENT];

	if (!call->slot || call->failed)
		return;
	opencl_transfer_of(view, result, &command.transfer);
	command.transfer.freed = call->user[USER_FREES];
	if (command.transfer.direction == SONDE_DIRECTION_d2h)
		rec_call_bytes(call, 0, command.transfer.bytes, false);
	else if (command.transfer.bytes)
		rec_call_bytes(call, command.transfer.bytes, 0, false);
	if (!event || !*event)
		return; /* accepted without an event: nothing runs on a device */
	rec_device_seen(&opencl_backend);
	command.event = *event;
	command.name = opencl_has(view, OPENCL_ARG_KERNEL)
			       ? opencl_kernel_name(view->level, opencl_arg(view, OPENCL_ARG_KERNEL))
			       : function_name(view->function);
	if (call->streamed) {
		command.correlation = __atomic_add_fetch(&correlations, 1, __ATOMIC_RELAXED);
		rec_call_link(call, command.correlation);
	}
	follow(view, &command, own);
}
