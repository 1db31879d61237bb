// SPDX-License-Identifier: BSD-3-Clause
// unwind_throw TIMES: a C++ exception passes through MPI_Allreduce from the user operation, TIMES times.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "fake_mpi.h"

static void fail(void *, void *, int *, MPI_Datatype *)
{
	MPI_Barrier(MPI_COMM_WORLD);
	throw std::runtime_error("operation");
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 100;
	int caught = 0, value = 0;
	MPI_Op op;

	MPI_Init(&argc, &argv);
	MPI_Op_create(fail, 1, &op);
	for (int i = 0; i < times; i++) {
		try {
			MPI_Allreduce(&value, &value, 1, MPI_INT, op, MPI_COMM_WORLD);
		} catch (const std::runtime_error &) {
			caught++;
		}
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	printf("caught=%d\nunfinished=%d\nbarriers=%d\nsends=%d\n", caught, times, times, times);
	return 0;
}
