/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts itself once more by MPI_Comm_spawn, and sends that process one message. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	MPI_Comm other;
	int value = 7;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&other);
	if (other == MPI_COMM_NULL) {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
			       MPI_ERRCODES_IGNORE);
		MPI_Send(&value, 1, MPI_INT, 0, 0, other);
	} else {
		MPI_Recv(&value, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
	}
	MPI_Comm_disconnect(&other);
	MPI_Finalize();
	return value == 7 ? 0 : 1;
}
