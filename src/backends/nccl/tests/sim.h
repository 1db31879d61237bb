/* SPDX-License-Identifier: BSD-3-Clause */
/* What sim_nccl.c has of NCCL, and the simulated runtime beneath (src/backends/cuda/tests/sim.h) of CUDA. */
#ifndef NCCL_SIM_H
#define NCCL_SIM_H

#include <stddef.h>

typedef struct sim_comm *ncclComm_t;
typedef struct {
	char internal[128];
} ncclUniqueId;
enum { NCCL_FLOAT = 7 };

int ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank);
int ncclCommCount(ncclComm_t comm, int *ranks);
int sim_nccl_asked(void); /* how often ncclCommCount() was called */
void sim_nccl_no_blocking(ncclComm_t comm); /* its gatherings return before they are launched */
int ncclCommDestroy(ncclComm_t comm);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation, ncclComm_t comm, void *stream);
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, ncclComm_t comm, void *stream);
int ncclAllGather(const void *from, void *to, size_t count, int type, ncclComm_t comm, void *stream);
int ncclReduceScatter(const void *from, void *to, size_t count, int type, int operation, ncclComm_t comm,
		      void *stream);
int ncclSend(const void *from, size_t count, int type, int peer, ncclComm_t comm, void *stream);
int ncclRecv(void *to, size_t count, int type, int peer, ncclComm_t comm, void *stream);

struct sim_grid {
	unsigned x, y, z;
};
int cudaLaunchKernel(const void *function, struct sim_grid grid, struct sim_grid block, void **arguments, size_t shared,
		     void *stream);
int cudaDeviceSynchronize(void);
int cuInit(unsigned flags);

#endif
