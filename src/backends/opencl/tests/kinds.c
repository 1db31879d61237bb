/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kinds [fail]: one command of each kind that this device takes, without an event of the program's. `commands`
 * says how many were accepted; what the device lacks is said, not counted. With `fail`: commands that the runtime
 * refuses, each with its code.
 */
#include "ocl.h"

#define SIDE 16
#define BYTES ((size_t)SIDE * SIDE * 4)

static int commands, kernels;
static long long bytes[4]; /* H2D, D2H, D2D, fill */
enum { H2D, D2H, D2D, FILL };

/* A command was tried: `moved` bytes if the device took it. */
static void tried(const char *what, cl_int code, int way, size_t moved)
{
	if (code != CL_SUCCESS) {
		fprintf(stderr, "%s: %d\n", what, code);
		printf("lacks.%s=%d\n", what, code);
		return;
	}
	commands++;
	if (way >= 0)
		bytes[way] += (long long)moved;
}

static void CL_CALLBACK native(void *args)
{
	(void)args;
}

struct state {
	struct ocl *ocl;
	cl_command_queue queue;
	cl_mem a, b, image, other;
	char host[BYTES];
};

static void run_kernels(struct state *s)
{
	size_t items = 16;
	void *args[1] = {NULL};
	cl_int code;

	OK(clSetKernelArg(s->ocl->add_one, 0, sizeof(s->a), &s->a));
	tried("ndrange", clEnqueueNDRangeKernel(s->queue, s->ocl->add_one, 1, NULL, &items, NULL, 0, NULL, NULL), -1,
	      0);
	tried("task", clEnqueueTask(s->queue, s->ocl->add_one, 0, NULL, NULL), -1, 0);
	kernels = commands;
	code = clEnqueueNativeKernel(s->queue, native, args, sizeof(args), 0, NULL, NULL, 0, NULL, NULL);
	tried("native", code, -1, 0);
	kernels += code == CL_SUCCESS;
}

static void copy_buffers(struct state *s)
{
	const size_t zero[3] = {0, 0, 0}, region[3] = {8, 4, 2};
	cl_int pattern = 0;

	tried("write", clEnqueueWriteBuffer(s->queue, s->a, CL_FALSE, 0, 100, s->host, 0, NULL, NULL), H2D, 100);
	tried("read", clEnqueueReadBuffer(s->queue, s->a, CL_TRUE, 0, 200, s->host, 0, NULL, NULL), D2H, 200);
	tried("copy", clEnqueueCopyBuffer(s->queue, s->a, s->b, 0, 0, 300, 0, NULL, NULL), D2D, 300);
	tried("fill", clEnqueueFillBuffer(s->queue, s->a, &pattern, sizeof(pattern), 0, 400, 0, NULL, NULL), FILL, 400);
	tried("write_rect", clEnqueueWriteBufferRect(s->queue, s->a, CL_FALSE, zero, zero, region, 16, 64, 16, 64,
						     s->host, 0, NULL, NULL), H2D, 64);
	tried("read_rect", clEnqueueReadBufferRect(s->queue, s->a, CL_TRUE, zero, zero, region, 16, 64, 16, 64,
						   s->host, 0, NULL, NULL), D2H, 64);
	tried("copy_rect", clEnqueueCopyBufferRect(s->queue, s->a, s->b, zero, zero, region, 16, 64, 16, 64, 0, NULL,
						   NULL), D2D, 64);
}

