/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin that is linked with MPI, to be opened with RTLD_LOCAL by a program that is not. */
#include "traffic.h"

int plugin_run(void);
int plugin_run(void)
{
	int rank, size, value[10] = {0}, result[10];

	DO(MPI_Init, 0, 0, NULL, NULL);
	DO(MPI_Comm_rank, 0, 0, MPI_COMM_WORLD, &rank);
	DO(MPI_Comm_size, 0, 0, MPI_COMM_WORLD, &size);
	DO(MPI_Barrier, 0, 0, MPI_COMM_WORLD);
	DO(MPI_Allreduce, 40, 40, value, result, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	DO(MPI_Sendrecv, 12, 12, value, 3, MPI_INT, (rank + 1) % size, 0, result, 10, MPI_INT, (rank + size - 1) % size,
	   0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	DO(MPI_Finalize, 0, 0);
	tell_all();
	return 0;
}
