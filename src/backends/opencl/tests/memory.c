/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory: known allocations. Device: 3 x 1 MiB, one freed: 3 MiB at most, 2 MiB at the end. A sub-buffer and an
 * image that lies in a buffer are no memory of their own. Pinned: 64 KiB on host memory of either kind. SVM:
 * 2 x 1 MiB, both freed. Images: their real size.
 */
#include "ocl.h"

#define MIB ((size_t)1 << 20)
#define SIDE 64

static size_t size_of(cl_mem object)
{
	size_t bytes;

	OK(clGetMemObjectInfo(object, CL_MEM_SIZE, sizeof(bytes), &bytes, NULL));
	return bytes;
}

/* Lives on after its parent's last release, and keeps it alive. */
static void part(cl_mem buffer)
{
	cl_buffer_region region = {0, 4096};
	cl_int code;
	cl_mem sub = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);

	OK(code);
	OK(clReleaseMemObject(buffer));
	OK(clReleaseMemObject(sub));
}

int main(void)
{
	static struct ocl ocl;
	static char host[65536];
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
	cl_mem buffer[3], image;
	size_t image_bytes = 0;
	void *svm[2];
	cl_int code;

	ocl_open(&ocl);
	for (int i = 0; i < 3; i++)
		buffer[i] = ocl_buffer(&ocl, CL_MEM_READ_WRITE, MIB, NULL);
	OK(clRetainMemObject(buffer[0]));
	OK(clReleaseMemObject(buffer[0]));
	part(buffer[1]);
	image = clCreateImage(ocl.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
	if (code == CL_SUCCESS) {
		image_bytes = size_of(image);
		OK(clReleaseMemObject(image));
	}
	ocl_buffer(&ocl, CL_MEM_ALLOC_HOST_PTR, sizeof(host), NULL);
	OK(clReleaseMemObject(ocl_buffer(&ocl, CL_MEM_USE_HOST_PTR, sizeof(host), host)));
	EXPECT(clCreateBuffer(ocl.context, CL_MEM_READ_WRITE, 0, NULL, &code) == NULL);
	for (int i = 0; i < 2; i++)
		svm[i] = clSVMAlloc(ocl.context, CL_MEM_READ_WRITE, MIB, 0);
	SAY("svm", svm[0] ? 2 : 0);
	if (svm[0]) {
		cl_command_queue queue = ocl_queue(&ocl, 0);

		clSVMFree(ocl.context, svm[0]);
		OK(clEnqueueSVMFree(queue, 1, &svm[1], NULL, NULL, 0, NULL, NULL));
		OK(clFinish(queue));
	}
	SAY("image", image_bytes);
	return 0;
}
