/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory in use, by address; which way a copy goes is told by it. */
#include "hip.h"

enum user { USER_BASE, USER_BYTES, USER_MEMORY, USER_DEVICE };

#define REGISTERED 1u /* flag: the program's own memory, not in use by HIP */

static struct rec_extents ranges; /* a device is a struct hip_device *; NULL: the host */

uint32_t hip_address_kind(uint64_t address)
{
	struct rec_extent range;

	return rec_extents_find(&ranges, address, &range) ? range.memory : SONDE_MEMORY_pageable;
}

/* In the child of a fork. */
void hip_memory_forget(void)
{
	rec_extents_clear(&ranges);
}

static void count(const struct rec_extent *range, bool made)
{
	const struct hip_device *device = range->device;

	if (range->flags != REGISTERED)
		rec_memory(&hip_backend, device ? device->recorded : UINT32_MAX, (enum sonde_memory_kind)range->memory,
			   made ? (int64_t)range->bytes : -(int64_t)range->bytes);
}

static void range_gone(uint64_t base)
{
	struct rec_extent range;

	if (rec_extents_take(&ranges, base, &range))
		count(&range, false);
}

/* ---- hooks --------------------------------------------------------------------------------------------------- */

static uint64_t made_bytes(const struct hip_call *view)
{
	const uint64_t *made = (const uint64_t *)hip_arg(view, HIP_ARG_MADE);
	const uint64_t *pitch = (const uint64_t *)hip_arg(view, HIP_ARG_PITCH);
	const uint64_t *extent = (const uint64_t *)hip_arg(view, HIP_ARG_EXTENT);

	if (view->role->size == HIP_SIZE_AREA) /* as wide as the runtime made it */
		return pitch ? *pitch * hip_arg(view, HIP_ARG_HEIGHT) : 0;
	if (view->role->size == HIP_SIZE_EXTENT) /* hipPitchedPtr: the address, then the width */
		return extent ? made[1] * extent[1] * extent[2] : 0;
	return hip_arg(view, HIP_ARG_BYTES);
}

static struct hip_device *current_device(void)
{
	struct hip_device *device;
	struct hip_ask ask;

	if (!hip_ask_begin(&ask))
		return NULL;
	device = hip_device(hip_current_device());
	hip_ask_end(&ask);
	return device;
}

void hip_alloc_leave(const struct hip_call *view, rec_word result)
{
	const uint64_t *made = (const uint64_t *)hip_arg(view, HIP_ARG_MADE);
	struct rec_extent range = { .memory = view->role->memory };

	(void)result;
	if (!hip_is_followed(view->call) || view->call->failed || !made || !*made)
		return;
	range.base = *made;
	range.bytes = made_bytes(view);
	range.device = range.memory != SONDE_MEMORY_pinned ? current_device() : NULL;
	range_gone(range.base); /* freed by a call that was not seen */
	if (!range.bytes || !rec_extents_add(&ranges, &range))
		return;
	count(&range, true);
	if (view->call->slot)
		rec_call_bytes(view->call, range.bytes, 0, false);
}

/* Before the call: afterwards another thread may have been given the same address. */
void hip_free_enter(const struct hip_call *view)
{
	struct rec_extent range;

	view->call->user[USER_BASE] = 0;
	if (!rec_extents_take(&ranges, hip_arg(view, HIP_ARG_POINTER), &range))
		return;
	view->call->user[USER_BASE] = range.base;
	view->call->user[USER_BYTES] = range.bytes;
	view->call->user[USER_MEMORY] = range.memory;
	view->call->user[USER_DEVICE] = (uintptr_t)range.device;
}

void hip_free_leave(const struct hip_call *view, rec_word result)
{
	struct rec_extent range = {
		.base = view->call->user[USER_BASE],
		.bytes = view->call->user[USER_BYTES],
		.memory = (uint32_t)view->call->user[USER_MEMORY],
		.device = (void *)(uintptr_t)view->call->user[USER_DEVICE]
	};

	(void)result;
	if (range.base && view->call->failed)
		rec_extents_add(&ranges, &range);
	else if (range.base)
		count(&range, false);
}

void hip_register_leave(const struct hip_call *view, rec_word result)
{
	struct rec_extent range = {
		.base = hip_arg(view, HIP_ARG_POINTER),
		.bytes = hip_arg(view, HIP_ARG_BYTES),
		.memory = SONDE_MEMORY_pinned,
		.flags = REGISTERED
	};

	(void)result;
	if (!view->call->failed && hip_is_followed(view->call))
		rec_extents_add(&ranges, &range);
}

void hip_unregister_enter(const struct hip_call *view)
{
	struct rec_extent range;

	rec_extents_take(&ranges, hip_arg(view, HIP_ARG_POINTER), &range);
}

void hip_reset_enter(const struct hip_call *view)
{
	(void)view;
	hip_pending_collect(NULL);
}

static bool is_of_device(const struct rec_extent *range, void *device)
{
	if (range->device != device)
		return false;
	count(range, false);
	return true;
}

/* hipDeviceReset() frees all that the current device has. */
void hip_reset_leave(const struct hip_call *view, rec_word result)
{
	struct hip_device *device = view->call->failed ? NULL : current_device();

	(void)result;
	if (!device)
		return;
	hip_captures_reset(device);
	hip_pending_reset(device);
	rec_extents_drop(&ranges, is_of_device, device);
}
