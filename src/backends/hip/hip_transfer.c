/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an operation moves: bytes, direction, kind of the memory on the host's side. Which arguments say so stands in
 * the role table; only what depends on values is decided here.
 */
#include "hip.h"

enum memcpy_kind { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE };

#define CPU_DEVICE (-1) /* of a prefetch: back to the host */

/* Words of hip_Memcpy2D and of hipMemcpy3DParms. */
enum { PARAMS2D_WIDTH = 14, PARAMS2D_HEIGHT = 15 };
enum { PARAMS3D_SRC_ARRAY = 0, PARAMS3D_SRC = 4, PARAMS3D_DST_ARRAY = 8, PARAMS3D_DST = 12, PARAMS3D_EXTENT = 16,
       PARAMS3D_KIND = 19 };

static uint64_t volume(const uint64_t *extent)
{
	return extent ? extent[0] * extent[1] * extent[2] : 0;
}

static uint64_t bytes_of(const struct hip_call *view)
{
	const uint64_t *params = (const uint64_t *)hip_arg(view, HIP_ARG_PARAMS);
	uint64_t bytes = hip_arg(view, HIP_ARG_BYTES);

	switch (view->role->size) {
	case HIP_SIZE_BYTES:
		return bytes;
	case HIP_SIZE_HALVES:
		return bytes * 2;
	case HIP_SIZE_WORDS:
		return bytes * 4;
	case HIP_SIZE_AREA:
		return hip_arg(view, HIP_ARG_WIDTH) * hip_arg(view, HIP_ARG_HEIGHT);
	case HIP_SIZE_EXTENT:
		return volume((const uint64_t *)hip_arg(view, HIP_ARG_EXTENT));
	case HIP_SIZE_PARAMS2D:
		return params ? params[PARAMS2D_WIDTH] * params[PARAMS2D_HEIGHT] : 0;
	case HIP_SIZE_PARAMS3D: /* between arrays it counts elements, whose size it does not say */
		return params && !params[PARAMS3D_SRC_ARRAY] && !params[PARAMS3D_DST_ARRAY]
			       ? volume(params + PARAMS3D_EXTENT) : 0;
	default:
		return 0;
	}
}

static bool on_host(uint32_t memory)
{
	return memory == SONDE_MEMORY_pageable || memory == SONDE_MEMORY_pinned;
}

/* Where the runtime is to find out by the addresses: as it does. */
static uint32_t direction_between(uint32_t to, uint32_t from)
{
	if (on_host(to))
		return on_host(from) ? SONDE_DIRECTION_h2h : SONDE_DIRECTION_d2h;
	return on_host(from) ? SONDE_DIRECTION_h2d : SONDE_DIRECTION_d2d;
}

static uint32_t direction_of_kind(uint32_t kind, uint32_t to, uint32_t from)
{
	switch (kind) {
	case HOST_TO_HOST:
		return SONDE_DIRECTION_h2h;
	case HOST_TO_DEVICE:
		return SONDE_DIRECTION_h2d;
	case DEVICE_TO_HOST:
		return SONDE_DIRECTION_d2h;
	case DEVICE_TO_DEVICE:
		return SONDE_DIRECTION_d2d;
	default:
		return direction_between(to, from);
	}
}

static void copy_transfer(const struct hip_call *view, struct hip_transfer *transfer)
{
	const uint64_t *params = (const uint64_t *)hip_arg(view, HIP_ARG_PARAMS);
	bool whole = view->role->size == HIP_SIZE_PARAMS3D && params;
	uint64_t to_address = whole ? params[PARAMS3D_DST] : hip_arg(view, HIP_ARG_TO);
	uint64_t from_address = whole ? params[PARAMS3D_SRC] : hip_arg(view, HIP_ARG_FROM);
	/* a symbol or an array has no address here, and lies in the device's memory */
	uint32_t to = to_address ? hip_address_kind(to_address) : SONDE_MEMORY_device;
	uint32_t from = from_address ? hip_address_kind(from_address) : SONDE_MEMORY_device;

	if (whole)
		transfer->direction = direction_of_kind((uint32_t)params[PARAMS3D_KIND], to, from);
	else if (hip_has(view, HIP_ARG_KIND))
		transfer->direction = direction_of_kind((uint32_t)hip_arg(view, HIP_ARG_KIND), to, from);
	else if (hip_has(view, HIP_ARG_PARAMS)) /* says it in a way that versions differ in */
		transfer->direction = SONDE_DIRECTION_d2d;
	else
		transfer->direction = view->role->direction;
	if (transfer->direction == SONDE_DIRECTION_h2d || transfer->direction == SONDE_DIRECTION_h2h)
		transfer->memory = from;
	else
		transfer->memory = transfer->direction == SONDE_DIRECTION_d2h ? to : SONDE_MEMORY_device;
}

void hip_transfer_of(const struct hip_call *view, struct hip_transfer *transfer_out)
{
	switch (hip_kind(view)) {
	case SONDE_KIND_copy:
		copy_transfer(view, transfer_out);
		if (hip_has(view, HIP_ARG_DEVICE)) {
			bool back = (int32_t)hip_arg(view, HIP_ARG_DEVICE) == CPU_DEVICE;

			transfer_out->direction = back ? SONDE_DIRECTION_d2h : SONDE_DIRECTION_h2d;
			transfer_out->memory = SONDE_MEMORY_managed;
		}
		break;
	case SONDE_KIND_fill:
		transfer_out->direction = SONDE_DIRECTION_fill;
		transfer_out->memory = SONDE_MEMORY_device;
		break;
	default:
		return;
	}
	transfer_out->bytes = bytes_of(view);
}
