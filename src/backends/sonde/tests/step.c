/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps: numbers, threads, a fork, ranges that do not nest with them, one that is open at the end. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sonde/sonde.h>

#include "app.h"

#define THREADS 16

static void *ten_steps(void *unused)
{
	for (uint64_t i = 0; i < 10; i++)
		sonde_step(i);
	sonde_step_end();
	return unused;
}

static void crossing(void)
{
	sonde_push("around");
	sonde_step(7);
	app_pause_ms(5);
	sonde_push("across");
	sonde_step(UINT64_MAX);
	sonde_pop();
	sonde_pop();
	sonde_step_end();
	sonde_step_end();
}

static void deep(void)
{
	for (int i = 0; i < 70; i++)
		sonde_push("deep");
	sonde_step(1);
	sonde_step_end();
	for (int i = 0; i < 70; i++)
		sonde_pop();
	sonde_step(2);
	sonde_step_end();
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	if (argc > 1 && strcmp(argv[1], "deep") == 0) {
		deep();
		return 0;
	}
	crossing();
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, ten_steps, NULL) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	sonde_step(1000);
	if (fork() == 0) {
		sonde_step(2000);
		sonde_step_end();
		_exit(0);
	}
	wait(NULL);
	return 0; /* the last step is open */
}
