/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI calls mean beyond their time: bytes, rank, memory, the end by MPI_Abort. The hooks are
 * called by generated wrappers on the program's threads; mpi.roles says for which functions. They
 * never communicate, never call MPI before the program's call has succeeded, and leave the
 * program's arguments as they are, but for one: where it ignores a status we pass one of our own.
 */
#include <errno.h>

#include "mpi.h"

/* rec_call.user: 0 to 3 hold a status, the rest: */
#define USER_TAKEN 4   /* bytes of the memory that the call frees */
#define USER_MESSAGE 5 /* the message to be received comes from MPI_PROC_NULL */
_Static_assert(sizeof(((struct rec_call *)0)->user) >= MPI_STATUS_ROOM + 2 * sizeof(uint64_t), "a status fits");

static struct rec_map memory = REC_MAP(uint64_t), windows = REC_MAP(uint64_t);

static bool view_of(const struct rec_call *call, const rec_word *args, struct mpi_view *view_out)
{
	const struct rec_symbol *symbol = &mpi_backend.symbol[call->symbol];

	view_out->library = mpi_library();
	view_out->role = &mpi_role[symbol->function];
	view_out->args = args;
	view_out->variant = symbol->variant;
	return view_out->library != NULL;
}

/* ---- before the call -------------------------------------------------------------------------- */

static void replace_status(struct rec_call *call, const struct mpi_view *view, rec_word *args)
{
	if (call->slot && mpi_view_ignores_status(view))
		args[view->role->status] = (rec_word)call->user;
}

static void note_message(struct rec_call *call, const struct mpi_view *view)
{
	/* compared as the language writes it: no conversion, which could fail on a bad handle */
	rec_word address = view->args[view->role->message];
	bool fortran = view->variant != MPI_VARIANT_C;
	rec_word message = 0;

	if (!address)
		return;
	if (fortran || !view->library->pointers)
		message = *(const uint32_t *)address;
	else
		message = *(const rec_word *)address;
	call->user[USER_MESSAGE] = message == view->library->no_message[fortran];
}

static void take_memory(struct rec_call *call, const struct mpi_view *view)
{
	uint64_t bytes = 0;

	if (view->role->family == MPI_FAMILY_FREE_MEM)
		rec_map_take(&memory, mpi_view_buffer(view, MPI_ARG_BASE), &bytes);
	else if (view->args[view->role->window])
		rec_map_take(&windows, mpi_view_handle_at(view, MPI_NAMES_WIN, MPI_ARG_WINDOW, 0), &bytes);
	call->user[USER_TAKEN] = bytes;
}

static void look_before(struct rec_call *call, const struct mpi_view *view, rec_word *args)
{
	switch (view->role->family) {
	case MPI_FAMILY_TYPE_FREE:
		if (view->args[view->role->type])
			mpi_type_forget(mpi_view_handle_at(view, MPI_NAMES_DATATYPE, MPI_ARG_TYPE, 0));
		break;
	case MPI_FAMILY_REQUEST_FREE:
		if (view->args[view->role->request])
			mpi_request_freed(view);
		break;
	case MPI_FAMILY_FREE_MEM:
	case MPI_FAMILY_WIN_FREE:
		take_memory(call, view);
		break;
	default:
		if (mpi_role_has(view->role, MPI_ARG_STATUS))
			replace_status(call, view, args);
		if (mpi_role_has(view->role, MPI_ARG_MESSAGE))
			note_message(call, view);
		break;
	}
}

void mpi_enter(struct rec_call *call, rec_word *args)
{
	int saved = errno;
	struct mpi_view view;
	uint32_t guard;

	if (mpi_role[mpi_backend.symbol[call->symbol].function].family == MPI_FAMILY_ABORT) {
		if (call->slot)
			rec_flush(FMT_END_ABORT);
		return;
	}
	call->user[USER_TAKEN] = call->user[USER_MESSAGE] = 0;
	guard = rec_guard_enter();
	if (view_of(call, args, &view))
		look_before(call, &view, args);
	rec_guard_leave(guard);
	errno = saved;
}

