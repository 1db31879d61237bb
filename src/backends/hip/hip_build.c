/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds: what hiprtc compiles from source, and modules that are loaded. */
#include <string.h>

#include "hip.h"

#define NAME_MOST 256

struct program {
	uint64_t name; /* rec_name() */
	uint32_t generation;
	uint32_t reserved;
};
static struct rec_map programs = REC_MAP(struct program);

/* The call that compiles does not say the name. */
void hip_program_leave(const struct hip_call *view, rec_word result)
{
	const hip_handle *made = (const hip_handle *)hip_arg(view, HIP_ARG_MADE);
	const char *name = (const char *)hip_arg(view, HIP_ARG_NAME);
	struct program program = { .generation = hip_generation };

	(void)result;
	if (!view->call->slot || view->call->failed || !made)
		return;
	if (!name || !*name)
		name = "unnamed program";
	program.name = rec_name(name, strlen(name));
	rec_map_put(&programs, *made, &program);
}

void hip_compile_leave(const struct hip_call *view, rec_word result)
{
	struct program program = { 0 };

	(void)result;
	if (!view->call->slot)
		return;
	rec_map_get(&programs, hip_arg(view, HIP_ARG_PROGRAM), &program);
	if (program.generation != hip_generation)
		program.name = 0;
	rec_build(&hip_backend, program.name, SONDE_BUILD_source, view->call->duration, view->call->failed);
}

void hip_load_leave(const struct hip_call *view, rec_word result)
{
	const char *name = (const char *)hip_arg(view, HIP_ARG_NAME), *file;

	(void)result;
	if (!view->call->slot)
		return;
	if (view->call->failed && name && !rec_readable(name, NAME_MOST)) /* what was refused may be no address */
		name = "module";
	file = name ? strrchr(name, '/') : NULL;
	name = file ? file + 1 : name ? name : "module in memory";
	rec_build(&hip_backend, rec_name(name, strlen(name)), SONDE_BUILD_binary, view->call->duration,
		  view->call->failed);
}
