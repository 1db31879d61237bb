/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock by which test programs tell what their constructs took, that of the records. */
#ifndef OMPT_TESTS_CLOCK_H
#define OMPT_TESTS_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Returns when it is over. */
static inline uint64_t rest(int milliseconds)
{
	struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};

	nanosleep(&time, NULL);
	return now();
}

#endif
