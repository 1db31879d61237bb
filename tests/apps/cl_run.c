/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_run KERNELS [END]: runs KERNELS kernels, waits for them, ends as END says (see app_end).
 */
#include "cl_app.h"

int main(int argc, char **argv)
{
	struct cl_app app;
	int kernels = argc > 1 ? atoi(argv[1]) : 1;

	cl_app_open(&app, 0);
	cl_app_run(&app, kernels);
	app_say("kernels", kernels);
	app_say("pid", getpid());
	app_end(argc > 2 ? argv[2] : "return");
	cl_app_close(&app);
	return 0;
}
