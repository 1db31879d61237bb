/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of OpenCL that are started inside of a layer's operations. The layer has device times of its own, of the same
 * device: they must not be added up.
 */
#include <sonde/sonde_layer.h>

#include "cl_app.h"
#include "demo.h"

static struct cl_app app;

static void start(void *context)
{
	cl_app_enqueue(&app, *(int *)context);
}

static void wait(void *context)
{
	(void)context;
	CL_OK(clFinish(app.queue));
}

int main(void)
{
	int three = 3, one = 1;

	cl_app_open(&app, 0);
	demo_api.set_up(SONDE_LAYER_API_OPENCL);
	demo_api.run_around("three", start, &three);
	demo_api.run_around("one", start, &one);
	demo_api.run_around("wait", wait, NULL);
	demo_api.async("own times", 1, 5);
	demo_api.complete(SONDE_LAYER_MONOTONIC);
	cl_app_close(&app);
	return 0;
}
