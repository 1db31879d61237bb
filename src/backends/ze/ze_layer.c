/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tracing layer of the loader, where the user has switched it on: it tells of calls that no wrapper sees, of
 * whoever calls the loader past the symbols of the process. A tracer of ours is made in the layer itself, before the
 * loader is started: who starts it that way is not seen. A call that a wrapper records is not recorded again. The layer
 * itself tells of one call of a thread at a time.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ze.h"

extern int backtrace(void **, int) __attribute__((weak)); /* musl has none */

#define LOADER "libze_loader.so"
#define LAYER "libze_tracing_layer.so.1"

/* WAITING: for the loader; LIVE: it has told of a call */
static enum { OFF, WAITING, MISSING, THERE, LIVE } state;

#define CALLS_AT_ONCE 1024u

/* A call that the layer tells of, from before to after. */
static struct told {
	struct rec_call call; /* first: see zed_layer_desc() */
	rec_word args[ZE_AROUND_WORDS];
	union zed_timed_desc desc;
	uint32_t taken;
	bool hooks;
} calls[CALLS_AT_ONCE];
static __thread uint32_t latest __attribute__((tls_model("initial-exec"))); /* of this thread: most likely free */

/* Without a lock, which a call that is left by a jump would keep. NULL: too many at once. */
static struct told *take(void)
{
	for (uint32_t i = 0; i < CALLS_AT_ONCE; i++) {
		uint32_t at = (latest + i) % CALLS_AT_ONCE;

		if (!__atomic_exchange_n(&calls[at].taken, 1, __ATOMIC_ACQUIRE)) {
			latest = at;
			return &calls[at];
		}
	}
	return NULL;
}

union zed_timed_desc *zed_layer_desc(const struct zed_call *view)
{
	return &((struct told *)(void *)view->call)->desc;
}

bool zed_layer_is_live(void)
{
	return __atomic_load_n(&state, __ATOMIC_RELAXED) == LIVE;
}

/* The symbol of what the layer tells of stands behind the exported one. */
bool zed_layer_has(uint32_t symbol)
{
	return symbol + 1 < ze_backend.symbols && ze_real[symbol + 1] &&
	       ze_backend.symbol[symbol + 1].function == ze_backend.symbol[symbol].function &&
	       ze_backend.symbol[symbol + 1].variant == ZE_VARIANT_TRACED;
}

/* ---- a call -------------------------------------------------------------------------------------------- */

static rec_word load(const void *from, uint32_t bytes)
{
	switch (bytes) {
	case 1:
		return *(const uint8_t *)from;
	case 2:
		return *(const uint16_t *)from;
	case 4:
		return *(const uint32_t *)from;
	case 8:
		return *(const uint64_t *)from;
	default:
		return (rec_word)from;
	}
}

/* What the hooks have changed are pointers and handles. */
static void enter_hook(struct told *told, const struct ze_around *around, void *const *from, uint32_t args)
{
	ze_enter(&told->call, told->args);
	for (uint32_t i = 0; i < args; i++)
		if (around->width[i] == sizeof(rec_word) && *(rec_word *)from[i] != told->args[i])
			*(rec_word *)from[i] = told->args[i];
}

static REC_COLD void become_live(void)
{
	int saved = errno;

	__atomic_store_n(&state, LIVE, __ATOMIC_RELAXED);
	rec_attached(&ze_backend, zed_attached_how(), NULL);
	errno = saved;
}

static bool begins(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, name, strlen(name)) == 0;
}

/*
 * Up to 1.16 the loader tries each driver's start through the layer, inside of the program's start: the call
 * comes out of the loader, and there not out of the function itself.
 */
