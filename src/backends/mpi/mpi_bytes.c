/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes that one call sends and receives: a table says for each family of functions what counts, the
 * rest of this file reads it. Called from the leave hook, inside rec_guard, after success.
 *
 * Only arguments that are significant on this rank are looked at: elsewhere a program may pass
 * anything. MPI_IN_PLACE counts as if the same data had been passed out of place.
 */
#include <string.h>

#include "mpi.h"

enum shape {
	NOTHING,
	ONE,                /* count x type */
	BLOCKS,             /* count x type, once per partner */
	EACH,               /* sum of counts, one per partner */
	EACH_TYPE,          /* the same, each with its own type */
	OWN,                /* counts[this rank] */
	GROUP_BLOCKS,       /* as BLOCKS and EACH, but always over the own group */
	GROUP_EACH,
	NEIGHBORS,          /* the same over the topology's neighbours */
	NEIGHBORS_EACH,
	NEIGHBORS_EACH_TYPE,
	NEIGHBORHOOD,       /* count x type, if there is any neighbour */
	STATUS              /* what came, as the status says; without one what may come at most */
};

enum when {
	ALWAYS,
	PEER,         /* unless the partner is MPI_PROC_NULL */
	AT_ROOT,
	NOT_AT_ROOT,
	CONTRIBUTORS, /* all, in an intercommunicator those that are not in the root's group */
	WITH_OP       /* as PEER, unless the operation is MPI_NO_OP */
};

struct half {
	uint8_t shape, when;
	uint8_t in_place; /* shape over the other half's count and type when the buffer is MPI_IN_PLACE */
};

struct rule {
	struct half out, in;
};

static const struct rule rules[] = {
	[MPI_FAMILY_SEND] = {.out = {ONE, PEER, NOTHING}},
	[MPI_FAMILY_RECV] = {.in = {STATUS, PEER, NOTHING}},
	[MPI_FAMILY_SENDRECV] = {{ONE, PEER, NOTHING}, {STATUS, PEER, NOTHING}},
	[MPI_FAMILY_REPLACE] = {{ONE, PEER, NOTHING}, {STATUS, PEER, NOTHING}},
	[MPI_FAMILY_BCAST] = {{ONE, AT_ROOT, NOTHING}, {ONE, NOT_AT_ROOT, NOTHING}},
	[MPI_FAMILY_GATHER] = {{ONE, CONTRIBUTORS, ONE}, {BLOCKS, AT_ROOT, NOTHING}},
	[MPI_FAMILY_GATHERV] = {{ONE, CONTRIBUTORS, OWN}, {EACH, AT_ROOT, NOTHING}},
	[MPI_FAMILY_SCATTER] = {{BLOCKS, AT_ROOT, NOTHING}, {ONE, CONTRIBUTORS, ONE}},
	[MPI_FAMILY_SCATTERV] = {{EACH, AT_ROOT, NOTHING}, {ONE, CONTRIBUTORS, OWN}},
	[MPI_FAMILY_ALLGATHER] = {{ONE, ALWAYS, ONE}, {BLOCKS, ALWAYS, NOTHING}},
	[MPI_FAMILY_ALLGATHERV] = {{ONE, ALWAYS, OWN}, {EACH, ALWAYS, NOTHING}},
	[MPI_FAMILY_ALLTOALL] = {{BLOCKS, ALWAYS, BLOCKS}, {BLOCKS, ALWAYS, NOTHING}},
	[MPI_FAMILY_ALLTOALLV] = {{EACH, ALWAYS, EACH}, {EACH, ALWAYS, NOTHING}},
	[MPI_FAMILY_ALLTOALLW] = {{EACH_TYPE, ALWAYS, EACH_TYPE}, {EACH_TYPE, ALWAYS, NOTHING}},
	[MPI_FAMILY_REDUCE] = {{ONE, CONTRIBUTORS, ONE}, {ONE, AT_ROOT, NOTHING}},
	[MPI_FAMILY_ALLREDUCE] = {{ONE, ALWAYS, ONE}, {ONE, ALWAYS, NOTHING}},
	[MPI_FAMILY_SCAN] = {{ONE, ALWAYS, ONE}, {ONE, ALWAYS, NOTHING}},
	[MPI_FAMILY_REDUCE_SCATTER] = {{GROUP_EACH, ALWAYS, GROUP_EACH}, {OWN, ALWAYS, NOTHING}},
	[MPI_FAMILY_REDUCE_SCATTER_BLOCK] = {{GROUP_BLOCKS, ALWAYS, GROUP_BLOCKS}, {ONE, ALWAYS, NOTHING}},
	[MPI_FAMILY_NALLGATHER] = {{NEIGHBORHOOD, ALWAYS, NOTHING}, {NEIGHBORS, ALWAYS, NOTHING}},
	[MPI_FAMILY_NALLGATHERV] = {{NEIGHBORHOOD, ALWAYS, NOTHING}, {NEIGHBORS_EACH, ALWAYS, NOTHING}},
	[MPI_FAMILY_NALLTOALL] = {{NEIGHBORS, ALWAYS, NOTHING}, {NEIGHBORS, ALWAYS, NOTHING}},
	[MPI_FAMILY_NALLTOALLV] = {{NEIGHBORS_EACH, ALWAYS, NOTHING}, {NEIGHBORS_EACH, ALWAYS, NOTHING}},
	[MPI_FAMILY_NALLTOALLW] = {{NEIGHBORS_EACH_TYPE, ALWAYS, NOTHING}, {NEIGHBORS_EACH_TYPE, ALWAYS, NOTHING}},
	[MPI_FAMILY_PUT] = {.out = {ONE, WITH_OP, NOTHING}},
	[MPI_FAMILY_GET] = {.in = {ONE, PEER, NOTHING}},
	[MPI_FAMILY_FETCH] = {{ONE, WITH_OP, NOTHING}, {ONE, PEER, NOTHING}},
	[MPI_FAMILY_COMPARE] = {{ONE, PEER, NOTHING}, {ONE, PEER, NOTHING}},
	[MPI_FAMILY_READ] = {.in = {STATUS, ALWAYS, NOTHING}},
	[MPI_FAMILY_WRITE] = {.out = {ONE, ALWAYS, NOTHING}},
};

