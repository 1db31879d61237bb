/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_end HOW: each rank completes 10 MPI_Bcast and 1 MPI_Barrier and then calls nothing any more; 200 ms
 * later the last rank ends as HOW says (see app_end, or mpi_abort, ok, nofinalize) while the others sleep, to
 * be ended by the launcher or to leave after three seconds. ok: all ranks finalize at once.
 */
#include <mpi.h>

#include "app.h"

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "ok";
	int rank, size, value = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 10; i++)
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!strcmp(how, "ok")) {
		MPI_Finalize();
		return 0;
	}
	app_pause_ms(200);
	if (!strcmp(how, "nofinalize"))
		return 0;
	if (rank == size - 1) {
		if (!strcmp(how, "mpi_abort"))
			MPI_Abort(MPI_COMM_WORLD, 7);
		app_end(how);
	}
	app_pause_ms(3000);
	_exit(0);
}
