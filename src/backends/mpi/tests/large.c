/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More than 2^31 bytes in one call: by a large type, and where MPI has them by large counts. One rank. What is
 * really moved is a block of 1 MB, 3,000 times; with a single rank the collectives touch no memory.
 */
#include "traffic.h"

#define BLOCK 1000000
#define BYTES 3000000000ll

int main(int argc, char **argv)
{
	char *from = calloc(1, BLOCK), *to = calloc(1, BLOCK);
	MPI_Datatype type;

	DO(MPI_Init, 0, 0, &argc, &argv);
	DO(MPI_Type_create_hvector, 0, 0, 3000, BLOCK, 0, MPI_BYTE, &type);
	DO(MPI_Type_commit, 0, 0, &type);
	DO(MPI_Sendrecv, BYTES, BYTES, from, 1, type, 0, 0, to, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	DO(MPI_Bcast, 3 * BYTES, 0, from, 3, type, 0, MPI_COMM_SELF);
#if MPI_VERSION >= 4
	DO(MPI_Sendrecv_c, BYTES, BYTES, from, 1, type, 0, 0, to, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	DO(MPI_Bcast_c, 8 * BYTES, 0, from, BYTES, MPI_DOUBLE, 0, MPI_COMM_SELF);
	DO(MPI_Allreduce_c, BYTES, BYTES, MPI_IN_PLACE, from, BYTES, MPI_CHAR, MPI_SUM, MPI_COMM_SELF);
	DO(MPI_Send_c, 0, 0, from, BYTES, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF);
	DO(MPI_Allgatherv_c, BYTES, BYTES, MPI_IN_PLACE, 0, MPI_BYTE, from, ((MPI_Count[]){BYTES}), ((MPI_Aint[]){0}),
	   MPI_BYTE, MPI_COMM_SELF);
#endif
	DO(MPI_Type_free, 0, 0, &type);
	DO(MPI_Finalize, 0, 0);
	tell_all();
	free(from);
	free(to);
	return 0;
}
