/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host calls of HIP in plain C, each with its answer on standard output: on a machine without a GPU, the errors that
 * a program must get. errors: the library is linked; errors FILE: it is opened by that path and asked for by name, as
 * Julia's packages do.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 10

struct dim3 { unsigned x, y, z; };

#ifdef LINKED
extern int hipInit(unsigned);
static int (*volatile linked)(unsigned) = hipInit;
#else
static int (*volatile linked)(unsigned);
#endif

static void *library;

static void *function(const char *name)
{
	void *found = dlsym(library ? library : RTLD_DEFAULT, name);

	if (!found) {
		fprintf(stderr, "no %s\n", name);
		exit(2);
	}
	return found;
}

#define CALL(name, types, ...) printf("%s %d\n", #name, ((int (*)types)function(#name))(__VA_ARGS__))

int main(int argc, char **argv)
{
	char from[8] = "abc", to[8] = "";
	void *pointer = NULL;
	int number = -1;

	if (argc > 1 && !(library = dlopen(argv[1], RTLD_LAZY | RTLD_DEEPBIND))) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	if (argc == 1 && !linked)
		return 2;
	CALL(hipInit, (unsigned), 0);
	CALL(hipGetDeviceCount, (int *), &number);
	printf("devices %d\n", number);
	if (getenv("LOOK_ONLY"))
		return 0;
	CALL(hipDriverGetVersion, (int *), &number);
	for (int i = 0; i < ROUNDS; i++) {
		CALL(hipMalloc, (void **, size_t), &pointer, 100);
		CALL(hipMemcpy, (void *, const void *, size_t, int), to, from, sizeof(to), 0);
		CALL(hipDeviceSynchronize, (void), );
	}
	CALL(hipStreamCreate, (void **), &pointer);
	CALL(hipHostMalloc, (void **, size_t, unsigned), &pointer, 100, 0);
	CALL(hipModuleLoadData, (void **, const void *), &pointer, "no module");
	CALL(hipLaunchKernel, (const void *, struct dim3, struct dim3, void **, size_t, void *), (const void *)main,
	     (struct dim3){ 4, 5, 6 }, (struct dim3){ 64, 2, 1 }, NULL, 1024, NULL);
	CALL(hipGetLastError, (void), );
	CALL(hipGetLastError, (void), );
	printf("%s\n", ((const char *(*)(int))function("hipGetErrorName"))(100));
	printf("to '%s'\n", to);
	return 0;
}
