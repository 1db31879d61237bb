/* SPDX-License-Identifier: BSD-3-Clause */
#include "face.h"

/* As HIP's headers have them. */
int hipMalloc(void **memory, size_t bytes);
int hipFree(void *memory);
int hipMemcpy(void *to, const void *from, size_t bytes, int kind);
int hipMemsetAsync(void *memory, int value, size_t bytes, void *stream);
int hipModuleLoadData(void **module, const void *image);
int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
			  unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters,
			  void **extra);
int hipDeviceSynchronize(void);
enum { TO_DEVICE = 1, FROM_DEVICE = 2 };

static void *function;

static void start(void)
{
	void *module;

	FACE_OK(hipModuleLoadData(&module, "code"));
	FACE_OK(hipModuleGetFunction(&function, module, "add_one"));
}

static void *allocate(size_t bytes)
{
	void *memory;

	FACE_OK(hipMalloc(&memory, bytes));
	return memory;
}

static void release(void *memory)
{
	FACE_OK(hipFree(memory));
}

static void to_device(void *to, const void *from, size_t bytes)
{
	FACE_OK(hipMemcpy(to, from, bytes, TO_DEVICE));
}

static void from_device(void *to, void *from, size_t bytes)
{
	FACE_OK(hipMemcpy(to, from, bytes, FROM_DEVICE));
}

static void clear(void *memory, size_t bytes)
{
	FACE_OK(hipMemsetAsync(memory, 0, bytes, NULL));
}

static void add_one(void *memory, size_t items)
{
	void *parameters[] = { &memory };

	FACE_OK(hipModuleLaunchKernel(function, (unsigned)items / 64, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
}

static void finish(void)
{
	FACE_OK(hipDeviceSynchronize());
}

const struct face face = { 1, start, allocate, release, to_device, from_device, clear, add_one, finish };
