/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which MPI this is and what it answers: constants found at run time, local questions (size of a
 * datatype, of a communicator, bytes of a status). Called from hooks only, inside rec_guard; never
 * asks anything that communicates, and asks only about handles that a successful call has used.
 */
#include <string.h>

#include "mpi.h"

enum question {
	ASK_TYPE_SIZE,
	ASK_TYPE_SIZE_X,
	ASK_COMM_RANK,
	ASK_COMM_SIZE,
	ASK_COMM_TEST_INTER,
	ASK_COMM_REMOTE_SIZE,
	ASK_GET_COUNT,
	ASK_GET_ELEMENTS_X,
	ASK_TOPO_TEST,
	ASK_CARTDIM_GET,
	ASK_CART_SHIFT,
	ASK_GRAPH_NEIGHBORS_COUNT,
	ASK_DIST_GRAPH_NEIGHBORS_COUNT,
	ASK_TYPE_F2C,
	ASK_COMM_F2C,
	ASK_REQUEST_F2C,
	ASK_OP_F2C,
	ASK_WIN_F2C,
	ASK_GROUP_F2C,
	ASK_INFO_F2C,
	ASK_MESSAGE_F2C,
	ASK_HANDLER_F2C,
	ASK_FILE_F2C,
	ASK_ERROR_CLASS,
	ASK_COUNT
};

static const char question_name[ASK_COUNT][32] = {
	[ASK_TYPE_SIZE] = "PMPI_Type_size",
	[ASK_TYPE_SIZE_X] = "PMPI_Type_size_x",
	[ASK_COMM_RANK] = "PMPI_Comm_rank",
	[ASK_COMM_SIZE] = "PMPI_Comm_size",
	[ASK_COMM_TEST_INTER] = "PMPI_Comm_test_inter",
	[ASK_COMM_REMOTE_SIZE] = "PMPI_Comm_remote_size",
	[ASK_GET_COUNT] = "PMPI_Get_count",
	[ASK_GET_ELEMENTS_X] = "PMPI_Get_elements_x",
	[ASK_TOPO_TEST] = "PMPI_Topo_test",
	[ASK_CARTDIM_GET] = "PMPI_Cartdim_get",
	[ASK_CART_SHIFT] = "PMPI_Cart_shift",
	[ASK_GRAPH_NEIGHBORS_COUNT] = "PMPI_Graph_neighbors_count",
	[ASK_DIST_GRAPH_NEIGHBORS_COUNT] = "PMPI_Dist_graph_neighbors_count",
	[ASK_TYPE_F2C] = "PMPI_Type_f2c",
	[ASK_COMM_F2C] = "PMPI_Comm_f2c",
	[ASK_REQUEST_F2C] = "PMPI_Request_f2c",
	[ASK_OP_F2C] = "PMPI_Op_f2c",
	[ASK_WIN_F2C] = "PMPI_Win_f2c",
	[ASK_GROUP_F2C] = "PMPI_Group_f2c",
	[ASK_INFO_F2C] = "PMPI_Info_f2c",
	[ASK_MESSAGE_F2C] = "PMPI_Message_f2c",
	[ASK_HANDLER_F2C] = "PMPI_Errhandler_f2c",
	[ASK_FILE_F2C] = "PMPI_File_f2c",
	[ASK_ERROR_CLASS] = "PMPI_Error_class",
};

static struct mpi_library the_library;
static void *answer[ASK_COUNT];

/* ---- start ---------------------------------------------------------------------------------- */

