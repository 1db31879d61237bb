/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The override of dlsym and dlvsym: programs that open their runtime by dlopen see our wrappers too.
 * The entry points are assembly (rec_dlsym_ARCH.S): a name that is not ours is a jump to the real
 * function, so that it sees its caller. Until a name is known to be ours nothing of libc may be
 * called, not even strcmp: sanitizer runtimes call dlsym before they are ready. This file is
 * compiled with -fno-builtin so that the compiler puts none back.
 */
#include <dlfcn.h>
#include <link.h>

#include "record/rec_state.h"

#define REC_PASS ((void *)-1) /* let the real function answer, for its caller */

extern struct r_debug _r_debug __attribute__((weak)); /* strong would add NEEDED ld-linux */

void *(*rec_real_dlsym)(void *handle, const char *name);
void *(*rec_real_dlvsym)(void *handle, const char *name, const char *version);

static int compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

static bool begins(const char *text, const char *wanted)
{
	while (*wanted && *text == *wanted) {
		text++;
		wanted++;
	}
	return !*wanted;
}

/* glibc before 2.34 has the functions in a library of their own, which is empty since then. */
static bool is_libc(const char *path)
{
	const char *base = path;

	for (const char *at = path; at && *at; at++)
		if (*at == '/')
			base = at + 1;
	return base && (begins(base, "libc.so") || begins(base, "libc-2.") || begins(base, "libdl.so") ||
			begins(base, "libdl-2."));
}

/* Walks libc's GNU hash table for the two names: no version string to know per architecture. */
static void search_libc(const struct link_map *object)
{
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	const uint32_t *hash = NULL, *bucket, *chain;

	for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			symbols = (const ElfW(Sym) *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_STRTAB)
			strings = (const char *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_GNU_HASH)
			hash = (const uint32_t *)entry->d_un.d_ptr;
	}
	if (!symbols || !strings || !hash)
		return;
	bucket = (const uint32_t *)((const ElfW(Addr) *)(hash + 4) + hash[2]);
	chain = bucket + hash[0];
	for (uint32_t i = 0; i < hash[0]; i++) {
		for (uint32_t at = bucket[i]; at; at++) {
			const char *name = strings + symbols[at].st_name;
			void *address = (void *)(object->l_addr + symbols[at].st_value);

			if (compare(name, "dlsym") == 0)
				rec_real_dlsym = (void *(*)(void *, const char *))address;
			if (compare(name, "dlvsym") == 0)
				rec_real_dlvsym = (void *(*)(void *, const char *, const char *))address;
			if (chain[at - hash[1]] & 1)
				break;
		}
	}
}

void rec_dlsym_setup(void)
{
	if (!&_r_debug)
		return;
	for (const struct link_map *object = _r_debug.r_map; object && !rec_real_dlsym; object = object->l_next)
		if (is_libc(object->l_name))
			search_libc(object);
}

