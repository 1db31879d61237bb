/* SPDX-License-Identifier: BSD-3-Clause */
/* One of two runtimes of a process, which says in all that it answers which one it is: VERSION. */
#define EXPORT __attribute__((visibility("default")))

EXPORT int cudaRuntimeGetVersion(int *version);
EXPORT int cudaStreamSynchronize(void *stream);
EXPORT void **__cudaRegisterFatBinary(void *code);

int cudaRuntimeGetVersion(int *version)
{
	*version = VERSION;
	return 0;
}

int cudaStreamSynchronize(void *stream)
{
	(void)stream;
	return VERSION;
}

void **__cudaRegisterFatBinary(void *code)
{
	static void *modules[2];

	modules[0] = code;
	modules[1] = (void *)(long)VERSION;
	return modules;
}
