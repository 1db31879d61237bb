/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands between everybody and the MPI library, by its profiling names, and counts which of the local questions
 * that a tool may ask arrive outside of MPI_Init ... MPI_Finalize, and which calls that communicate arrive at all.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

#include "app.h"

static int up, over;
static long asked_inside, asked_outside, communicated;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void asked(void)
{
	if (up && !over)
		asked_inside++;
	else
		asked_outside++;
}

/* Each under both names: who calls MPI_X is the program, who calls PMPI_X a tool. */
#define QUESTION(name, list, ...)                    \
	int P##name list                             \
	{                                            \
		asked();                             \
		return NEXT(P##name)(__VA_ARGS__);   \
	}
QUESTION(MPI_Comm_rank, (MPI_Comm comm, int *rank), comm, rank)
QUESTION(MPI_Comm_size, (MPI_Comm comm, int *size), comm, size)
QUESTION(MPI_Comm_remote_size, (MPI_Comm comm, int *size), comm, size)
QUESTION(MPI_Comm_test_inter, (MPI_Comm comm, int *flag), comm, flag)
QUESTION(MPI_Type_size, (MPI_Datatype type, int *size), type, size)
QUESTION(MPI_Type_size_x, (MPI_Datatype type, MPI_Count *size), type, size)
QUESTION(MPI_Get_count, (const MPI_Status *status, MPI_Datatype type, int *count), status, type, count)
QUESTION(MPI_Get_elements_x, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count), status, type, count)
QUESTION(MPI_Topo_test, (MPI_Comm comm, int *kind), comm, kind)
QUESTION(MPI_Initialized, (int *flag), flag)
QUESTION(MPI_Finalized, (int *flag), flag)

#define TRAFFIC(name, list, ...)                     \
	int P##name list                             \
	{                                            \
		communicated++;                      \
		return NEXT(P##name)(__VA_ARGS__);   \
	}
TRAFFIC(MPI_Barrier, (MPI_Comm comm), comm)
TRAFFIC(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *copy), comm, copy)
TRAFFIC(MPI_Allreduce, (const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c), in, out, n, t, op, c)
TRAFFIC(MPI_Send, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c), b, n, t, to, tag, c)
TRAFFIC(MPI_Gather, (const void *in, int n, MPI_Datatype t, void *out, int m, MPI_Datatype u, int root, MPI_Comm c),
	in, n, t, out, m, u, root, c)

int MPI_Init(int *argc, char ***argv)
{
	int error = NEXT(MPI_Init)(argc, argv);

	up = 1;
	return error;
}

int MPI_Finalize(void)
{
	over = 1;
	return NEXT(MPI_Finalize)();
}

__attribute__((destructor)) static void say(void)
{
	char text[200];
	int length = snprintf(text, sizeof(text), "asked_inside=%ld\nasked_outside=%ld\ncommunicated=%ld\n",
			      asked_inside, asked_outside, communicated);

	if (up && write(1, text, (size_t)length) != length)
		app_die("write", length);
}
