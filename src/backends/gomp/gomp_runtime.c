/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which runtime's functions a caller has: each object those that it would call without us. There may be copies of the
 * runtime in a process, with objects that were linked to them or opened for themselves. The first one is recorded.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "gomp.h"

__thread const struct gomp_object *gomp_last __attribute__((tls_model("initial-exec"), visibility("hidden")));
static struct gomp_object *objects; /* that have called so far; the list only grows */
static const void *recorded;        /* where the runtime lies that is recorded */
static const struct gomp_object *first; /* that has called it */

/* Where nothing is found, so that a call without us had failed: it has no effect. */
static rec_word nothing(void)
{
	return 0;
}

/* Functions of other runtimes with these names are not ours: theirs have a tool interface. */
static struct gomp_real look_up(enum gomp_symbol symbol, const void *caller)
{
	struct gomp_real real = {rec_real_for(&gomp_backend, symbol, caller), false};
	const void *none = NULL;
	Dl_info info;

	if (!real.function || !dladdr(real.function, &info) || !info.dli_fname || !strstr(info.dli_fname, "libgomp"))
		return real;
	if (__atomic_compare_exchange_n(&recorded, &none, info.dli_fbase, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		rec_provider_note(&gomp_backend, real.function, "preload", false);
	real.recorded = !none || none == info.dli_fbase;
	if (!real.recorded)
		rec_provider_note(&gomp_backend, real.function, NULL, true);
	return real;
}

static struct gomp_real resolve(enum gomp_symbol symbol, const void *caller)
{
	uint32_t token = rec_guard_enter();
	int saved = errno;
	struct gomp_real real = look_up(symbol, caller);

	errno = saved;
	rec_guard_leave(token);
	return real;
}

/* Code that is in no object, since it was made at run time, is taken page by page. */
static int bounds_of(struct dl_phdr_info *info, size_t size, void *at)
{
	struct gomp_object *object = at;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, bytes = info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || (uintptr_t)object->caller - low >= bytes)
			continue;
		object->low = low;
		object->bytes = bytes;
		return 1;
	}
	return 0;
}

/* NULL: no memory. */
static struct gomp_object *object_of(const void *caller)
{
	struct gomp_object *object = __atomic_load_n(&objects, __ATOMIC_ACQUIRE);

	while (object && (uintptr_t)caller - object->low >= object->bytes)
		object = object->next;
	if (object)
		return object;
	object = rec_keep(NULL, sizeof(*object));
	if (!object)
		return NULL;
	object->caller = caller;
	object->low = (uintptr_t)caller & ~(uintptr_t)4095;
	object->bytes = 4096;
	dl_iterate_phdr(bounds_of, object);
	/* two threads may add one object twice, with the same in it */
	object->next = __atomic_load_n(&objects, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&objects, &object->next, object, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		;
	return object;
}

/* A body whose last call this is returns to us, and only those of the recorded runtime are called by us. */
static struct gomp_object *caller_of(const void *caller)
{
	const struct gomp_object *known = __atomic_load_n(&first, __ATOMIC_ACQUIRE);

	if (known && (uintptr_t)caller - gomp_backend.low < gomp_backend.high - gomp_backend.low)
		return object_of(known->caller);
	return object_of(caller);
}

struct gomp_real gomp_find(enum gomp_symbol symbol, const void *caller)
{
	struct gomp_object *object = caller_of(caller);
	struct gomp_real real = {NULL, false};

	if (object && __atomic_load_n(&object->real[symbol].function, __ATOMIC_ACQUIRE)) {
		gomp_last = object;
		return object->real[symbol];
	}
	real = resolve(symbol, object ? object->caller : caller);
	if (object && real.function) {
		object->real[symbol].recorded = real.recorded;
		__atomic_store_n(&object->real[symbol].function, real.function, __ATOMIC_RELEASE);
		if (real.recorded && !first)
			__atomic_store_n(&first, object, __ATOMIC_RELEASE);
	}
	return (struct gomp_real){real.function ? real.function : (void *)nothing, real.recorded};
}
