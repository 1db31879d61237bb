/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory in use by kind and device; which way a copy goes. */
#include "ze.h"

static struct rec_map addresses = REC_MAP(struct rec_block);
static struct rec_map physical = REC_MAP(struct rec_block);
static struct rec_map images = REC_MAP(struct rec_block);
static struct rec_map elements = REC_MAP(uint64_t); /* of images: bytes of one */

static void allocated(const struct zed_call *view, struct rec_map *map, rec_word key, uint64_t bytes)
{
	struct rec_block block = {
		.bytes = bytes,
		.device = zed_recorded(zed_device_of(zed_arg(view, ZE_ARG_DEVICE))),
		.memory = view->role->memory
	};

	if (zed_is_followed(view->call))
		rec_block_made(&ze_backend, view->call, map, key, &block);
}

void zed_address_leave(const struct zed_call *view)
{
	allocated(view, &addresses, zed_made(view), zed_arg(view, ZE_ARG_BYTES));
}

void zed_address_free_enter(const struct zed_call *view)
{
	rec_block_freeing(view->call, &addresses, zed_arg(view, ZE_ARG_TO));
}

void zed_address_free_leave(const struct zed_call *view)
{
	rec_block_freed(&ze_backend, view->call, &addresses, zed_arg(view, ZE_ARG_TO));
}

void zed_physical_leave(const struct zed_call *view)
{
	const struct zed_physical_desc *desc = (const struct zed_physical_desc *)zed_arg(view, ZE_ARG_DESC);

	if (!view->call->failed && desc)
		allocated(view, &physical, zed_made(view), desc->bytes);
}

void zed_physical_free_enter(const struct zed_call *view)
{
	rec_block_freeing(view->call, &physical, zed_arg(view, ZE_ARG_OBJECT));
}

void zed_physical_free_leave(const struct zed_call *view)
{
	rec_block_freed(&ze_backend, view->call, &physical, zed_arg(view, ZE_ARG_OBJECT));
}

/* ---- images ---------------------------------------------------------------------------------------------- */

/* By layout, as the standard numbers them; 0: a media format, whose planes differ. */
static const uint8_t element_bytes[] = { 1, 2, 4, 2, 4, 4, 8, 8, 16, 4, 4, 2, 2, 2, 1, [43] = 3, 6, 12 };

/* As the program describes it: a driver may take more. */
void zed_image_leave(const struct zed_call *view)
{
	const struct zed_image_desc *desc = (const struct zed_image_desc *)zed_arg(view, ZE_ARG_DESC);
	zed_handle image = zed_made(view);
	uint64_t items, element;

	if (!image || !desc || desc->layout >= sizeof(element_bytes))
		return;
	element = element_bytes[desc->layout];
	items = desc->width * (desc->height ? desc->height : 1) * (desc->depth ? desc->depth : 1) *
		(desc->layers ? desc->layers : 1);
	if (!element || !zed_is_followed(view->call))
		return;
	rec_map_put(&elements, image, &element);
	allocated(view, &images, image, items * element);
}

void zed_image_free_enter(const struct zed_call *view)
{
	rec_block_freeing(view->call, &images, zed_arg(view, ZE_ARG_OBJECT));
}

void zed_image_free_leave(const struct zed_call *view)
{
	rec_block_freed(&ze_backend, view->call, &images, zed_arg(view, ZE_ARG_OBJECT));
}

uint64_t zed_image_bytes(zed_handle image, bool element)
{
	struct rec_block found;
	uint64_t bytes;

	if (element)
		return rec_map_get(&elements, image, &bytes) ? bytes : 0;
	return rec_map_get(&images, image, &found) ? found.bytes : 0;
}

void zed_memory_reset(void)
{
	images = (struct rec_map)REC_MAP(struct rec_block);
	elements = (struct rec_map)REC_MAP(uint64_t);
	addresses = (struct rec_map)REC_MAP(struct rec_block);
	physical = (struct rec_map)REC_MAP(struct rec_block);
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
	static const uint8_t kind[] = {
		[ZED_MEMORY_UNKNOWN] = SONDE_MEMORY_pageable, [ZED_MEMORY_HOST] = SONDE_MEMORY_pinned,
		[ZED_MEMORY_DEVICE] = SONDE_MEMORY_device, [ZED_MEMORY_SHARED] = SONDE_MEMORY_managed,
	};
	zed_handle to_device, from_device;
	uint32_t to_type = type_of(context, to, &to_device), from_type = type_of(from_context, from, &from_device);

	if (command->direction) {
		command->memory = kind[to_type & 3];
	} else if (on_device(to_type) && on_device(from_type)) {
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
