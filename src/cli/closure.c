/* SPDX-License-Identifier: BSD-3-Clause */
/* See closure.h. Search order: ld.so(8). */
#include "cli/closure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ldcache.h"

#define CLOSURE_MAX 4096 /* objects; a program with more is looked at in part */

#if defined(__aarch64__)
#define MULTIARCH "aarch64-linux-gnu"
#else
#define MULTIARCH "x86_64-linux-gnu"
#endif

static const char default_directories[] =
	"/lib/" MULTIARCH ":/usr/lib/" MULTIARCH ":/lib64:/usr/lib64:/lib:/usr/lib";

struct search {
	struct closure *closure;
	struct ldcache cache;
};

/* Directory part of an object's path, for $ORIGIN. */
static const char *directory_of(struct closure *closure, const char *path)
{
	char *resolved = realpath(path, NULL);
	const char *whole = resolved ? resolved : path;
	const char *slash = strrchr(whole, '/');
	const char *directory = slash ? arena_strndup(&closure->arena, whole, (size_t)(slash - whole)) : ".";

	free(resolved);
	return directory;
}

static const char *expand_origin(struct closure *closure, const char *text, const char *object_path)
{
	static const char *const spellings[] = { "$ORIGIN", "${ORIGIN}" };

	for (size_t i = 0; i < 2; i++) {
		const char *at = strstr(text, spellings[i]);

		if (at)
			return arena_printf(&closure->arena, "%.*s%s%s", (int)(at - text), text,
					    directory_of(closure, object_path), at + strlen(spellings[i]));
	}
	return text;
}

/* Opens path as an object of the closure. False: it is not a library for this machine. */
static bool add_object(struct closure *closure, const char *path, const char *name, size_t loader)
{
	struct elf elf;
	struct closure_object *object;

	if (closure->count >= CLOSURE_MAX || elf_open(path, &elf) != ELF_OK)
		return false;
	closure->object = arena_grow(&closure->arena, closure->object, closure->count, &closure->capacity,
				     sizeof(*closure->object));
	object = &closure->object[closure->count];
	object->path = arena_strdup(&closure->arena, path);
	object->name = arena_strdup(&closure->arena, name);
	object->elf = elf;
	object->loader = loader == SIZE_MAX ? closure->count : loader;
	closure->count++;
	return true;
}

/* Tries name in each directory of a colon list. */
static bool try_list(struct closure *closure, const char *list, const char *name, size_t loader)
{
	while (list && *list) {
		size_t length = strcspn(list, ":");
		const char *directory = arena_strndup(&closure->arena, list, length);

		directory = expand_origin(closure, directory, closure->object[loader].path);
		if (add_object(closure, arena_printf(&closure->arena, "%s/%s", length ? directory : ".", name), name,
			       loader))
			return true;
		list += length + (list[length] == ':');
	}
	return false;
}

/* DT_RPATH counts for an object and for all that were loaded on its behalf, unless they have DT_RUNPATH. */
static bool try_rpath(struct closure *closure, const char *name, size_t loader)
{
	if (elf_dynamic_text(&closure->object[loader].elf, DT_RUNPATH, 0))
		return false;
	for (size_t i = loader;; i = closure->object[i].loader) {
		const struct elf *elf = &closure->object[i].elf;

		if (!elf_dynamic_text(elf, DT_RUNPATH, 0) &&
		    try_list(closure, elf_dynamic_text(elf, DT_RPATH, 0), name, i))
			return true;
		if (closure->object[i].loader == i)
			return false;
	}
}

static bool is_loaded(const struct closure *closure, const char *name)
{
	for (size_t i = 0; i < closure->count; i++) {
		const char *soname = elf_dynamic_text(&closure->object[i].elf, DT_SONAME, 0);

		if (!strcmp(closure->object[i].name, name) || (soname && !strcmp(soname, name)))
			return true;
	}
	return false;
}

