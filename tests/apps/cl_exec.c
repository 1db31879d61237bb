/* SPDX-License-Identifier: BSD-3-Clause */
/* cl_exec N: runs N kernels, then replaces itself by `cl_exec N-1`; the image with N = 0 ends. */
#include "cl_app.h"

int main(int argc, char **argv)
{
	int kernels = argc > 1 ? atoi(argv[1]) : 3;
	struct cl_app app;
	char next[16];

	if (!kernels)
		return 7;
	cl_app_open(&app, 0);
	cl_app_run(&app, kernels);
	app_say("kernels", kernels);
	snprintf(next, sizeof(next), "%d", kernels - 1);
	execl(argv[0], argv[0], next, (char *)NULL);
	return 1;
}
