/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reaching the runtime for the backend's own questions, and the two ways in that are not preloading:
 * the layer that the loader asks for, and functions that a program asks for by name.
 */
#include <dlfcn.h>
#include <string.h>

#include "opencl.h"

#define OPENCL_NAME_OWN(name) #name "\0"
static const char own_names[] = OPENCL_OWN_CALLS(OPENCL_NAME_OWN);

static const char *own_name(enum opencl_own which)
{
	const char *name = own_names;

	while (which--)
		name += strlen(name) + 1;
	return name;
}

/* Symbol of a function by name and level; UINT32_MAX: none. */
static uint32_t find_symbol(const char *name, enum opencl_variant level)
{
	for (uint32_t i = 0; i < opencl_backend.symbols; i++) {
		const struct rec_symbol *symbol = &opencl_backend.symbol[i];

		if (symbol->variant == level &&
		    strcmp(opencl_backend.pool + opencl_backend.function[symbol->function].name, name) == 0)
			return i;
	}
	return UINT32_MAX;
}

void *opencl_own_call(enum opencl_variant level, enum opencl_own which)
{
	static uint32_t known[2][OPENCL_OWN_COUNT]; /* symbol + 1 */
	uint32_t symbol = __atomic_load_n(&known[level][which], __ATOMIC_RELAXED);

	if (!symbol) {
		symbol = find_symbol(own_name(which), level) + 1;
		if (!symbol)
			return NULL;
		__atomic_store_n(&known[level][which], symbol, __ATOMIC_RELAXED);
	}
	return rec_real(&opencl_backend, symbol - 1);
}

size_t opencl_info(enum opencl_variant level, enum opencl_own which, cl_handle object, uint32_t param, size_t room,
		   void *value)
{
	int32_t (*get)(cl_handle, uint32_t, size_t, void *, size_t *) = opencl_own_call(level, which);
	uint32_t token = rec_guard_enter();
	size_t bytes = 0;
	int32_t error = get && object ? get(object, param, room, value, &bytes) : CL_INVALID_VALUE;

	rec_guard_leave(token);
	return error == CL_SUCCESS ? bytes : 0;
}

uint64_t opencl_info_word(enum opencl_variant level, enum opencl_own which, cl_handle object, uint32_t param)
{
	uint64_t value = 0;

	return opencl_info(level, which, object, param, sizeof(value), &value) ? value : 0;
}

/* ---- the layer ------------------------------------------------------------------------------- */

REC_EXPORT int32_t clGetLayerInfo(uint32_t param, size_t room, void *value, size_t *used)
{
	static const uint32_t version = CL_LAYER_API_VERSION_100;
	static const char name[] = "sonde";
	const void *from = param == CL_LAYER_API_VERSION ? (const void *)&version : (const void *)name;
	size_t bytes = param == CL_LAYER_API_VERSION ? sizeof(version) : sizeof(name);

	if (param != CL_LAYER_API_VERSION && param != CL_LAYER_NAME)
		return CL_INVALID_VALUE;
	if (value && room < bytes)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, from, bytes);
	if (used)
		*used = bytes;
	return CL_SUCCESS;
}

REC_EXPORT int32_t clInitLayer(uint32_t entries, void *const *target, uint32_t *entries_out, void *const **table_out)
{
	static void *table[OPENCL_DISPATCH_COUNT];
	Dl_info loader;

	if (!target || !entries_out || !table_out)
		return CL_INVALID_VALUE;
	/* the loader's table may be older or newer than ours */
	if (entries > OPENCL_DISPATCH_COUNT)
		entries = OPENCL_DISPATCH_COUNT;
	for (uint32_t i = 0; i < entries; i++) {
		table[i] = target[i];
		if (opencl_layer_symbol[i] == UINT16_MAX || !target[i])
			continue;
		__atomic_store_n(&opencl_backend.real[opencl_layer_symbol[i]], target[i], __ATOMIC_RELEASE);
		table[i] = opencl_layer_entry(i);
	}
	*entries_out = entries;
	*table_out = table;
	rec_layer_live(&opencl_backend);
	rec_attached(&opencl_backend, "OPENCL_LAYERS", NULL);
	if (!opencl_backend.library && entries && target[0] && dladdr(target[0], &loader))
		rec_attached(&opencl_backend, NULL, loader.dli_fname);
	return CL_SUCCESS;
}

/* ---- functions asked for by name ------------------------------------------------------------- */

/*
 * Extension functions have no exported name and no place in the layer's table: the program gets our
 * wrapper in their place. One that is provided twice (by two platforms) is wrapped for the first only.
 */
static void *wrapped(const char *name, void *real)
{
	const struct rec_export *entry = name && real ? rec_export_find(&opencl_backend, name) : NULL;
	void *expected = NULL;

	if (!entry || opencl_role[opencl_backend.symbol[entry->symbol].function].family == OPENCL_FAMILY_NONE)
		return real;
	if (!__atomic_compare_exchange_n(&opencl_backend.real[entry->symbol], &expected, real, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && expected != real)
		return real;
	return rec_export_wrapper(&opencl_backend, entry);
}

static void *address(enum opencl_variant level, const char *name)
{
	void *(*get)(const char *) = opencl_own_call(level, OPENCL_OWN_clGetExtensionFunctionAddress);
	uint32_t token = rec_guard_enter();
	void *real = get ? get(name) : NULL;

	rec_guard_leave(token);
	return wrapped(name, real);
}

static void *platform_address(enum opencl_variant level, cl_handle platform, const char *name)
{
	void *(*get)(cl_handle, const char *) =
		opencl_own_call(level, OPENCL_OWN_clGetExtensionFunctionAddressForPlatform);
	uint32_t token = rec_guard_enter();
	void *real = get ? get(platform, name) : NULL;

	rec_guard_leave(token);
	return wrapped(name, real);
}

static void *address_export(const char *name)
{
	return address(OPENCL_VARIANT_EXPORT, name);
}

static void *address_layer(const char *name)
{
	return address(OPENCL_VARIANT_LAYER, name);
}

static void *platform_address_export(cl_handle platform, const char *name)
{
	return platform_address(OPENCL_VARIANT_EXPORT, platform, name);
}

static void *platform_address_layer(cl_handle platform, const char *name)
{
	return platform_address(OPENCL_VARIANT_LAYER, platform, name);
}

void opencl_address_enter(const struct opencl_call *view)
{
	bool layer = view->level == OPENCL_VARIANT_LAYER;

	if (view->role->arg[OPENCL_ARG_NAME] == 0)
		view->call->real = layer ? (void *)address_layer : (void *)address_export;
	else
		view->call->real = layer ? (void *)platform_address_layer : (void *)platform_address_export;
}
