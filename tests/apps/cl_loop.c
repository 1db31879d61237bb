/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_loop [MS]: runs one kernel after the other for MS milliseconds (default: until killed). Each
 * finished kernel is counted in a byte of stdout, so that the count survives any end.
 */
#include "cl_app.h"

int main(int argc, char **argv)
{
	struct cl_app app;
	double until;

	cl_app_open(&app, 0);
	until = argc > 1 ? app_now() + 1e-3 * atof(argv[1]) : 1e30;
	while (app_now() < until) {
		cl_app_run(&app, 1);
		if (write(STDOUT_FILENO, "k", 1) != 1)
			return 1;
		usleep(200);
	}
	return 0;
}
