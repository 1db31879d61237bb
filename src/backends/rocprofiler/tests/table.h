/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulated rocprofiler-sdk, written from its documented behaviour, between a runtime (sim_runtime.c, libamdhip64)
 * and its tools. The runtime registers a table with rocprofiler-register (sim_register.c), which hands it to the
 * library (sim_sdk.c), which fills it in.
 *
 *   SIM_VERSION=N.N.N     of the library (1.0.0)
 *   SIM_ORDER=back        records of a buffer from the last to the first
 *   SIM_DROP=N            so many records find no room
 *   SIM_REFUSE=FUNCTION   rocprofiler_FUNCTION fails
 * and those of tests/sim/sim.h
 */
#ifndef SIM_ROCPROFILER_H
#define SIM_ROCPROFILER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim.h"

struct sim_operation {
	bool copy;
	int direction; /* enum rocp_copy */
	uint64_t kernel, queue, bytes;
	uint32_t group[3], grid[3];
	uint64_t external[8]; /* by client */
	struct sim_event *event;
};

struct sim_table {
	void (*loaded)(uint64_t kernel, const char *name);
	void (*stream)(uint64_t stream, bool enter);
	void (*started)(struct sim_operation *operation); /* on the thread that starts it */
	void (*ended)(const struct sim_operation *operation); /* with its times known, or not */
	void (*memory)(uint64_t address, uint64_t bytes);     /* 0: freed */
	void (*scratch)(uint64_t queue, uint64_t bytes);
};

#endif