const struct rec_export *rec_export_find(const struct rec_backend *backend, const char *name)
{
	uint32_t low = 0, high = backend->exports;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		int order = compare(name, backend->pool + backend->export_table[middle].name);

		if (order == 0)
			return &backend->export_table[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

void *rec_export_wrapper(const struct rec_backend *backend, const struct rec_export *export)
{
	return (char *)(uintptr_t)backend->export_table + export->wrapper;
}

static void *ask_real(void *handle, const char *name, const char *version)
{
	return version ? rec_real_dlvsym(handle, name, version) : rec_real_dlsym(handle, name);
}

/* What the program would find without us for RTLD_DEFAULT, in the scope of its own object. */
static void *ask_default(const char *name, const char *version, const void *return_address)
{
	void *found = ask_real(RTLD_DEFAULT, name, version), *handle;
	Dl_info info;

	if (found && rec_is_own(found))
		found = ask_real(RTLD_NEXT, name, version);
	if (found && !rec_is_own(found))
		return found;
	if (!dladdr(return_address, &info) || !info.dli_fname || info.dli_fname[0] != '/')
		return NULL;
	handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	found = ask_real(handle, name, version);
	dlclose(handle);
	return found && !rec_is_own(found) ? found : NULL;
}

/* An empty object of ours that has the name of a library which is not there: see `opened` in attach.conf. */
static bool is_stand_in(void *handle)
{
	const struct link_map *object = handle; /* so it is in glibc */
	const char *path, *at;
	Dl_info self;

	if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || !object->l_name ||
	    !dladdr((const void *)(uintptr_t)is_stand_in, &self))
		return false;
	path = object->l_name;
	for (at = self.dli_fname; *at && *at == *path; at++) /* in a folder beside ourselves */
		path++;
	while (path > object->l_name && *path != '/') /* both may go on alike there */
		path--;
	return begins(path, "/stand-in/");
}

/* The answer for a name that we wrap. */
static void *pick_ours(struct rec_backend *backend, const struct rec_export *export, void *handle,
		       const char *version, const void *return_address)
{
	const char *name = backend->pool + export->name;
	void *found;

	/* a runtime looks up its own parts: the ICD loader asks its driver for the API's names */
	if (rec_is_own(return_address) || rec_is_runtime(return_address))
		return REC_PASS;
	if (handle == RTLD_NEXT) {
		/* the real one answers for its caller, unless there is nothing to find but ourselves */
		found = ask_real(RTLD_NEXT, name, version);
		return found && !rec_is_own(found) ? REC_PASS : NULL;
	}
	if (handle == RTLD_DEFAULT) {
		found = ask_default(name, version, return_address);
	} else {
		found = ask_real(handle, name, version);
		if (found && rec_is_own(found)) /* dlopen(NULL): the global scope begins with us */
			found = ask_real(RTLD_NEXT, name, version);
		if (found && rec_is_own(found))
			found = NULL;
	}
	if (!found && is_stand_in(handle)) {
		dlerror(); /* that there is none */
		return rec_export_wrapper(backend, export);
	}
	if (!found || !rec_is_front(backend, found))
		return found;
	if (!backend->real[export->symbol]) {
		rec_keep_loaded(found); /* the program may close it, and reach another wrapper by being linked to it */
		__atomic_store_n(&backend->real[export->symbol], found, __ATOMIC_RELEASE);
		rec_provider_note(backend, found, "dlsym", false);
	} else if (backend->real[export->symbol] != found) {
		rec_provider_note(backend, found, NULL, true);
		return found;
	}
	return rec_export_wrapper(backend, export);
}

static bool is_looked_up(const struct rec_backend *backend, const char *name)
{
	const char *known = backend->lookups;

	while (known && *known) {
		if (compare(known, name) == 0)
			return true;
		while (*known++)
			;
	}
	return false;
}

/* Where the program finds such a function, it gets ours, which is in the global scope. */
static void *pick_lookup(void *handle, const char *name, const char *version, const void *return_address)
{
	void *ours;

	if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || rec_is_own(return_address) ||
	    rec_is_runtime(return_address) || !ask_real(handle, name, version))
		return REC_PASS;
	ours = ask_real(RTLD_DEFAULT, name, NULL);
	return ours && rec_is_own(ours) ? ours : REC_PASS;
}

void rec_watch_lookups(void (*looked_up)(const void *return_address))
{
	__atomic_store_n(&rec_state.looked_up, looked_up, __ATOMIC_RELEASE);
}

void *rec_dlsym_pick(void *handle, const char *name, const char *version, const void *return_address)
{
	const struct rec_export *export = NULL;
	void (*looked_up)(const void *);
	struct rec_backend *backend;
	void *answer;

	if (unlikely(!rec_real_dlsym))
		rec_dlsym_setup();
	if (!name || rec_state.off)
		return REC_PASS;
	looked_up = __atomic_load_n(&rec_state.looked_up, __ATOMIC_ACQUIRE);
	if (unlikely(looked_up) && !rec_is_own(return_address))
		looked_up(return_address);
	for (backend = rec_state.backends; backend; backend = backend->next) {
		if (!(backend->state & REC_BACKEND_ON))
			continue;
		export = rec_export_find(backend, name);
		if (export || is_looked_up(backend, name))
			break;
	}
	if (!backend)
		return REC_PASS;
	rec_tls.guard++;
	answer = export ? pick_ours(backend, export, handle, version, return_address)
			: pick_lookup(handle, name, version, return_address);
	rec_tls.guard--;
	return answer;
}
