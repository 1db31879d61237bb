/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Built with each sanitizer: sanitizer runtimes intercept half of libc and call dlsym before they are
 * ready. 4 threads make 1000 calls each, one function is reached through dlsym, one child is forked.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>

#include "app.h"
#include "fake_mpi.h"

static void *work(void *unused)
{
	char *scratch = malloc(100);

	for (int i = 0; i < 1000; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	free(scratch);
	return unused;
}

int main(int argc, char **argv)
{
	int (*barrier)(MPI_Comm) = (int (*)(MPI_Comm))dlsym(RTLD_DEFAULT, "MPI_Barrier");
	pthread_t thread[4];
	int status = 0;
	pid_t child;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	barrier(MPI_COMM_WORLD);
	child = fork();
	if (!child) {
		MPI_Barrier(MPI_COMM_WORLD);
		_exit(5);
	}
	waitpid(child, &status, 0);
	app_say("child", WEXITSTATUS(status));
	app_say("barriers", 4 * 1000 + 2);
	MPI_Finalize();
	return 0;
}
