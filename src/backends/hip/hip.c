/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HIP backend: the hooks of the generated wrappers. What a function means stands in hip.roles; here each family of
 * functions meets its handlers, on the program's threads.
 */
#include <errno.h>

#include "hip.h"

uint32_t hip_generation;

static void resume_leave(const struct hip_call *view, rec_word result)
{
	(void)view;
	(void)result;
	rec_switch(true);
}

static void pause_leave(const struct hip_call *view, rec_word result)
{
	(void)view;
	(void)result;
	rec_switch(false);
}

static void start_enter(const struct hip_call *view)
{
	(void)view;
	if (sonde_rocprofiler)
		sonde_rocprofiler();
}

static const struct {
	hip_enter_handler *enter;
	hip_leave_handler *leave;
} family[] = {
	[HIP_FAMILY_WORK] = { hip_work_enter, hip_work_leave },
	[HIP_FAMILY_MANY] = { NULL, hip_many_leave },
	[HIP_FAMILY_BEGIN] = { hip_capture_begin_enter, hip_capture_begin_leave },
	[HIP_FAMILY_END] = { NULL, hip_capture_end_leave },
	[HIP_FAMILY_WAITED] = { NULL, hip_waited_leave },
	[HIP_FAMILY_STREAM] = { NULL, hip_stream_leave },
	[HIP_FAMILY_STREAM_GONE] = { hip_stream_gone_enter, NULL },
	[HIP_FAMILY_ALLOC] = { NULL, hip_alloc_leave },
	[HIP_FAMILY_FREE] = { hip_free_enter, hip_free_leave },
	[HIP_FAMILY_HOST_REGISTER] = { NULL, hip_register_leave },
	[HIP_FAMILY_HOST_UNREGISTER] = { hip_unregister_enter, NULL },
	[HIP_FAMILY_RESET] = { hip_reset_enter, hip_reset_leave },
	[HIP_FAMILY_GRAPH] = { NULL, hip_graph_leave },
	[HIP_FAMILY_REGISTERED] = { NULL, hip_registered_leave },
	[HIP_FAMILY_LOOKED_UP] = { NULL, hip_looked_up_leave },
	[HIP_FAMILY_ADDRESS] = { NULL, hip_address_leave },
	[HIP_FAMILY_RESUME] = { NULL, resume_leave },
	[HIP_FAMILY_PAUSE] = { NULL, pause_leave },
	[HIP_FAMILY_PROGRAM] = { NULL, hip_program_leave },
	[HIP_FAMILY_COMPILE] = { NULL, hip_compile_leave },
	[HIP_FAMILY_LOAD] = { NULL, hip_load_leave },
	[HIP_FAMILY_START] = { start_enter, NULL },
};

/* rec_call.user: the families use the words before it */
enum { USER_OURS = sizeof(((struct rec_call *)NULL)->user) / sizeof(uint64_t) - 1 };

/* Another provider of the API, or none: what it hands out says nothing to the one that is asked. */
static bool is_ours(const struct rec_call *call)
{
	return call->real == hip_backend.real[call->symbol];
}

static struct hip_call view_of(struct rec_call *call, rec_word *args)
{
	const struct rec_symbol *symbol = &hip_backend.symbol[call->symbol];

	return (struct hip_call){
		.call = call,
		.role = &hip_role[symbol->function],
		.args = args,
		.function = symbol->function,
		.thread = symbol->variant == HIP_VARIANT_THREAD
	};
}

void hip_enter(struct rec_call *call, rec_word *args)
{
	struct hip_call view = view_of(call, args);
	int saved = errno;

	call->user[USER_OURS] = is_ours(call);
	if (family[view.role->family].enter && call->user[USER_OURS])
		family[view.role->family].enter(&view);
	errno = saved;
}

void hip_leave(struct rec_call *call, rec_word *args, rec_word result)
{
	struct hip_call view = view_of(call, args);
	bool entered = hip_backend.function[view.function].flags & REC_ENTER;
	int saved = errno;

	if (family[view.role->family].leave && (entered ? call->user[USER_OURS] : is_ours(call)))
		family[view.role->family].leave(&view, result);
	errno = saved;
}

/* Parts of what is recorded of arguments: dim3, as hip.args has it. */
uint64_t hip_part(uint32_t part, const void *at)
{
	return ((const uint32_t *)at)[part - 1];
}

bool hip_injects(void)
{
	return !rec_backend_there("rocprofiler") && !rec_backend_seen("ze");
}

/* A record has been opened: the first one, or that of a forked child, in which the runtime is of no use any more. */
void hip_opened(void)
{
	rec_attached(&hip_backend, "preload", NULL);
	hip_backend.part_bytes = sizeof(struct hip_by_value_dim3);
	if (hip_generation++ == 0)
		return;
	hip_pending_forget();
	hip_streams_forget();
	hip_memory_forget();
}

void hip_flush(uint64_t deadline_raw_ns)
{
	hip_pending_flush(deadline_raw_ns);
}

uint64_t hip_oldest_open(void)
{
	return hip_pending_oldest();
}
