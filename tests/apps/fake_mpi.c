/* SPDX-License-Identifier: BSD-3-Clause */
/* A stand-in for libmpi.so.12: see fake_mpi.h. Built with that SONAME into a folder of its own. */
#include "fake_mpi.h"

#include <stddef.h>

#include "app.h"

#define SHIFTED(name, parameters) \
	int P##name parameters __attribute__((alias(#name)))

static int initialized, finalized;
static MPI_User_function *functions[64];
static int function_count;

int MPI_Init(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	initialized = 1;
	return 0;
}

int MPI_Finalize(void)
{
	finalized = 1;
	return 0;
}

int MPI_Initialized(int *flag)
{
	*flag = initialized;
	return 0;
}

int MPI_Finalized(int *flag)
{
	*flag = finalized;
	return 0;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
	(void)comm;
	*rank = 0;
	return 0;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
	(void)comm;
	*size = 1;
	return 0;
}

int MPI_Type_size(MPI_Datatype type, int *size)
{
	*size = type >> 8 & 0xff; /* as MPICH packs it */
	return 0;
}

int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op)
{
	(void)commute;
	if (function_count == 64)
		return 1;
	functions[function_count] = function;
	*op = function_count++;
	return 0;
}

int MPI_Barrier(MPI_Comm comm)
{
	(void)comm;
	return 0;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	(void)request;
	(void)status;
	*flag = 1;
	return 0;
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	(void)buffer;
	(void)type;
	(void)to;
	(void)tag;
	(void)comm;
	return count < 0;
}

__attribute__((visibility("default"))) int fake_receiving;

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
	(void)buffer;
	(void)count;
	(void)type;
	(void)from;
	(void)comm;
	(void)status;
	__atomic_add_fetch(&fake_receiving, 1, __ATOMIC_RELEASE);
	app_pause_ms(tag);
	return 0;
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	(void)comm;
	functions[op]((void *)in, out, &count, &type);
	return 0;
}

int MPI_Scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	(void)comm;
	functions[op]((void *)in, out, &count, &type);
	return 0;
}

SHIFTED(MPI_Init, (int *argc, char ***argv));
SHIFTED(MPI_Finalize, (void));
SHIFTED(MPI_Initialized, (int *flag));
SHIFTED(MPI_Finalized, (int *flag));
SHIFTED(MPI_Comm_rank, (MPI_Comm comm, int *rank));
SHIFTED(MPI_Comm_size, (MPI_Comm comm, int *size));
SHIFTED(MPI_Type_size, (MPI_Datatype type, int *size));
SHIFTED(MPI_Op_create, (MPI_User_function *function, int commute, MPI_Op *op));
SHIFTED(MPI_Barrier, (MPI_Comm comm));
SHIFTED(MPI_Test, (MPI_Request *request, int *flag, MPI_Status *status));
SHIFTED(MPI_Send, (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm));
SHIFTED(MPI_Recv, (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
		   MPI_Status *status));
SHIFTED(MPI_Allreduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm));
SHIFTED(MPI_Scan, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm));
