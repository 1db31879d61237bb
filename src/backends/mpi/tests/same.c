/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of same.F90, from C. */
#include "traffic.h"

static void collectives(int rank, int size)
{
	double value[8] = {0}, result[8] = {0}, all[64];
	int counts[16], places[16], sum = 0;

	for (int i = 0; i < size; i++) {
		counts[i] = i + 1;
		places[i] = sum;
		sum += i + 1;
	}
	DO(MPI_Barrier, 0, 0, MPI_COMM_WORLD);
	DO(MPI_Bcast, rank ? 0 : 64, rank ? 64 : 0, value, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	DO(MPI_Allreduce, 64, 64, value, result, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	DO(MPI_Allreduce, 64, 64, MPI_IN_PLACE, value, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	DO(MPI_Reduce, 64, rank == 1 ? 64 : 0, value, result, 8, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
	DO(MPI_Gather, 16, rank ? 0 : 16 * size, value, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	DO(MPI_Allgather, 16, 16 * size, value, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, MPI_COMM_WORLD);
	if (rank == 0)
		DO(MPI_Gatherv, 8, 8 * sum, MPI_IN_PLACE, 0, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, 0,
		   MPI_COMM_WORLD);
	else
		DO(MPI_Gatherv, 8 * (rank + 1), 0, value, rank + 1, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, 0,
		   MPI_COMM_WORLD);
}

static void messages(int rank, int size)
{
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	int out[100] = {0}, in[100];
	MPI_Request requests[2];
	MPI_Status status;

	/* received less than asked for, with and without a status */
	DO(MPI_Sendrecv, 40, 40, out, 10, MPI_INT, next, 1, in, 100, MPI_INT, before, 1, MPI_COMM_WORLD, &status);
	DO(MPI_Sendrecv, 80, 80, out, 20, MPI_INT, next, 1, in, 100, MPI_INT, before, 1, MPI_COMM_WORLD,
	   MPI_STATUS_IGNORE);
	if (rank % 2) {
		DO(MPI_Recv, 0, 120, in, 100, MPI_INT, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		DO(MPI_Recv, 0, 160, in, 100, MPI_INT, rank - 1, 2, MPI_COMM_WORLD, &status);
	} else {
		DO(MPI_Send, 120, 0, out, 30, MPI_INT, rank + 1, 2, MPI_COMM_WORLD);
		DO(MPI_Send, 160, 0, out, 40, MPI_INT, rank + 1, 2, MPI_COMM_WORLD);
	}
	POST(MPI_Irecv, 0, 400, in, 100, MPI_INT, before, 3, MPI_COMM_WORLD, &requests[0]);
	DO(MPI_Isend, 200, 0, out, 50, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[1]);
	DO(MPI_Waitall, 0, 0, 2, requests, MPI_STATUSES_IGNORE);
	DO(MPI_Send, 0, 0, out, 50, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
	DO(MPI_Recv, 0, 0, in, 50, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void derived_types(int rank, int size)
{
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	int out[64] = {0}, in[64];
	MPI_Request requests[2];
	MPI_Datatype type;

	/* 3 blocks of 2 out of every 4: 24 bytes in 40 */
	DO(MPI_Type_vector, 0, 0, 3, 2, 4, MPI_INT, &type);
	DO(MPI_Type_commit, 0, 0, &type);
	DO(MPI_Sendrecv, 48, 48, out, 2, type, next, 5, in, 4, type, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	DO(MPI_Type_free, 0, 0, &type);
	DO(MPI_Recv_init, 0, 0, in, 64, MPI_INT, before, 6, MPI_COMM_WORLD, &requests[0]);
	DO(MPI_Send_init, 0, 0, out, 64, MPI_INT, next, 6, MPI_COMM_WORLD, &requests[1]);
	for (int i = 0; i < 3; i++) {
		POST(MPI_Startall, 256, 256, 2, requests);
		DO(MPI_Waitall, 0, 0, 2, requests, MPI_STATUSES_IGNORE);
	}
	DO(MPI_Request_free, 0, 0, &requests[0]);
	DO(MPI_Request_free, 0, 0, &requests[1]);
}

/* One file each: it is gone with its handle. */
static void files(int rank)
{
	char name[] = "same.file.0";
	MPI_File file;
	MPI_Info info;
	int out[4] = {0};

	name[10] = (char)('0' + rank);
	DO(MPI_Info_create, 0, 0, &info);
	DO(MPI_File_open, 0, 0, MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
	   &file);
	DO(MPI_File_write_at, 16, 0, file, 0, out, 4, MPI_INT, MPI_STATUS_IGNORE);
	DO(MPI_File_close, 0, 0, &file);
	DO(MPI_Info_free, 0, 0, &info);
}

int main(int argc, char **argv)
{
	int rank, size;

	DO(MPI_Init, 0, 0, &argc, &argv);
	DO(MPI_Comm_rank, 0, 0, MPI_COMM_WORLD, &rank);
	DO(MPI_Comm_size, 0, 0, MPI_COMM_WORLD, &size);
	collectives(rank, size);
	messages(rank, size);
	derived_types(rank, size);
	files(rank);
	DO(MPI_Finalize, 0, 0);
	tell_all();
	return 0;
}
