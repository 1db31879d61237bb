/* SPDX-License-Identifier: BSD-3-Clause */
#include "../cl_app.h"
#include "face.h"

static struct cl_app app;

static void start(void)
{
	cl_app_open(&app, 0);
	CL_OK(clReleaseMemObject(app.buffer)); /* the others have none */
}

static void *allocate(size_t bytes)
{
	cl_int code;
	cl_mem memory = clCreateBuffer(app.context, CL_MEM_READ_WRITE, bytes, NULL, &code);

	FACE_OK(code);
	return memory;
}

static void release(void *memory)
{
	FACE_OK(clReleaseMemObject(memory));
}

static void to_device(void *to, const void *from, size_t bytes)
{
	FACE_OK(clEnqueueWriteBuffer(app.queue, to, CL_TRUE, 0, bytes, from, 0, NULL, NULL));
}

static void from_device(void *to, void *from, size_t bytes)
{
	FACE_OK(clEnqueueReadBuffer(app.queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

static void clear(void *memory, size_t bytes)
{
	FACE_OK(clEnqueueFillBuffer(app.queue, memory, "", 1, 0, bytes, 0, NULL, NULL));
}

static void add_one(void *memory, size_t items)
{
	size_t group = 64;
	cl_mem buffer = memory;

	FACE_OK(clSetKernelArg(app.add_one, 0, sizeof(buffer), &buffer));
	FACE_OK(clEnqueueNDRangeKernel(app.queue, app.add_one, 1, NULL, &items, &group, 0, NULL, NULL));
}

static void finish(void)
{
	FACE_OK(clFinish(app.queue));
}

const struct face face = { 1, start, allocate, release, to_device, from_device, clear, add_one, finish };
