/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_modes KERNELS MODE: one copy and KERNELS kernels, and how long that took (us). MODE: async (one clFinish at
 * the end), finish (one after each), events (each is waited for by its event), free (an out-of-order queue), flush
 * (clFlush after each).
 */
#include "cl_app.h"

static void run(struct cl_app *app, const char *mode)
{
	size_t items = CL_APP_ITEMS;
	cl_event event = NULL;
	int by_event = !strcmp(mode, "events");

	CL_OK(clEnqueueNDRangeKernel(app->queue, app->add_one, 1, NULL, &items, NULL, 0, NULL,
				     by_event ? &event : NULL));
	if (by_event) {
		CL_OK(clWaitForEvents(1, &event));
		CL_OK(clReleaseEvent(event));
	}
	if (!strcmp(mode, "finish"))
		CL_OK(clFinish(app->queue));
	if (!strcmp(mode, "flush"))
		CL_OK(clFlush(app->queue));
}

int main(int argc, char **argv)
{
	int kernels = argc > 1 ? atoi(argv[1]) : 1;
	const char *mode = argc > 2 ? argv[2] : "async";
	int data[CL_APP_ITEMS] = { 0 };
	struct cl_app app;
	double begin;

	cl_app_open(&app, strcmp(mode, "free") ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	if (argc <= 3)
		CL_OK(clEnqueueWriteBuffer(app.queue, app.buffer, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
	begin = app_now();
	for (int i = 0; i < kernels; i++)
		run(&app, mode);
	CL_OK(clFinish(app.queue));
	app_say("elapsed_us", (long)(1e6 * (app_now() - begin)));
	cl_app_close(&app);
	return 0;
}
