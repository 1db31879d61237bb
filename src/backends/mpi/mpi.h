/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the MPI backend: what its C files share. Runs in the traced program; nothing here
 * communicates, and MPI is asked only local questions, after a call of the program has succeeded
 * (so MPI is up and the handles in question are valid).
 *
 * No vendor header: a handle is a machine word (MPICH: 32 bits of it; Open MPI: a pointer), the
 * few constants differ per library and are found at run time (mpi_library.c).
 */
#ifndef SONDE_BACKENDS_MPI_H
#define SONDE_BACKENDS_MPI_H

#include "mpi_gen.h"
#include "record/rec_tools.h"

typedef rec_word mpi_handle; /* as C code passes it, narrowed to the library's width */

#define MPI_STATUS_ROOM 32   /* bytes; the largest status known has 24, the standard ABI's 32 */
#define MPI_NEIGHBORS_KNOWN 64 /* that can be marked as MPI_PROC_NULL */

/* What the one library that serves this process looks like. */
struct mpi_library {
	uint32_t known;        /* published last */
	bool pointers;         /* handles are pointers; Fortran's are integers to convert */
	rec_word handle_mask;
	uint32_t handle_bytes;
	uint32_t status_bytes;
	int32_t proc_null, any_source, root;
	rec_word in_place, status_ignore; /* C's constants */
	mpi_handle comm_world, byte, no_op;
	/* addresses that mean the same in Fortran; 0: none */
	rec_word fortran_in_place[3], fortran_status_ignore[3], fortran_statuses_ignore[3];
	rec_word no_message[2];           /* MPI_MESSAGE_NO_PROC of C, of Fortran */
};

/* Is it a constant of Fortran, in one of the forms that its bindings have? */
static inline bool mpi_is_one_of(rec_word address, const rec_word forms[3])
{
	return address && (address == forms[0] || address == forms[1] || address == forms[2]);
}

/* The library, looked up at the first question; NULL before MPI is there. */
const struct mpi_library *mpi_library(void);

/* Handle of C for an integer handle of Fortran. Of a bad one it is one that C does not know either. */
mpi_handle mpi_handle_from_fortran(const struct mpi_library *library, enum mpi_names names, int32_t handle);

/* Local questions, inside rec_guard. Figures of things that MPI does not know are 0. */
uint64_t mpi_type_bytes(const struct mpi_library *library, mpi_handle type);
void mpi_type_forget(mpi_handle type); /* the program frees it: its handle may come back */
bool mpi_status_bytes(const struct mpi_library *library, const void *status, uint64_t *bytes_out);

struct mpi_group {
	int32_t rank;    /* of this process in its own group */
	int32_t size;    /* of its own group */
	int32_t blocks;  /* partners in a collective: the remote group's size, else the own one */
	bool inter;
};
void mpi_group_of(const struct mpi_library *library, mpi_handle comm, struct mpi_group *group_out);

struct mpi_neighbors {
	int32_t in, out;
	uint64_t null_in, null_out; /* bit i: neighbour i is MPI_PROC_NULL (edges of a Cartesian grid) */
};
void mpi_neighbors_of(const struct mpi_library *library, mpi_handle comm, struct mpi_neighbors *neighbors_out);

void mpi_world(const struct mpi_library *library, int *rank_out, int *size_out);

/* ---- arguments of one call, whatever its language (mpi_arguments.c) ----------------------- */

static inline bool mpi_role_has(const struct mpi_role *role, enum mpi_argument argument)
{
	return role->arg[argument] >= 0;
}

struct mpi_view {
	const struct mpi_library *library;
	const struct mpi_role *role;
	const rec_word *args;
	enum mpi_variant variant; /* language: how the arguments are passed */
};
int32_t mpi_view_int(const struct mpi_view *view, enum mpi_argument argument);
int64_t mpi_view_count(const struct mpi_view *view, enum mpi_argument argument);
int64_t mpi_view_count_at(const struct mpi_view *view, enum mpi_argument argument, int32_t index);
mpi_handle mpi_view_handle(const struct mpi_view *view, enum mpi_names names, enum mpi_argument argument);
mpi_handle mpi_view_handle_at(const struct mpi_view *view, enum mpi_names names, enum mpi_argument argument,
			      int32_t index);
int64_t mpi_view_long(const struct mpi_view *view, enum mpi_argument argument); /* MPI_Aint */
rec_word mpi_view_buffer(const struct mpi_view *view, enum mpi_argument argument);
/* MPI_STATUS_IGNORE of its language? */
bool mpi_view_ignores_status(const struct mpi_view *view);
bool mpi_view_in_place(const struct mpi_view *view, enum mpi_argument argument);

/* ---- bytes of one call (mpi_bytes.c) ------------------------------------------------------ */

struct mpi_amount {
	uint64_t out, in;
	uint64_t posted; /* 1: in is what was asked for, not what came */
};
void mpi_bytes_of(const struct mpi_view *view, struct mpi_amount *amount_out);

/* ---- persistent and partitioned requests (mpi_request.c) ---------------------------------- */

void mpi_request_made(const struct mpi_view *view);
void mpi_request_started(const struct mpi_view *view, struct mpi_amount *amount_out);
void mpi_request_freed(const struct mpi_view *view);

#endif