/* Which arguments one half reads: its own, or those of the other half (MPI_IN_PLACE). */
struct column {
	enum mpi_argument count, type;
	bool incoming;
};
static const struct column out_column = {MPI_ARG_OUT_COUNT, MPI_ARG_OUT_TYPE, false};
static const struct column in_column = {MPI_ARG_IN_COUNT, MPI_ARG_IN_TYPE, true};

/* A datatype is not significant, and may be anything, where nothing is moved. */
static uint64_t times_type(const struct mpi_view *view, uint64_t count, enum mpi_argument type)
{
	if (!count)
		return 0;
	return count * mpi_type_bytes(view->library, mpi_view_handle(view, MPI_NAMES_DATATYPE, type));
}

static uint64_t sum(const struct mpi_view *view, const struct column *column, int32_t length, uint64_t skip, bool types)
{
	uint64_t bytes = 0;

	for (int32_t i = 0; i < length; i++) {
		int64_t count;

		if (i < MPI_NEIGHBORS_KNOWN && skip >> i & 1)
			continue;
		count = mpi_view_count_at(view, column->count, i);
		if (count > 0 && types)
			count *= (int64_t)mpi_type_bytes(view->library,
				mpi_view_handle_at(view, MPI_NAMES_DATATYPE, column->type, i));
		if (count > 0)
			bytes += (uint64_t)count;
	}
	return types ? bytes : times_type(view, bytes, column->type);
}

static uint64_t one(const struct mpi_view *view, const struct column *column, int64_t blocks)
{
	int64_t count = blocks > 0 && mpi_role_has(view->role, column->type) ? mpi_view_count(view, column->count) : 0;

	return count > 0 ? times_type(view, (uint64_t)count * (uint64_t)blocks, column->type) : 0;
}

static uint64_t of_group(const struct mpi_view *view, const struct column *column, enum shape shape)
{
	struct mpi_group group;
	int64_t own;

	mpi_group_of(view->library, mpi_view_handle(view, MPI_NAMES_COMM, MPI_ARG_COMM), &group);
	switch (shape) {
	case BLOCKS:
		return one(view, column, group.blocks);
	case GROUP_BLOCKS:
		return one(view, column, group.size);
	case EACH:
	case EACH_TYPE:
		return sum(view, column, group.blocks, 0, shape == EACH_TYPE);
	case GROUP_EACH:
		return sum(view, column, group.size, 0, false);
	default:
		break;
	}
	own = mpi_view_count_at(view, column->count, group.rank);
	return own > 0 ? times_type(view, (uint64_t)own, column->type) : 0;
}

