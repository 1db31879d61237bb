/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a command moves: bytes, direction, kind of the memory on the host's side. Which arguments say
 * so stands in the role table; only what depends on values is decided here.
 */
#include "opencl.h"

static uint64_t region_bytes(const struct opencl_call *view)
{
	const size_t *region = (const size_t *)opencl_arg(view, OPENCL_ARG_REGION);
	uint64_t bytes, element = 1;

	if (!region)
		return 0;
	bytes = (uint64_t)region[0] * region[1] * region[2];
	if (opencl_has(view, OPENCL_ARG_IMAGE))
		element = opencl_info_word(view->level, OPENCL_OWN_clGetImageInfo,
					   opencl_arg(view, OPENCL_ARG_IMAGE), CL_IMAGE_ELEMENT_SIZE);
	return bytes * element;
}

static uint64_t plain_bytes(const struct opencl_call *view)
{
	if (opencl_has(view, OPENCL_ARG_BYTES))
		return opencl_arg(view, OPENCL_ARG_BYTES);
	return region_bytes(view);
}

/* Kind of the memory at a host address: inside a mapping or an SVM allocation, or the program's own. */
static uint32_t address_kind(uint64_t address)
{
	struct rec_extent range;

	if (rec_extents_find(&opencl_mappings, address, &range) ||
	    rec_extents_find(&opencl_pointers, address, &range))
		return range.memory;
	return SONDE_MEMORY_pageable;
}

static void map_transfer(const struct opencl_call *view, rec_word result, struct opencl_transfer *transfer)
{
	struct rec_extent range = {
		.base = opencl_has(view, OPENCL_ARG_OBJECT) ? result : opencl_arg(view, OPENCL_ARG_POINTER),
		.bytes = plain_bytes(view),
		.flags = opencl_arg(view, OPENCL_ARG_FLAGS),
		.memory = SONDE_MEMORY_svm
	};

	if (opencl_has(view, OPENCL_ARG_OBJECT))
		range.memory = opencl_memory_kind(view->level, opencl_arg(view, OPENCL_ARG_OBJECT)) ==
					       SONDE_MEMORY_pinned
				       ? SONDE_MEMORY_pinned
				       : SONDE_MEMORY_unknown;
	rec_extents_add(&opencl_mappings, &range);
	transfer->direction = SONDE_DIRECTION_d2h;
	transfer->memory = range.memory;
	if (!(range.flags & CL_MAP_WRITE_INVALIDATE_REGION)) /* which says that nothing need be fetched */
		transfer->bytes = range.bytes;
}

