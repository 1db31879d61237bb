/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_churn THREADS [WIDTH]: THREADS short-lived threads, WIDTH (default 4) alive at once, make 3 calls
 * of MPI_Barrier each: one in the thread, one in a pthread key's destructor, one in that destructor's
 * second round.
 */
#include <pthread.h>

#include "app.h"
#include "fake_mpi.h"

static pthread_key_t key;

static void at_exit_of_thread(void *round)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if ((long)round < 2)
		pthread_setspecific(key, (void *)((long)round + 1));
}

static void *work(void *unused)
{
	MPI_Barrier(MPI_COMM_WORLD);
	pthread_setspecific(key, (void *)1);
	return unused;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 1000;
	int width = argc > 2 ? atoi(argv[2]) : 4;
	pthread_t thread[64];
	long done = 0;

	if (width < 1 || width > 64)
		return 1;
	MPI_Init(&argc, &argv);
	pthread_key_create(&key, at_exit_of_thread);
	while (done < threads) {
		int alive = 0;

		for (; alive < width && done < threads; alive++, done++)
			if (pthread_create(&thread[alive], NULL, work, NULL))
				app_die("pthread_create", errno);
		while (alive)
			pthread_join(thread[--alive], NULL);
	}
	app_say("barriers", 3 * threads);
	MPI_Finalize();
	return 0;
}
