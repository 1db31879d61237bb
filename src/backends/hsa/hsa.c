/* SPDX-License-Identifier: BSD-3-Clause */
/* HSA backend: the hooks of the generated wrappers. What a function means stands in hsa.roles. */
#include <string.h>

#include "hsa.h"

static struct rec_map blocks = REC_MAP(struct rec_block); /* by address */

static const struct hsa_role *role_of(const struct rec_call *call)
{
	return &hsa_role[hsa_backend.symbol[call->symbol].function];
}

/* What is allocated while recording is paused may be freed when it is not. */
static bool is_followed(const struct rec_call *call)
{
	return call->slot || rec_is_paused();
}

static void allocated(const struct rec_call *call, const struct hsa_role *role, const rec_word *args)
{
	rec_word address = call->failed || !args[role->made] ? 0 : *(const rec_word *)args[role->made];
	struct rec_block block = {.bytes = args[role->size]};
	struct hsa_place place;

	if (!address)
		return;
	place = hsa_place_of(args[role->place]);
	block.device = place.device;
	block.memory = place.memory;
	rec_block_made(&hsa_backend, call, &blocks, address, &block);
}

static void code_loaded(const struct rec_call *call)
{
	static const char name[] = "HSA code object";

	if (call->slot)
		rec_build(&hsa_backend, rec_name(name, sizeof(name) - 1), SONDE_BUILD_binary, call->duration,
			  call->failed);
}

void hsa_enter(struct rec_call *call, rec_word *args)
{
	const struct hsa_role *role = role_of(call);

	switch (role->family) {
	case HSA_FAMILY_RELEASE:
		rec_block_freeing(call, &blocks, args[role->address]);
		break;
	case HSA_FAMILY_START:
		if (sonde_rocprofiler)
			sonde_rocprofiler();
		break;
	case HSA_FAMILY_STOP: /* handles of pools are worth nothing afterwards */
		hsa_places_forget();
		break;
	default:
		break;
	}
}

void hsa_leave(struct rec_call *call, rec_word *args, rec_word result)
{
	const struct hsa_role *role = role_of(call);

	(void)result;
	switch (role->family) {
	case HSA_FAMILY_ALLOCATE:
		if (is_followed(call))
			allocated(call, role, args);
		break;
	case HSA_FAMILY_RELEASE:
		rec_block_freed(&hsa_backend, call, &blocks, args[role->address]);
		break;
	case HSA_FAMILY_TRANSFER:
		if (call->slot && !call->failed)
			rec_call_bytes(call, args[role->size], 0, false);
		break;
	case HSA_FAMILY_FILL:
		if (call->slot && !call->failed)
			rec_call_bytes(call, 4 * args[role->size], 0, false);
		break;
	case HSA_FAMILY_CODE:
		code_loaded(call);
		break;
	default:
		break;
	}
}

/* A record has been opened: the first one, or that of a forked child, which has no HSA. */
void hsa_opened(void)
{
	static bool before;

	if (!hsa_tables_live())
		rec_attached(&hsa_backend, "preload", NULL);
	if (before) {
		hsa_places_forget();
		blocks = (struct rec_map)REC_MAP(struct rec_block);
	}
	before = true;
}
