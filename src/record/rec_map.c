/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks and hash tables of the recorder and its backends: slow paths and handles, never per plain
 * call. No malloc: the program may be inside its own allocator.
 */
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "record/rec_state.h"

#define TRIES_MOST 10000

/* The lock word is the owner's pid: a forked child takes over what another thread of its parent held. */
static bool take(uint32_t *lock, uint32_t self)
{
	uint32_t owner = 0;

	if (__atomic_compare_exchange_n(lock, &owner, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	return owner != self &&
	       __atomic_compare_exchange_n(lock, &owner, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void rec_lock(uint32_t *lock)
{
	uint32_t self = rec_pid();

	rec_tls.locks++;
	for (unsigned spins = 0; !take(lock, self); spins++)
		if (spins > 64)
			sched_yield();
}

bool rec_try_lock(uint32_t *lock)
{
	uint32_t self = rec_pid();

	rec_tls.locks++;
	for (unsigned spins = 0; spins < TRIES_MOST; spins++) {
		if (take(lock, self))
			return true;
		if (spins > 64)
			sched_yield();
	}
	rec_tls.locks--;
	return false;
}

void rec_unlock(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	rec_tls.locks--;
}

/* A cell is its key followed by the item; key 0 is a free cell, so keys are stored plus one. */
static size_t cell_bytes(const struct rec_map *map)
{
	return sizeof(rec_word) + ((map->item_bytes + sizeof(rec_word) - 1) & ~(sizeof(rec_word) - 1));
}

static rec_word *cell_at(const struct rec_map *map, uint64_t index)
{
	return (rec_word *)((char *)map->cells + index * cell_bytes(map));
}

static uint64_t home(const struct rec_map *map, rec_word key)
{
	return (key * 0x9e3779b97f4a7c15u >> 20) & (map->capacity - 1);
}

static rec_word *find(const struct rec_map *map, rec_word key)
{
	uint64_t index;

	if (!map->capacity)
		return NULL;
	for (index = home(map, key); *cell_at(map, index); index = (index + 1) & (map->capacity - 1))
		if (*cell_at(map, index) == key)
			return cell_at(map, index);
	return NULL;
}

static rec_word *insert(struct rec_map *map, rec_word key)
{
	uint64_t index = home(map, key);

	while (*cell_at(map, index))
		index = (index + 1) & (map->capacity - 1);
	*cell_at(map, index) = key;
	map->used++;
	return cell_at(map, index);
}

static bool grow(struct rec_map *map)
{
	struct rec_map bigger = {.item_bytes = map->item_bytes, .capacity = map->capacity ? map->capacity * 2 : 64};

	bigger.cells = mmap(NULL, bigger.capacity * cell_bytes(map), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bigger.cells == MAP_FAILED)
		return false;
	for (uint64_t i = 0; i < map->capacity; i++) {
		rec_word *cell = cell_at(map, i);

		if (*cell)
			memcpy(insert(&bigger, *cell) + 1, cell + 1, cell_bytes(map) - sizeof(rec_word));
	}
	if (map->cells)
		munmap(map->cells, map->capacity * cell_bytes(map));
	map->cells = bigger.cells;
	map->capacity = bigger.capacity;
	map->used = bigger.used;
	return true;
}

static rec_word *find_or_create(struct rec_map *map, rec_word key)
{
	rec_word *cell = find(map, key);

	if (cell)
		return cell;
	if (map->used * 2 >= map->capacity && !grow(map))
		return NULL;
	return insert(map, key);
}

/* Removes a cell and moves up those behind it that its gap would cut off. */
static void erase(struct rec_map *map, rec_word *cell)
{
	uint64_t gap = (uint64_t)((char *)cell - (char *)map->cells) / cell_bytes(map);
	uint64_t index = gap;

	for (;;) {
		rec_word *next;
		uint64_t wanted;

		index = (index + 1) & (map->capacity - 1);
		next = cell_at(map, index);
		if (!*next)
			break;
		wanted = home(map, *next);
		if (((index - wanted) & (map->capacity - 1)) < ((index - gap) & (map->capacity - 1)))
			continue;
		memcpy(cell_at(map, gap), next, cell_bytes(map));
		gap = index;
	}
	memset(cell_at(map, gap), 0, cell_bytes(map));
	map->used--;
}

void *rec_map_lock(struct rec_map *map, rec_word key, bool create)
{
	rec_word *cell;

	rec_lock(&map->lock);
	cell = create ? find_or_create(map, key + 1) : find(map, key + 1);
	if (cell)
		return cell + 1;
	rec_unlock(&map->lock);
	return NULL;
}

void rec_map_unlock(struct rec_map *map)
{
	rec_unlock(&map->lock);
}

bool rec_map_get(struct rec_map *map, rec_word key, void *item_out)
{
	void *item = rec_map_lock(map, key, false);

	if (!item)
		return false;
	memcpy(item_out, item, map->item_bytes);
	rec_map_unlock(map);
	return true;
}

bool rec_map_put(struct rec_map *map, rec_word key, const void *item)
{
	void *place = rec_map_lock(map, key, true);

	if (!place)
		return false;
	memcpy(place, item, map->item_bytes);
	rec_map_unlock(map);
	return true;
}

bool rec_map_take(struct rec_map *map, rec_word key, void *item_out)
{
	rec_word *item = rec_map_lock(map, key, false);

	if (!item)
		return false;
	if (item_out)
		memcpy(item_out, item, map->item_bytes);
	erase(map, item - 1);
	rec_map_unlock(map);
	return true;
}

void rec_map_clear(struct rec_map *map)
{
	if (map->cells)
		munmap(map->cells, map->capacity * cell_bytes(map));
	map->cells = NULL;
	map->capacity = map->used = 0;
	map->lock = 0;
}
