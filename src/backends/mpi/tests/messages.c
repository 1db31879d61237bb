/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point-to-point calls of every sort, between neighbours on a ring of an even number of ranks, with what each
 * moves; also that a status of the program's own holds what it has to hold.
 */
#include "traffic.h"

static int rank, size, next, before;
static char out[1 << 18], in[1 << 16];

/* A status of the program is left as MPI writes it: 77 stays, single calls do not set MPI_ERROR. */
static void statuses(void)
{
	MPI_Status status = {.MPI_ERROR = 77};
	int bytes = -1, elements = -1;

	DO(MPI_Sendrecv, 12, 12, out, 3, MPI_INT, next, 9, in, 100, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD,
	   &status);
	DO(MPI_Get_count, 0, 0, &status, MPI_BYTE, &bytes);
	DO(MPI_Get_elements, 0, 0, &status, MPI_INT, &elements);
	if (status.MPI_SOURCE != before || status.MPI_TAG != 9 || status.MPI_ERROR != 77 || bytes != 12 ||
	    elements != 3)
		app_die("status", status.MPI_TAG);
}

static void modes(void)
{
	MPI_Request request;
	char *buffer = malloc(4096);

	DO(MPI_Buffer_attach, 0, 0, buffer, 4096);
	POST(MPI_Irecv, 0, 1000, in, 1000, MPI_CHAR, before, 1, MPI_COMM_WORLD, &request);
	DO(MPI_Bsend, 500, 0, out, 500, MPI_CHAR, next, 1, MPI_COMM_WORLD);
	DO(MPI_Wait, 0, 0, &request, MPI_STATUS_IGNORE);
	POST(MPI_Irecv, 0, 1000, in, 1000, MPI_CHAR, before, 1, MPI_COMM_WORLD, &request);
	DO(MPI_Barrier, 0, 0, MPI_COMM_WORLD);
	DO(MPI_Rsend, 600, 0, out, 600, MPI_CHAR, next, 1, MPI_COMM_WORLD);
	DO(MPI_Wait, 0, 0, &request, MPI_STATUS_IGNORE);
	POST(MPI_Irecv, 0, 1000, in, 1000, MPI_CHAR, before, 1, MPI_COMM_WORLD, &request);
	DO(MPI_Ssend, 700, 0, out, 700, MPI_CHAR, next, 1, MPI_COMM_WORLD);
	DO(MPI_Wait, 0, 0, &request, MPI_STATUS_IGNORE);
	DO(MPI_Buffer_detach, 0, 0, &buffer, &(int){0});
	free(buffer);
	DO(MPI_Sendrecv_replace, 800, 800, out, 100, MPI_DOUBLE, next, 2, before, 2, MPI_COMM_WORLD,
	   MPI_STATUS_IGNORE);
	/* nobody to talk to on one side */
	DO(MPI_Sendrecv, 0, 0, out, 10, MPI_INT, MPI_PROC_NULL, 2, in, 10, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD,
	   MPI_STATUS_IGNORE);
	DO(MPI_Irecv, 0, 0, in, 10, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &request);
	DO(MPI_Wait, 0, 0, &request, MPI_STATUS_IGNORE);
}

