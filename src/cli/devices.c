/* SPDX-License-Identifier: BSD-3-Clause */
/* See devices.h. */
#include "cli/devices.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The group that has the right which the user lacks. */
static const char *group_of(struct arena *arena, const char *path)
{
	struct stat file;
	struct group *group;

	if (stat(path, &file) < 0 || (file.st_mode & (S_IRGRP | S_IWGRP)) != (S_IRGRP | S_IWGRP))
		return "";
	group = getgrgid(file.st_gid);
	return group ? arena_printf(arena, " (group %s)", group->gr_name) :
		       arena_printf(arena, " (group %u)", file.st_gid);
}

/* Devices that may not be opened are others' where there is one that may. *refused_out: why not, of the first. */
static bool opens_one(struct arena *arena, const char *pattern, const char **refused_out)
{
	bool opens = false;
	glob_t found;

	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc && !opens; i++) {
			const char *path = found.gl_pathv[i];

			int err = faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) ? errno : 0;

			opens = !err;
			if (err && !*refused_out)
				*refused_out = arena_printf(arena, "%s: %s%s", path, strerror(err),
							    err == EACCES ? group_of(arena, path) : "");
		}
	globfree(&found);
	return opens;
}

struct devices devices_look(struct arena *arena, const struct attach_device *list)
{
	struct devices devices = { .trouble = NULL };
	bool own = false;

	for (; list->path[0]; list++) {
		const char *refused = NULL;
		bool opens = false;

		for (size_t i = 0; i < ATTACH_WORDS && list->path[i] && !opens; i++)
			opens = opens_one(arena, list->path[i], &refused);
		own |= !list->shared && (opens || refused);
		if (opens)
			continue;
		*(refused ? &devices.refused : &devices.absent) = true;
		if (!refused)
			refused = arena_printf(arena, "no %s", list->path[0]);
		devices.trouble = devices.trouble ? arena_printf(arena, "%s, %s", devices.trouble, refused) : refused;
	}
	devices.present = own && !devices.absent;
	return devices;
}