static uint64_t of_neighbors(const struct mpi_view *view, const struct column *column, enum shape shape)
{
	struct mpi_neighbors neighbors;
	int32_t number;
	uint64_t skip;
	int known;

	mpi_neighbors_of(view->library, mpi_view_handle(view, MPI_NAMES_COMM, MPI_ARG_COMM), &neighbors);
	number = column->incoming ? neighbors.in : neighbors.out;
	skip = column->incoming ? neighbors.null_in : neighbors.null_out;
	known = number - __builtin_popcountll(skip);
	switch (shape) {
	case NEIGHBORS:
		return one(view, column, known);
	case NEIGHBORHOOD:
		return one(view, column, known > 0);
	default:
		return sum(view, column, number, skip, shape == NEIGHBORS_EACH_TYPE);
	}
}

static bool counts(const struct mpi_view *view, const struct column *column, enum when when)
{
	bool receives = column->incoming && mpi_role_has(view->role, MPI_ARG_SOURCE);
	enum mpi_argument peer = receives ? MPI_ARG_SOURCE : MPI_ARG_DEST;
	struct mpi_group group;
	int32_t root;

	switch (when) {
	case ALWAYS:
		return true;
	case WITH_OP:
		if (mpi_role_has(view->role, MPI_ARG_OP) &&
		    mpi_view_handle(view, MPI_NAMES_OP, MPI_ARG_OP) == view->library->no_op)
			return false;
		/* fall through */
	case PEER:
		return !mpi_role_has(view->role, peer) || mpi_view_int(view, peer) != view->library->proc_null;
	default:
		break;
	}
	root = mpi_view_int(view, MPI_ARG_ROOT);
	mpi_group_of(view->library, mpi_view_handle(view, MPI_NAMES_COMM, MPI_ARG_COMM), &group);
	if (when == AT_ROOT)
		return group.inter ? root == view->library->root : root == group.rank;
	if (group.inter)
		return root >= 0;
	return when == CONTRIBUTORS || root != group.rank;
}

/* Fortran's status need not be aligned for C; all bindings lay it out as C does. */
static bool of_status(const struct mpi_view *view, uint64_t *bytes_out)
{
	uint64_t aligned[MPI_STATUS_ROOM / sizeof(uint64_t)] = {0};
	rec_word status;

	if (!mpi_role_has(view->role, MPI_ARG_STATUS))
		return false;
	status = view->args[view->role->arg[MPI_ARG_STATUS]];
	if (!status || mpi_view_ignores_status(view))
		return false;
	memcpy(aligned, (const void *)status, view->library->status_bytes);
	return mpi_status_bytes(view->library, aligned, bytes_out);
}

static uint64_t half_bytes(const struct mpi_view *view, const struct half *half, const struct column *column,
			   const struct column *other, uint64_t *posted_out)
{
	enum mpi_argument buffer = column->incoming ? MPI_ARG_IN_BUF : MPI_ARG_OUT_BUF;
	enum shape shape = half->shape;
	uint64_t bytes;

	if (shape == NOTHING || !counts(view, column, half->when))
		return 0;
	if (half->in_place && mpi_view_in_place(view, buffer)) {
		shape = half->in_place;
		column = other;
	}
	switch (shape) {
	case STATUS:
		if (of_status(view, &bytes))
			return bytes;
		*posted_out = 1;
		/* fall through */
	case ONE:
		return one(view, column, view->role->partitioned ? mpi_view_int(view, MPI_ARG_PARTS) : 1);
	case NEIGHBORS:
	case NEIGHBORS_EACH:
	case NEIGHBORS_EACH_TYPE:
	case NEIGHBORHOOD:
		return of_neighbors(view, column, shape);
	default:
		return of_group(view, column, shape);
	}
}

void mpi_bytes_of(const struct mpi_view *view, struct mpi_amount *amount_out)
{
	const struct rule *rule = &rules[view->role->family];

	*amount_out = (struct mpi_amount){0};
	if (view->role->family >= sizeof(rules) / sizeof(rules[0]))
		return;
	amount_out->out = half_bytes(view, &rule->out, &out_column, &in_column, &amount_out->posted);
	amount_out->in = half_bytes(view, &rule->in, &in_column, &out_column, &amount_out->posted);
}
