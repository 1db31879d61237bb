/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libraries that a program is linked with, directly and indirectly, found as the dynamic loader
 * would find them. Libraries that the program opens later (dlopen) are not among them.
 */
#ifndef SONDE_CLI_CLOSURE_H
#define SONDE_CLI_CLOSURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "cli/elf.h"

struct closure_object {
	const char *path;
	const char *name;  /* as the loader was asked for it */
	struct elf elf;
	size_t loader;     /* object that needs it; its own index for the first ones */
};

struct closure {
	struct arena arena;
	struct closure_object *object; /* [0] is the program */
	size_t count, capacity;
	const char *missing;           /* first library that was not found; or NULL */
	const char **absent;           /* what objects refer to weakly and none defines; not what compilers ask for */
	size_t absents, absent_capacity;
};

/*
 * Fills in the program, the objects of `preload` (LD_PRELOAD's form; may be NULL) and all that they
 * need. False: the program is no ELF file of this machine.
 */
bool closure_open(struct closure *closure, const char *program, const char *preload);
void closure_close(struct closure *closure);

/* Path of a library whose base name begins like that; NULL: none. */
const char *closure_find(const struct closure *closure, const char *prefix);

/* Path of the first object that defines the name, not weakly, as runtimes define what others may; NULL: none. */
const char *closure_definer(const struct closure *closure, const char *name);

/* First of the absent names that `wrapper` defines: the program asks whether that API exists at all. NULL: none. */
const char *closure_asks_for_absent(const struct closure *closure, const struct elf *wrapper);

#endif
