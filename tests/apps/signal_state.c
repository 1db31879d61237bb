/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what the kernel knows of this process's signals; with `cl`, after running a kernel. */
#include "cl_app.h"

int main(int argc, char **argv)
{
	char line[256];
	FILE *status;

	if (argc > 1 && !strcmp(argv[1], "cl")) {
		struct cl_app app;

		cl_app_open(&app, 0);
		cl_app_run(&app, 1);
	}
	status = fopen("/proc/self/status", "r");
	if (!status)
		return 1;
	while (fgets(line, sizeof(line), status))
		if (!strncmp(line, "Sig", 3) && strncmp(line, "SigQ", 4))
			fputs(line, stdout);
	fclose(status);
	return 0;
}
