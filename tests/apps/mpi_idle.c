/* SPDX-License-Identifier: BSD-3-Clause */
/* Initialises MPI, finalises it, nothing in between. */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	return 0;
}
