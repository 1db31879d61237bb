/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds: what NVRTC compiles from source, and what the driver makes of an intermediate form or finds in its cache when
 * a library brings no code for the device.
 */
#include <string.h>

#include "cupti.h"

enum create_argument { CREATE_PROGRAM, CREATE_SOURCE, CREATE_NAME };
enum compile_argument { COMPILE_PROGRAM };

struct program {
	uint64_t name; /* rec_name() */
};
static struct rec_map programs = REC_MAP(struct program);

/* nvrtcCreateProgram() has returned: the call that compiles does not say the name. */
void cuda_program_made(const struct rec_call *call, const rec_word *args)
{
	const rec_word *handle = (const rec_word *)args[CREATE_PROGRAM];
	const char *name = (const char *)args[CREATE_NAME];
	struct program program;

	if (!call->slot || call->failed || !handle)
		return;
	if (!name || !*name)
		name = "default_program"; /* as NVRTC calls it */
	program.name = rec_name(name, strlen(name));
	rec_map_put(&programs, *handle, &program);
}

void cuda_program_compiled(const struct rec_call *call, const rec_word *args)
{
	struct program program = {0};

	if (!call->slot)
		return;
	rec_map_get(&programs, args[COMPILE_PROGRAM], &program);
	rec_build(&cuda_backend, program.name, SONDE_BUILD_source, call->duration, call->failed);
}

/* Names are numbers in the record of one process. */
void cuda_programs_forget(void)
{
	programs = (struct rec_map)REC_MAP(struct program);
}

/* Stores into the cache take part of a compilation's time and are no builds. */
void cuda_jit(const struct cupti_jit_record *jit)
{
	bool loaded = jit->operation == CUPTI_JIT_CACHE_LOAD;
	const char *path = jit->cache_path ? jit->cache_path : "", *file = strrchr(path, '/');

	if ((!loaded && jit->operation != CUPTI_JIT_COMPILE) || cuda_start_of(jit->correlation).paused)
		return;
	file = file ? file + 1 : path;
	rec_build(&cuda_backend, rec_name(file, strlen(file)), loaded ? SONDE_BUILD_cache : SONDE_BUILD_il,
		  rec_ticks_in(jit->end > jit->begin ? jit->end - jit->begin : 0), false);
}