static void load(struct search *search, const char *name, size_t loader)
{
	struct closure *closure = search->closure;
	const char *cached;

	if (is_loaded(closure, name))
		return;
	if (strchr(name, '/')) {
		if (!add_object(closure, expand_origin(closure, name, closure->object[loader].path), name, loader) &&
		    !closure->missing)
			closure->missing = arena_strdup(&closure->arena, name);
		return;
	}
	if (try_rpath(closure, name, loader) || try_list(closure, getenv("LD_LIBRARY_PATH"), name, loader) ||
	    try_list(closure, elf_dynamic_text(&closure->object[loader].elf, DT_RUNPATH, 0), name, loader))
		return;
	cached = ldcache_find(&search->cache, name);
	if (cached && add_object(closure, cached, name, loader))
		return;
	if (!try_list(closure, default_directories, name, loader) && !closure->missing)
		closure->missing = arena_strdup(&closure->arena, name);
}

static void load_preloaded(struct search *search, const char *list)
{
	while (list && *list) {
		size_t length = strcspn(list, ": ");

		if (length)
			load(search, arena_strndup(&search->closure->arena, list, length), 0);
		list += length + (list[length] != '\0');
	}
}

static bool is_provided(const struct closure *closure, const char *name)
{
	for (size_t i = 0; i < closure->count; i++)
		if (elf_defines(&closure->object[i].elf, name))
			return true;
	return false;
}

/* Every object asks for these three, by its start files. */
static bool is_compilers(const char *name)
{
	return !strncmp(name, "_ITM_", 5) || !strcmp(name, "__gmon_start__");
}

static void find_absent(struct closure *closure)
{
	struct elf_symbol symbol;

	for (size_t i = 0; i < closure->count; i++) {
		const struct elf *elf = &closure->object[i].elf;
		uint64_t end = elf_undefined_end(elf);

		for (uint64_t j = 0; j < end; j++) {
			if (!elf_symbol(elf, j, &symbol) || symbol.defined || !symbol.weak ||
			    is_compilers(symbol.name) || is_provided(closure, symbol.name))
				continue;
			closure->absent = arena_grow(&closure->arena, closure->absent, closure->absents,
						     &closure->absent_capacity, sizeof(*closure->absent));
			closure->absent[closure->absents++] = symbol.name;
		}
	}
}

bool closure_open(struct closure *closure, const char *program, const char *preload)
{
	struct search search = { .closure = closure };
	const char *name;

	memset(closure, 0, sizeof(*closure));
	if (!add_object(closure, program, basename(program), SIZE_MAX))
		return false;
	ldcache_open(LD_CACHE, &search.cache);
	load_preloaded(&search, preload);
	closure->missing = NULL; /* the loader goes on without a preloaded object */
	for (size_t i = 0; i < closure->count; i++) /* breadth first, as the loader does */
		for (unsigned j = 0; (name = elf_dynamic_text(&closure->object[i].elf, DT_NEEDED, j)); j++)
			load(&search, name, i);
	ldcache_close(&search.cache);
	find_absent(closure);
	return true;
}

void closure_close(struct closure *closure)
{
	for (size_t i = 0; i < closure->count; i++)
		elf_close(&closure->object[i].elf);
	arena_free(&closure->arena);
	memset(closure, 0, sizeof(*closure));
}

const char *closure_find(const struct closure *closure, const char *prefix)
{
	for (size_t i = 1; i < closure->count; i++)
		if (!strncmp(basename(closure->object[i].name), prefix, strlen(prefix)))
			return closure->object[i].path;
	return NULL;
}

const char *closure_definer(const struct closure *closure, const char *name)
{
	struct elf_symbol symbol;

	for (size_t i = 0; i < closure->count; i++) {
		const struct elf *elf = &closure->object[i].elf;

		if (!elf_defines(elf, name))
			continue;
		for (uint64_t j = 0, count = elf_symbol_count(elf); j < count; j++)
			if (elf_symbol(elf, j, &symbol) && symbol.defined && !symbol.weak && !strcmp(symbol.name, name))
				return closure->object[i].path;
	}
	return NULL;
}

const char *closure_asks_for_absent(const struct closure *closure, const struct elf *wrapper)
{
	for (size_t i = 0; i < closure->absents; i++)
		if (elf_defines(wrapper, closure->absent[i]))
			return closure->absent[i];
	return NULL;
}
