/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the files are there, and may be opened, by which a runtime reaches its devices. */
#ifndef SONDE_CLI_DEVICES_H
#define SONDE_CLI_DEVICES_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/attach.h"

struct devices {
	const char *trouble;  /* "no /dev/foo, /dev/bar: Permission denied (group video)"; NULL: none */
	bool absent, refused; /* of some file */
	bool present;         /* no file is absent, and not all may be of another driver: the devices are there */
};

/* list ends with path[0] NULL; the text is in the arena. */
struct devices devices_look(struct arena *arena, const struct attach_device *list);

#endif
