/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_names NAME...: a kernel of each name, the first one run once, the second one twice, and so on. With a stand-in for
 * OpenCL, which takes any name. Of a name `x*N` x is repeated N times.
 */
#include "cl_app.h"

static char *expand(const char *name)
{
	const char *star = strrchr(name, '*');
	size_t part = star ? (size_t)(star - name) : 0, times = star ? strtoul(star + 1, NULL, 10) : 0;
	char *text;

	if (!times)
		return strdup(name);
	text = calloc(times * part + 1, 1);
	for (size_t i = 0; i < times; i++)
		memcpy(text + i * part, name, part);
	return text;
}

int main(int argc, char **argv)
{
	size_t items = CL_APP_ITEMS;
	struct cl_app app;

	cl_app_open(&app, 0);
	for (int i = 1; i < argc; i++) {
		char *name = expand(argv[i]);
		cl_kernel kernel;
		cl_int code;

		kernel = clCreateKernel(app.program, name, &code);
		CL_OK(code);
		for (int j = 0; j < i; j++)
			CL_OK(clEnqueueNDRangeKernel(app.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
		CL_OK(clFinish(app.queue));
		CL_OK(clReleaseKernel(kernel));
		free(name);
	}
	cl_app_close(&app);
	return 0;
}
