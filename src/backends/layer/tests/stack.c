/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything at once: a range around a layer's kernel, in that an OpenMP region, in that OpenCL's calls. */
#include <sonde/sonde.h>
#include <sonde/sonde_layer.h>

#include "cl_app.h"
#include "demo.h"

#define ROUNDS 200000

static struct cl_app app;

static void launch(void *context)
{
	(void)context;
#pragma omp parallel num_threads(2)
	{
#pragma omp master
		{
			size_t items = CL_APP_ITEMS;

			CL_OK(clEnqueueNDRangeKernel(app.queue, app.spin, 1, NULL, &items, NULL, 0, NULL, NULL));
			CL_OK(clFinish(app.queue));
		}
	}
}

int main(void)
{
	int rounds = ROUNDS;

	cl_app_open(&app, 0);
	CL_OK(clSetKernelArg(app.spin, 0, sizeof(app.buffer), &app.buffer));
	CL_OK(clSetKernelArg(app.spin, 1, sizeof(rounds), &rounds));
	demo_api.set_up(SONDE_LAYER_API_OPENCL);
	launch(NULL); /* compiles the kernel, outside of what is looked at */
	for (int i = 0; i < 3; i++) {
		sonde_push("phase");
		demo_api.run_around("step", launch, NULL);
		sonde_pop();
	}
	cl_app_close(&app);
	return 0;
}
