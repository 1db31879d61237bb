/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of MPI's tool interface, which may be made, and fail, before it is initialised and after it is finalised. */
#include <mpi.h>
#include <stdio.h>

static void ask(const char *when)
{
	int index;

	printf("%s: %s\n", when, MPI_T_cvar_get_index("no such variable", &index) == MPI_SUCCESS ? "found" : "failed");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int provided;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	ask("before");
	MPI_Init(&argc, &argv);
	ask("within");
	MPI_Finalize();
	ask("after");
	return 0; /* without MPI_T_finalize(), in which Open MPI 4.1 crashes now */
}
