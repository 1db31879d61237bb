/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash table from bytes to a pointer; see map.h. Open addressing, at most half full. */
#include "base/map.h"

#include <string.h>

struct map_cell {
	const char *key; /* NULL: free */
	size_t length;
	uint64_t hash;
	void *value;
};

static uint64_t map_hash(const char *bytes, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325u;
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
	return hash ^ hash >> 32;
}

static struct map_cell *map_find(struct map_cell *cells, size_t capacity, const char *key, size_t length, uint64_t hash)
{
	size_t i = (size_t)hash & (capacity - 1);

	while (cells[i].key && (cells[i].hash != hash || cells[i].length != length ||
				memcmp(cells[i].key, key, length)))
		i = (i + 1) & (capacity - 1);
	return &cells[i];
}

static void map_double(struct map *map)
{
	size_t capacity = map->capacity ? map->capacity * 2 : 64, i;
	struct map_cell *cells = arena_array(map->arena, capacity, sizeof(*cells));

	for (i = 0; i < map->capacity; i++) {
		struct map_cell *old = &map->cell[i];

		if (old->key)
			*map_find(cells, capacity, old->key, old->length, old->hash) = *old;
	}
	map->cell = cells;
	map->capacity = capacity;
}

void **map_value(struct map *map, const void *key, size_t length)
{
	uint64_t hash = map_hash(key, length);
	struct map_cell *cell;

	if (map->used * 2 >= map->capacity)
		map_double(map);
	cell = map_find(map->cell, map->capacity, key, length, hash);
	if (!cell->key) {
		cell->key = arena_strndup(map->arena, key, length);
		cell->length = length;
		cell->hash = hash;
		map->used++;
	}
	return &cell->value;
}

static void map_key_bytes(struct map_key *key, struct arena *arena, const void *bytes, size_t length)
{
	char *grown;

	if (key->capacity - key->length < length) {
		key->capacity = (key->length + length) * 2 + 64;
		grown = arena_zalloc(arena, key->capacity);
		if (key->length)
			memcpy(grown, key->bytes, key->length);
		key->bytes = grown;
	}
	memcpy(key->bytes + key->length, bytes, length);
	key->length += length;
}

void map_key_start(struct map_key *key)
{
	key->length = 0;
}

void map_key_text(struct map_key *key, struct arena *arena, const char *text)
{
	map_key_bytes(key, arena, text, strlen(text) + 1);
}

void map_key_number(struct map_key *key, struct arena *arena, uint64_t number)
{
	map_key_bytes(key, arena, &number, sizeof(number));
}
