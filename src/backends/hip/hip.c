/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HIP backend: the hooks of the generated wrappers. What a function means stands in hip.roles; here each family of
 * functions meets its handlers, on the program's threads.
 */
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

static const struct {
	hip_enter_handler *enter;
	hip_leave_handler *leave;
} family[] = {
	[HIP_FAMILY_REGISTERED] = { NULL, hip_registered_leave },
	[HIP_FAMILY_LOOKED_UP] = { NULL, hip_looked_up_leave },
	[HIP_FAMILY_ADDRESS] = { NULL, hip_address_leave },
	[HIP_FAMILY_RESUME] = { NULL, resume_leave },
	[HIP_FAMILY_PAUSE] = { NULL, pause_leave },
	[HIP_FAMILY_PROGRAM] = { NULL, hip_program_leave },
	[HIP_FAMILY_COMPILE] = { NULL, hip_compile_leave },
	[HIP_FAMILY_LOAD] = { NULL, hip_load_leave },
};

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

	if (view.role->family < sizeof(family) / sizeof(family[0]) && family[view.role->family].enter && is_ours(call))
		family[view.role->family].enter(&view);
}

void hip_leave(struct rec_call *call, rec_word *args, rec_word result)
{
	struct hip_call view = view_of(call, args);

	if (view.role->family < sizeof(family) / sizeof(family[0]) && family[view.role->family].leave && is_ours(call))
		family[view.role->family].leave(&view, result);
}

/* Parts of what is recorded of arguments: dim3, as hip.args has it. */
uint64_t hip_part(uint32_t part, const void *at)
{
	return ((const uint32_t *)at)[part - 1];
}

/* A record has been opened: the first one, or that of a forked child. */
void hip_opened(void)
{
	rec_attached(&hip_backend, "preload", NULL);
	hip_backend.part_bytes = sizeof(struct hip_by_value_dim3);
	hip_generation++;
}
