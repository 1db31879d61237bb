/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of HIP, linked with its library or opening it, as OPEN says how. Its words:
 *   kernel NAME         the kernel that is launched from now on; odd: none but bad bytes; long: 4 KiB
 *   stream              a new stream
 *   launch N  copy WAY BYTES  alloc BYTES  free  sync  range NAME  end  fork  sleep MS
 * and the ends of tests/apps/app.h, by `end-with HOW`.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <sys/wait.h>

#include "app.h"

int hipInit(unsigned flags);
int hipModuleLoadData(void **module, const void *image);
int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
			  unsigned shared, void *stream, void **parameters, void **extra);
int hipMemcpyAsync(void *to, const void *from, size_t bytes, int way, void *stream);
int hipMalloc(void **made, size_t bytes);
int hipFree(void *address);
int hipStreamCreate(void **stream);
int hipDeviceSynchronize(void);
#ifdef OPEN
static void *library;
#define HIP(name) ((__typeof__(name) *)dlsym(library, #name))
#else
#define HIP(name) name
#endif

static void *kernel, *stream, *block;
static char memory[2][1 << 20];

static void choose_kernel(const char *name)
{
	static char text[8192];

	if (!strcmp(name, "odd"))
		name = "say \"no\" \\ \xff\xfe\x1b[31m";
	if (!strcmp(name, "long"))
		name = memset(text, 'n', sizeof(text) - 1);
	HIP(hipModuleGetFunction)(&kernel, NULL, name);
}

static long failed;

static void launch(int count)
{
	while (count--)
		failed += HIP(hipModuleLaunchKernel)(kernel, 5, 2, 1, 64, 1, 1, 0, stream, NULL, NULL) != 0;
}

static void *marker(const char *name)
{
	void *markers = dlopen(ROCTX, RTLD_LAZY | RTLD_LOCAL);

	if (!markers)
		app_die(dlerror(), 0);
	return dlsym(markers, name);
}

static int act(char **word)
{
	if (!strcmp(word[0], "kernel"))
		return choose_kernel(word[1]), 2;
	if (!strcmp(word[0], "stream"))
		return HIP(hipStreamCreate)(&stream), 1;
	if (!strcmp(word[0], "launch"))
		return launch(atoi(word[1])), 2;
	if (!strcmp(word[0], "copy"))
		return HIP(hipMemcpyAsync)(memory[0], memory[1], (size_t)atol(word[2]), atoi(word[1]), stream), 3;
	if (!strcmp(word[0], "alloc"))
		return HIP(hipMalloc)(&block, (size_t)atol(word[1])), 2;
	if (!strcmp(word[0], "free"))
		return HIP(hipFree)(block), 1;
	if (!strcmp(word[0], "sync"))
		return HIP(hipDeviceSynchronize)(), 1;
	if (!strcmp(word[0], "range"))
		return ((int (*)(const char *))marker("roctxRangePushA"))(word[1]), 2;
	if (!strcmp(word[0], "end"))
		return ((int (*)(void))marker("roctxRangePop"))(), 1;
	if (!strcmp(word[0], "sleep"))
		return app_pause_ms(atoi(word[1])), 2;
	if (!strcmp(word[0], "end-with"))
		return app_end(word[1]), 2;
	if (!strcmp(word[0], "fork")) {
		if (fork() == 0)
			_exit(0);
		return wait(NULL), 1;
	}
	app_die(word[0], 1);
	return 1;
}

int main(int argc, char **argv)
{
	(void)argc;
#ifdef OPEN
	library = dlopen("libamdhip64.so.6", RTLD_LAZY | OPEN);
	if (!library)
		app_die(dlerror(), 0);
#endif
	app_say("init", HIP(hipInit)(0));
	choose_kernel("_Z6vectorPf");
	for (char **word = argv + 1; *word;)
		word += act(word);
	app_say("failed", failed);
	printf("force_load=%d\n", getenv("ROCPROFILER_REGISTER_FORCE_LOAD") != NULL);
	return 0;
}
