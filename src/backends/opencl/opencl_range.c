/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorted table of address ranges: SVM allocations, mapped parts of memory objects. Pages of its own,
 * no allocator of the program. A table that cannot grow forgets the newcomer: bytes that depend on it
 * are then unknown, never wrong.
 */
#include <string.h>
#include <sys/mman.h>

#include "opencl.h"

#define FIRST_CAPACITY 256

/* Index of the first range whose base is above the address. */
static uint32_t upper(const struct opencl_ranges *ranges, uint64_t address)
{
	uint32_t low = 0, high = ranges->used;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ranges->range[middle].base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool grow(struct opencl_ranges *ranges)
{
	uint32_t capacity = ranges->capacity ? ranges->capacity * 2 : FIRST_CAPACITY;
	size_t bytes = capacity * sizeof(*ranges->range);
	void *pages;

	if (ranges->capacity)
		pages = mremap(ranges->range, ranges->capacity * sizeof(*ranges->range), bytes, MREMAP_MAYMOVE);
	else
		pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return false;
	ranges->range = pages;
	ranges->capacity = capacity;
	return true;
}

static bool add_locked(struct opencl_ranges *ranges, const struct opencl_range *range)
{
	uint32_t at = upper(ranges, range->base);

	if (at && ranges->range[at - 1].base == range->base) {
		uint32_t count = ranges->range[at - 1].count;

		ranges->range[at - 1] = *range;
		ranges->range[at - 1].count = count + 1;
		return true;
	}
	if (ranges->used == ranges->capacity && !grow(ranges))
		return false;
	memmove(&ranges->range[at + 1], &ranges->range[at], (ranges->used - at) * sizeof(*range));
	ranges->range[at] = *range;
	ranges->range[at].count = 1;
	ranges->used++;
	return true;
}

bool opencl_ranges_add(struct opencl_ranges *ranges, const struct opencl_range *range)
{
	bool added;

	rec_lock(&ranges->lock);
	added = add_locked(ranges, range);
	rec_unlock(&ranges->lock);
	return added;
}

bool opencl_ranges_find(struct opencl_ranges *ranges, uint64_t address, struct opencl_range *range_out)
{
	bool found = false;
	uint32_t at;

	if (!__atomic_load_n(&ranges->used, __ATOMIC_ACQUIRE))
		return false;
	rec_lock(&ranges->lock);
	at = upper(ranges, address);
	if (at && address - ranges->range[at - 1].base < ranges->range[at - 1].bytes) {
		*range_out = ranges->range[at - 1];
		found = true;
	}
	rec_unlock(&ranges->lock);
	return found;
}

bool opencl_ranges_take(struct opencl_ranges *ranges, uint64_t base, struct opencl_range *range_out)
{
	bool found = false;
	uint32_t at;

	rec_lock(&ranges->lock);
	at = upper(ranges, base);
	if (at && ranges->range[at - 1].base == base) {
		*range_out = ranges->range[--at];
		found = true;
		if (--ranges->range[at].count == 0) {
			ranges->used--;
			memmove(&ranges->range[at], &ranges->range[at + 1],
				(ranges->used - at) * sizeof(*ranges->range));
		}
	}
	rec_unlock(&ranges->lock);
	return found;
}

void opencl_ranges_clear(struct opencl_ranges *ranges)
{
	rec_lock(&ranges->lock);
	ranges->used = 0;
	rec_unlock(&ranges->lock);
}
