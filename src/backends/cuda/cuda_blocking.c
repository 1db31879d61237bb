/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies that the program waits for: of such a call only the time in which its data moved is a copy, the rest is
 * waiting for the device. Its record may come before or after its end, so whichever is second adds them up.
 */
#include "cupti.h"

struct blocking {
	uint64_t begin_ns;
	struct fmt_stats *row; /* NULL: the call has not ended */
	uint64_t ticks, wall_ns; /* what it took */
	uint64_t device_ns;
	bool ran;
};
static struct rec_map calls = REC_MAP(struct blocking); /* by correlation */

static void add(const struct blocking *call)
{
	uint64_t device_ns = call->device_ns < call->wall_ns ? call->device_ns : call->wall_ns;

	__atomic_fetch_add(&call->row->blocked, call->ticks, __ATOMIC_RELAXED);
	__atomic_fetch_add(&call->row->device_ns, device_ns, __ATOMIC_RELAXED);
}

void cuda_blocking_begins(uint32_t correlation)
{
	struct blocking call = {.begin_ns = rec_raw_ns()};

	rec_map_put(&calls, correlation, &call);
}

void cuda_blocking_ends(uint32_t correlation, const struct rec_call *recorded)
{
	struct blocking *call, ended = {0};

	if (!recorded->slot || recorded->failed || !correlation) {
		rec_map_take(&calls, correlation, NULL);
		return;
	}
	call = rec_map_lock(&calls, correlation, false);
	if (!call) /* it did not wait */
		return;
	call->row = rec_call_row(recorded);
	call->ticks = recorded->duration;
	call->wall_ns = rec_raw_ns() - call->begin_ns;
	ended = *call;
	rec_map_unlock(&calls);
	if (ended.ran && rec_map_take(&calls, correlation, NULL))
		add(&ended);
}

void cuda_blocking_ran(uint32_t correlation, bool waited, uint64_t device_ns)
{
	struct blocking *call, ran;

	if (!waited) {
		rec_map_take(&calls, correlation, NULL);
		return;
	}
	call = rec_map_lock(&calls, correlation, false);
	if (!call)
		return;
	call->ran = true;
	call->device_ns = device_ns;
	ran = *call;
	rec_map_unlock(&calls);
	if (ran.row && rec_map_take(&calls, correlation, NULL))
		add(&ran);
}

void cuda_blocking_forget(void)
{
	calls = (struct rec_map)REC_MAP(struct blocking);
}
