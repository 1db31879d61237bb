/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that is kept: handles that a backend gives out, texts that it is asked to remember, places that are used
 * again. Pages of its own, since the program may be inside its allocator. Never given back.
 */
#include <string.h>
#include <sys/mman.h>

#include "record/rec_state.h"

#define BLOCK (64u << 10)
#define PLACES 64u /* that a pool makes at once */

static char *at;
static size_t left;
static uint32_t lock;

void *rec_keep(const void *bytes, size_t size)
{
	size_t room = (size + 15) & ~(size_t)15;
	char *place = NULL;
	uint64_t signals;

	rec_signals_block(&signals);
	rec_lock(&lock);
	if (room > left) {
		size_t more = room > BLOCK ? rec_round_up(room, REC_PAGE) : BLOCK;
		void *block = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (block != MAP_FAILED) {
			at = block;
			left = more;
		}
	}
	if (room <= left) {
		place = at;
		at += room;
		left -= room;
		if (bytes)
			memcpy(place, bytes, size);
	}
	rec_unlock(&lock);
	rec_signals_restore(&signals);
	return place;
}

/* ---- pools ----------------------------------------------------------------------------------------------------- */

static void make_places(struct rec_pool *pool)
{
	size_t bytes = ((size_t)pool->item_bytes + 15) & ~(size_t)15;
	char *block = pool->most && pool->made >= pool->most ? NULL : rec_keep(NULL, PLACES * bytes);

	for (uint32_t i = 0; block && i < PLACES; i++) {
		*(void **)(block + i * bytes) = pool->unused;
		pool->unused = block + i * bytes;
	}
	pool->made += block ? PLACES : 0;
}

void *rec_pool_take(struct rec_pool *pool)
{
	void **place;

	rec_lock(&pool->lock);
	if (!pool->unused)
		make_places(pool);
	place = pool->unused;
	if (place)
		pool->unused = *place;
	rec_unlock(&pool->lock);
	return place;
}

void rec_pool_give(struct rec_pool *pool, void *place)
{
	rec_lock(&pool->lock);
	*(void **)place = pool->unused;
	pool->unused = place;
	rec_unlock(&pool->lock);
}

void rec_pool_forget(struct rec_pool *pool)
{
	pool->unused = NULL;
	pool->made = pool->lock = 0;
}
