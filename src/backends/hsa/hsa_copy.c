/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies that the program has devices make. The runtime notes their times where it was told to before; that is done
 * when the program makes its first one, as it says so for all of the process.
 */
#include "hsa.h"

enum { UNKNOWN, NOTED, NOT_NOTED };
static uint32_t noted;

static bool are_noted(void)
{
	uint32_t (*enable)(bool) = HSA_REAL(hsa_amd_profiling_async_copy_enable, bool);

	if (__atomic_load_n(&noted, __ATOMIC_ACQUIRE) == UNKNOWN)
		__atomic_store_n(&noted, enable && enable(true) == HSA_SUCCESS ? NOTED : NOT_NOTED, __ATOMIC_RELEASE);
	return __atomic_load_n(&noted, __ATOMIC_ACQUIRE) == NOTED;
}

void hsa_copies_profiled(bool profiled)
{
	__atomic_store_n(&noted, profiled ? NOTED : NOT_NOTED, __ATOMIC_RELEASE);
}

void hsa_copies_forget(void)
{
	noted = UNKNOWN;
}

/* user[0]: is it noted, 0 where it is not recorded at all; [1]: the signal's value; [2]: when it is handed over */
void hsa_copy_enter(struct rec_call *call, rec_word signal)
{
	uint32_t token;

	call->user[0] = 0;
	if (!call->slot || !signal || !hsa_times())
		return;
	token = rec_guard_enter();
	hsa_clock_start();
	call->user[0] = are_noted() ? NOTED : NOT_NOTED;
	call->user[1] = (uint64_t)hsa_signal_value(signal);
	call->user[2] = rec_raw_ns();
	rec_guard_leave(token);
}

void hsa_copy_leave(const struct rec_call *call, rec_word signal, const struct rec_span *copy)
{
	struct hsa_pending operation = {.signal = signal, .value = (int64_t)call->user[1], .handed_ns = call->user[2],
					.span = *copy};
	uint32_t token;

	if (call->failed || !signal || !hsa_times() || !(call->user[0] || rec_is_paused()))
		return;
	token = rec_guard_enter();
	if (call->user[0] && copy->device != UINT32_MAX) /* between memories of the host no device does it */
		rec_device_seen(&hsa_backend);
	if (!call->user[0] || copy->device == UINT32_MAX) {
		hsa_pending_shared(signal);
	} else if (call->user[0] == NOTED) {
		operation.span.queue = UINT32_MAX;
		operation.span.context = rec_context(&hsa_backend);
		hsa_pending_add(&operation);
	} else {
		rec_device_untimed(&hsa_backend);
		hsa_pending_shared(signal);
	}
	rec_guard_leave(token);
}

void hsa_copy_between(rec_word to, rec_word from, struct rec_span *copy_out)
{
	uint32_t to_device = hsa_place_of(to).device, from_device = hsa_place_of(from).device;

	copy_out->kind = SONDE_KIND_copy;
	copy_out->device = from_device;
	if (from_device == UINT32_MAX) {
		copy_out->device = to_device;
		copy_out->direction = to_device == UINT32_MAX ? SONDE_DIRECTION_h2h : SONDE_DIRECTION_h2d;
	} else if (to_device == UINT32_MAX) {
		copy_out->direction = SONDE_DIRECTION_d2h;
	} else {
		copy_out->direction = to_device == from_device ? SONDE_DIRECTION_d2d : SONDE_DIRECTION_p2p;
	}
}

/* The program tells the direction itself, and which agent makes the copy. */
void hsa_copy_of_agent(rec_word agent, uint32_t direction, struct rec_span *copy_out)
{
	static const uint32_t told[] = {SONDE_DIRECTION_h2h, SONDE_DIRECTION_h2d, SONDE_DIRECTION_d2h,
					SONDE_DIRECTION_d2d};

	copy_out->kind = SONDE_KIND_copy;
	copy_out->device = hsa_place_of(agent).device;
	copy_out->direction = told[direction & 3];
}