/* The library's own function, not our wrapper of the same name. */
static void *real_function(const char *name)
{
	const char *pool = mpi_backend.pool;
	uint32_t low = 0, high = mpi_backend.exports;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(pool + mpi_backend.export_table[middle].name, name);

		if (order == 0)
			return rec_real(&mpi_backend, mpi_backend.export_table[middle].symbol);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static rec_word data_symbol(const char *name)
{
	return (rec_word)rec_provider_symbol(&mpi_backend, name);
}

static void describe_open_mpi(struct mpi_library *library, rec_word comm_world)
{
	library->pointers = true;
	library->handle_mask = ~(rec_word)0;
	library->handle_bytes = sizeof(void *);
	library->status_bytes = 24;
	library->proc_null = -2;
	library->any_source = -1;
	library->root = -4;
	library->in_place = 1;
	library->status_ignore = 0;
	library->comm_world = comm_world;
	library->byte = data_symbol("ompi_mpi_byte");
	library->no_op = data_symbol("ompi_mpi_op_no_op");
	library->no_message[0] = data_symbol("ompi_message_no_proc");
	library->no_message[1] = 1;
	library->fortran_in_place[0] = data_symbol("mpi_fortran_in_place_");
	library->fortran_status_ignore[0] = data_symbol("mpi_fortran_status_ignore_");
	library->fortran_statuses_ignore[0] = data_symbol("mpi_fortran_statuses_ignore_");
}

/* MPICH and all that share its ABI: Intel MPI, Cray MPICH, MVAPICH. */
static void describe_mpich(struct mpi_library *library)
{
	rec_word common = data_symbol("mpipriv1_"); /* MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE */
	rec_word in_place = data_symbol("MPIR_F_MPI_IN_PLACE");
	rec_word status_ignore = data_symbol("MPI_F_STATUS_IGNORE");
	rec_word statuses_ignore = data_symbol("MPI_F_STATUSES_IGNORE");

	library->pointers = false;
	library->handle_mask = 0xffffffffu;
	library->handle_bytes = 4;
	library->status_bytes = 20;
	library->proc_null = -1;
	library->any_source = -2;
	library->root = -3;
	library->in_place = (rec_word)-1;
	library->status_ignore = 1;
	library->comm_world = 0x44000000;
	library->byte = 0x4c00010d;
	library->no_op = 0x5800000e;
	library->no_message[0] = library->no_message[1] = 0x6c000000;
	library->fortran_in_place[0] = common ? common + 4 : 0;
	library->fortran_in_place[1] = data_symbol("MPIR_F08_MPI_IN_PLACE");
	library->fortran_in_place[2] = in_place ? *(const rec_word *)in_place : 0;
	library->fortran_status_ignore[0] = common ? common + 8 : 0;
	library->fortran_status_ignore[1] = data_symbol("MPIR_F08_MPI_STATUS_IGNORE_OBJ");
	library->fortran_status_ignore[2] = status_ignore ? *(const rec_word *)status_ignore : 0;
	library->fortran_statuses_ignore[0] = data_symbol("mpipriv2_");
	library->fortran_statuses_ignore[1] = data_symbol("MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
	library->fortran_statuses_ignore[2] = statuses_ignore ? *(const rec_word *)statuses_ignore : 0;
}

/* Threads that race here write the same values. */
static REC_COLD const struct mpi_library *library_find(void)
{
	rec_word comm_world = data_symbol("ompi_mpi_comm_world");

	for (unsigned i = 0; i < ASK_COUNT; i++)
		answer[i] = real_function(question_name[i]);
	if (!answer[ASK_COMM_RANK])
		return NULL;
	if (comm_world)
		describe_open_mpi(&the_library, comm_world);
	else
		describe_mpich(&the_library);
	mpi_backend.handle_bytes = the_library.handle_bytes;
	mpi_backend.part_bytes = the_library.status_bytes;
	__atomic_store_n(&the_library.known, 1, __ATOMIC_RELEASE);
	return &the_library;
}

const struct mpi_library *mpi_library(void)
{
	if (likely(__atomic_load_n(&the_library.known, __ATOMIC_ACQUIRE)))
		return &the_library;
	return library_find();
}

/* ---- handles -------------------------------------------------------------------------------- */

mpi_handle mpi_handle_from_fortran(const struct mpi_library *library, enum mpi_names names, int32_t handle)
{
	static const uint8_t question[] = {
		[MPI_NAMES_DATATYPE] = ASK_TYPE_F2C,   [MPI_NAMES_COMM] = ASK_COMM_F2C,
		[MPI_NAMES_REQUEST] = ASK_REQUEST_F2C, [MPI_NAMES_OP] = ASK_OP_F2C,
		[MPI_NAMES_WIN] = ASK_WIN_F2C,         [MPI_NAMES_GROUP] = ASK_GROUP_F2C,
		[MPI_NAMES_INFO] = ASK_INFO_F2C,       [MPI_NAMES_MESSAGE] = ASK_MESSAGE_F2C,
		[MPI_NAMES_HANDLER] = ASK_HANDLER_F2C, [MPI_NAMES_FILE] = ASK_FILE_F2C,
	};
	mpi_handle (*convert)(int32_t);

	if (names >= sizeof(question) || !question[names] || (!library->pointers && names != MPI_NAMES_FILE))
		return (uint32_t)handle;
	convert = (mpi_handle(*)(int32_t))answer[question[names]];
	return convert ? convert(handle) : 0;
}

/*
 * Size of a datatype, kept in one word per entry (handle above, size in the low 16 bits), so that
 * threads need no lock. A handle that does not fit is asked for each time.
 */
#define CACHE_ENTRIES 64
#define CACHE_SIZE_BITS 16
static uint64_t type_cache[CACHE_ENTRIES];

static unsigned cache_index(mpi_handle type)
{
	return (unsigned)((type * 0x9e3779b97f4a7c15u) >> 58);
}

uint64_t mpi_type_bytes(const struct mpi_library *library, mpi_handle type)
{
	uint64_t *entry = &type_cache[cache_index(type)];
	uint64_t cached = __atomic_load_n(entry, __ATOMIC_RELAXED);
	int64_t size = 0;
	int narrow = 0;

	(void)library;
	if (likely(cached >> CACHE_SIZE_BITS == type && cached))
		return cached & ((1u << CACHE_SIZE_BITS) - 1);
	if (answer[ASK_TYPE_SIZE_X]) {
		if (((int (*)(mpi_handle, int64_t *))answer[ASK_TYPE_SIZE_X])(type, &size) || size < 0)
			return 0;
	} else {
		if (((int (*)(mpi_handle, int *))answer[ASK_TYPE_SIZE])(type, &narrow) || narrow < 0)
			return 0;
		size = narrow;
	}
	if (type >> (64 - CACHE_SIZE_BITS) == 0 && size < 1 << CACHE_SIZE_BITS)
		__atomic_store_n(entry, (uint64_t)type << CACHE_SIZE_BITS | (uint64_t)size, __ATOMIC_RELAXED);
	return (uint64_t)size;
}

void mpi_type_forget(mpi_handle type)
{
	uint64_t *entry = &type_cache[cache_index(type)];
	uint64_t cached = __atomic_load_n(entry, __ATOMIC_RELAXED);

	if (cached >> CACHE_SIZE_BITS == type)
		__atomic_compare_exchange_n(entry, &cached, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Bytes of a receive, also of a derived type: a status knows the bytes, MPI_BYTE has size 1. */
bool mpi_status_bytes(const struct mpi_library *library, const void *status, uint64_t *bytes_out)
{
	int (*ask_wide)(const void *, mpi_handle, int64_t *) = answer[ASK_GET_ELEMENTS_X];
	int (*ask)(const void *, mpi_handle, int *) = answer[ASK_GET_COUNT];
	int64_t wide = -1;
	int narrow = -1;

	if (ask_wide) {
		if (ask_wide(status, library->byte, &wide))
			return false;
	} else if (ask && ask(status, library->byte, &narrow) == 0) {
		wide = narrow;
	}
	*bytes_out = (uint64_t)wide;
	return wide >= 0;
}

/* ---- communicators -------------------------------------------------------------------------- */

static int ask_comm(enum question question, mpi_handle comm)
{
	int value = 0;

	if (!answer[question] || ((int (*)(mpi_handle, int *))answer[question])(comm, &value))
		return 0;
	return value;
}

void mpi_group_of(const struct mpi_library *library, mpi_handle comm, struct mpi_group *group_out)
{
	(void)library;
	group_out->rank = ask_comm(ASK_COMM_RANK, comm);
	group_out->size = ask_comm(ASK_COMM_SIZE, comm);
	group_out->inter = ask_comm(ASK_COMM_TEST_INTER, comm) != 0;
	group_out->blocks = group_out->inter ? ask_comm(ASK_COMM_REMOTE_SIZE, comm) : group_out->size;
}

void mpi_world(const struct mpi_library *library, int *rank_out, int *size_out)
{
	*rank_out = ask_comm(ASK_COMM_RANK, library->comm_world);
	*size_out = ask_comm(ASK_COMM_SIZE, library->comm_world);
}

static void cart_neighbors(const struct mpi_library *library, mpi_handle comm, struct mpi_neighbors *neighbors)
{
	int dimensions = ask_comm(ASK_CARTDIM_GET, comm);
	int (*shift)(mpi_handle, int, int, int *, int *) =
		(int (*)(mpi_handle, int, int, int *, int *))answer[ASK_CART_SHIFT];

	neighbors->in = neighbors->out = 2 * dimensions;
	for (int i = 0; shift && i < dimensions && i < MPI_NEIGHBORS_KNOWN / 2; i++) {
		int before = 0, after = 0;

		if (shift(comm, i, 1, &before, &after))
			return;
		neighbors->null_in |= (uint64_t)(before == library->proc_null) << 2 * i;
		neighbors->null_in |= (uint64_t)(after == library->proc_null) << (2 * i + 1);
	}
	neighbors->null_out = neighbors->null_in;
}

void mpi_neighbors_of(const struct mpi_library *library, mpi_handle comm, struct mpi_neighbors *neighbors_out)
{
	enum { DIST_GRAPH = 3 }; /* equal in all libraries; the other two are 1 and 2, in either order */
	int topology = ask_comm(ASK_TOPO_TEST, comm);
	int cart = library->pointers ? 1 : 2;
	int weighted;

	memset(neighbors_out, 0, sizeof(*neighbors_out));
	if (topology == DIST_GRAPH && answer[ASK_DIST_GRAPH_NEIGHBORS_COUNT]) {
		((int (*)(mpi_handle, int *, int *, int *))answer[ASK_DIST_GRAPH_NEIGHBORS_COUNT])(
			comm, &neighbors_out->in, &neighbors_out->out, &weighted);
	} else if (topology == cart) {
		cart_neighbors(library, comm, neighbors_out);
	} else if (topology == 3 - cart && answer[ASK_GRAPH_NEIGHBORS_COUNT]) {
		((int (*)(mpi_handle, int, int *))answer[ASK_GRAPH_NEIGHBORS_COUNT])(
			comm, ask_comm(ASK_COMM_RANK, comm), &neighbors_out->in);
		neighbors_out->out = neighbors_out->in;
	}
}

/*
 * MPICH's codes hold where the error came from, too, and it answers before it is initialised and after it is finalised.
 * Open MPI's codes are plain, and it ends programs that ask then.
 */
int32_t mpi_plain_answer(int32_t code)
{
	const struct mpi_library *library = mpi_library();
	int (*ask)(int, int *) = (int (*)(int, int *))(uintptr_t)answer[ASK_ERROR_CLASS];
	uint32_t token;
	int class;

	if (!library || library->pointers || !ask)
		return code;
	token = rec_guard_enter();
	if (ask(code, &class) != 0)
		class = code;
	rec_guard_leave(token);
	return class;
}
