/* SPDX-License-Identifier: BSD-3-Clause */
/* rows NAMES TIMES: ranges of so many names, each so often, one name after the other. */
#include <sonde/sonde.h>

#include "app.h"

int main(int argc, char **argv)
{
	long names = argc > 1 ? atol(argv[1]) : 100, times = argc > 2 ? atol(argv[2]) : 10;
	char name[32];

	for (long i = 0; i < names; i++) {
		snprintf(name, sizeof(name), "row %ld", i);
		for (long j = 0; j < times; j++) {
			sonde_push(name);
			sonde_pop();
		}
	}
	return 0;
}
