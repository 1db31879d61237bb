/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deep NAME ARGUMENTS...: a program of this folder as a library that is linked with the loader and opened with
 * RTLD_DEEPBIND: its calls go to the loader past the symbols of the process.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	char path[4096];
	void *library;
	int (*run)(int, char **);

	if (argc < 2)
		return 2;
	snprintf(path, sizeof(path), FOLDER "/deep-%s.so", argv[1]);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	run = library ? (int (*)(int, char **))dlsym(library, "main") : NULL;
	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		return 9;
	}
	return run(argc - 1, argv + 1);
}
