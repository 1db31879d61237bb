/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ends HOW: programs that do not end as the book says, after known calls.
 *   exit      rank 0 leaves by exit(0) without MPI_Finalize, and so do the others
 *   late      rank 1 sleeps 2 s before a barrier
 *   never     rank 1 never reaches MPI_Finalize: it leaves after one second
 */
#include "traffic.h"

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	int rank, value[10] = {0};
	double begin;

	DO(MPI_Init, 0, 0, &argc, &argv);
	DO(MPI_Comm_rank, 0, 0, MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 10; i++)
		DO(MPI_Bcast, rank ? 0 : 40, rank ? 40 : 0, value, 10, MPI_INT, 0, MPI_COMM_WORLD);
	if (!strcmp(how, "late")) {
		if (rank == 1)
			app_pause_ms(2000);
		begin = app_now();
		DO(MPI_Barrier, 0, 0, MPI_COMM_WORLD);
		tell_us("barrier", 1e6 * (app_now() - begin));
	}
	if (!strcmp(how, "exit")) {
		tell_all();
		exit(0);
	}
	if (!strcmp(how, "never") && rank == 1) {
		tell_all();
		app_pause_ms(1000);
		_exit(0);
	}
	tell("MPI_Finalize", 0, 0);
	tell_all(); /* before: the launcher may end us inside */
	MPI_Finalize();
	return 0;
}
