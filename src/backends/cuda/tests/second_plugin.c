/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with kernels, linked to one of two runtimes (second_runtime.c): it says which one answered. */
int cudaRuntimeGetVersion(int *version);
int cudaStreamSynchronize(void *stream);
void **__cudaRegisterFatBinary(void *code);
#define EXPORT __attribute__((visibility("default")))
EXPORT int plugin_registered(void);
EXPORT int plugin_version(void);
EXPORT int plugin_synchronize(void);

static void **modules;

__attribute__((constructor)) static void register_kernels(void)
{
	modules = __cudaRegisterFatBinary(&modules);
}

int plugin_registered(void)
{
	return (int)(long)modules[1];
}

int plugin_version(void)
{
	int version = 0;

	cudaRuntimeGetVersion(&version);
	return version;
}

int plugin_synchronize(void)
{
	return cudaStreamSynchronize(0);
}
