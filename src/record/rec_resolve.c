/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which object an address lies in, and where the real function behind a wrapper is. Slow paths; the
 * answers that nested calls need are cached per return address.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "record/rec_state.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
extern struct r_debug _r_debug __attribute__((weak));

bool rec_is_own(const void *address)
{
	uintptr_t at = (uintptr_t)address;

	if (at >= (uintptr_t)__ehdr_start && at < (uintptr_t)_end)
		return true;
	for (const struct rec_backend *backend = rec_state.backends; backend; backend = backend->next)
		if (at >= backend->low && at < backend->high)
			return true;
	return false;
}

/* Another copy of this library may have come first (another installation): then this one stays inert. */
bool rec_is_first_copy(void)
{
	const void *first;

	if (!rec_real_dlsym)
		rec_dlsym_setup();
	if (!rec_real_dlsym)
		return false;
	first = rec_real_dlsym(RTLD_DEFAULT, "rec_backend_register");
	return !first || rec_is_own(first);
}

/* Does the name begin with one of the prefixes? list: '\0'-separated, ends with an empty one. */
static bool has_prefix(const char *name, const char *list)
{
	for (; list && *list; list += strlen(list) + 1)
		if (strncmp(name, list, strlen(list)) == 0)
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *so_name(const struct link_map *object)
{
	const char *strings = NULL;
	const ElfW(Dyn) *entry;
	ElfW(Xword) offset = 0;

	for (entry = object->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_STRTAB)
			strings = (const char *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_SONAME)
			offset = entry->d_un.d_val;
	}
	/* the dynamic section of the vDSO is read-only: ld.so leaves offsets there */
	if ((uintptr_t)strings < object->l_addr)
		strings += object->l_addr;
	return strings && offset ? strings + offset : "";
}

static bool object_matches(const struct link_map *object, const char *list)
{
	return has_prefix(base_name(object->l_name), list) || has_prefix(so_name(object), list);
}

/* By dladdr and the loader's list: dladdr1 would keep this library out of a musl process, fatally. */
static struct link_map *object_of(const void *address)
{
	struct link_map *object = &_r_debug ? _r_debug.r_map : NULL;
	Dl_info info, base;

	if (!dladdr(address, &info))
		return NULL;
	for (; object; object = object->l_next)
		if (object->l_ld && dladdr(object->l_ld, &base) && base.dli_fbase == info.dli_fbase)
			return object;
	return NULL;
}

/* The program's headers, in the first page of it that is mapped, lead to it. */
static void build_id_of(const struct link_map *object, const char *base, struct rec_module *module_out)
{
	const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)base;
	const ElfW(Phdr) *part = (const ElfW(Phdr) *)(base + head->e_phoff);

	for (unsigned i = 0; i < head->e_phnum; i++) {
		const char *at = (const char *)object->l_addr + part[i].p_vaddr, *end = at + part[i].p_memsz;

		while (part[i].p_type == PT_NOTE && part[i].p_align <= 4 && at + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
			const char *name = at + sizeof(*note), *content = name + ((note->n_namesz + 3u) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
				module_out->id = (const unsigned char *)content;
				module_out->id_bytes = note->n_descsz;
				return;
			}
			at = content + ((note->n_descsz + 3u) & ~3u);
		}
	}
}

bool rec_module_of(const void *address, struct rec_module *module_out)
{
	const struct link_map *object = object_of(address);
	Dl_info info;

	if (!object || !dladdr(address, &info))
		return false;
	*module_out = (struct rec_module){.name = object->l_name, .offset = (uintptr_t)address - object->l_addr};
	build_id_of(object, info.dli_fbase, module_out);
	return true;
}

bool rec_is_front(const struct rec_backend *backend, const void *address)
{
	const struct link_map *object = object_of(address);

	return object && object_matches(object, backend->front);
}

/* Is the address inside some runtime: code whose traced calls are not the program's own? */
bool rec_is_runtime(const void *address)
{
	static uintptr_t cache[256]; /* address << 1 | answer: threads see both or neither */
	unsigned at = (unsigned)((uintptr_t)address * 0x9e3779b97f4a7c15u >> 56);
	uintptr_t known = __atomic_load_n(&cache[at], __ATOMIC_RELAXED);
	const struct link_map *object;
	bool found = false;

	if (known >> 1 == (uintptr_t)address)
		return known & 1;
	object = object_of(address);
	for (const struct rec_backend *backend = rec_state.backends; object && backend && !found;
	     backend = backend->next)
		found = object_matches(object, backend->runtimes);
	__atomic_store_n(&cache[at], (uintptr_t)address << 1 | found, __ATOMIC_RELAXED);
	return found;
}

static void *not_own(void *address)
{
	return address && !rec_is_own(address) ? address : NULL;
}

