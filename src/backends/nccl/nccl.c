/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of NCCL's calls, as this rank passes them: what collectives really move between devices depends on NCCL's
 * algorithm. Their time is that of the call, which returns before the work is done; the kernels are CUDA's.
 */
#include "nccl_gen.h"
#include "record/rec_tools.h"

static const uint8_t type_bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1}; /* by ncclDataType_t */

struct size {
	uint32_t ranks;
};
static struct rec_map sizes = REC_MAP(struct size); /* by communicator */

static uint32_t ask_ranks(rec_word comm)
{
	int (*count)(rec_word, int *) = (int (*)(rec_word, int *))rec_real(&nccl_backend, nccl_sym_ncclCommCount);
	uint32_t token = rec_guard_enter();
	int ranks = 0;

	if (!count || count(comm, &ranks) != 0)
		ranks = 0;
	rec_guard_leave(token);
	return ranks > 0 ? (uint32_t)ranks : 0;
}

/* 0: NCCL does not say, or not yet. */
static uint32_t ranks_of(rec_word comm)
{
	struct size size;

	if (rec_map_get(&sizes, comm, &size))
		return size.ranks;
	size.ranks = ask_ranks(comm);
	if (size.ranks)
		rec_map_put(&sizes, comm, &size);
	return size.ranks;
}

/*
 * A communicator that does not block cannot be asked for its size while a call is in progress, but before it. One that
 * goes: the next one may be given its address.
 */
void nccl_enter(struct rec_call *call, rec_word *args)
{
	const struct nccl_role *role = &nccl_role[nccl_backend.symbol[call->symbol].function];

	if (role->family == NCCL_FAMILY_NONE)
		rec_map_take(&sizes, args[role->comm], NULL);
	else
		call->user[0] = call->slot && args[role->comm] ? ranks_of(args[role->comm]) : 0;
}

void nccl_leave(struct rec_call *call, rec_word *args, rec_word result)
{
	const struct nccl_role *role = &nccl_role[nccl_backend.symbol[call->symbol].function];
	uint32_t type = (uint32_t)args[role->datatype], ranks;
	uint64_t bytes = args[role->count] * (type < sizeof(type_bytes) ? type_bytes[type] : 0u), all;

	(void)result;
	if (!call->slot || call->failed)
		return;
	ranks = (uint32_t)call->user[0];
	all = bytes * (ranks ? ranks : 1);
	if (ranks)
		rec_call_members(call, ranks);
	switch (role->family) {
	case NCCL_FAMILY_SAME:
		rec_call_bytes(call, bytes, bytes, false);
		break;
	case NCCL_FAMILY_GATHER:
		rec_call_bytes(call, bytes, all, false);
		break;
	case NCCL_FAMILY_SCATTER:
		rec_call_bytes(call, all, bytes, false);
		break;
	case NCCL_FAMILY_EXCHANGE:
		rec_call_bytes(call, all, all, false);
		break;
	case NCCL_FAMILY_SEND:
		rec_call_bytes(call, bytes, 0, false);
		break;
	case NCCL_FAMILY_RECEIVE:
		rec_call_bytes(call, 0, bytes, false);
		break;
	default:
		break;
	}
}
