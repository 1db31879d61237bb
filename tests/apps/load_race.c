/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * load_race PLUGIN: while a thread is in dlopen(), in the constructor of a library that makes its first call there,
 * another one makes a first call, too.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "app.h"
#include "fake_mpi.h"

static void *load(void *path)
{
	return dlopen(path, RTLD_NOW);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *plugin;

	MPI_Init(&argc, &argv);
	pthread_create(&thread, NULL, load, argv[1]);
	usleep(100000);
	MPI_Barrier(MPI_COMM_WORLD); /* the plugin's constructor sleeps still */
	pthread_join(thread, &plugin);
	app_say("loaded", plugin != NULL);
	MPI_Finalize();
	return 0;
}
