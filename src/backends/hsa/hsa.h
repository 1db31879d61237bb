/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the HSA backend. Runs in the traced program; a question to the runtime is asked inside a guard. No vendor
 * header: the few constants of the API that are needed stand below, a handle is a machine word.
 *
 *	hsa.c        hooks of the wrappers
 *	hsa_tools.c  the tables that the runtime hands to tools
 *	hsa_place.c  which device or host memory a pool or region is
 */
#ifndef SONDE_BACKENDS_HSA_H
#define SONDE_BACKENDS_HSA_H

#include "hsa_gen.h"
#include "record/rec.h"

enum {
	HSA_SUCCESS = 0,
	HSA_AGENT_INFO_NAME = 0,
	HSA_AGENT_INFO_DEVICE = 17,
	HSA_DEVICE_CPU = 0,
	HSA_AGENT_INFO_BDFID = 0xa006,
	HSA_AGENT_INFO_PRODUCT_NAME = 0xa009,
	HSA_AGENT_INFO_DOMAIN = 0xa00f
};

/* Of the object that has rocprofiler-sdk: has it there before the runtime is. NULL: that object is not loaded. */
extern bool sonde_rocprofiler(void) __attribute__((weak));

/* ---- hsa_tools.c ---- */

bool hsa_tables_live(void); /* the runtime calls through wrappers in its tables */

/* ---- hsa_place.c ---- */

struct hsa_place {
	uint32_t device; /* rec_device(); UINT32_MAX: the host */
	uint32_t memory; /* enum sonde_memory_kind */
	uint32_t epoch;  /* when it was asked for */
	uint32_t reserved;
};
/* Of a pool or region. Asks the runtime the first time. */
struct hsa_place hsa_place_of(rec_word place);
void hsa_places_forget(void); /* the handles are worth nothing any more */

#endif
