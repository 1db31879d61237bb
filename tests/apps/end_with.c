/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * end_with HOW [SIGNAL]: a program without any traced API. HOW as in app_end, or `signal` N.
 */
#include "app.h"

int main(int argc, char **argv)
{
	puts("end_with");
	if (argc > 2 && !strcmp(argv[1], "signal")) {
		fflush(stdout);
		raise(atoi(argv[2]));
	}
	app_end(argc > 1 ? argv[1] : "return");
	return 0;
}
