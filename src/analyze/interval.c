/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of time; see interval.h. */
#include "analyze/interval.h"

struct interval_set interval_union(struct arena *arena, const struct interval_set *left,
				   const struct interval_set *right)
{
	struct interval_set set = {arena_array(arena, left->used + right->used, sizeof(struct fmt_interval)), 0};
	size_t i = 0, j = 0;

	while (i < left->used || j < right->used) {
		bool take_left = j == right->used ||
				 (i < left->used && left->interval[i].begin <= right->interval[j].begin);
		const struct fmt_interval *next = take_left ? &left->interval[i++] : &right->interval[j++];

		if (set.used && next->begin <= set.interval[set.used - 1].end) {
			if (next->end > set.interval[set.used - 1].end)
				set.interval[set.used - 1].end = next->end;
		} else {
			set.interval[set.used++] = *next;
		}
	}
	return set;
}

uint64_t interval_length(const struct interval_set *set)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < set->used; i++)
		sum += set->interval[i].end - set->interval[i].begin;
	return sum;
}

uint64_t interval_overlap(const struct interval_set *left, const struct interval_set *right)
{
	uint64_t sum = 0, begin, end;
	size_t i = 0, j = 0;

	while (i < left->used && j < right->used) {
		const struct fmt_interval *a = &left->interval[i], *b = &right->interval[j];

		begin = a->begin > b->begin ? a->begin : b->begin;
		end = a->end < b->end ? a->end : b->end;
		if (begin < end)
			sum += end - begin;
		if (a->end < b->end)
			i++;
		else
			j++;
	}
	return sum;
}

static struct interval_set interval_clip(struct arena *arena, const struct interval_set *set, uint64_t from,
					 uint64_t to)
{
	struct interval_set clipped = {arena_array(arena, set->used, sizeof(struct fmt_interval)), 0};
	size_t i;

	for (i = 0; i < set->used; i++) {
		struct fmt_interval part = set->interval[i];

		if (part.begin < from)
			part.begin = from;
		if (part.end > to)
			part.end = to;
		if (part.begin < part.end)
			clipped.interval[clipped.used++] = part;
	}
	return clipped;
}

struct interval_set interval_before(struct arena *arena, const struct interval_set *set, uint64_t line)
{
	return interval_clip(arena, set, 0, line);
}

struct interval_set interval_from(struct arena *arena, const struct interval_set *set, uint64_t line)
{
	return interval_clip(arena, set, line, UINT64_MAX);
}