static void matched(void)
{
	MPI_Message message;
	MPI_Request requests[2];

	DO(MPI_Isend, 20, 0, out, 20, MPI_CHAR, next, 3, MPI_COMM_WORLD, &requests[0]);
	DO(MPI_Mprobe, 0, 0, before, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	DO(MPI_Mrecv, 0, 20, in, 100, MPI_CHAR, &message, MPI_STATUS_IGNORE);
	DO(MPI_Wait, 0, 0, &requests[0], MPI_STATUS_IGNORE);
	DO(MPI_Isend, 20, 0, out, 20, MPI_CHAR, next, 3, MPI_COMM_WORLD, &requests[0]);
	DO(MPI_Mprobe, 0, 0, before, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	POST(MPI_Imrecv, 0, 100, in, 100, MPI_CHAR, &message, &requests[1]);
	DO(MPI_Waitall, 0, 0, 2, requests, MPI_STATUSES_IGNORE);
	DO(MPI_Mprobe, 0, 0, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	DO(MPI_Imrecv, 0, 0, in, 100, MPI_CHAR, &message, &requests[1]);
	DO(MPI_Wait, 0, 0, &requests[1], MPI_STATUS_IGNORE);
}

/* A type whose extent is not its size, received as another one; its handle comes back for a larger type. */
static void derived_types(void)
{
	struct pair {
		char letter;
		double number;
	};
	int lengths[2] = {1, 1};
	MPI_Aint places[2] = {offsetof(struct pair, letter), offsetof(struct pair, number)};
	MPI_Datatype members[2] = {MPI_CHAR, MPI_DOUBLE}, type;

	DO(MPI_Type_create_struct, 0, 0, 2, lengths, places, members, &type);
	DO(MPI_Type_commit, 0, 0, &type);
	DO(MPI_Sendrecv, 27, 27, out, 3, type, next, 4, in, 100, type, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	DO(MPI_Type_free, 0, 0, &type);
	for (int i = 1; i <= 5; i++) {
		DO(MPI_Type_contiguous, 0, 0, i, MPI_DOUBLE, &type);
		DO(MPI_Type_commit, 0, 0, &type);
		DO(MPI_Sendrecv, 16 * i, 16 * i, out, 2, type, next, 4, in, 100, MPI_DOUBLE, before, 4, MPI_COMM_WORLD,
		   MPI_STATUS_IGNORE);
		DO(MPI_Type_free, 0, 0, &type);
	}
	/* larger than what a cache entry holds */
	DO(MPI_Type_contiguous, 0, 0, 40000, MPI_SHORT, &type);
	DO(MPI_Type_commit, 0, 0, &type);
	DO(MPI_Send, 0, 0, out, 1, type, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
	DO(MPI_Bcast, 160000, 0, out, 2, type, 0, MPI_COMM_SELF);
	DO(MPI_Type_free, 0, 0, &type);
}

#if MPI_VERSION >= 4
static void of_version_4(void)
{
	MPI_Request requests[2];

	POST(MPI_Isendrecv, 40, 400, out, 10, MPI_INT, next, 5, in, 100, MPI_INT, before, 5, MPI_COMM_WORLD,
	     &requests[0]);
	DO(MPI_Wait, 0, 0, &requests[0], MPI_STATUS_IGNORE);
	DO(MPI_Sendrecv_c, 40, 40, out, 10, MPI_INT, next, 5, in, 100, MPI_INT, before, 5, MPI_COMM_WORLD,
	   MPI_STATUS_IGNORE);
	DO(MPI_Psend_init, 0, 0, out, 4, 25, MPI_INT, next, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
	DO(MPI_Precv_init, 0, 0, in, 2, 50, MPI_INT, before, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
	for (int round = 0; round < 2; round++) {
		POST(MPI_Start, 0, 400, &requests[1]);
		DO(MPI_Start, 400, 0, &requests[0]);
		for (int i = 0; i < 4; i++)
			DO(MPI_Pready, 0, 0, i, requests[0]);
		DO(MPI_Waitall, 0, 0, 2, requests, MPI_STATUSES_IGNORE);
	}
	DO(MPI_Request_free, 0, 0, &requests[0]);
	DO(MPI_Request_free, 0, 0, &requests[1]);
}
#endif

/* Requests whose handle comes back for a request of another size, and one made for MPI_PROC_NULL. */
static void persistent(void)
{
	MPI_Request request;

	for (int i = 1; i <= 3; i++) {
		DO(MPI_Send_init, 0, 0, out, 10 * i, MPI_CHAR, next, 7, MPI_COMM_WORLD, &request);
		DO(MPI_Start, 10 * i, 0, &request);
		DO(MPI_Recv, 0, 10 * i, in, 100, MPI_CHAR, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		DO(MPI_Wait, 0, 0, &request, MPI_STATUS_IGNORE);
		DO(MPI_Request_free, 0, 0, &request);
	}
	DO(MPI_Ssend_init, 0, 0, out, 10, MPI_CHAR, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &request);
	DO(MPI_Start, 0, 0, &request);
	DO(MPI_Wait, 0, 0, &request, MPI_STATUS_IGNORE);
	DO(MPI_Request_free, 0, 0, &request);
}

int main(int argc, char **argv)
{
	DO(MPI_Init, 0, 0, &argc, &argv);
	DO(MPI_Comm_rank, 0, 0, MPI_COMM_WORLD, &rank);
	DO(MPI_Comm_size, 0, 0, MPI_COMM_WORLD, &size);
	next = (rank + 1) % size;
	before = (rank + size - 1) % size;
	statuses();
	modes();
	matched();
	derived_types();
	persistent();
#if MPI_VERSION >= 4
	of_version_4();
#endif
	DO(MPI_Finalize, 0, 0);
	tell_all();
	return 0;
}
