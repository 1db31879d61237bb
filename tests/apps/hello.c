/* SPDX-License-Identifier: BSD-3-Clause */
/* Says its arguments and ends with status 3. Built in all the ways that cannot be traced. */
#include <stdio.h>

int main(int argc, char **argv)
{
	puts("hello");
	for (int i = 1; i < argc; i++)
		puts(argv[i]);
	return 3;
}
