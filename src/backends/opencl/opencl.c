/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenCL backend: the hooks of the generated wrappers. What a function means stands in opencl.roles;
 * here each family of functions meets its handlers. Called on the program's threads; the runtime's own
 * threads come in through callbacks (opencl_pending.c, opencl_memory.c, opencl_build.c).
 */
#include "opencl.h"

uint32_t opencl_generation;

static const struct {
	opencl_enter_handler *enter;
	opencl_leave_handler *leave;
} family[] = {
	[OPENCL_FAMILY_COMMAND] = { opencl_command_enter, opencl_command_leave },
	[OPENCL_FAMILY_QUEUE] = { opencl_queue_enter, opencl_queue_leave },
	[OPENCL_FAMILY_QUEUE_LIST] = { opencl_queue_list_enter, opencl_queue_leave },
	[OPENCL_FAMILY_QUEUE_SET] = { opencl_queue_set_enter, NULL },
	[OPENCL_FAMILY_QUEUE_INFO] = { opencl_queue_info_enter, NULL },
	[OPENCL_FAMILY_EVENT_INFO] = { opencl_event_info_enter, NULL },
	[OPENCL_FAMILY_EVENT_TIMES] = { opencl_event_times_enter, NULL },
	[OPENCL_FAMILY_KERNEL] = { NULL, opencl_kernel_leave },
	[OPENCL_FAMILY_MEMORY] = { NULL, opencl_memory_leave },
	[OPENCL_FAMILY_POINTER] = { NULL, opencl_pointer_leave },
	[OPENCL_FAMILY_POINTER_FREE] = { opencl_pointer_free_enter, NULL },
	[OPENCL_FAMILY_PROGRAM] = { NULL, opencl_program_leave },
	[OPENCL_FAMILY_BUILD] = { opencl_build_enter, opencl_build_leave },
	[OPENCL_FAMILY_LINK] = { opencl_build_enter, opencl_build_leave },
	[OPENCL_FAMILY_ADDRESS] = { opencl_address_enter, NULL },
};

/* rec_call.user: the families use the words before it */
enum { USER_OURS = sizeof(((struct rec_call *)NULL)->user) / sizeof(uint64_t) - 1 };

static struct opencl_call view_of(struct rec_call *call, rec_word *args)
{
	const struct rec_symbol *symbol = &opencl_backend.symbol[call->symbol];

	return (struct opencl_call){
		.call = call,
		.role = &opencl_role[symbol->function],
		.args = args,
		.function = symbol->function,
		.level = (enum opencl_variant)symbol->variant
	};
}

void opencl_enter(struct rec_call *call, rec_word *args)
{
	struct opencl_call view = view_of(call, args);

	/* another provider of the API, or none: the stand-ins would call the wrong one */
	call->user[USER_OURS] = call->real == opencl_backend.real[call->symbol];
	if (call->user[USER_OURS] && family[view.role->family].enter)
		family[view.role->family].enter(&view);
}

void opencl_leave(struct rec_call *call, rec_word *args, rec_word result)
{
	struct opencl_call view = view_of(call, args);

	if (call->user[USER_OURS] && family[view.role->family].leave)
		family[view.role->family].leave(&view, result);
}

/* A record has been opened: the first one, or that of a forked child. */
void opencl_opened(void)
{
	if (!opencl_backend.layered)
		rec_attached(&opencl_backend, "preload", NULL);
	if (opencl_generation++ == 0)
		return;
	opencl_pending_reset();
	opencl_devices_reset();
	rec_extents_clear(&opencl_pointers);
	rec_extents_clear(&opencl_mappings);
}

void opencl_flush(uint64_t deadline_raw_ns)
{
	opencl_pending_flush(deadline_raw_ns);
}

uint64_t opencl_oldest_open(void)
{
	return opencl_pending_oldest();
}
