/* SPDX-License-Identifier: BSD-3-Clause */
/* See libraries.h. */
#include "cli/libraries.h"

#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

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

static void find_in_list(struct libraries *libraries, const char *list, const char *prefix)
{
	while (list && *list) {
		size_t length = strcspn(list, ":;");

		if (length)
			find_in_folder(libraries, arena_strndup(libraries->arena, list, length), prefix);
		list += length + (list[length] != '\0');
	}
}

static void find_in_globs(struct libraries *libraries, const char *const *patterns, const char *prefix)
{
	for (; *patterns; patterns++) {
		glob_t folders;

		if (glob(*patterns, 0, NULL, &folders) == 0)
			for (size_t i = 0; i < folders.gl_pathc; i++)
				find_in_folder(libraries, folders.gl_pathv[i], prefix);
		globfree(&folders);
	}
}

void libraries_find(struct libraries *libraries, struct arena *arena, const struct attach_backend *backend)
{
	struct ldcache cache;

	*libraries = (struct libraries){ .arena = arena };
	ldcache_open("/etc/ld.so.cache", &cache);
	for (const char *const *prefix = backend->library; *prefix; prefix++) {
		const char *path;
		size_t at = 0;

		find_in_list(libraries, getenv("LD_LIBRARY_PATH"), *prefix);
		while ((path = ldcache_next(&cache, *prefix, &at)))
			add(libraries, path);
		find_in_globs(libraries, backend->search, *prefix);
	}
	ldcache_close(&cache);
}
