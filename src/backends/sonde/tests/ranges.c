/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ranges mark: a mark and nothing else. ranges COUNT [OWN]: one range of the process, within which another thread
 * begins COUNT more that are all open at once; the initial thread ends them, in the order in which they began. With a
 * second number it has so many ranges of its own before each end.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include <sonde/sonde.h>

#include "app.h"

#define MOST 1000

static uint64_t range[MOST];
static int count;

static void *begin(void *unused)
{
	for (int i = 0; i < count; i++)
		range[i] = sonde_start("many");
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	uint64_t around;
	int own;

	if (argc > 1 && strcmp(argv[1], "mark") == 0) {
		sonde_mark("alone");
		return 0;
	}
	count = argc > 1 ? atoi(argv[1]) : 0;
	own = argc > 2 ? atoi(argv[2]) : 0;
	if (count > MOST)
		return 1;
	around = sonde_start("around");
	if (count && (pthread_create(&thread, NULL, begin, NULL) != 0 || pthread_join(thread, NULL) != 0))
		return 1;
	app_pause_ms(5);
	for (int i = 0; i < count; i++) {
		for (int k = 0; k < own; k++) {
			sonde_push("own");
			sonde_pop();
		}
		sonde_end(range[i]);
	}
	sonde_end(around);
	return 0;
}
