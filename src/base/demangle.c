/* SPDX-License-Identifier: BSD-3-Clause */
/* See demangle.h. The C++ library is opened when the first mangled name comes: sonde itself needs none. */
#include "base/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MANGLED_MAX_LENGTH 4096 /* of a mangled name */

typedef char *demangler(const char *name, char *room, size_t *bytes, int *status);

static demangler *find(void)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
	static demangler *found;
	static int looked;

	for (size_t i = 0; !looked && !found && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);

		found = library ? (demangler *)(uintptr_t)dlsym(library, "__cxa_demangle") : NULL;
	}
	looked = 1;
	return found;
}

/*
 * A function's name, or a type's as typeid() gives it: of one within a function or a namespace, which no text of people
 * looks like. "4Axpy" may be a label.
 */
static bool is_mangled(const char *name)
{
	return (name[0] == '_' && name[1] == 'Z') ||
	       ((name[0] == 'Z' || name[0] == 'N') && name[1] >= '0' && name[1] <= '9');
}

const char *demangle(struct arena *arena, const char *name)
{
	demangler *make;
	char *made;
	int status = 0;

	if (!is_mangled(name) || strnlen(name, MANGLED_MAX_LENGTH) == MANGLED_MAX_LENGTH)
		return name;
	make = find();
	made = make ? make(name, NULL, NULL, &status) : NULL;
	if (!made)
		return name;
	name = arena_strdup(arena, made);
	free(made);
	return name;
}
