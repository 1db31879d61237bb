/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests that are made once and started often (persistent, partitioned): what a start moves is
 * remembered when the request is made. Called from hooks only, inside rec_guard.
 */
#include "mpi.h"

static struct rec_map requests = REC_MAP(struct mpi_amount);

void mpi_request_made(const struct mpi_view *view)
{
	mpi_handle request = mpi_view_handle_at(view, MPI_NAMES_REQUEST, MPI_ARG_REQUEST, 0);
	struct mpi_amount amount;

	mpi_bytes_of(view, &amount);
	rec_map_put(&requests, request, &amount);
}

void mpi_request_started(const struct mpi_view *view, struct mpi_amount *amount_out)
{
	int32_t number = mpi_role_has(view->role, MPI_ARG_PARTS) ? mpi_view_int(view, MPI_ARG_PARTS) : 1;
	struct mpi_amount amount;

	*amount_out = (struct mpi_amount){0};
	for (int32_t i = 0; i < number; i++) {
		if (!rec_map_get(&requests, mpi_view_handle_at(view, MPI_NAMES_REQUEST, MPI_ARG_REQUEST, i), &amount))
			continue;
		amount_out->out += amount.out;
		amount_out->in += amount.in;
		amount_out->posted |= amount.posted;
	}
}

/* Before the handle can come back for another request. */
void mpi_request_freed(const struct mpi_view *view)
{
	if (requests.used)
		rec_map_take(&requests, mpi_view_handle_at(view, MPI_NAMES_REQUEST, MPI_ARG_REQUEST, 0), NULL);
}
