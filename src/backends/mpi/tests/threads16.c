/* SPDX-License-Identifier: BSD-3-Clause */
/* 16 threads under MPI_THREAD_MULTIPLE exchange with their twins of the other rank, each on a tag of its own. */
#include <pthread.h>

#include "traffic.h"

#define THREADS 16
#define ROUNDS 500

static int rank;

static void *work(void *argument)
{
	int tag = (int)(long)argument, out[64] = {0}, in[64];
	MPI_Datatype type;

	for (int i = 0; i < ROUNDS; i++) {
		/* types come and go in every thread: none may lend its size to another one */
		must(MPI_Type_contiguous(1 + tag, MPI_INT, &type), "type");
		must(MPI_Type_commit(&type), "commit");
		must(MPI_Sendrecv(out, 1, type, !rank, tag, in, 64, MPI_INT, !rank, tag, MPI_COMM_WORLD,
				  MPI_STATUS_IGNORE), "sendrecv");
		must(MPI_Type_free(&type), "free");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int provided;

	must(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "init");
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!rank)
		app_say("provided", provided);
	if (provided != MPI_THREAD_MULTIPLE)
		app_die("provided", provided);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	MPI_Finalize();
	tell("MPI_Init_thread", 0, 0);
	tell("MPI_Comm_rank", 0, 0);
	tell("MPI_Finalize", 0, 0);
	for (int i = 0; i < THREADS; i++)
		for (int round = 0; round < ROUNDS; round++) {
			tell("MPI_Type_contiguous", 0, 0);
			tell("MPI_Type_commit", 0, 0);
			tell("MPI_Type_free", 0, 0);
			tell("MPI_Sendrecv", 4 * (1 + i), 4 * (1 + i));
		}
	tell_all();
	return 0;
}