void rec_keep_loaded(const void *address)
{
	const struct link_map *object = object_of(address);

	if (object && object->l_name && *object->l_name)
		dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Looks a name up in an object that is loaded already; a hit keeps the object loaded. */
static void *find_in(const char *path, const char *name)
{
	void *handle = *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *found;

	if (!handle)
		return NULL;
	found = not_own(rec_real_dlsym(handle, name));
	if (!found)
		dlclose(handle);
	return found;
}

static void *find_in_fronts(const struct rec_backend *backend, const char *name)
{
	void *found = NULL;

	if (!&_r_debug)
		return NULL;
	for (struct link_map *object = _r_debug.r_map; object && !found; object = object->l_next)
		if (object_matches(object, backend->front))
			found = find_in(object->l_name, name);
	return found;
}

static void *find_for_caller(const struct rec_backend *backend, const char *name, const void *return_address)
{
	const struct link_map *caller = return_address ? object_of(return_address) : NULL;
	void *found = not_own(rec_real_dlsym(RTLD_NEXT, name));

	/* the API may be linked to a plugin that was opened RTLD_LOCAL */
	if (!found && caller && caller->l_name)
		found = find_in(caller->l_name, name);
	if (!found)
		found = find_in_fronts(backend, name);
	return found;
}

void rec_provider_note(struct rec_backend *backend, const void *real, const char *how, bool second)
{
	const struct link_map *object = object_of(real);
	struct fmt_backend *item;

	if (!object)
		return;
	if (!second) {
		if (!backend->library)
			rec_attached(backend, backend->how ? NULL : how, object->l_name);
		return;
	}
	__atomic_fetch_or(&backend->state, REC_BACKEND_MULTI, __ATOMIC_RELEASE);
	backend->second = object->l_name;
	rec_slots_clear(backend);
	if (!rec_ready() || backend->index == UINT32_MAX || !(backend->state & REC_BACKEND_OPENED))
		return;
	item = rec_area_item(FMT_SECTION_BACKENDS, backend->index);
	item->second = rec_name(object->l_name, strlen(object->l_name));
	rec_state.process->notes |= FMT_NOTE_SECOND_PROVIDER;
}

/*
 * The function to call for this caller. Kept per symbol; where another library turns out to provide
 * the API for another caller, that caller gets its own and is not recorded: a call is never forwarded
 * to the other library.
 */
void *rec_resolve(struct rec_backend *backend, uint32_t symbol, const void *return_address)
{
	const struct rec_symbol *described = &backend->symbol[symbol];
	bool check = (backend->state & REC_BACKEND_MULTI) ||
		     (backend->function[described->function].flags & REC_OPENS);
	void *known = backend->real[symbol], *found;

	if (known && !check)
		return known;
	if (backend->layer_variant && described->variant == backend->layer_variant)
		return known; /* filled from the loader's table */
	if (!rec_real_dlsym)
		rec_dlsym_setup();
	if (!rec_real_dlsym)
		return known;
	found = find_for_caller(backend, backend->pool + described->name, return_address);
	/* no lock is held: another thread may be first, and its library another one */
	if (!known && found && __atomic_compare_exchange_n(&backend->real[symbol], &known, found, false,
							   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		rec_provider_note(backend, found, "preload", false);
		rec_debug("%s is %p", backend->pool + described->name, found);
	}
	if (!known || !found || found == known)
		return found ? found : known;
	rec_provider_note(backend, found, NULL, true);
	return found;
}

void *rec_real(struct rec_backend *backend, uint32_t symbol)
{
	void *known = backend->real[symbol];

	return known ? known : rec_resolve(backend, symbol, NULL);
}

void *rec_real_for(const struct rec_backend *backend, uint32_t symbol, const void *caller)
{
	if (!rec_real_dlsym)
		rec_dlsym_setup();
	return rec_real_dlsym ? find_for_caller(backend, backend->pool + backend->symbol[symbol].name, caller) : NULL;
}

struct mapped {
	const char *prefix;
	char *path;
	size_t size;
};

static int is_mapped(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct mapped *mapped = data;
	const char *slash = strrchr(info->dlpi_name, '/'), *file = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	if (strncmp(file, mapped->prefix, strlen(mapped->prefix)) != 0)
		return 0;
	snprintf(mapped->path, mapped->size, "%s", info->dlpi_name);
	return 1;
}

bool rec_mapped(const char *prefix, char *path_out, size_t size)
{
	struct mapped mapped = { .prefix = prefix, .path = path_out, .size = size };

	return dl_iterate_phdr(is_mapped, &mapped) != 0;
}

void *rec_provider_symbol(struct rec_backend *backend, const char *name)
{
	void *found;

	if (!rec_real_dlsym)
		rec_dlsym_setup();
	if (!rec_real_dlsym)
		return NULL;
	/* data first in the global scope: an executable may hold the live copy (COPY relocation) */
	found = not_own(rec_real_dlsym(RTLD_DEFAULT, name));
	if (!found)
		found = not_own(rec_real_dlsym(RTLD_NEXT, name));
	if (!found && backend->library)
		found = find_in(backend->library, name);
	return found ? found : find_in_fronts(backend, name);
}

void rec_attached(struct rec_backend *backend, const char *how, const char *library)
{
	struct fmt_backend *item = NULL;

	if (how)
		backend->how = how;
	if (library)
		backend->library = library;
	if (rec_ready() && (backend->state & REC_BACKEND_OPENED))
		item = rec_area_item(FMT_SECTION_BACKENDS, backend->index);
	if (item && how)
		item->attached_by = rec_name(how, strlen(how));
	if (item && library)
		item->library = rec_name(library, strlen(library));
}
