/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the HIP backend: what its C files share. Runs in the traced program; a question to the runtime is asked
 * inside a guard, so that it is not recorded. No vendor header: a handle is a machine word.
 */
#ifndef SONDE_BACKENDS_HIP_H
#define SONDE_BACKENDS_HIP_H

#include "hip_gen.h"
#include "record/rec.h"

typedef rec_word hip_handle; /* hipStream_t, hipEvent_t, hipFunction_t, ... */

/* A call as the handlers of a family see it. */
struct hip_call {
	struct rec_call *call;
	const struct hip_role *role;
	rec_word *args;
	uint32_t function;
	bool thread; /* reached by its _spt name: no stream means that of the thread */
};

static inline bool hip_has(const struct hip_call *view, enum hip_argument argument)
{
	return view->role->arg[argument] >= 0;
}
/* The argument's word, 0 where the function has none. */
static inline rec_word hip_arg(const struct hip_call *view, enum hip_argument argument)
{
	return view->role->arg[argument] < 0 ? 0 : view->args[view->role->arg[argument]];
}
static inline uint8_t hip_kind(const struct hip_call *view)
{
	return hip_backend.function[view->function].kind;
}
/* Is the object that this call makes followed? While recording is paused as well: it may be used later. */
static inline bool hip_is_followed(const struct rec_call *call)
{
	return call->slot || rec_is_paused();
}

/* Counts records of this process: figures of another count belong to the parent of a fork. */
extern uint32_t hip_generation;

/* ---- names (hip_name.c) --------------------------------------------------------------------------------- */

/* rec_name() of a kernel. what: whether it is known by its function on the host or by a handle. */
uint64_t hip_kernel_name(enum hip_what what, rec_word function);

/* ---- handlers by family ------------------------------------------------------------------------------------ */

typedef void hip_enter_handler(const struct hip_call *view);
typedef void hip_leave_handler(const struct hip_call *view, rec_word result);

hip_leave_handler hip_registered_leave, hip_looked_up_leave, hip_address_leave;
hip_leave_handler hip_program_leave, hip_compile_leave, hip_load_leave;

#endif
