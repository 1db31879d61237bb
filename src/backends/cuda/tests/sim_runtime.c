/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated runtime: see sim.h. It has the driver's functions by cuGetProcAddress(), as the real one. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "sim.h"

#define INSUFFICIENT_DRIVER 35

#define MEMBER(name, arguments, action) int (*name) arguments;
static struct {
	int (*cuInit)(unsigned flags);
	struct sim_driver *tools;
	SIM_DRIVER(MEMBER)
} driver;
static int state;

static void load_driver(void)
{
	void *object = dlopen("libcuda.so.1", RTLD_NOW);
	int (*get)(const char *, void **, int, uint64_t, int *) =
		object ? (int (*)(const char *, void **, int, uint64_t, int *))(uintptr_t)dlsym(
				 object, "cuGetProcAddress_v2")
		       : NULL;
	void *found = NULL;

	state = INSUFFICIENT_DRIVER;
	if (!get)
		return;
	get("sim_driver", &found, 13000, 0, NULL);
	driver.tools = ((struct sim_driver * (*)(void))(uintptr_t)found)();
	get("cuInit", &found, 13000, 0, NULL);
	driver.cuInit = (int (*)(unsigned))(uintptr_t)found;
#define FIND(name, arguments, action)             \
	get(#name, &found, 13000, 0, NULL);       \
	driver.name = (int (*) arguments)(uintptr_t)found;
	SIM_DRIVER(FIND)
	state = driver.cuInit(0);
}

static int start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_driver);
	return state ? state : driver.cuInit(0);
}

/* What the runtime does besides: its own questions, under the number of the call, and once under another. */
static void ask_more(void)
{
	struct sim_operation *operation = driver.tools->operation(), kept = *operation;
	struct sim_call other;
	void *context;

	operation->silent = true;
	operation->took = 0;
	driver.cuDevicePrimaryCtxRetain(&context, 0);
	if (kept.starts_more) {
		driver.tools->enter(&other, SIM_NUMBER_cudaStreamSynchronize);
		driver.cuStreamSynchronize(NULL);
		driver.tools->leave(&other, SIM_NUMBER_cudaStreamSynchronize, 0);
		driver.cuCtxSynchronize();
	}
	*operation = kept;
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define DEFINE(name, arguments, reported, values, below)                    \
	SIM_EXPORT int name arguments                                       \
	{                                                                   \
		struct sim_call call;                                       \
		int result = start();                                       \
                                                                            \
		if (result)                                                 \
			return result;                                      \
		driver.tools->enter(&call, SIM_NUMBER_##name);              \
		ask_more();                                                 \
		result = driver.below values;                               \
		return driver.tools->leave(&call, SIM_NUMBER_##name, result); \
	}
SIM_RUNTIME(DEFINE)

SIM_EXPORT void **__cudaRegisterFatBinary(void *code)
{
	static void *modules[1];

	modules[0] = code;
	return modules;
}

/* What nvcc makes of <<< >>>: the same functions, past their exported names. */
extern __typeof(cudaLaunchKernel) launch __attribute__((alias("cudaLaunchKernel"), visibility("hidden")));
extern __typeof(cudaLaunchKernel) launch_ptsz __attribute__((alias("cudaLaunchKernel_ptsz"), visibility("hidden")));

SIM_EXPORT int __cudaLaunchKernel(void *kernel, struct sim_grid grid, struct sim_grid block, void **parameters,
				  size_t shared, void *stream)
{
	return launch(kernel, grid, block, parameters, shared, stream);
}

SIM_EXPORT int __cudaLaunchKernel_ptsz(void *kernel, struct sim_grid grid, struct sim_grid block, void **parameters,
				       size_t shared, void *stream)
{
	return launch_ptsz(kernel, grid, block, parameters, shared, stream);
}
