/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long which things were going on at once. Of each kind several may go on; changes come in order of time, which
 * has any unit and origin.
 */
#ifndef SONDE_ANALYZE_ACTIVITY_H
#define SONDE_ANALYZE_ACTIVITY_H

#include <stdint.h>

enum activity_kind {
	ACTIVITY_KERNEL, ACTIVITY_COPY, ACTIVITY_COMM, ACTIVITY_WAIT, /* WAIT: a call waits for a device */
	ACTIVITY_KINDS
};

#define ACTIVITY_SETS (1u << ACTIVITY_KINDS)

struct activity {
	uint64_t ns[ACTIVITY_SETS]; /* by the set of kinds that went on; of the empty set not known */
	uint32_t going[ACTIVITY_KINDS];
	uint32_t set;               /* of those with going > 0 */
	int64_t since;              /* the last change */
};

static inline void activity_advance(struct activity *activity, int64_t time)
{
	if (time <= activity->since)
		return;
	if (activity->set)
		activity->ns[activity->set] += (uint64_t)time - (uint64_t)activity->since;
	activity->since = time;
}

static inline void activity_begin(struct activity *activity, enum activity_kind kind, int64_t time)
{
	if (!activity->set)
		activity->since = time;
	activity_advance(activity, time);
	activity->going[kind]++;
	activity->set |= 1u << kind;
}

static inline void activity_end(struct activity *activity, enum activity_kind kind, int64_t time)
{
	activity_advance(activity, time);
	if (!--activity->going[kind])
		activity->set &= ~(1u << kind);
}

/* Time in which all kinds of `set` went on, whatever else did. */
static inline uint64_t activity_sum(const struct activity *activity, uint32_t set)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < ACTIVITY_SETS; i++)
		if ((i & set) == set)
			sum += activity->ns[i];
	return sum;
}

#endif
