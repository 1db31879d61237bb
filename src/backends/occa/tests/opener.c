/* SPDX-License-Identifier: BSD-3-Clause */
/* opener PLUGIN ARGS...: runs the main() of a plugin, which it opens privately, as Python opens its modules. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*run)(int, char **) = plugin ? (int (*)(int, char **))dlsym(plugin, "main") : NULL;

	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		return 9;
	}
	return run(argc - 1, argv + 1);
}
