/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorted table of address ranges, of memory that a runtime gave out or mapped. Pages of its own, no allocator of the
 * program. A table that cannot grow forgets the newcomer: what depends on it is then unknown, never wrong.
 */
#include <string.h>
#include <sys/mman.h>

#include "record/rec_tools.h"

#define FIRST_CAPACITY 256

/* Index of the first range whose base is above the address. */
static uint32_t upper(const struct rec_extents *extents, uint64_t address)
{
	uint32_t low = 0, high = extents->used;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (extents->extent[middle].base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool grow(struct rec_extents *extents)
{
	uint32_t capacity = extents->capacity ? extents->capacity * 2 : FIRST_CAPACITY;
	size_t bytes = capacity * sizeof(*extents->extent);
	void *pages;

	if (extents->capacity)
		pages = mremap(extents->extent, extents->capacity * sizeof(*extents->extent), bytes, MREMAP_MAYMOVE);
	else
		pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return false;
	extents->extent = pages;
	extents->capacity = capacity;
	return true;
}

static bool add_locked(struct rec_extents *extents, const struct rec_extent *extent)
{
	uint32_t at = upper(extents, extent->base);

	if (at && extents->extent[at - 1].base == extent->base) {
		uint32_t count = extents->extent[at - 1].count;

		extents->extent[at - 1] = *extent;
		extents->extent[at - 1].count = count + 1;
		return true;
	}
	if (extents->used == extents->capacity && !grow(extents))
		return false;
	memmove(&extents->extent[at + 1], &extents->extent[at], (extents->used - at) * sizeof(*extent));
	extents->extent[at] = *extent;
	extents->extent[at].count = 1;
	extents->used++;
	return true;
}

bool rec_extents_add(struct rec_extents *extents, const struct rec_extent *extent)
{
	bool added;

	rec_lock(&extents->lock);
	added = add_locked(extents, extent);
	rec_unlock(&extents->lock);
	return added;
}

bool rec_extents_find(struct rec_extents *extents, uint64_t address, struct rec_extent *extent_out)
{
	bool found = false;
	uint32_t at;

	if (!__atomic_load_n(&extents->used, __ATOMIC_ACQUIRE))
		return false;
	rec_lock(&extents->lock);
	at = upper(extents, address);
	if (at && address - extents->extent[at - 1].base < extents->extent[at - 1].bytes) {
		*extent_out = extents->extent[at - 1];
		found = true;
	}
	rec_unlock(&extents->lock);
	return found;
}

bool rec_extents_take(struct rec_extents *extents, uint64_t base, struct rec_extent *extent_out)
{
	bool found = false;
	uint32_t at;

	rec_lock(&extents->lock);
	at = upper(extents, base);
	if (at && extents->extent[at - 1].base == base) {
		*extent_out = extents->extent[--at];
		found = true;
		if (--extents->extent[at].count == 0) {
			extents->used--;
			memmove(&extents->extent[at], &extents->extent[at + 1],
				(extents->used - at) * sizeof(*extents->extent));
		}
	}
	rec_unlock(&extents->lock);
	return found;
}

void rec_extents_clear(struct rec_extents *extents)
{
	rec_lock(&extents->lock);
	extents->used = 0;
	rec_unlock(&extents->lock);
}

void rec_extents_drop(struct rec_extents *extents, bool (*gone)(const struct rec_extent *extent, void *user),
		      void *user)
{
	uint32_t left = 0;

	rec_lock(&extents->lock);
	for (uint32_t i = 0; i < extents->used; i++)
		if (!gone(&extents->extent[i], user))
			extents->extent[left++] = extents->extent[i];
	extents->used = left;
	rec_unlock(&extents->lock);
}
