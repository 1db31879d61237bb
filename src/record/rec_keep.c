/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that is kept: handles that a backend gives out, and texts that it is asked to remember. Pages of its own,
 * since the program may be inside its allocator. Never given back.
 */
#include <string.h>
#include <sys/mman.h>

#include "record/rec_state.h"

#define BLOCK (64u << 10)

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
