/* SPDX-License-Identifier: BSD-3-Clause */
/* timed_recv MS: one blocking receive that takes MS milliseconds, timed by the program itself. */
#include "app.h"
#include "fake_mpi.h"

int main(int argc, char **argv)
{
	int ms = argc > 1 ? atoi(argv[1]) : 1000;
	double begin;
	int value;

	MPI_Init(&argc, &argv);
	begin = app_now();
	MPI_Recv(&value, 1, MPI_INT, 0, ms, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	app_say("recv_ns", (long)(1e9 * (app_now() - begin)));
	MPI_Finalize();
	return 0;
}
