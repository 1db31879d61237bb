/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for libmpi.so.12: a real one would add its own time, and its own noise. */
#include "api.h"
#include "names.h"

#define UNUSED(x) (void)(x)

int MPI_Init(int *argc, char ***argv)
{
	UNUSED(argc);
	UNUSED(argv);
	return 0;
}

int MPI_Finalize(void)
{
	return 0;
}

int MPI_Test(int *request, int *flag, void *status)
{
	UNUSED(status);
	*flag = *request == 0;
	return 0;
}

int MPI_Send(const void *buffer, int count, int type, int to, int tag, int comm)
{
	UNUSED(buffer);
	UNUSED(type);
	UNUSED(to);
	UNUSED(tag);
	UNUSED(comm);
	return count < 0;
}

int MPI_Recv(void *buffer, int count, int type, int from, int tag, int comm, void *status)
{
	UNUSED(buffer);
	UNUSED(type);
	UNUSED(from);
	UNUSED(tag);
	UNUSED(comm);
	UNUSED(status);
	return count < 0;
}

int MPI_Comm_rank(int comm, int *rank)
{
	UNUSED(comm);
	*rank = 0;
	return 0;
}

int MPI_Win_fence(int assertion, int window)
{
	UNUSED(assertion);
	UNUSED(window);
	return 0;
}

#define MORE(name)                \
	int name(void);           \
	int name(void)            \
	{                         \
		return 0;         \
	}
BENCH_MORE(MORE)
BENCH_REST(MORE)

/* What the tool itself asks the library, so that it counts bytes as with a real one. */
int PMPI_Comm_rank(int comm, int *rank) __attribute__((alias("MPI_Comm_rank")));
int PMPI_Comm_size(int comm, int *size);
int PMPI_Type_size(int type, int *size);
int PMPI_Get_count(const int *status, int type, int *count);

int PMPI_Comm_size(int comm, int *size)
{
	UNUSED(comm);
	*size = 1;
	return 0;
}

int PMPI_Type_size(int type, int *size)
{
	*size = type >> 8 & 0xff; /* as MPICH packs it */
	return 0;
}

int PMPI_Get_count(const int *status, int type, int *count)
{
	UNUSED(type);
	*count = status[0];
	return 0;
}
