/* SPDX-License-Identifier: BSD-3-Clause */
/* sizes CALLS: as many sends, each of another number of bytes. */
#include "app.h"
#include "fake_mpi.h"

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000;
	char byte = 0;

	MPI_Init(&argc, &argv);
	for (long i = 1; i <= calls; i++)
		MPI_Send(&byte, (int)i, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	app_say("bytes", calls * (calls + 1) / 2);
	return 0;
}
