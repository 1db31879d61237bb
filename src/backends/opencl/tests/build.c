/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * build: programs built from source and binary, compiled and linked, with a callback, and one that fails.
 * `built_ns` is what the program's own clock says of all calls.
 */
#include <time.h>

#include "ocl.h"

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static volatile int told;
static void *told_data;

static void CL_CALLBACK tell(cl_program program, void *data)
{
	EXPECT(program != NULL);
	told_data = data;
	told++;
}

static cl_program from_source(struct ocl *ocl, const char *source)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(ocl->context, 1, &source, NULL, &code);

	OK(code);
	return program;
}

static cl_program from_binary(struct ocl *ocl)
{
	size_t bytes[OCL_DEVICES];
	unsigned char *binary[OCL_DEVICES];
	cl_program program;
	cl_int code;

	OK(clGetProgramInfo(ocl->program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), bytes, NULL));
	for (cl_uint i = 0; i < ocl->devices; i++)
		binary[i] = malloc(bytes[i]);
	OK(clGetProgramInfo(ocl->program, CL_PROGRAM_BINARIES, sizeof(binary), binary, NULL));
	program = clCreateProgramWithBinary(ocl->context, ocl->devices, ocl->device, bytes,
					    (const unsigned char **)binary, NULL, &code);
	OK(code);
	return program;
}

int main(void)
{
	static struct ocl ocl;
	cl_program program, linked;
	long long begin, spent = 0;
	cl_int code;

	ocl_open(&ocl); /* builds add_one from source */
	program = from_binary(&ocl);
	begin = now_ns();
	OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	SAY("binary_ns", now_ns() - begin);

	program = from_source(&ocl, "__kernel void told(__global int *a) { a[0] = 1; }\n");
	OK(clBuildProgram(program, 0, NULL, "", tell, &told_data));
	for (int i = 0; i < 1000000 && !told; i++)
		OK(clFlush(ocl_queue(&ocl, 0)));
	EXPECT(told == 1 && told_data == &told_data);

	program = from_source(&ocl, "__kernel void broken(__global int *a) { a[0] = no_such_thing; }\n");
	begin = now_ns();
	SAY("broken", clBuildProgram(program, 0, NULL, "", NULL, NULL));
	spent = now_ns() - begin;
	SAY("broken_ns", spent);
	SAY("broken2", clBuildProgram(program, 0, NULL, "", tell, &told_data));
	SAY("told", told);

	program = from_source(&ocl, "__kernel void joined(__global int *a) { a[0] = 2; }\n");
	OK(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
	linked = clLinkProgram(ocl.context, 0, NULL, "", 1, &program, NULL, NULL, &code);
	OK(code);
	EXPECT(linked != NULL && clCreateKernel(linked, "joined", &code) != NULL);
	return 0;
}
