/* SPDX-License-Identifier: BSD-3-Clause */
/* On the simulated CUDA, which is told what each operation is like. */
#include "../../../src/backends/cuda/tests/sim.h"
#include "face.h"

#define ALLOCATIONS 16

static struct sim_operation *op;
static uint64_t place[ALLOCATIONS]; /* the bytes behind an address, which is one of these */

static void start(void)
{
	op = sim_driver()->operation();
	op->name = "add_one";
	op->memory = CUPTI_DEVICE;
	op->block = (struct sim_grid){ 64, 1, 1 };
	FACE_OK(cuInit(0));
}

static void *allocate(size_t bytes)
{
	void *memory;
	int at = 0;

	op->bytes = bytes;
	FACE_OK(cudaMalloc(&memory, bytes));
	while (place[at])
		at++;
	place[at] = bytes;
	return &place[at];
}

static void release(void *memory)
{
	op->bytes = *(uint64_t *)memory;
	*(uint64_t *)memory = 0;
	FACE_OK(cudaFree(NULL));
}

static void say_copy(enum cupti_copy way, enum cupti_memory_kind from, enum cupti_memory_kind to, size_t bytes)
{
	op->copy = (uint8_t)way;
	op->from = (uint8_t)from;
	op->to = (uint8_t)to;
	op->bytes = bytes;
}

static void to_device(void *to, const void *from, size_t bytes)
{
	say_copy(CUPTI_COPY_HTOD, CUPTI_PAGEABLE, CUPTI_DEVICE, bytes);
	FACE_OK(cudaMemcpy(to, from, bytes, 1));
}

static void from_device(void *to, void *from, size_t bytes)
{
	say_copy(CUPTI_COPY_DTOH, CUPTI_DEVICE, CUPTI_PAGEABLE, bytes);
	FACE_OK(cudaMemcpy(to, from, bytes, 2));
}

static void clear(void *memory, size_t bytes)
{
	op->bytes = bytes;
	FACE_OK(cudaMemsetAsync(memory, 0, bytes, NULL));
}

static void add_one(void *memory, size_t items)
{
	op->grid = (struct sim_grid){ (unsigned)items / 64, 1, 1 };
	FACE_OK(cudaLaunchKernel("add_one", op->grid, op->block, &memory, 0, NULL));
}

static void finish(void)
{
	FACE_OK(cudaDeviceSynchronize());
}

const struct face face = { 0, start, allocate, release, to_device, from_device, clear, add_one, finish };
