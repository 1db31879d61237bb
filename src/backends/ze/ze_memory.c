/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory in use by kind and device; which way a copy goes. */
#include "ze.h"

/* rec_call.user of a free */
enum { USER_TAKEN, USER_BYTES, USER_DEVICE, USER_MEMORY };

struct allocation {
	uint64_t bytes;
	uint32_t device; /* rec_device(); UINT32_MAX: host memory */
	uint32_t memory; /* enum sonde_memory_kind */
};
static struct rec_map addresses = REC_MAP(struct allocation);
static struct rec_map physical = REC_MAP(struct allocation);
static struct rec_map images = REC_MAP(struct allocation);
static struct rec_map elements = REC_MAP(struct allocation); /* of images: bytes of one */

static void allocated(const struct zed_call *view, struct rec_map *map, rec_word key, uint64_t bytes)
{
	struct allocation allocation = {
		.bytes = bytes,
		.device = zed_recorded(zed_device_of(zed_arg(view, ZE_ARG_DEVICE))),
		.memory = view->role->memory
	};

	if (!key || !zed_is_followed(view->call) || !rec_map_put(map, key, &allocation))
		return;
	rec_memory(&ze_backend, allocation.device, allocation.memory, (int64_t)bytes);
	if (view->call->slot)
		rec_call_bytes(view->call, bytes, 0, false);
}

/* Before the call: afterwards another thread may have been given the same address. */
static void freeing(const struct zed_call *view, struct rec_map *map, rec_word key)
{
	struct allocation allocation = { 0 };

	view->call->user[USER_TAKEN] = rec_map_take(map, key, &allocation);
	view->call->user[USER_BYTES] = allocation.bytes;
	view->call->user[USER_DEVICE] = allocation.device;
	view->call->user[USER_MEMORY] = allocation.memory;
}

/* One that was refused is still there. */
static void freed(const struct zed_call *view, struct rec_map *map, rec_word key)
{
	struct allocation allocation = {
		.bytes = view->call->user[USER_BYTES],
		.device = (uint32_t)view->call->user[USER_DEVICE],
		.memory = (uint32_t)view->call->user[USER_MEMORY]
	};

	if (!view->call->user[USER_TAKEN])
		return;
	if (view->call->failed)
		rec_map_put(map, key, &allocation);
	else
		rec_memory(&ze_backend, allocation.device, allocation.memory, -(int64_t)allocation.bytes);
}

void zed_address_leave(const struct zed_call *view)
{
	allocated(view, &addresses, zed_made(view), zed_arg(view, ZE_ARG_BYTES));
}

void zed_address_free_enter(const struct zed_call *view)
{
	freeing(view, &addresses, zed_arg(view, ZE_ARG_TO));
}

void zed_address_free_leave(const struct zed_call *view)
{
	freed(view, &addresses, zed_arg(view, ZE_ARG_TO));
}

void zed_physical_leave(const struct zed_call *view)
{
	const struct zed_physical_desc *desc = (const struct zed_physical_desc *)zed_arg(view, ZE_ARG_DESC);

	allocated(view, &physical, zed_made(view), desc ? desc->bytes : 0);
}

void zed_physical_free_enter(const struct zed_call *view)
{
	freeing(view, &physical, zed_arg(view, ZE_ARG_OBJECT));
}

void zed_physical_free_leave(const struct zed_call *view)
{
	freed(view, &physical, zed_arg(view, ZE_ARG_OBJECT));
}

/* ---- images ---------------------------------------------------------------------------------------------- */

/* By layout, as the standard numbers them; 0: a media format, whose planes differ. */
static const uint8_t element_bytes[] = { 1, 2, 4, 2, 4, 4, 8, 8, 16, 4, 4, 2, 2, 2, 1, [43] = 3, 6, 12 };

