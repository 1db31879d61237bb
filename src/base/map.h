/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash table from bytes to a pointer, in an arena; iterated in the order of insertion by its owner's array. */
#ifndef SONDE_BASE_MAP_H
#define SONDE_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct map {
	struct arena *arena;
	struct map_cell *cell;
	size_t used, capacity;
};

/*
 * The value kept for a key; NULL at first. The address is valid until the next call. The key's bytes
 * are copied when it is new.
 */
void **map_value(struct map *map, const void *key, size_t length);

/* A key made of several parts: each is kept apart from its neighbours. */
struct map_key {
	char *bytes;
	size_t length, capacity;
};
void map_key_start(struct map_key *key);
void map_key_text(struct map_key *key, struct arena *arena, const char *text);
void map_key_number(struct map_key *key, struct arena *arena, uint64_t number);

#endif
