/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of places in the code: a recording knows modules and offsets, people functions and lines. */
#ifndef SONDE_BASE_PLACE_H
#define SONDE_BASE_PLACE_H

#include <stdint.h>

/*
 * A name as record/ makes it, "loop @/path/of/module[build id]+0x1a2b", with the place as "function file.c:12" where
 * the module is still the same and has line numbers, else "function+0x2b", else "module+0x1a2b". Other names are left
 * as they are.
 * The text lives as long as sonde, or is the name itself.
 * written_ns: CLOCK_REALTIME of the recording, which tells a module without build id from a later one.
 */
const char *place_name(const char *name, uint64_t written_ns);

#endif
