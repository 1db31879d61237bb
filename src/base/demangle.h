/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of C++ functions and types as people write them. */
#ifndef SONDE_BASE_DEMANGLE_H
#define SONDE_BASE_DEMANGLE_H

#include "base/arena.h"

/*
 * The name as C++ has it, in the arena; the name itself where it is not mangled, longer than any compiler makes one, or
 * where no C++ library is on this machine.
 */
const char *demangle(struct arena *arena, const char *name);

#endif
