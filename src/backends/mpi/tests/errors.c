/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors that a program makes and handles: what it sees must be the same with a tool. Prints each error's class
 * and how often its handler ran. The handler calls MPI itself.
 */
#include "traffic.h"

static int handled, last_class, depth, deepest;

static void handler(MPI_Comm *comm, int *code, ...)
{
	int rank, size;
	double value = 1, result;

	if (++depth > deepest)
		deepest = depth;
	handled++;
	MPI_Error_class(*code, &last_class);
	MPI_Comm_rank(*comm, &rank);
	MPI_Comm_size(*comm, &size);
	MPI_Reduce(&value, &result, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_SELF);
	depth--;
}

static void say(const char *what, int error)
{
	int class = -1;

	if (error)
		MPI_Error_class(error, &class);
	printf("%s: %s class %d, handled %d, class there %d\n", what, error ? "failed" : "went well", class, handled,
	       last_class);
	last_class = -1;
}

int main(int argc, char **argv)
{
	MPI_Errhandler own;
	MPI_Datatype type, gone;
	MPI_Request request;
	MPI_Status status;
	int data[100] = {0}, many[100];

	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(handler, &own);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, own);
	/* what a question of a tool about the same thing would provoke again */
	say("null type", MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_SELF));
	say("null type, nothing to send", MPI_Send(data, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_SELF));
	say("null type, many", MPI_Allreduce(data, many, 10, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_SELF));
	say("negative count", MPI_Send(data, -3, MPI_INT, 0, 0, MPI_COMM_SELF));
	say("null communicator", MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_NULL));
	say("wrong root", MPI_Bcast(data, 1, MPI_INT, 77, MPI_COMM_SELF));
	say("wrong rank", MPI_Send(data, 1, MPI_INT, 77, 0, MPI_COMM_SELF));
	say("wrong operation", MPI_Reduce(data, many, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_SELF));
	MPI_Type_contiguous(3, MPI_INT, &type);
	say("not committed", MPI_Send(data, 1, type, 0, 0, MPI_COMM_SELF));
	gone = type;
	MPI_Type_free(&type);
	(void)gone;
	say("free of nothing", MPI_Type_free(&(MPI_Datatype){MPI_DATATYPE_NULL}));
	say("start of nothing", MPI_Start(&(MPI_Request){MPI_REQUEST_NULL}));
	/* truncation: the status is the program's or ignored */
	MPI_Isend(data, 10, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
	say("truncated", MPI_Recv(many, 5, MPI_INT, 0, 1, MPI_COMM_SELF, &status));
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Isend(data, 10, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
	say("truncated, ignored", MPI_Recv(many, 5, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Isend(data, 10, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
	say("right", MPI_Recv(many, 10, MPI_INT, 0, 1, MPI_COMM_SELF, &status));
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	printf("deepest %d\n", deepest);
	MPI_Errhandler_free(&own);
	MPI_Finalize();
	return 0;
}
