/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices as a layer numbers them, and the memory that it has in use: blocks alone, since what a pool gives out lies in
 * a block that was allocated before, and what was wrapped belongs to others.
 */
#include <stdio.h>

#include "layer.h"

#define DEVICE_NAME 40u

struct device {
	char name[DEVICE_NAME];
	uint32_t api, ordinal;
	uint32_t generation, recorded; /* of the record, and its index there */
};
struct block {
	uint64_t bytes;
	uint32_t device, kind, generation, reserved;
};
static struct rec_map devices = REC_MAP(struct device);
static struct rec_map blocks = REC_MAP(struct block);

static rec_word key_of(const struct layer *layer, uint64_t number)
{
	return (rec_word)(number ^ (uint64_t)(layer->index + 1) << 56);
}

void layer_device_known(struct layer *layer, const struct sonde_layer_op *op)
{
	const struct sonde_layer_device *described = (const struct sonde_layer_device *)op;
	struct device device = {.generation = 0};

	if (!op->device || op->status < 0 || !SONDE_LAYER_HAS(op, sonde_layer_device, ordinal) ||
	    (op->what != SONDE_LAYER_CREATE && op->what != SONDE_LAYER_WRAP))
		return;
	snprintf(device.name, sizeof(device.name), "%s", op->name ? op->name : "device");
	device.api = described->api;
	device.ordinal = described->ordinal;
	rec_map_put(&devices, key_of(layer, op->device), &device);
}

static bool is_host(uint32_t api)
{
	return api == SONDE_LAYER_API_SERIAL || api == SONDE_LAYER_API_THREADS || api == SONDE_LAYER_API_OPENMP;
}

uint32_t layer_device(struct layer *layer, uint64_t number)
{
	struct device device = {.name = "device", .ordinal = (uint32_t)number};
	char key[LAYER_NAME_MAX + DEVICE_NAME + 16];

	if (rec_map_get(&devices, key_of(layer, number), &device) && is_host(device.api))
		return UINT32_MAX;
	if (device.generation != rec_generation()) {
		snprintf(key, sizeof(key), "%s:%s:%u", layer->name, device.name, device.ordinal);
		device.recorded = rec_device(&layer->backend, key, device.name, device.ordinal);
		device.generation = rec_generation();
		rec_map_put(&devices, key_of(layer, number), &device);
	}
	return device.recorded;
}

const char *layer_device_api(struct layer *layer, uint64_t number)
{
	static const char *const names[] = {
		[SONDE_LAYER_API_CUDA] = "cuda", [SONDE_LAYER_API_HIP] = "hip", [SONDE_LAYER_API_OPENCL] = "opencl",
		[SONDE_LAYER_API_LEVEL_ZERO] = "ze"
	};
	struct device device;

	if (!rec_map_get(&devices, key_of(layer, number), &device) || device.api >= sizeof(names) / sizeof(names[0]))
		return NULL;
	return names[device.api];
}

uint32_t layer_memory_kind(const struct sonde_layer_op *op)
{
	if (op->flags & SONDE_LAYER_MANAGED)
		return SONDE_MEMORY_managed;
	if (op->flags & SONDE_LAYER_PINNED)
		return SONDE_MEMORY_pinned;
	return op->flags & SONDE_LAYER_ON_HOST ? SONDE_MEMORY_pageable : SONDE_MEMORY_device;
}

void layer_memory_come(struct layer *layer, const struct sonde_layer_op *op)
{
	const struct sonde_layer_memory *memory = (const struct sonde_layer_memory *)op;
	struct block block = {.kind = layer_memory_kind(op), .device = UINT32_MAX};

	if (op->status < 0 || !SONDE_LAYER_HAS(op, sonde_layer_memory, address) || !memory->address)
		return;
	rec_backend_used(&layer->backend);
	if (!rec_on())
		return;
	block.generation = rec_generation();
	block.bytes = memory->bytes;
	if (block.kind == SONDE_MEMORY_device || block.kind == SONDE_MEMORY_managed)
		block.device = layer_device(layer, op->device);
	/* one whose end we could not recognise would be in use for ever */
	if (rec_map_put(&blocks, key_of(layer, (uintptr_t)memory->address), &block))
		rec_memory(&layer->backend, block.device, block.kind, (int64_t)block.bytes);
}

/* Of this record: what came before a fork, or before we listened, is not in the sum. */
void layer_memory_gone(struct layer *layer, const struct sonde_layer_op *op)
{
	const struct sonde_layer_memory *memory = (const struct sonde_layer_memory *)op;
	struct block block;

	if (SONDE_LAYER_HAS(op, sonde_layer_memory, address) && memory->address &&
	    rec_map_take(&blocks, key_of(layer, (uintptr_t)memory->address), &block) &&
	    block.generation == rec_generation())
		rec_memory(&layer->backend, block.device, block.kind, -(int64_t)block.bytes);
}
