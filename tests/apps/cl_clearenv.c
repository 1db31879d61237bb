/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_clearenv PROGRAM ARG: runs 2 kernels, empties the environment but for PATH, then starts PROGRAM ARG in a child.
 * What the child does cannot be seen from outside; the program must say so by nothing but its summary.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "cl_app.h"

int main(int argc, char **argv)
{
	struct cl_app app;
	int status = -1;
	pid_t child;

	if (argc < 3)
		return 1;
	cl_app_open(&app, 0);
	cl_app_run(&app, 2);
	clearenv();
	setenv("PATH", "/usr/bin:/bin", 1); /* the OpenCL runtime starts a linker */
	child = fork();
	if (!child) {
		execl(argv[1], argv[1], argv[2], (char *)NULL);
		_exit(98);
	}
	waitpid(child, &status, 0);
	app_say("status", status);
	return 0;
}