static REC_COLD bool is_loaders_own(const char *name)
{
	void *from[32];
	int saved = errno;
	int known = backtrace ? backtrace(from, sizeof(from) / sizeof(from[0])) : 0;
	Dl_info info;

	errno = saved;
	for (int i = 0; i < known; i++) {
		if (!dladdr((const char *)from[i] - 1, &info) || !info.dli_fname)
			return false;
		if (begins(info.dli_fname, LOADER))
			return !info.dli_sname || strcmp(info.dli_sname, name) != 0;
		if (!begins(info.dli_fname, "libze_") && !begins(info.dli_fname, "libsonde"))
			return false;
	}
	return false;
}

/* given: where the arguments are, a result, the tracer's word, and one that is kept until after the call. */
rec_word ze_before(rec_word *given, uint32_t number, const void *site, uintptr_t frame)
{
	const struct ze_around *around = &ze_around[number];
	const struct rec_function *function = &ze_backend.function[ze_backend.symbol[around->symbol].function];
	void *const *from = (void *const *)given[0];
	struct told *told;

	(void)site; /* in the layer */
	*(struct told **)given[3] = NULL;
	if (unlikely(!zed_layer_is_live()))
		become_live();
	if (unlikely(function->flags & REC_OPENS) && is_loaders_own(ze_backend.pool + function->name))
		return 0;
	told = take();
	if (unlikely(!told)) {
		rec_lost(&ze_backend);
		return 0;
	}
	*(struct told **)given[3] = told;
	for (uint32_t i = 0; i < function->args; i++)
		told->args[i] = load(from[i], around->width[i]);
	rec_enter(&told->call, &ze_backend, around->symbol, NULL, frame, told->args);
	told->hooks = !told->call.own && (told->call.slot || rec_is_paused());
	if (told->hooks && (function->flags & REC_ENTER))
		enter_hook(told, around, from, function->args);
	return 0;
}

rec_word ze_after(rec_word *given, uint32_t number, const void *site, uintptr_t frame)
{
	const struct rec_function *function =
		&ze_backend.function[ze_backend.symbol[ze_around[number].symbol].function];
	struct told *told = *(struct told **)given[3];

	(void)site;
	(void)frame;
	if (!told)
		return 0;
	told->call.result = (uint32_t)given[1];
	told->call.failed = told->call.result != ZED_SUCCESS && told->call.result != ZED_NOT_READY;
	if (told->call.slot)
		rec_leave(&told->call);
	if (told->hooks && (function->flags & REC_LEAVE))
		ze_leave(&told->call, told->args, told->call.result);
	__atomic_store_n(&told->taken, 0, __ATOMIC_RELEASE);
	return 0;
}

/*
 * A program that calls through the loader's tables may never start the loader's own functions, by which our questions
 * go: they are started then, with what is started already.
 */
void zed_start_leave(const struct zed_call *view)
{
	uint32_t (*init)(uint32_t) = (uint32_t (*)(uint32_t))ZED_REAL(zeInit);
	uint32_t (*get)(uint32_t *, zed_handle *) = (uint32_t (*)(uint32_t *, zed_handle *))ZED_REAL(zeDriverGet);
	static bool started;
	uint32_t token, count = 0;

	if (!zed_is_told(view) || view->call->failed || __atomic_exchange_n(&started, true, __ATOMIC_RELAXED))
		return;
	token = rec_guard_enter();
	if (init && get && get(&count, NULL) == ZED_UNINITIALIZED)
		init((uint32_t)view->args[0]);
	rec_guard_leave(token);
}

/* ---- the tracer ---------------------------------------------------------------------------------------- */

