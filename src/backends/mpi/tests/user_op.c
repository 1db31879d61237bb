/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A user operation that takes 100 ms and calls MPI_Comm_rank and MPI_Alloc_mem: the calls of user code inside
 * MPI_Allreduce count, what the library calls inside does not. Two ranks; states how often it ran and for how long.
 */
#include "traffic.h"

static long us_inside, us_called;

static void slow(void *in, void *inout, int *count, MPI_Datatype *type)
{
	double begin = app_now(), called;
	void *memory;
	int rank;

	(void)type;
	for (int i = 0; i < *count; i++)
		((int *)inout)[i] += ((int *)in)[i];
	DO(MPI_Comm_rank, 0, 0, MPI_COMM_WORLD, &rank);
	called = app_now();
	DO(MPI_Alloc_mem, 0, 0, 64 << 20, MPI_INFO_NULL, &memory);
	memset(memory, 1, 64 << 20);
	DO(MPI_Free_mem, 0, 0, memory);
	us_called += (long)(1e6 * (app_now() - called));
	app_pause_ms(100);
	us_inside += (long)(1e6 * (app_now() - begin));
}

int main(int argc, char **argv)
{
	int value[4] = {1, 2, 3, 4}, result[4];
	double begin;
	MPI_Op op;

	DO(MPI_Init, 0, 0, &argc, &argv);
	DO(MPI_Op_create, 0, 0, slow, 1, &op);
	DO(MPI_Barrier, 0, 0, MPI_COMM_WORLD);
	begin = app_now();
	DO(MPI_Allreduce, 16, 16, value, result, 4, MPI_INT, op, MPI_COMM_WORLD);
	tell_us("outer", 1e6 * (app_now() - begin));
	tell_us("inside", us_inside);
	tell_us("called", us_called);
	if (result[3] != 8)
		app_die("result", result[3]);
	DO(MPI_Op_free, 0, 0, &op);
	DO(MPI_Finalize, 0, 0);
	tell_all();
	return 0;
}
