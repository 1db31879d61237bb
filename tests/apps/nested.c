/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nested DEPTH TIMES: an MPI_Allreduce whose user operation calls MPI_Allreduce, and so on, DEPTH of them; the
 * innermost operation calls MPI_Recv for 5 ms.
 */
#include "app.h"
#include "fake_mpi.h"

static int depth, level;
static MPI_Op op;

static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
	(void)count;
	(void)type;
	if (level + 1 < depth) {
		level++;
		MPI_Allreduce(in, inout, 1, MPI_INT, op, MPI_COMM_WORLD);
		level--;
	} else {
		MPI_Recv(inout, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 1, in = 0, out = 0;
	double begin, outer = 0;

	depth = argc > 1 ? atoi(argv[1]) : 1;
	MPI_Init(&argc, &argv);
	MPI_Op_create(operation, 1, &op);
	for (int i = 0; i < times; i++) {
		begin = app_now();
		MPI_Allreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
		outer += app_now() - begin;
	}
	app_say("outer_us", (long)(1e6 * outer));
	MPI_Finalize();
	return 0;
}
