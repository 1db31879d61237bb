/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_idle [MS]: initialises MPI, sleeps that long, finalises it. */
#include <mpi.h>

#include "app.h"

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	app_pause_ms(argc > 1 ? atol(argv[1]) : 0);
	MPI_Finalize();
	return 0;
}
