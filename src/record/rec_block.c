/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of memory that a runtime gives out by address or handle: in use from the call that made them on. */
#include "record/rec_state.h"

enum { USER_TAKEN, USER_BYTES, USER_DEVICE, USER_MEMORY }; /* rec_call.user of a call that frees */

void rec_block_made(struct rec_backend *backend, const struct rec_call *call, struct rec_map *blocks, rec_word key,
		    const struct rec_block *block)
{
	if (!key || !rec_map_put(blocks, key, block))
		return;
	rec_memory(backend, block->device, (enum sonde_memory_kind)block->memory, (int64_t)block->bytes);
	if (call->slot)
		rec_call_bytes(call, block->bytes, 0, false);
}

/* Before the call: afterwards another thread may have been given the same address. */
void rec_block_freeing(struct rec_call *call, struct rec_map *blocks, rec_word key)
{
	struct rec_block block = { 0 };

	call->user[USER_TAKEN] = key && rec_map_take(blocks, key, &block);
	call->user[USER_BYTES] = block.bytes;
	call->user[USER_DEVICE] = block.device;
	call->user[USER_MEMORY] = block.memory;
}

/* One that was refused is still there. */
void rec_block_freed(struct rec_backend *backend, const struct rec_call *call, struct rec_map *blocks, rec_word key)
{
	struct rec_block block = {
		.bytes = call->user[USER_BYTES],
		.device = (uint32_t)call->user[USER_DEVICE],
		.memory = (uint32_t)call->user[USER_MEMORY]
	};

	if (!call->user[USER_TAKEN])
		return;
	if (call->failed)
		rec_map_put(blocks, key, &block);
	else
		rec_memory(backend, block.device, (enum sonde_memory_kind)block.memory, -(int64_t)block.bytes);
}