/* As the program describes it: a driver may take more. */
void zed_image_leave(const struct zed_call *view)
{
	const struct zed_image_desc *desc = (const struct zed_image_desc *)zed_arg(view, ZE_ARG_DESC);
	struct allocation element = { 0 };
	zed_handle image = zed_made(view);
	uint64_t items;

	if (!image || !desc || desc->layout >= sizeof(element_bytes))
		return;
	element.bytes = element_bytes[desc->layout];
	items = desc->width * (desc->height ? desc->height : 1) * (desc->depth ? desc->depth : 1) *
		(desc->layers ? desc->layers : 1);
	if (!element.bytes || !zed_is_followed(view->call))
		return;
	rec_map_put(&elements, image, &element);
	allocated(view, &images, image, items * element.bytes);
}

void zed_image_free_enter(const struct zed_call *view)
{
	freeing(view, &images, zed_arg(view, ZE_ARG_OBJECT));
}

void zed_image_free_leave(const struct zed_call *view)
{
	freed(view, &images, zed_arg(view, ZE_ARG_OBJECT));
}

uint64_t zed_image_bytes(zed_handle image, bool element)
{
	struct allocation found;

	return rec_map_get(element ? &elements : &images, image, &found) ? found.bytes : 0;
}

void zed_memory_reset(void)
{
	images = (struct rec_map)REC_MAP(struct allocation);
	elements = (struct rec_map)REC_MAP(struct allocation);
	addresses = (struct rec_map)REC_MAP(struct allocation);
	physical = (struct rec_map)REC_MAP(struct allocation);
}

/* ---- which way ------------------------------------------------------------------------------------------ */

/* Type of the memory at an address; images, which have none, lie on the device. */
static uint32_t type_of(zed_handle context, rec_word address, zed_handle *device_out)
{
	uint32_t (*get)(zed_handle, rec_word, struct zed_allocation *, zed_handle *) =
		(uint32_t (*)(zed_handle, rec_word, struct zed_allocation *, zed_handle *))
			ZED_REAL(zeMemGetAllocProperties);
	struct zed_allocation properties = { .stype = ZED_STYPE_ALLOCATION_PROPERTIES };
	uint32_t token;

	*device_out = 0;
	if (!address)
		return ZED_MEMORY_DEVICE;
	token = rec_guard_enter();
	if (!get || get(context, address, &properties, device_out) != ZED_SUCCESS)
		properties.type = ZED_MEMORY_UNKNOWN;
	rec_guard_leave(token);
	return properties.type;
}

static bool on_device(uint32_t type)
{
	return type == ZED_MEMORY_DEVICE || type == ZED_MEMORY_SHARED;
}

void zed_memory_transfer(zed_handle context, rec_word to, zed_handle from_context, rec_word from,
			 struct zed_command *command)
{
	static const uint8_t kind[] = { [ZED_MEMORY_UNKNOWN] = SONDE_MEMORY_pageable,
					[ZED_MEMORY_HOST] = SONDE_MEMORY_pinned };
	zed_handle to_device, from_device;
	uint32_t to_type = type_of(context, to, &to_device), from_type = type_of(from_context, from, &from_device);

	if (on_device(to_type) && on_device(from_type)) {
		bool other = to_device && from_device && to_device != from_device;

		command->direction = other ? SONDE_DIRECTION_p2p : SONDE_DIRECTION_d2d;
		command->memory = to_type == ZED_MEMORY_SHARED || from_type == ZED_MEMORY_SHARED ? SONDE_MEMORY_managed
												 : SONDE_MEMORY_device;
	} else if (on_device(to_type)) {
		command->direction = SONDE_DIRECTION_h2d;
		command->memory = kind[from_type & 1];
	} else if (on_device(from_type)) {
		command->direction = SONDE_DIRECTION_d2h;
		command->memory = kind[to_type & 1];
	} else {
		command->direction = SONDE_DIRECTION_h2h;
		command->memory = kind[to_type & 1];
	}
}
