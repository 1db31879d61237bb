/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_ring ROUNDS BYTES: each rank sends ROUNDS messages of BYTES to the next one and receives as many. */
#include <mpi.h>

#include "app.h"

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	int bytes = argc > 2 ? atoi(argv[2]) : 100;
	char *out = calloc(1, (size_t)bytes + 1), *in = malloc((size_t)bytes + 1);
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < rounds; i++)
		MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % size, 0, in, bytes, MPI_BYTE,
			     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!rank) {
		app_say("sendrecvs", (long)rounds * size);
		app_say("bytes", (long)rounds * size * bytes);
	}
	MPI_Finalize();
	free(out);
	free(in);
	return 0;
}
