/* SPDX-License-Identifier: BSD-3-Clause */
/* HSA backend: the hooks of the generated wrappers. What a function means stands in hsa.roles. */
#include <string.h>

#include "hsa.h"

struct block {
	uint64_t bytes;
	struct hsa_place place;
};
static struct rec_map blocks = REC_MAP(struct block); /* by address */

/* rec_call.user of calls that free */
enum { USER_KNOWN, USER_BYTES, USER_DEVICE, USER_MEMORY };

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
	rec_word address = call->failed ? 0 : *(const rec_word *)args[role->made];
	struct block block = {.bytes = args[role->size]};

	if (!address)
		return;
	block.place = hsa_place_of(args[role->place]);
	if (!rec_map_put(&blocks, address, &block))
		return;
	rec_memory(&hsa_backend, block.place.device, (enum sonde_memory_kind)block.place.memory, (int64_t)block.bytes);
	if (call->slot)
		rec_call_bytes(call, block.bytes, 0, false);
}

/* Before the call: afterwards another thread may have been given the same address. */
static void release(struct rec_call *call, rec_word address)
{
	struct block block;

	call->user[USER_KNOWN] = address && rec_map_take(&blocks, address, &block);
	if (!call->user[USER_KNOWN])
		return;
	call->user[USER_BYTES] = block.bytes;
	call->user[USER_DEVICE] = block.place.device;
	call->user[USER_MEMORY] = block.place.memory;
}

static void released(const struct rec_call *call, rec_word address)
{
	struct block block = {
		.bytes = call->user[USER_BYTES],
		.place = {.device = (uint32_t)call->user[USER_DEVICE], .memory = (uint32_t)call->user[USER_MEMORY]},
	};

	if (!call->user[USER_KNOWN])
		return;
	if (call->failed)
		rec_map_put(&blocks, address, &block);
	else
		rec_memory(&hsa_backend, block.place.device, (enum sonde_memory_kind)block.place.memory,
			   -(int64_t)block.bytes);
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
		release(call, args[role->address]);
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
		released(call, args[role->address]);
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
		blocks = (struct rec_map)REC_MAP(struct block);
	}
	before = true;
}
