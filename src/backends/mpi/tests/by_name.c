/* SPDX-License-Identifier: BSD-3-Clause */
/* by_name LIBRARY MODE: opens MPI at run time and calls it by address. MODE: local, deepbind, global. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "traffic.h"

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "local";
	int mode = !strcmp(how, "global") ? RTLD_GLOBAL : !strcmp(how, "deepbind") ? RTLD_DEEPBIND : RTLD_LOCAL;
	void *mpi = dlopen(argv[1], RTLD_NOW | mode);
	void *open_mpi = mpi ? dlsym(mpi, "ompi_mpi_comm_world") : NULL;
	/* a machine word serves both: the lower half is MPICH's handle */
	size_t world = open_mpi ? (size_t)open_mpi : 0x44000000;
	size_t type = open_mpi ? (size_t)dlsym(mpi, "ompi_mpi_int") : 0x4c000405;
	int value[10] = {0};

	if (!mpi)
		app_die(dlerror(), 0);
	must(((int (*)(int *, char ***))dlsym(mpi, "MPI_Init"))(&argc, &argv), "init");
	for (int i = 0; i < 3; i++) {
		must(((int (*)(size_t))dlsym(mpi, "MPI_Barrier"))(world), "barrier");
		tell("MPI_Barrier", 0, 0);
	}
	must(((int (*)(void *, int, size_t, int, size_t))dlsym(mpi, "MPI_Bcast"))(value, 10, type, 0, world), "bcast");
	must(((int (*)(void))dlsym(mpi, "PMPI_Finalize"))(), "finalize");
	tell("MPI_Init", 0, 0);
	tell("MPI_Bcast", 40, 0);
	tell("MPI_Finalize", 0, 0);
	tell_all();
	return 0;
}
