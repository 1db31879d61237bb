/* SPDX-License-Identifier: BSD-3-Clause */
/* What tool.c sees: 5 messages of 10 ints from even ranks to odd ones. */
#include "traffic.h"

int main(int argc, char **argv)
{
	int rank, data[10] = {0};

	DO(MPI_Init, 0, 0, &argc, &argv);
	DO(MPI_Comm_rank, 0, 0, MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 5; i++)
		if (rank % 2)
			DO(MPI_Recv, 0, 40, data, 10, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else
			DO(MPI_Send, 40, 0, data, 10, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
	DO(MPI_Finalize, 0, 0);
	tell_all();
	return 0;
}