/* As the loader finds it, and beside the loader where that is a place of its own. */
static void *open_layer(void)
{
	const char *folder = getenv("ZEL_LIBRARY_PATH");
	char path[4096];
	void *layer;

	if (folder && *folder) {
		snprintf(path, sizeof(path), "%s/" LAYER, folder);
		return dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	layer = dlopen(LAYER, RTLD_NOW | RTLD_LOCAL);
	if (layer || !rec_mapped(LOADER, path, sizeof(path) - sizeof(LAYER)) || !strrchr(path, '/'))
		return layer;
	memcpy(strrchr(path, '/') + 1, LAYER, sizeof(LAYER));
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* By name, so that each release of the layer tells of all that it knows. */
static uint32_t ask_for(void *layer, zed_handle tracer, const struct ze_around *around)
{
	static const char marker[] = ""; /* never called: it only says that there is something behind the symbol */
	const char *name = ze_backend.pool + ze_backend.symbol[around->symbol].name;
	char set_name[128];
	zed_set_callback *set;

	snprintf(set_name, sizeof(set_name), "zelTracer%sRegisterCallback", name + strlen("ze"));
	set = (zed_set_callback *)dlsym(layer, set_name);
	if (!set || set(tracer, ZED_TRACER_PROLOGUE, (const char *)ze_around + around->before) != ZED_SUCCESS ||
	    set(tracer, ZED_TRACER_EPILOGUE, (const char *)ze_around + around->after) != ZED_SUCCESS)
		return 0;
	ze_real[around->symbol] = (void *)(uintptr_t)marker;
	return 1;
}

static bool trace_with(void *layer)
{
	zed_get_tracer_table *get = (zed_get_tracer_table *)dlsym(layer, "zelGetTracerApiProcAddrTable");
	static char ours; /* the layer wants something that is not NULL */
	const struct zed_tracer_desc desc = { ZED_STYPE_TRACER, NULL, &ours };
	struct zed_tracer_table table = { 0 };
	zed_handle tracer = 0;
	uint32_t asked = 0;

	if (!get || get(ZED_TRACER_VERSION, &table) != ZED_SUCCESS || !table.create || !table.set_enabled ||
	    table.create(&desc, &tracer) != ZED_SUCCESS)
		return false;
	for (uint32_t i = 0; i < ZE_AROUND_COUNT; i++)
		asked += ask_for(layer, tracer, &ze_around[i]);
	return asked && table.set_enabled(tracer, 1) == ZED_SUCCESS;
}

static bool at_start; /* the loader was in the process when the program began */

/*
 * The layer is there when the loader is, and not before: what ends before it, such as a library whose destructor uses
 * Level Zero, finds it whole as it would without us. Its own lookups tell that it starts. One that was opened with
 * RTLD_DEEPBIND makes them past us: there it is whoever asks for a function of what was opened.
 */
static void looked_up(const void *return_address)
{
	Dl_info caller;
	char path[4096];
	void *layer;
	int saved = errno;

	if (at_start ? dladdr(return_address, &caller) && begins(caller.dli_fname, LOADER) :
		       rec_mapped(LOADER, path, sizeof(path))) {
		rec_watch_lookups(NULL);
		if (__atomic_exchange_n(&state, OFF, __ATOMIC_ACQ_REL) == WAITING) {
			layer = open_layer();
			__atomic_store_n(&state, layer && trace_with(layer) ? THERE : MISSING, __ATOMIC_RELEASE);
			if (state == MISSING)
				dlerror();
		}
	}
	errno = saved;
}

/* The loader reads the variable likewise. */
__attribute__((constructor)) static void start(void)
{
	const char *wanted = getenv("ZE_ENABLE_TRACING_LAYER");
	char path[4096];

	if (!wanted || strcmp(wanted, "0") == 0 || !rec_backend_wanted(&ze_backend))
		return;
	state = WAITING;
	at_start = rec_mapped(LOADER, path, sizeof(path));
	rec_told_as_well();
	rec_watch_lookups(looked_up);
}

void zed_layer_tell(void)
{
	if (state == MISSING)
		rec_backend_note(&ze_backend, "ZE_ENABLE_TRACING_LAYER is set, and there is no " LAYER " that can be "
				 "used: calls that do not come through the process's symbols are not seen");
	else if (state == THERE || state == WAITING)
		rec_backend_note(&ze_backend, "ZE_ENABLE_TRACING_LAYER is set, and " LAYER " has told of no call: "
				 "those that do not come through the process's symbols are not seen");
}
