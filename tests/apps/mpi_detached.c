/* SPDX-License-Identifier: BSD-3-Clause */
/* A detached thread blocks in MPI_Recv for a message that never comes; main makes 3 calls and leaves by _exit. */
#include <mpi.h>
#include <pthread.h>

#include "app.h"

static void *wait_for_ever(void *unused)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (provided != MPI_THREAD_MULTIPLE)
		return 77;
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	pthread_detach(thread);
	app_pause_ms(300);
	for (int i = 0; i < 3; i++)
		MPI_Barrier(MPI_COMM_SELF);
	app_say("barriers", 3);
	_exit(0);
}
