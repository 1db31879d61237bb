/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * busy SECONDS [THREADS]: for so long, threads call a stand-in MPI, also from inside a user operation, and the initial
 * thread runs kernels: something is always open, and not so much that a reader needs long.
 */
#include "cl_app.h"
#include "fake_mpi.h"

#include <pthread.h>

static double until;

static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
	int rank;

	(void)in;
	(void)inout;
	(void)count;
	(void)type;
	for (int i = 0; i < 5; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Recv(inout, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *call(void *data)
{
	MPI_Op *op = data;
	MPI_Request request = MPI_REQUEST_NULL;
	int flag, in = 0, out;

	while (app_now() < until) {
		for (int i = 0; i < 10; i++) {
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
			MPI_Allreduce(&in, &out, 1, MPI_INT, *op, MPI_COMM_WORLD);
		}
		app_pause_ms(1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 3;
	pthread_t thread[64];
	struct cl_app app;
	MPI_Op op;

	until = app_now() + (argc > 1 ? atof(argv[1]) : 1);
	MPI_Init(&argc, &argv);
	MPI_Op_create(operation, 1, &op);
	for (int i = 0; i < threads && i < 64; i++)
		pthread_create(&thread[i], NULL, call, &op);
	cl_app_open(&app, CL_QUEUE_PROFILING_ENABLE);
	while (app_now() < until) {
		cl_app_run(&app, 10);
		app_pause_ms(1);
	}
	for (int i = 0; i < threads && i < 64; i++)
		pthread_join(thread[i], NULL);
	cl_app_close(&app);
	MPI_Finalize();
	return 0;
}
