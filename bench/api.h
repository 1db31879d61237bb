/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that are measured: of a real API, so that they are traced, and as cheap as calls can be. */
#ifndef BENCH_API_H
#define BENCH_API_H

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Test(int *request, int *flag, void *status);
int MPI_Send(const void *buffer, int count, int type, int to, int tag, int comm);
int MPI_Recv(void *buffer, int count, int type, int from, int tag, int comm, void *status);
int MPI_Comm_rank(int comm, int *rank);
int MPI_Win_fence(int assertion, int window);

/* More functions, so that a program can use many: each gets a row in every thread that calls it. */
#define BENCH_MORE(X)         \
	X(MPI_Win_flush)      \
	X(MPI_Win_flush_all)  \
	X(MPI_Win_flush_local) \
	X(MPI_Win_lock)       \
	X(MPI_Win_lock_all)   \
	X(MPI_Win_unlock)     \
	X(MPI_Win_unlock_all) \
	X(MPI_Win_post)       \
	X(MPI_Win_start)      \
	X(MPI_Win_complete)   \
	X(MPI_Win_wait)       \
	X(MPI_Win_sync)       \
	X(MPI_Probe)          \
	X(MPI_Iprobe)         \
	X(MPI_Wait)           \
	X(MPI_Waitany)        \
	X(MPI_Waitsome)       \
	X(MPI_Waitall)        \
	X(MPI_Testany)        \
	X(MPI_Testsome)       \
	X(MPI_Testall)        \
	X(MPI_Cancel)         \
	X(MPI_Barrier)        \
	X(MPI_Ibarrier)       \
	X(MPI_Comm_dup)       \
	X(MPI_Group_union)    \
	X(MPI_Group_free)     \
	X(MPI_Op_free)        \
	X(MPI_File_sync)

#endif
