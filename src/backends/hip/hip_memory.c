/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory in use, by address; of memory that is made without one, by handle. Pages of its own, no allocator of the
 * program. A table that cannot grow forgets the newcomer: what depends on it is then unknown, never wrong.
 */
#include <string.h>
#include <sys/mman.h>

#include "hip.h"

#define FIRST_CAPACITY 256

enum user { USER_BASE, USER_BYTES, USER_MEMORY, USER_DEVICE };

struct range {
	uint64_t base, bytes;
	uint32_t memory; /* enum sonde_memory_kind */
	uint32_t device; /* rec_device() */
	uint32_t registered; /* the program's own memory: not in use by HIP */
	uint32_t reserved;
};
static struct {
	uint32_t lock;
	uint32_t used, capacity;
	struct range *range; /* sorted */
} ranges;

/* Index of the first range whose base is above the address. */
static uint32_t upper(uint64_t address)
{
	uint32_t low = 0, high = ranges.used;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ranges.range[middle].base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool grow(void)
{
	uint32_t capacity = ranges.capacity ? ranges.capacity * 2 : FIRST_CAPACITY;
	size_t bytes = capacity * sizeof(*ranges.range);
	void *pages;

	if (ranges.capacity)
		pages = mremap(ranges.range, ranges.capacity * sizeof(*ranges.range), bytes, MREMAP_MAYMOVE);
	else
		pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return false;
	ranges.range = pages;
	ranges.capacity = capacity;
	return true;
}

static bool add_range(const struct range *range)
{
	bool room;
	uint32_t at;

	rec_lock(&ranges.lock);
	room = ranges.used < ranges.capacity || grow();
	if (room) {
		at = upper(range->base);
		memmove(&ranges.range[at + 1], &ranges.range[at], (ranges.used - at) * sizeof(*range));
		ranges.range[at] = *range;
		ranges.used++;
	}
	rec_unlock(&ranges.lock);
	return room;
}

static bool take_range(uint64_t base, struct range *range_out)
{
	bool found = false;
	uint32_t at;

	rec_lock(&ranges.lock);
	at = upper(base);
	if (at && ranges.range[at - 1].base == base) {
		*range_out = ranges.range[--at];
		ranges.used--;
		memmove(&ranges.range[at], &ranges.range[at + 1], (ranges.used - at) * sizeof(*ranges.range));
		found = true;
	}
	rec_unlock(&ranges.lock);
	return found;
}

uint32_t hip_address_kind(uint64_t address)
{
	uint32_t kind = SONDE_MEMORY_pageable, at;

	rec_lock(&ranges.lock);
	at = upper(address);
	if (at && address - ranges.range[at - 1].base < ranges.range[at - 1].bytes)
		kind = ranges.range[at - 1].memory;
	rec_unlock(&ranges.lock);
	return kind;
}

/* In the child of a fork. */
void hip_memory_forget(void)
{
	ranges.lock = 0;
	ranges.used = 0;
}

static void count(const struct range *range, bool made)
{
	if (!range->registered)
		rec_memory(&hip_backend, range->device, range->memory, made ? (int64_t)range->bytes
									     : -(int64_t)range->bytes);
}

static void range_gone(uint64_t base)
{
	struct range range;

	if (take_range(base, &range))
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
	struct range range = { .memory = view->role->memory, .device = UINT32_MAX };
	struct hip_device *device;

	(void)result;
	if (!hip_is_followed(view->call) || view->call->failed || !made || !*made)
		return;
	range.base = *made;
	range.bytes = made_bytes(view);
	device = range.memory != SONDE_MEMORY_pinned ? current_device() : NULL;
	range.device = device ? device->recorded : UINT32_MAX;
	range_gone(range.base); /* freed by a call that was not seen */
	if (!range.bytes || !add_range(&range))
		return;
	count(&range, true);
	if (view->call->slot)
		rec_call_bytes(view->call, range.bytes, 0, false);
}

/* Before the call: afterwards another thread may have been given the same address. */
void hip_free_enter(const struct hip_call *view)
{
	struct range range;

	view->call->user[USER_BASE] = 0;
	if (!take_range(hip_arg(view, HIP_ARG_POINTER), &range))
		return;
	view->call->user[USER_BASE] = range.base;
	view->call->user[USER_BYTES] = range.bytes;
	view->call->user[USER_MEMORY] = range.memory;
	view->call->user[USER_DEVICE] = range.device;
}

void hip_free_leave(const struct hip_call *view, rec_word result)
{
	struct range range = {
		.base = view->call->user[USER_BASE],
		.bytes = view->call->user[USER_BYTES],
		.memory = (uint32_t)view->call->user[USER_MEMORY],
		.device = (uint32_t)view->call->user[USER_DEVICE]
	};

	(void)result;
	if (range.base && view->call->failed)
		add_range(&range);
	else if (range.base)
		count(&range, false);
}

void hip_register_leave(const struct hip_call *view, rec_word result)
{
	struct range range = {
		.base = hip_arg(view, HIP_ARG_POINTER),
		.bytes = hip_arg(view, HIP_ARG_BYTES),
		.memory = SONDE_MEMORY_pinned,
		.device = UINT32_MAX,
		.registered = 1
	};

	(void)result;
	if (!view->call->failed && hip_is_followed(view->call))
		add_range(&range);
}

void hip_unregister_enter(const struct hip_call *view)
{
	struct range range;

	take_range(hip_arg(view, HIP_ARG_POINTER), &range);
}

void hip_reset_enter(const struct hip_call *view)
{
	(void)view;
	hip_pending_collect(NULL);
}

/* hipDeviceReset() frees all that the current device has. */
void hip_reset_leave(const struct hip_call *view, rec_word result)
{
	struct hip_device *device = view->call->failed ? NULL : current_device();
	uint32_t left = 0;

	(void)result;
	if (!device)
		return;
	hip_pending_reset(device);
	rec_lock(&ranges.lock);
	for (uint32_t i = 0; i < ranges.used; i++) {
		if (ranges.range[i].device == device->recorded)
			count(&ranges.range[i], false);
		else
			ranges.range[left++] = ranges.range[i];
	}
	ranges.used = left;
	rec_unlock(&ranges.lock);
}
