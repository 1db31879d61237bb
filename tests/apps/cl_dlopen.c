/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_dlopen LIBRARY [deep]: reaches OpenCL as a plugin host does, by dlopen(RTLD_LOCAL) (with `deep` also
 * RTLD_DEEPBIND) and dlsym: 1 context, 1 queue, 4 x clFlush, 2 x clFinish.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "cl_app.h"

#define LOOK(name) __typeof__(&name) p_##name = (__typeof__(&name))dlsym(library, #name)

int main(int argc, char **argv)
{
	void *library = dlopen(argc > 1 ? argv[1] : "libOpenCL.so.1",
			       RTLD_NOW | RTLD_LOCAL | (argc > 2 ? RTLD_DEEPBIND : 0));
	cl_platform_id platform;
	cl_command_queue queue;
	cl_context context;
	cl_device_id device;
	cl_int code;

	if (!library)
		app_die(dlerror(), 0);
	LOOK(clGetPlatformIDs);
	LOOK(clGetDeviceIDs);
	LOOK(clCreateContext);
	LOOK(clCreateCommandQueue);
	LOOK(clFlush);
	LOOK(clFinish);
	CL_OK(p_clGetPlatformIDs(1, &platform, NULL));
	CL_OK(p_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = p_clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	CL_OK(code);
	queue = p_clCreateCommandQueue(context, device, 0, &code);
	CL_OK(code);
	for (int i = 0; i < 4; i++)
		CL_OK(p_clFlush(queue));
	for (int i = 0; i < 2; i++)
		CL_OK(p_clFinish(queue));
	app_say("flush", 4);
	app_say("finish", 2);
	return 0;
}
