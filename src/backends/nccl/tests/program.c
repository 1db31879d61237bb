/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A few collectives of communicators of 4 and 2, alone and in groups; prints how often NCCL was asked for sizes. With
 * an argument: one of a communicator that does not block.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim.h"

#define MUST(call) do { if (call) exit(3); } while (0)

static int no_blocking(void)
{
	ncclUniqueId id = {""};
	ncclComm_t comm;

	MUST(cuInit(0));
	MUST(ncclCommInitRank(&comm, 4, id, 0));
	sim_nccl_no_blocking(comm);
	return ncclAllGather("", NULL, 100, NCCL_FLOAT, comm, NULL) != 7;
}

int main(int argc, char **argv)
{
	struct sim_grid one = {1, 1, 1};
	ncclUniqueId id = {""};
	ncclComm_t four, two, eight;
	int i;

	(void)argv;
	if (argc > 1)
		return no_blocking();
	MUST(cuInit(0));
	MUST(ncclCommInitRank(&four, 4, id, 0));
	MUST(ncclCommInitRank(&two, 2, id, 1));
	for (i = 0; i < 10; i++)
		MUST(ncclAllReduce("", NULL, 100, NCCL_FLOAT, 0, four, NULL));
	for (i = 0; i < 5; i++)
		MUST(ncclAllReduce("", NULL, 10, NCCL_FLOAT, 0, two, NULL));
	MUST(!ncclAllReduce("", NULL, 10, NCCL_FLOAT, 0, NULL, NULL));
	MUST(ncclAllGather("", NULL, 100, NCCL_FLOAT, four, NULL));
	MUST(ncclReduceScatter("", NULL, 100, NCCL_FLOAT, 0, four, NULL));
	MUST(ncclGroupStart());
	for (i = 0; i < 3; i++) {
		MUST(ncclSend("", 100, NCCL_FLOAT, 1, two, NULL));
		MUST(ncclRecv(NULL, 50, NCCL_FLOAT, 1, two, NULL));
	}
	MUST(ncclGroupEnd());
	MUST(cudaLaunchKernel("", one, one, NULL, 0, NULL));
	MUST(cudaDeviceSynchronize());
	MUST(ncclCommDestroy(four));
	MUST(ncclCommInitRank(&eight, 8, id, 0)); /* where the other one was */
	MUST(ncclBroadcast("", NULL, 1, NCCL_FLOAT, 0, eight, NULL));
	MUST(ncclCommDestroy(eight));
	MUST(ncclCommDestroy(two));
	printf("asked=%d\n", sim_nccl_asked());
	return 0;
}
