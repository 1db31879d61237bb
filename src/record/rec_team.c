/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that work together, and wait for each other when they are done. */
#include "record/rec_state.h"

void rec_team_arrive(struct rec_team *team)
{
	uint64_t ticks = rec_now_ticks() - team->begin;
	uint64_t last = __atomic_load_n(&team->arrived_last, __ATOMIC_RELAXED);

	__atomic_fetch_add(&team->arrived_sum, ticks, __ATOMIC_RELAXED);
	while (last < ticks && !__atomic_compare_exchange_n(&team->arrived_last, &last, ticks, true, __ATOMIC_RELAXED,
							    __ATOMIC_RELAXED))
		;
	__atomic_fetch_add(&team->arrived, 1, __ATOMIC_RELEASE);
}

uint64_t rec_team_waited(const struct rec_team *team, uint64_t end)
{
	uint64_t helped = __atomic_load_n(&team->helped, __ATOMIC_RELAXED);
	uint64_t all = team->arrived * (helped ? end - team->begin : team->arrived_last);
	uint64_t worked = team->arrived_sum + helped;

	return team->waited + (all > worked ? all - worked : 0);
}

void rec_call_team(const struct rec_call *call, uint64_t team, uint64_t waited)
{
	struct fmt_function *function = rec_area_item(FMT_SECTION_FUNCTIONS, call->slot - 1);

	__atomic_fetch_add(&function->team, team, __ATOMIC_RELAXED);
	__atomic_fetch_add(&function->team_waited, waited, __ATOMIC_RELAXED);
}
