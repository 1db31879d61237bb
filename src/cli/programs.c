/* SPDX-License-Identifier: BSD-3-Clause */
/* See programs.h. */
#include "cli/programs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "format/glob.h"

/* A path as a glob that matches it alone; a comma, which would end it, as any character. */
static const char *path_quoted(struct arena *arena, const char *path)
{
	char quoted[2 * PATH_MAX], *end = quoted;

	for (; *path && end < quoted + sizeof(quoted) - 2; path++) {
		if (strchr(FMT_GLOB_SPECIAL, *path))
			*end++ = '\\';
		*end++ = *path == *FMT_GLOB_BETWEEN ? '?' : *path;
	}
	*end = '\0';
	return arena_strdup(arena, quoted);
}

/* The folder of the glob's part without special characters is looked up; what is behind it stays. */
static const char *glob_absolute(struct arena *arena, const char *glob)
{
	size_t plain = strcspn(glob, FMT_GLOB_SPECIAL), folder = plain;
	char *real = glob[plain] ? NULL : realpath(glob, NULL);
	const char *rest = "", *absolute = glob;

	if (!real) {
		while (folder && glob[folder - 1] != '/')
			folder--;
		rest = glob + folder;
		real = realpath(folder ? arena_strndup(arena, glob, folder) : ".", NULL);
	}
	if (real)
		absolute = arena_printf(arena, "%s%s%s", path_quoted(arena, real),
					*rest && strcmp(real, "/") != 0 ? "/" : "", rest);
	free(real);
	return absolute;
}

const char *programs_absolute(struct arena *arena, const char *list)
{
	const char *result = NULL;

	while (list && *list) {
		size_t length = strcspn(list, FMT_GLOB_BETWEEN);
		const char *glob = arena_strndup(arena, list, length);

		if (*glob != '*' && strchr(glob, '/'))
			glob = glob_absolute(arena, glob);
		result = result ? arena_printf(arena, "%s" FMT_GLOB_BETWEEN "%s", result, glob) : glob;
		list += length + (list[length] != '\0');
	}
	return result;
}
