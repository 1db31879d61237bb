/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the descriptions cannot say of this API: bytes of copies, and memory in use. Runs in the
 * traced program, called by the generated wrappers before and after the real function; must not
 * allocate, print, block or change errno. All hooks are optional: leave out what you do not need.
 */
#include "template_gen.h"
#include "record/rec_tools.h"

struct block {
	uint64_t bytes;
};
static struct rec_map blocks = REC_MAP(struct block); /* address -> block */

static const struct template_role *role_of(const struct rec_call *call)
{
	return &template_role[template_backend.symbol[call->symbol].function];
}

/* Before the real function: the last moment at which what is freed is still known. */
void template_enter(struct rec_call *call, rec_word *args)
{
	const struct template_role *role = role_of(call);
	struct block block;

	if (role->family != TEMPLATE_FAMILY_FREE)
		return;
	if (rec_map_take(&blocks, args[role->memory], &block) && rec_on())
		rec_memory(&template_backend, 0, SONDE_MEMORY_device, -(int64_t)block.bytes);
}

/* After it; call->slot is 0 when this call is not recorded, call->failed says how it went. */
void template_leave(struct rec_call *call, rec_word *args, rec_word result)
{
	const struct template_role *role = role_of(call);
	struct block block;

	if (call->failed)
		return;
	switch (role->family) {
	case TEMPLATE_FAMILY_COPY:
		if (call->slot)
			rec_call_bytes(call, args[role->bytes], 0, false);
		break;
	case TEMPLATE_FAMILY_ALLOC:
		block.bytes = args[role->bytes];
		if (rec_map_put(&blocks, result, &block) && rec_on())
			rec_memory(&template_backend, 0, SONDE_MEMORY_device, (int64_t)block.bytes);
		break;
	default:
		break;
	}
}
