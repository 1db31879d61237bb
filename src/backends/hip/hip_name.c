/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of kernels: a compiler registers those that a program launches by a function of its own, the others are looked
 * up in modules by name. Also functions of the API that a program asks for by name.
 */
#include <stdio.h>
#include <string.h>

#include "hip.h"

struct kernel {
	const char *text;    /* NULL: not known */
	uint64_t name;       /* rec_name(), in the record of this generation */
	uint32_t generation;
	uint32_t reserved;
};
static struct rec_map kernels = REC_MAP(struct kernel); /* by function on the host, by handle */

/* Before main(), most of the time. The name is part of what registers it and lives as long as the function. */
void hip_registered_leave(const struct hip_call *view, rec_word result)
{
	struct kernel kernel = { .text = (const char *)hip_arg(view, HIP_ARG_NAME) };

	(void)result;
	if (kernel.text)
		rec_map_put(&kernels, hip_arg(view, HIP_ARG_FUNCTION), &kernel);
}

void hip_looked_up_leave(const struct hip_call *view, rec_word result)
{
	const hip_handle *made = (const hip_handle *)hip_arg(view, HIP_ARG_MADE);
	const char *name = (const char *)hip_arg(view, HIP_ARG_NAME);
	struct kernel kernel = { 0 };

	(void)result;
	if (view->call->failed || !made || !name)
		return;
	if (rec_map_get(&kernels, *made, &kernel) && kernel.text && strcmp(kernel.text, name) == 0)
		return;
	kernel = (struct kernel){ .text = rec_keep(name, strlen(name) + 1) };
	rec_map_put(&kernels, *made, &kernel);
}

/* One that was registered or looked up unseen. */
static const char *ask_name(enum hip_what what, rec_word function)
{
	const char *(*of_handle)(rec_word) =
		(const char *(*)(rec_word))rec_real(&hip_backend, hip_sym_hipKernelNameRef);
	const char *(*of_host)(rec_word, hip_handle) =
		(const char *(*)(rec_word, hip_handle))rec_real(&hip_backend, hip_sym_hipKernelNameRefByPtr);
	uint32_t token = rec_guard_enter();
	const char *name = NULL;

	if (what == HIP_WHAT_HANDLE && of_handle)
		name = of_handle(function);
	else if (what == HIP_WHAT_HOST && of_host)
		name = of_host(function, 0);
	rec_guard_leave(token);
	return name && *name ? rec_keep(name, strlen(name) + 1) : NULL;
}

uint64_t hip_kernel_name(enum hip_what what, rec_word function)
{
	struct kernel kernel = { 0 };

	if (rec_map_get(&kernels, function, &kernel) && kernel.generation == hip_generation)
		return kernel.name;
	if (!kernel.text)
		kernel.text = ask_name(what, function);
	kernel.name = kernel.text ? rec_name(kernel.text, strlen(kernel.text)) : rec_name("unnamed kernel", 14);
	kernel.generation = hip_generation;
	rec_map_put(&kernels, function, &kernel);
	return kernel.name;
}

/* ---- functions asked for by name ----------------------------------------------------------------------------- */

#define NAME_MOST 128 /* longer ones are no names of the API's */

/* The wrapper of the function that stands behind the name, where it is the one that the program was given. */
static void *wrapper_of(const char *name, const char *ending, const void *real)
{
	const struct rec_export *entry = NULL;
	char whole[NAME_MOST];

	if ((size_t)snprintf(whole, sizeof(whole), "%s%s", name, ending) < sizeof(whole))
		entry = rec_export_find(&hip_backend, whole);
	if (!entry || rec_real(&hip_backend, entry->symbol) != real)
		return NULL;
	return rec_export_wrapper(&hip_backend, entry);
}

/* Newer forms of a function have another name; the program gets the one of its version. */
void hip_address_leave(const struct hip_call *view, rec_word result)
{
	const char *name = (const char *)hip_arg(view, HIP_ARG_NAME);
	void **made = (void **)hip_arg(view, HIP_ARG_MADE);
	static const char endings[] = "\0_spt\0R0600\0";
	void *wrapper = NULL;

	(void)result;
	if (view->call->failed || !made || !*made || !name)
		return;
	for (const char *ending = endings; !wrapper && ending < endings + sizeof(endings) - 1;
	     ending += strlen(ending) + 1)
		wrapper = wrapper_of(name, ending, *made);
	if (wrapper)
		*made = wrapper;
}
