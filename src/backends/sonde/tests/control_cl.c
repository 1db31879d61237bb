/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels in a region that begins with the first resume: everything that they need is made before it. Those that are
 * started in it count, also where they run on into the pause; those that are started in the pause do not.
 */
#include SONDE_HEADER
#include "cl_app.h"

int main(void)
{
	struct cl_app app;

	cl_app_open(&app, 0);
	cl_app_run(&app, 3);
	app_pause_ms(50);
	sonde_resume();
	sonde_step(1);
	cl_app_run(&app, 5);
	cl_app_spin(&app, 10000000);
	sonde_step_end();
	sonde_pause();
	cl_app_run(&app, 4);
	sonde_resume();
	cl_app_run(&app, 2);
	sonde_pause();
	cl_app_run(&app, 6);
	app_pause_ms(50);
	cl_app_close(&app);
	return 0;
}
