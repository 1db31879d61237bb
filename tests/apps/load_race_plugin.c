/* SPDX-License-Identifier: BSD-3-Clause */
/* See load_race.c. */
#include <unistd.h>

#include "fake_mpi.h"

__attribute__((constructor)) static void start(void)
{
	int rank;

	usleep(300000);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}