static void unmap_transfer(const struct opencl_call *view, struct opencl_transfer *transfer)
{
	struct rec_extent range;

	transfer->direction = SONDE_DIRECTION_h2d;
	if (!rec_extents_take(&opencl_mappings, opencl_arg(view, OPENCL_ARG_POINTER), &range))
		return;
	transfer->memory = range.memory;
	if (range.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
		transfer->bytes = range.bytes;
}

/* Between two addresses: where they lie tells the direction. */
static void address_transfer(const struct opencl_call *view, struct opencl_transfer *transfer)
{
	uint32_t to = address_kind(opencl_arg(view, OPENCL_ARG_POINTER));
	uint32_t from = address_kind(opencl_arg(view, OPENCL_ARG_FROM));
	bool to_host = to == SONDE_MEMORY_pageable, from_host = from == SONDE_MEMORY_pageable;

	transfer->bytes = plain_bytes(view);
	transfer->memory = to_host ? from : to;
	if (to_host && from_host)
		transfer->direction = SONDE_DIRECTION_h2h;
	else if (to_host)
		transfer->direction = SONDE_DIRECTION_d2h;
	else
		transfer->direction = from_host ? SONDE_DIRECTION_h2d : SONDE_DIRECTION_d2d;
}

static uint64_t pointers_bytes(const struct opencl_call *view, uint32_t count)
{
	const uint64_t *pointers = (const uint64_t *)opencl_arg(view, OPENCL_ARG_POINTERS);
	const size_t *sizes = (const size_t *)opencl_arg(view, OPENCL_ARG_SIZES);
	uint64_t bytes = 0;
	struct rec_extent range;

	for (uint32_t i = 0; pointers && i < count; i++) {
		if (sizes && sizes[i])
			bytes += sizes[i];
		else if (rec_extents_find(&opencl_pointers, pointers[i], &range))
			bytes += range.bytes;
	}
	return bytes;
}

static uint64_t objects_bytes(const struct opencl_call *view, uint32_t count)
{
	const cl_handle *objects = (const cl_handle *)opencl_arg(view, OPENCL_ARG_OBJECTS);
	uint64_t bytes = 0;

	for (uint32_t i = 0; objects && i < count; i++)
		bytes += opencl_info_word(view->level, OPENCL_OWN_clGetMemObjectInfo, objects[i], CL_MEM_SIZE);
	return bytes;
}

/* To the queue's device, or back to the host. */
static void migrate_transfer(const struct opencl_call *view, struct opencl_transfer *transfer)
{
	uint64_t flags = opencl_arg(view, OPENCL_ARG_FLAGS);
	uint32_t count = opencl_arg32(view, OPENCL_ARG_COUNT);
	bool svm = !opencl_has(view, OPENCL_ARG_OBJECTS);

	transfer->direction = flags & CL_MIGRATE_MEM_OBJECT_HOST ? SONDE_DIRECTION_d2h : SONDE_DIRECTION_h2d;
	transfer->memory = svm ? SONDE_MEMORY_svm : SONDE_MEMORY_unknown;
	if (flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)
		return;
	if (opencl_has(view, OPENCL_ARG_BYTES))
		transfer->bytes = opencl_arg(view, OPENCL_ARG_BYTES);
	else
		transfer->bytes = svm ? pointers_bytes(view, count) : objects_bytes(view, count);
}

static void copy_transfer(const struct opencl_call *view, struct opencl_transfer *transfer)
{
	if (opencl_has(view, OPENCL_ARG_FLAGS)) {
		migrate_transfer(view, transfer);
		return;
	}
	if (opencl_has(view, OPENCL_ARG_FROM)) {
		address_transfer(view, transfer);
		return;
	}
	transfer->bytes = plain_bytes(view);
	transfer->direction = view->role->direction;
	transfer->memory = opencl_has(view, OPENCL_ARG_POINTER) ? address_kind(opencl_arg(view, OPENCL_ARG_POINTER))
								 : SONDE_MEMORY_device;
}

void opencl_transfer_of(const struct opencl_call *view, rec_word result, struct opencl_transfer *transfer_out)
{
	switch (opencl_kind(view)) {
	case SONDE_KIND_copy:
		copy_transfer(view, transfer_out);
		break;
	case SONDE_KIND_fill:
		transfer_out->bytes = plain_bytes(view);
		transfer_out->direction = SONDE_DIRECTION_fill;
		transfer_out->memory = SONDE_MEMORY_device;
		break;
	case SONDE_KIND_map:
		if (opencl_has(view, OPENCL_ARG_FLAGS))
			map_transfer(view, result, transfer_out);
		else
			unmap_transfer(view, transfer_out);
		break;
	default:
		break;
	}
}

uint64_t opencl_transfer_frees(const struct opencl_call *view)
{
	const uint64_t *pointers = (const uint64_t *)opencl_arg(view, OPENCL_ARG_POINTERS);
	uint32_t count = opencl_arg32(view, OPENCL_ARG_COUNT);
	uint64_t bytes = 0;
	struct rec_extent range;

	/* with a callback of its own the program frees them there, by a call that is seen */
	if (opencl_kind(view) != SONDE_KIND_free || opencl_arg(view, OPENCL_ARG_NOTIFY))
		return 0;
	for (uint32_t i = 0; pointers && i < count; i++)
		if (rec_extents_take(&opencl_pointers, pointers[i], &range))
			bytes += range.bytes;
	return bytes;
}
