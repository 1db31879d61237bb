/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few MPI functions that tests/apps/fake_mpi.c offers, with int handles. It exists for tests that a
 * real library would disturb: calls from signal handlers, instruction counts, unwinding through the
 * library, 10^5 threads.
 */
#ifndef FAKE_MPI_H
#define FAKE_MPI_H

#ifdef __cplusplus
extern "C" {
#endif

typedef int MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request;
typedef struct { int fields[5]; } MPI_Status;
typedef void MPI_User_function(void *in, void *inout, int *count, MPI_Datatype *type);

#define MPI_COMM_WORLD 0x44000000
#define MPI_BYTE 0x4c00010d
#define MPI_INT 0x4c000405
#define MPI_REQUEST_NULL 0x2c000000
#define MPI_STATUS_IGNORE ((MPI_Status *)1)

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Initialized(int *flag);
int MPI_Finalized(int *flag);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Type_size(MPI_Datatype type, int *size);
int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op);
int MPI_Barrier(MPI_Comm comm);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
/* fails with 1 where count is negative */
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
/* sleeps tag milliseconds; fake_receiving: how many have begun to */
extern int fake_receiving;
int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status);
/* these call the function of op once, on the calling thread */
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
