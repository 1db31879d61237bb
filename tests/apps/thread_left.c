/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_left [HOW]: one thread is cancelled in a receive, another ends with two ranges open. Then the program lives on
 * for 400 ms, and ends as app_end() knows it.
 */
#include <sonde/sonde.h>
#include <pthread.h>

#include "app.h"
#include "fake_mpi.h"

static void *receive(void *unused)
{
	int value;

	(void)unused;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	sonde_push("around");
	MPI_Recv(&value, 1, MPI_INT, 0, 60000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

static void *ranges(void *unused)
{
	(void)unused;
	sonde_push("outer");
	sonde_push("inner");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[2];

	pthread_create(&thread[0], NULL, receive, NULL);
	pthread_create(&thread[1], NULL, ranges, NULL);
	usleep(50000);
	pthread_cancel(thread[0]);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	usleep(400000);
	MPI_Barrier(MPI_COMM_WORLD);
	app_end(argc > 1 ? argv[1] : "return");
	return 0;
}
