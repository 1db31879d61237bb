/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of the recording and the spread of figures over them. */
#include <stdlib.h>

#include "analyze/analysis.h"
#include "base/number.h"

__extension__ typedef __int128 wide;

static int rank_order(const void *left, const void *right)
{
	int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;

	return a < b ? -1 : a > b;
}

void ranks_collect(struct analysis *analysis)
{
	const struct recording *recording = analysis->recording;
	int32_t *rank = arena_array(&analysis->scratch, recording->tallies, sizeof(*rank));
	size_t count = 0, distinct = 0, i;

	for (i = 0; i < recording->tallies; i++)
		if (recording->tally[i].rank >= 0)
			rank[count++] = recording->tally[i].rank;
	if (count)
		qsort(rank, count, sizeof(*rank), rank_order);
	for (i = 0; i < count; i++)
		if (!distinct || rank[i] != rank[distinct - 1])
			rank[distinct++] = rank[i];
	analysis->rank = rank;
	analysis->ranks = (uint32_t)distinct;
}

uint32_t rank_index(const struct analysis *analysis, int32_t rank)
{
	const int32_t *found;

	if (rank < 0 || !analysis->ranks)
		return READ_NONE;
	found = bsearch(&rank, analysis->rank, analysis->ranks, sizeof(rank), rank_order);
	return found ? (uint32_t)(found - analysis->rank) : READ_NONE;
}

void rank_add(struct analysis *analysis, int64_t **per_rank, uint32_t rank, int64_t value)
{
	if (rank == READ_NONE || analysis->ranks < 2)
		return;
	if (!*per_rank)
		*per_rank = arena_array(&analysis->scratch, analysis->ranks, sizeof(**per_rank));
	(*per_rank)[rank] = number_add((*per_rank)[rank], value);
}

struct summary_ranks rank_spread(const struct analysis *analysis, const int64_t *per_rank)
{
	struct summary_ranks spread = {.count = analysis->ranks, .max_rank = -1, .min_rank = -1};
	uint32_t i, max = 0, min = 0;
	wide sum = 0;

	if (!per_rank || analysis->ranks < 2) { /* one rank, or a row that no rank has a part in */
		spread.count = analysis->ranks < 2 ? analysis->ranks : 0;
		return spread;
	}
	for (i = 0; i < analysis->ranks; i++) {
		sum += per_rank[i];
		if (per_rank[i] > per_rank[max])
			max = i;
		if (per_rank[i] < per_rank[min])
			min = i;
	}
	spread.mean = (int64_t)(sum / analysis->ranks);
	spread.min = per_rank[min];
	spread.max = per_rank[max];
	spread.min_rank = analysis->rank[min];
	spread.max_rank = analysis->rank[max];
	return spread;
}
