/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the arguments of a call, whatever language it came from: by value in C, by reference in
 * Fortran, narrowed to their declared width (the upper half of a word may be garbage). Called from
 * hooks after the call succeeded, so what MPI had to read can be read.
 */
#include <string.h>

#include "mpi.h"

static rec_word word_of(const struct mpi_view *view, enum mpi_argument argument)
{
	return view->args[view->role->arg[argument]];
}

static int32_t int_at(rec_word address, int32_t index)
{
	int32_t value;

	memcpy(&value, (const char *)address + (int64_t)index * (int64_t)sizeof(value), sizeof(value));
	return value;
}

static int64_t long_at(rec_word address, int32_t index)
{
	int64_t value;

	memcpy(&value, (const char *)address + (int64_t)index * (int64_t)sizeof(value), sizeof(value));
	return value;
}

int32_t mpi_view_int(const struct mpi_view *view, enum mpi_argument argument)
{
	rec_word word = word_of(view, argument);

	return view->variant == MPI_VARIANT_C ? (int32_t)word : int_at(word, 0);
}

int64_t mpi_view_count(const struct mpi_view *view, enum mpi_argument argument)
{
	rec_word word;

	if (!mpi_role_has(view->role, argument))
		return 1;
	word = word_of(view, argument);
	if (view->variant != MPI_VARIANT_C)
		return view->role->wide ? long_at(word, 0) : int_at(word, 0);
	return view->role->wide ? (int64_t)word : (int32_t)word;
}

int64_t mpi_view_count_at(const struct mpi_view *view, enum mpi_argument argument, int32_t index)
{
	rec_word word = word_of(view, argument);

	return view->role->wide ? long_at(word, index) : int_at(word, index);
}

mpi_handle mpi_view_handle(const struct mpi_view *view, enum mpi_names names, enum mpi_argument argument)
{
	rec_word word = word_of(view, argument);

	if (view->variant == MPI_VARIANT_C)
		return word & view->library->handle_mask;
	return mpi_handle_from_fortran(view->library, names, int_at(word, 0));
}

mpi_handle mpi_view_handle_at(const struct mpi_view *view, enum mpi_names names, enum mpi_argument argument,
			      int32_t index)
{
	rec_word word = word_of(view, argument);

	if (view->variant != MPI_VARIANT_C)
		return mpi_handle_from_fortran(view->library, names, int_at(word, index));
	return view->library->pointers ? (mpi_handle)long_at(word, index) : (uint32_t)int_at(word, index);
}

int64_t mpi_view_long(const struct mpi_view *view, enum mpi_argument argument)
{
	rec_word word = word_of(view, argument);

	return view->variant == MPI_VARIANT_C ? (int64_t)word : long_at(word, 0);
}

/* Address of a choice buffer. */
rec_word mpi_view_buffer(const struct mpi_view *view, enum mpi_argument argument)
{
	return rec_buffer_address(&mpi_backend, (uint8_t)view->variant, word_of(view, argument));
}

bool mpi_view_in_place(const struct mpi_view *view, enum mpi_argument argument)
{
	rec_word buffer;

	if (!mpi_role_has(view->role, argument))
		return false;
	buffer = mpi_view_buffer(view, argument);
	if (view->variant != MPI_VARIANT_C)
		buffer = mpi_convert(MPI_NAMES_BUFFER, buffer);
	return buffer == view->library->in_place;
}

bool mpi_view_ignores_status(const struct mpi_view *view)
{
	const struct mpi_library *library = view->library;
	rec_word status = word_of(view, MPI_ARG_STATUS);

	if (view->variant == MPI_VARIANT_C)
		return status == library->status_ignore;
	return mpi_is_one_of(status, library->fortran_status_ignore);
}
