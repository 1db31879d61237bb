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

/*
 * What went before on the signal has to be settled before the runtime hears of the copy.
 * user[0]: is it noted, UNKNOWN where it is not recorded; [1]: ticket
 */
void hsa_copy_enter(struct rec_call *call, rec_word signal)
{
	uint32_t token;

	call->user[0] = UNKNOWN;
	call->user[1] = 0;
	if (!signal || !hsa_times() || !(call->slot || rec_is_paused()))
		return;
	token = rec_guard_enter();
	if (hsa_clock_start()) { /* else there is no runtime that knows the signal */
		if (call->slot)
			call->user[0] = are_noted() ? NOTED : NOT_NOTED;
		call->user[1] = hsa_pending_enter(signal);
	}
	rec_guard_leave(token);
}

void hsa_copy_leave(const struct rec_call *call, rec_word signal, struct rec_span *copy)
{
	bool recorded = call->user[0] != UNKNOWN && copy->device != UINT32_MAX; /* else no device does it */
	uint32_t token;

	if (!call->user[0] && !call->user[1])
		return;
	token = rec_guard_enter();
	if (call->failed) {
		hsa_pending_cancel(signal, call->user[1]);
	} else {
		copy->queue = UINT32_MAX;
		copy->context = rec_context(&hsa_backend);
		if (recorded)
			rec_device_seen(&hsa_backend);
		if (recorded && call->user[0] == NOT_NOTED)
			rec_device_untimed(&hsa_backend);
		hsa_pending_leave(signal, call->user[1], 0, recorded && call->user[0] == NOTED ? copy : NULL);
	}
	rec_guard_leave(token);
}

/* Of the host's side nothing is told. */
static enum sonde_memory_kind memory_of(enum sonde_direction direction)
{
	return direction == SONDE_DIRECTION_d2d || direction == SONDE_DIRECTION_p2p ? SONDE_MEMORY_device
										     : SONDE_MEMORY_unknown;
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
	copy_out->memory = memory_of(copy_out->direction);
}

/* The program tells the direction itself, and which agent makes the copy. */
void hsa_copy_of_agent(rec_word agent, uint32_t direction, struct rec_span *copy_out)
{
	static const uint32_t told[] = {SONDE_DIRECTION_h2h, SONDE_DIRECTION_h2d, SONDE_DIRECTION_d2h,
					SONDE_DIRECTION_d2d};

	copy_out->kind = SONDE_KIND_copy;
	copy_out->device = hsa_place_of(agent).device;
	copy_out->direction = told[direction & 3];
	copy_out->memory = memory_of(copy_out->direction);
}
