/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the compiler asks of the unwinder for cleanups, handed on to the one that the program has, which is found when
 * OCCA is met: linked, it would be a library that the traced process does not need without us. Where there is none,
 * exceptions pass the wrappers as if these had no cleanups, and the recorder drops the calls by their address.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "occa.h"

#define CONTINUE_UNWIND 8

typedef int personality_function(int version, int actions, uint64_t class, void *exception, void *context);
static personality_function *personality;
static void (*resume)(void *exception);

int __gcc_personality_v0(int version, int actions, uint64_t class, void *exception, void *context)
	__attribute__((visibility("hidden")));
int __gcc_personality_v0(int version, int actions, uint64_t class, void *exception, void *context)
{
	if (!personality || !resume)
		return CONTINUE_UNWIND;
	return personality(version, actions, class, exception, context);
}

void _Unwind_Resume(void *exception) __attribute__((visibility("hidden"), noreturn));
void _Unwind_Resume(void *exception)
{
	resume(exception);
	abort(); /* it does not return */
}

void occa_unwind_find(void)
{
	void *handle = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);

	if (!handle)
		return;
	*(void **)&resume = dlsym(handle, "_Unwind_Resume");
	*(void **)&personality = dlsym(handle, "__gcc_personality_v0");
}
