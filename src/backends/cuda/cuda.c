/* SPDX-License-Identifier: BSD-3-Clause */
/* What the descriptions cannot say of CUDA: hooks of the recorder. The rest is behind CUPTI, see cupti.h. */
#include "cupti.h"

__thread struct cuda_thread cuda_thread __attribute__((tls_model("initial-exec")));

void cuda_switch(uint32_t symbol)
{
	unsigned family = cuda_role[cuda_backend.symbol[symbol].function].family;

	if (family == CUDA_FAMILY_RESUME || family == CUDA_FAMILY_PAUSE)
		rec_switch(family == CUDA_FAMILY_RESUME);
}

void cuda_enter(struct rec_call *call, rec_word *args)
{
	(void)call;
	(void)args;
	if (!cuda_thread.wrapped++) /* the runtime may reach the driver by another wrapper */
		cuda_thread.correlation = 0;
}

void cuda_leave(struct rec_call *call, rec_word *args, rec_word result)
{
	(void)result;
	cuda_thread.wrapped--;
	switch (cuda_role[cuda_backend.symbol[call->symbol].function].family) {
	case CUDA_FAMILY_PROGRAM:
		cuda_program_made(call, args);
		return;
	case CUDA_FAMILY_COMPILE:
		cuda_program_compiled(call, args);
		return;
	default:
		break;
	}
	if (call->failed && cuda_thread.correlation)
		cuda_start_failed(cuda_thread.correlation);
	if (cuda_thread.correlation && cuda_is_blocking(call->symbol))
		cuda_blocking_ends(cuda_thread.correlation, call);
	if (call->slot && cuda_thread.correlation)
		rec_call_link(call, cuda_thread.correlation);
	cuda_switch(call->symbol);
}

/* A new record: of this process, or of the child of a fork, which has no CUDA. */
void cuda_opened(void)
{
	cuda_devices_forget();
	cuda_programs_forget();
	if (!cupti_live())
		cuda_starts_forget();
}

void cuda_flush(uint64_t deadline_raw_ns)
{
	cupti_flush(deadline_raw_ns);
}
