/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unwind_longjmp TIMES: leaves MPI_Allreduce by longjmp from the user operation TIMES times, on every second
 * through an MPI_Scan around it, and makes two ordinary calls after each.
 */
#include <setjmp.h>

#include "app.h"
#include "fake_mpi.h"

static jmp_buf back;
static MPI_Op inner;

static void leave(void *in, void *inout, int *count, MPI_Datatype *type)
{
	(void)in;
	(void)inout;
	(void)count;
	(void)type;
	MPI_Barrier(MPI_COMM_WORLD);
	longjmp(back, 1);
}

static void nest(void *in, void *inout, int *count, MPI_Datatype *type)
{
	MPI_Allreduce(in, inout, *count, *type, inner, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	volatile int times = argc > 1 ? atoi(argv[1]) : 100;
	volatile int i;
	int in = 0, out = 0;
	MPI_Op outer;

	MPI_Init(&argc, &argv);
	MPI_Op_create(leave, 1, &inner);
	MPI_Op_create(nest, 1, &outer);
	for (i = 0; i < times; i++) {
		if (!setjmp(back))
			i % 2 ? MPI_Scan(&in, &out, 1, MPI_INT, outer, MPI_COMM_WORLD) :
				MPI_Allreduce(&in, &out, 1, MPI_INT, inner, MPI_COMM_WORLD);
		MPI_Send(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Send(&in, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	app_say("unfinished", times);
	app_say("unfinished_scans", times / 2);
	app_say("barriers", times);
	app_say("sends", 2 * times);
	app_say("failed", times);
	return 0;
}
