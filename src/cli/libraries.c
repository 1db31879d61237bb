/* SPDX-License-Identifier: BSD-3-Clause */
/* See libraries.h. */
#include "cli/libraries.h"

#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/elf.h"
#include "cli/ldcache.h"

static void add(struct libraries *libraries, const char *path)
{
	char *real = realpath(path, NULL);

	for (size_t i = 0; real && i < libraries->count; i++)
		if (!strcmp(libraries->path[i], real)) {
			free(real);
			return;
		}
	if (real && elf_look(real) == ELF_OK) {
		libraries->path = arena_grow(libraries->arena, libraries->path, libraries->count,
					     &libraries->capacity, sizeof(*libraries->path));
		libraries->path[libraries->count++] = arena_strdup(libraries->arena, real);
	}
	free(real);
}

/* "libfoo.so.1" and "libfoo.so" are libraries, "libfoo.so.conf" is none: add() looks into it. */
static void find_in_folder(struct libraries *libraries, const char *folder, const char *prefix)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (!strncmp(entry->d_name, prefix, strlen(prefix)) && strstr(entry->d_name, ".so"))
			add(libraries, arena_printf(libraries->arena, "%s/%s", folder, entry->d_name));
	if (directory)
		closedir(directory);
}

/* Where files are looked for beside the loader's cache: the user's folders, then the vendor's. */
struct folders {
	const char **path;
	size_t users, count, capacity;
};

static void add_folder(struct folders *folders, struct arena *arena, const char *path, size_t length)
{
	if (!length)
		return;
	folders->path = arena_grow(arena, folders->path, folders->count, &folders->capacity, sizeof(*folders->path));
	folders->path[folders->count++] = arena_strndup(arena, path, length);
}

static struct folders folders_of(struct arena *arena, const struct attach_backend *backend)
{
	struct folders folders = { .path = NULL };

	for (const char *list = getenv("LD_LIBRARY_PATH"); list && *list; list += *list != '\0') {
		size_t length = strcspn(list, ":;");

		add_folder(&folders, arena, list, length);
		list += length;
	}
	folders.users = folders.count;
	for (const char *const *pattern = backend->search; *pattern; pattern++) {
		glob_t found;

		if (glob(*pattern, 0, NULL, &found) == 0)
			for (size_t i = 0; i < found.gl_pathc; i++)
				add_folder(&folders, arena, found.gl_pathv[i], strlen(found.gl_pathv[i]));
		globfree(&found);
	}
	return folders;
}

void libraries_find(struct libraries *libraries, struct arena *arena, const struct attach_backend *backend)
{
	struct folders folders = folders_of(arena, backend);
	struct ldcache cache;

	*libraries = (struct libraries){ .arena = arena };
	ldcache_open(LD_CACHE, &cache);
	for (const char *const *prefix = backend->library; *prefix; prefix++) {
		const char *path;
		size_t at = 0;

		for (size_t i = 0; i < folders.users; i++)
			find_in_folder(libraries, folders.path[i], *prefix);
		while ((path = ldcache_next(&cache, *prefix, &at)))
			add(libraries, path);
		for (size_t i = folders.users; i < folders.count; i++)
			find_in_folder(libraries, folders.path[i], *prefix);
	}
	ldcache_close(&cache);
}

bool libraries_there(struct arena *arena, const struct attach_backend *backend, const char *const *names)
{
	struct folders folders = folders_of(arena, backend);
	struct ldcache cache;
	bool there = false;

	ldcache_open(LD_CACHE, &cache);
	for (; *names && !there; names++) {
		there = ldcache_find(&cache, *names) != NULL;
		for (size_t i = 0; i < folders.count && !there; i++)
			there = access(arena_printf(arena, "%s/%s", folders.path[i], *names), F_OK) == 0;
	}
	ldcache_close(&cache);
	return there;
}
