/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A user operation of MPI_Allreduce takes 100 ms and calls MPI_Recv (50 ms of them) and MPI_Comm_rank: what
 * user code calls from inside a traced call counts, and the outer call's self time is the rest.
 */
#include "app.h"
#include "fake_mpi.h"

static double inner_ms;

static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
	double begin;
	int rank;

	(void)in;
	(void)count;
	(void)type;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	app_pause_ms(50);
	begin = app_now();
	MPI_Recv(inout, 1, MPI_INT, 0, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	inner_ms = 1e3 * (app_now() - begin);
}

int main(int argc, char **argv)
{
	double begin, outer_ms;
	int in = 0, out = 0;
	MPI_Op op;

	MPI_Init(&argc, &argv);
	MPI_Op_create(operation, 1, &op);
	begin = app_now();
	MPI_Allreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
	outer_ms = 1e3 * (app_now() - begin);
	app_say("outer_us", (long)(1e3 * outer_ms));
	app_say("inner_us", (long)(1e3 * inner_ms));
	MPI_Finalize();
	return 0;
}
