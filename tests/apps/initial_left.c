/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * initial_left [HOW [RANGES]]: the initial thread is cancelled in a receive within a range. The other one lives on for
 * 400 ms or as many ranges of 10 ms, makes a call with a pointer that leads nowhere, and ends as app_end() knows it.
 */
#include <sonde/sonde.h>
#include <pthread.h>
#include <sys/mman.h>

#include "app.h"
#include "fake_mpi.h"

static pthread_t initial;
static const char *how;
static int ranges;

static void *live_on(void *unused)
{
	MPI_Request *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int flag;

	while (!__atomic_load_n(&fake_receiving, __ATOMIC_ACQUIRE))
		usleep(1000);
	pthread_cancel(initial);
	if (!ranges)
		usleep(400000);
	for (int i = 0; i < ranges; i++) {
		sonde_push("alone");
		usleep(10000);
		sonde_pop();
	}
	MPI_Test(nowhere, &flag, MPI_STATUS_IGNORE);
	app_say("tested", flag);
	app_end(how);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int value;

	how = argc > 1 ? argv[1] : "return";
	ranges = argc > 2 ? atoi(argv[2]) : 0;
	initial = pthread_self();
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_create(&thread, NULL, live_on, NULL);
	sonde_push("around");
	MPI_Recv(&value, 1, MPI_INT, 0, 60000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 1;
}
