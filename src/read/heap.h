/* SPDX-License-Identifier: BSD-3-Clause */
/* A binary heap of sources with their next times: the least first, of equal ones the one of lower index. */
#ifndef SONDE_READ_HEAP_H
#define SONDE_READ_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap_item {
	int64_t key;
	uint32_t index;
};

static inline bool heap_before(const struct heap_item *left, const struct heap_item *right)
{
	return left->key < right->key || (left->key == right->key && left->index < right->index);
}

/* The first item's key has grown. */
static inline void heap_sink(struct heap_item *item, uint32_t count)
{
	struct heap_item moved = item[0];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && heap_before(&item[child + 1], &item[child]))
			child++;
		if (!heap_before(&item[child], &moved))
			break;
		item[at] = item[child];
		at = child;
	}
	item[at] = moved;
}

/* Room for it is there. */
static inline void heap_push(struct heap_item *item, uint32_t *count, struct heap_item new_item)
{
	uint32_t at = (*count)++;

	while (at && heap_before(&new_item, &item[(at - 1) / 2])) {
		item[at] = item[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	item[at] = new_item;
}

static inline void heap_pop(struct heap_item *item, uint32_t *count)
{
	item[0] = item[--*count];
	if (*count)
		heap_sink(item, *count);
}

#endif