/* ---- after it --------------------------------------------------------------------------------- */

static void learn_rank(const struct mpi_library *library)
{
	int rank = -1, size = -1;

	mpi_world(library, &rank, &size);
	if (size > 0)
		rec_rank(rank, size);
}

static void allocated(const struct mpi_view *view)
{
	int64_t size = mpi_view_long(view, MPI_ARG_SIZE);
	uint64_t bytes = size > 0 ? (uint64_t)size : 0;

	if (!bytes)
		return;
	if (view->role->family == MPI_FAMILY_ALLOC_MEM) {
		/* baseptr is the address of a pointer in every language */
		if (!rec_map_put(&memory, *(const rec_word *)view->args[view->role->base], &bytes))
			return;
		rec_memory(&mpi_backend, UINT32_MAX, SONDE_MEMORY_pageable, size);
	} else {
		if (!rec_map_put(&windows, mpi_view_handle_at(view, MPI_NAMES_WIN, MPI_ARG_WINDOW, 0), &bytes))
			return;
		rec_memory(&mpi_backend, UINT32_MAX, SONDE_MEMORY_window, size);
	}
}

/* The call failed: the memory is still there. */
static void give_back(const struct rec_call *call, const struct mpi_view *view)
{
	uint64_t bytes = call->user[USER_TAKEN];

	if (!bytes)
		return;
	if (view->role->family == MPI_FAMILY_FREE_MEM)
		rec_map_put(&memory, mpi_view_buffer(view, MPI_ARG_BASE), &bytes);
	else
		rec_map_put(&windows, mpi_view_handle_at(view, MPI_NAMES_WIN, MPI_ARG_WINDOW, 0), &bytes);
}

static void freed(const struct rec_call *call, const struct mpi_view *view)
{
	bool window = view->role->family == MPI_FAMILY_WIN_FREE;

	if (call->user[USER_TAKEN])
		rec_memory(&mpi_backend, UINT32_MAX, window ? SONDE_MEMORY_window : SONDE_MEMORY_pageable,
			   -(int64_t)call->user[USER_TAKEN]);
}

static void count_bytes(const struct rec_call *call, const struct mpi_view *view)
{
	struct mpi_amount amount;

	if (view->role->persistent) {
		mpi_request_made(view);
		return;
	}
	if (view->role->family == MPI_FAMILY_START)
		mpi_request_started(view, &amount);
	else
		mpi_bytes_of(view, &amount);
	if (mpi_role_has(view->role, MPI_ARG_MESSAGE) && call->user[USER_MESSAGE])
		amount.in = amount.posted = 0;
	rec_call_bytes(call, amount.out, amount.in, amount.posted != 0);
}

static bool is_free(const struct mpi_view *view)
{
	return view->role->family == MPI_FAMILY_FREE_MEM || view->role->family == MPI_FAMILY_WIN_FREE;
}

static void look_after(const struct rec_call *call, const struct mpi_view *view)
{
	if (is_free(view)) {
		if (call->failed)
			give_back(call, view);
		else
			freed(call, view);
		return;
	}
	if (call->failed || !call->slot)
		return;
	switch (view->role->family) {
	case MPI_FAMILY_INIT:
		learn_rank(view->library);
		break;
	case MPI_FAMILY_ALLOC_MEM:
	case MPI_FAMILY_WIN_ALLOCATE:
		allocated(view);
		break;
	default:
		count_bytes(call, view);
		break;
	}
}

void mpi_leave(struct rec_call *call, rec_word *args, rec_word result)
{
	int saved = errno;
	uint32_t guard = rec_guard_enter();
	struct mpi_view view;

	(void)result;
	if (view_of(call, args, &view))
		look_after(call, &view);
	rec_guard_leave(guard);
	errno = saved;
}
