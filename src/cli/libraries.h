/* SPDX-License-Identifier: BSD-3-Clause */
/* Which libraries of a runtime this machine has, wherever a program would find them. */
#ifndef SONDE_CLI_LIBRARIES_H
#define SONDE_CLI_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "cli/attach.h"

struct libraries {
	struct arena *arena;
	const char **path; /* real paths, so that the file's name tells its version; each once */
	size_t count, capacity;
};

/* In the folders of LD_LIBRARY_PATH, the loader's cache, and where the vendor puts them; in that order. */
void libraries_find(struct libraries *libraries, struct arena *arena, const struct attach_backend *backend);

/* Is there a file of one of these names in any of them? Opens no folder, as it is asked for at every start. */
bool libraries_there(struct arena *arena, const struct attach_backend *backend, const char *const *names);

#endif
