/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copies PLUGIN...: opens each for itself, and runs them in turn, three times; it resumes recording after the first. It
 * has no runtime of its own.
 */
#include <dlfcn.h>
#include <stdio.h>

#include <sonde/sonde.h>

#define MOST 4

int main(int argc, char **argv)
{
	int (*run[MOST])(void), right = 0;

	for (int i = 1; i < argc && i <= MOST; i++) {
		void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);

		run[i - 1] = plugin ? (int (*)(void))dlsym(plugin, "run") : NULL;
		if (!run[i - 1])
			return fprintf(stderr, "%s\n", dlerror()), 1;
	}
	for (int round = 0; round < 3; round++) {
		for (int i = 1; i < argc && i <= MOST; i++)
			right += run[i - 1]() == 7;
		sonde_resume();
	}
	printf("right=%d\n", right);
	return 0;
}
