/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks at its own MPI library as a GPU-aware MPI looks at a driver: which object holds an address, under
 * which name is it loaded, is it mapped. The output must not depend on a tool.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <link.h>
#include <mpi.h>

#include "app.h"

static void tell(const char *what, void *address)
{
	char path[4096];
	Dl_info info;

	if (!dladdr(address, &info)) {
		printf("%s nowhere\n", what);
		return;
	}
	snprintf(path, sizeof(path), "%s", info.dli_fname);
	printf("%s in %s near %s\n", what, basename(path), info.dli_sname ? info.dli_sname : "-");
}

static int tell_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (strstr(info->dlpi_name, "libmpi"))
		printf("object %s\n", info->dlpi_name);
	return 0;
}

int main(void)
{
	void *library = dlopen(MPI_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
	struct link_map *map = NULL;

	tell("linked MPI_Init", (void *)MPI_Init);
	tell("default MPI_Send", dlsym(RTLD_DEFAULT, "MPI_Send"));
	if (library) {
		tell("handle MPI_Recv", dlsym(library, "MPI_Recv"));
		dlinfo(library, RTLD_DI_LINKMAP, &map);
		printf("map %s\n", map ? map->l_name : "-");
	}
	dl_iterate_phdr(tell_object, NULL);
	return 0;
}
