/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks for API names in every way there is; no traced API is in this process, so all are NULL. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

static const char *const names[] = { "MPI_Init", "PMPI_Init", "mpi_init_", "MPI_Initialized", "clFinish" };

int main(void)
{
	void *program = dlopen(NULL, RTLD_NOW);

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		printf("%s default %p next %p program %p\n", names[i], dlsym(RTLD_DEFAULT, names[i]),
		       dlsym(RTLD_NEXT, names[i]), dlsym(program, names[i]));
		dlerror();
	}
	printf("puts %d\n", dlsym(RTLD_DEFAULT, "puts") != NULL);
	printf("unknown %p\n", dlsym(RTLD_DEFAULT, "no_such_function"));
	printf("error %s\n", dlerror() ? "set" : "none");
	return 0;
}