static void copy_images(struct state *s)
{
	const size_t zero[3] = {0, 0, 0}, region[3] = {8, 4, 1}; /* RGBA8: 4 bytes an element */
	const cl_float colour[4] = {0, 0, 0, 0};
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
	cl_int code;

	s->image = clCreateImage(s->ocl->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
	if (code != CL_SUCCESS) {
		tried("images", code, -1, 0);
		return;
	}
	s->other = clCreateImage(s->ocl->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
	OK(code);
	tried("write_image", clEnqueueWriteImage(s->queue, s->image, CL_FALSE, zero, region, 0, 0, s->host, 0, NULL,
						 NULL), H2D, 128);
	tried("read_image", clEnqueueReadImage(s->queue, s->image, CL_TRUE, zero, region, 0, 0, s->host, 0, NULL,
					       NULL), D2H, 128);
	tried("copy_image", clEnqueueCopyImage(s->queue, s->image, s->other, zero, zero, region, 0, NULL, NULL),
	      D2D, 128);
	tried("fill_image", clEnqueueFillImage(s->queue, s->image, colour, zero, region, 0, NULL, NULL), FILL, 128);
	tried("image_to_buffer", clEnqueueCopyImageToBuffer(s->queue, s->image, s->b, zero, region, 0, 0, NULL, NULL),
	      D2D, 128);
	tried("buffer_to_image", clEnqueueCopyBufferToImage(s->queue, s->b, s->image, 0, zero, region, 0, NULL, NULL),
	      D2D, 128);
}

static void map(struct state *s)
{
	const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 1};
	size_t pitch, slice;
	cl_int code;
	void *mapped = clEnqueueMapBuffer(s->queue, s->a, CL_TRUE, CL_MAP_READ, 0, 500, 0, NULL, NULL, &code);

	tried("map", code, D2H, 500);
	tried("unmap", clEnqueueUnmapMemObject(s->queue, s->a, mapped, 0, NULL, NULL), H2D, 0);
	mapped = clEnqueueMapBuffer(s->queue, s->a, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 600, 0, NULL, NULL,
				    &code);
	OK(clFinish(s->queue));
	tried("map_invalidate", code, D2H, 0);
	tried("unmap_invalidate", clEnqueueUnmapMemObject(s->queue, s->a, mapped, 0, NULL, NULL), H2D, 600);
	if (!s->image)
		return;
	mapped = clEnqueueMapImage(s->queue, s->image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, zero, region, &pitch,
				   &slice, 0, NULL, NULL, &code);
	tried("map_image", code, D2H, 64);
	tried("unmap_image", clEnqueueUnmapMemObject(s->queue, s->image, mapped, 0, NULL, NULL), H2D, 64);
}

static void shared(struct state *s)
{
	cl_int pattern = 1;
	char *p = clSVMAlloc(s->ocl->context, CL_MEM_READ_WRITE, 4096, 0);
	char *q = clSVMAlloc(s->ocl->context, CL_MEM_READ_WRITE, 4096, 0);
	const void *both[2] = {p, q};
	void *freed[2] = {p, q};
	cl_int code;

	if (!p || !q) {
		tried("svm", CL_INVALID_OPERATION, -1, 0);
		return;
	}
	code = clEnqueueSVMMap(s->queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, p, 700, 0, NULL, NULL);
	tried("svm_map", code, D2H, 700);
	tried("svm_unmap", clEnqueueSVMUnmap(s->queue, p, 0, NULL, NULL), H2D, 700);
	tried("svm_fill", clEnqueueSVMMemFill(s->queue, p, &pattern, sizeof(pattern), 800, 0, NULL, NULL), FILL, 800);
	tried("svm_copy", clEnqueueSVMMemcpy(s->queue, CL_FALSE, q, p + 64, 900, 0, NULL, NULL), D2D, 900);
	tried("svm_to_host", clEnqueueSVMMemcpy(s->queue, CL_TRUE, s->host, p, 1000, 0, NULL, NULL), D2H, 1000);
	tried("svm_from_host", clEnqueueSVMMemcpy(s->queue, CL_TRUE, q + 8, s->host, 1000, 0, NULL, NULL), H2D, 1000);
	tried("svm_migrate", clEnqueueSVMMigrateMem(s->queue, 2, both, NULL, 0, 0, NULL, NULL), H2D, 8192);
	tried("svm_free", clEnqueueSVMFree(s->queue, 2, freed, NULL, NULL, 0, NULL, NULL), -1, 0);
}

static void order(struct state *s)
{
	cl_event event;

	tried("migrate", clEnqueueMigrateMemObjects(s->queue, 1, &s->a, 0, 0, NULL, NULL), H2D, BYTES);
	tried("migrate_host", clEnqueueMigrateMemObjects(s->queue, 1, &s->b, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL),
	      D2H, BYTES);
	tried("marker_list", clEnqueueMarkerWithWaitList(s->queue, 0, NULL, NULL), -1, 0);
	tried("barrier_list", clEnqueueBarrierWithWaitList(s->queue, 0, NULL, NULL), -1, 0);
	tried("marker", clEnqueueMarker(s->queue, &event), -1, 0);
	OK(clReleaseEvent(event));
	OK(clEnqueueBarrier(s->queue)); /* has no event: nothing to be timed */
}

static void fail(struct state *s)
{
	size_t items = 16;
	cl_int code;

	printf("dimension=%d\n",
	       clEnqueueNDRangeKernel(s->queue, s->ocl->add_one, 9, NULL, &items, NULL, 0, NULL, NULL));
	printf("range=%d\n", clEnqueueReadBuffer(s->queue, s->a, CL_TRUE, 0, BYTES + 1, s->host, 0, NULL, NULL));
	printf("marker=%d\n", clEnqueueMarker(s->queue, NULL));
	printf("mapped=%d\n", clEnqueueMapBuffer(s->queue, s->a, CL_TRUE, CL_MAP_READ, 0, BYTES + 1, 0, NULL, NULL,
						 &code) != NULL);
	printf("map=%d\n", code);
	printf("queue=%d\n", clCreateCommandQueue(s->ocl->context, NULL, 0, &code) != NULL);
	printf("create=%d\n", code);
	printf("properties=%d\n", clCreateCommandQueue(s->ocl->context, s->ocl->device[0], 1u << 20, &code) != NULL);
	printf("create2=%d\n", code);
}

int main(int argc, char **argv)
{
	static struct ocl ocl;
	static struct state s;

	(void)argv;
	ocl_open(&ocl);
	s.ocl = &ocl;
	s.queue = ocl_queue(&ocl, 0);
	s.a = ocl_buffer(&ocl, CL_MEM_READ_WRITE, BYTES, NULL);
	s.b = ocl_buffer(&ocl, CL_MEM_READ_WRITE, BYTES, NULL);
	if (argc > 1) {
		fail(&s);
		return 0;
	}
	run_kernels(&s);
	copy_buffers(&s);
	copy_images(&s);
	OK(clFinish(s.queue));
	map(&s);
	shared(&s);
	order(&s);
	OK(clFinish(s.queue));
	SAY("commands", commands);
	SAY("kernels", kernels);
	SAY("h2d", bytes[H2D]);
	SAY("d2h", bytes[D2H]);
	SAY("d2d", bytes[D2D]);
	SAY("fill", bytes[FILL]);
	return 0;
}
