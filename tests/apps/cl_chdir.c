/* SPDX-License-Identifier: BSD-3-Clause */
/* cl_chdir DIR: changes the directory before and after its first traced call. */
#include "cl_app.h"

int main(int argc, char **argv)
{
	struct cl_app app;

	if (argc < 2 || chdir(argv[1]))
		return 1;
	cl_app_open(&app, 0);
	if (chdir("/"))
		return 1;
	cl_app_run(&app, 2);
	return 0;
}
