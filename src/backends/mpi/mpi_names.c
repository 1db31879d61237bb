/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of values that differ from one MPI to the other: error codes, predefined handles, special ranks. MPICH and
 * what shares its ABI has numbers, Open MPI addresses of its variables. Called at the first call of a function.
 */
#include <stdio.h>
#include <string.h>

#include "mpi.h"

static const struct {
	uint8_t names;          /* enum mpi_names */
	char name[24];          /* without MPI_ */
	uint32_t mpich;         /* 0: MPICH has none */
	char open_mpi[32];      /* variable; "": Open MPI has none */
} handles[] = {
	{MPI_NAMES_COMM, "COMM_NULL", 0x4000000, "ompi_mpi_comm_null"},
	{MPI_NAMES_COMM, "COMM_SELF", 0x44000001, "ompi_mpi_comm_self"},
	{MPI_NAMES_COMM, "COMM_WORLD", 0x44000000, "ompi_mpi_comm_world"},
	{MPI_NAMES_DATATYPE, "2DOUBLE_PRECISION", 0x4c001023, "ompi_mpi_2dblprec"},
	{MPI_NAMES_DATATYPE, "2INT", 0x4c000816, "ompi_mpi_2int"},
	{MPI_NAMES_DATATYPE, "2INTEGER", 0x4c000820, "ompi_mpi_2integer"},
	{MPI_NAMES_DATATYPE, "2REAL", 0x4c000821, "ompi_mpi_2real"},
	{MPI_NAMES_DATATYPE, "AINT", 0x4c000843, "ompi_mpi_aint"},
	{MPI_NAMES_DATATYPE, "BYTE", 0x4c00010d, "ompi_mpi_byte"},
	{MPI_NAMES_DATATYPE, "CHAR", 0x4c000101, "ompi_mpi_char"},
	{MPI_NAMES_DATATYPE, "CHARACTER", 0x4c00011a, "ompi_mpi_character"},
	{MPI_NAMES_DATATYPE, "COMPLEX", 0x4c00081e, "ompi_mpi_cplex"},
	{MPI_NAMES_DATATYPE, "COMPLEX16", 0x4c00102a, "ompi_mpi_complex16"},
	{MPI_NAMES_DATATYPE, "COMPLEX32", 0x4c00202c, "ompi_mpi_complex32"},
	{MPI_NAMES_DATATYPE, "COMPLEX8", 0x4c000828, "ompi_mpi_complex8"},
	{MPI_NAMES_DATATYPE, "COUNT", 0x4c000845, "ompi_mpi_count"},
	{MPI_NAMES_DATATYPE, "C_BOOL", 0x4c00013f, "ompi_mpi_c_bool"},
	{MPI_NAMES_DATATYPE, "C_DOUBLE_COMPLEX", 0x4c001041, "ompi_mpi_c_double_complex"},
	{MPI_NAMES_DATATYPE, "C_FLOAT_COMPLEX", 0x4c000840, "ompi_mpi_c_float_complex"},
	{MPI_NAMES_DATATYPE, "C_LONG_DOUBLE_COMPLEX", 0x4c002042, "ompi_mpi_c_long_double_complex"},
	{MPI_NAMES_DATATYPE, "DATATYPE_NULL", 0xc000000, "ompi_mpi_datatype_null"},
	{MPI_NAMES_DATATYPE, "DOUBLE", 0x4c00080b, "ompi_mpi_double"},
	{MPI_NAMES_DATATYPE, "DOUBLE_COMPLEX", 0x4c001022, "ompi_mpi_dblcplex"},
	{MPI_NAMES_DATATYPE, "DOUBLE_INT", 0x8c000001, "ompi_mpi_double_int"},
	{MPI_NAMES_DATATYPE, "DOUBLE_PRECISION", 0x4c00081f, "ompi_mpi_dblprec"},
	{MPI_NAMES_DATATYPE, "FLOAT", 0x4c00040a, "ompi_mpi_float"},
	{MPI_NAMES_DATATYPE, "FLOAT_INT", 0x8c000000, "ompi_mpi_float_int"},
	{MPI_NAMES_DATATYPE, "INT", 0x4c000405, "ompi_mpi_int"},
	{MPI_NAMES_DATATYPE, "INT16_T", 0x4c000238, "ompi_mpi_int16_t"},
	{MPI_NAMES_DATATYPE, "INT32_T", 0x4c000439, "ompi_mpi_int32_t"},
	{MPI_NAMES_DATATYPE, "INT64_T", 0x4c00083a, "ompi_mpi_int64_t"},
	{MPI_NAMES_DATATYPE, "INT8_T", 0x4c000137, "ompi_mpi_int8_t"},
	{MPI_NAMES_DATATYPE, "INTEGER", 0x4c00041b, "ompi_mpi_integer"},
	{MPI_NAMES_DATATYPE, "INTEGER1", 0x4c00012d, "ompi_mpi_integer1"},
	{MPI_NAMES_DATATYPE, "INTEGER2", 0x4c00022f, "ompi_mpi_integer2"},
	{MPI_NAMES_DATATYPE, "INTEGER4", 0x4c000430, "ompi_mpi_integer4"},
	{MPI_NAMES_DATATYPE, "INTEGER8", 0x4c000831, "ompi_mpi_integer8"},
	{MPI_NAMES_DATATYPE, "LOGICAL", 0x4c00041d, "ompi_mpi_logical"},
	{MPI_NAMES_DATATYPE, "LONG", 0x4c000807, "ompi_mpi_long"},
	{MPI_NAMES_DATATYPE, "LONG_DOUBLE", 0x4c00100c, "ompi_mpi_long_double"},
	{MPI_NAMES_DATATYPE, "LONG_DOUBLE_INT", 0x8c000004, "ompi_mpi_longdbl_int"},
	{MPI_NAMES_DATATYPE, "LONG_INT", 0x8c000002, "ompi_mpi_long_int"},
	{MPI_NAMES_DATATYPE, "LONG_LONG_INT", 0x4c000809, "ompi_mpi_long_long_int"},
	{MPI_NAMES_DATATYPE, "OFFSET", 0x4c000844, "ompi_mpi_offset"},
	{MPI_NAMES_DATATYPE, "PACKED", 0x4c00010f, "ompi_mpi_packed"},
	{MPI_NAMES_DATATYPE, "REAL", 0x4c00041c, "ompi_mpi_real"},
	{MPI_NAMES_DATATYPE, "REAL16", 0x4c00102b, "ompi_mpi_real16"},
	{MPI_NAMES_DATATYPE, "REAL4", 0x4c000427, "ompi_mpi_real4"},
	{MPI_NAMES_DATATYPE, "REAL8", 0x4c000829, "ompi_mpi_real8"},
	{MPI_NAMES_DATATYPE, "SHORT", 0x4c000203, "ompi_mpi_short"},
	{MPI_NAMES_DATATYPE, "SHORT_INT", 0x8c000003, "ompi_mpi_short_int"},
	{MPI_NAMES_DATATYPE, "SIGNED_CHAR", 0x4c000118, "ompi_mpi_signed_char"},
	{MPI_NAMES_DATATYPE, "UINT16_T", 0x4c00023c, "ompi_mpi_uint16_t"},
	{MPI_NAMES_DATATYPE, "UINT32_T", 0x4c00043d, "ompi_mpi_uint32_t"},
	{MPI_NAMES_DATATYPE, "UINT64_T", 0x4c00083e, "ompi_mpi_uint64_t"},
	{MPI_NAMES_DATATYPE, "UINT8_T", 0x4c00013b, "ompi_mpi_uint8_t"},
	{MPI_NAMES_DATATYPE, "UNSIGNED", 0x4c000406, "ompi_mpi_unsigned"},
	{MPI_NAMES_DATATYPE, "UNSIGNED_CHAR", 0x4c000102, "ompi_mpi_unsigned_char"},
	{MPI_NAMES_DATATYPE, "UNSIGNED_LONG", 0x4c000808, "ompi_mpi_unsigned_long"},
	{MPI_NAMES_DATATYPE, "UNSIGNED_LONG_LONG", 0x4c000819, "ompi_mpi_unsigned_long_long"},
	{MPI_NAMES_DATATYPE, "UNSIGNED_SHORT", 0x4c000204, "ompi_mpi_unsigned_short"},
	{MPI_NAMES_DATATYPE, "WCHAR", 0x4c00040e, "ompi_mpi_wchar"},
	{MPI_NAMES_FILE, "FILE_NULL", 0, "ompi_mpi_file_null"},
	{MPI_NAMES_GROUP, "GROUP_EMPTY", 0x48000000, "ompi_mpi_group_empty"},
	{MPI_NAMES_GROUP, "GROUP_NULL", 0x8000000, "ompi_mpi_group_null"},
	{MPI_NAMES_HANDLER, "ERRHANDLER_NULL", 0x14000000, "ompi_mpi_errhandler_null"},
	{MPI_NAMES_HANDLER, "ERRORS_ABORT", 0x54000003, ""},
	{MPI_NAMES_HANDLER, "ERRORS_ARE_FATAL", 0x54000000, "ompi_mpi_errors_are_fatal"},
	{MPI_NAMES_HANDLER, "ERRORS_RETURN", 0x54000001, "ompi_mpi_errors_return"},
	{MPI_NAMES_INFO, "INFO_ENV", 0x5c000001, "ompi_mpi_info_env"},
	{MPI_NAMES_INFO, "INFO_NULL", 0x1c000000, "ompi_mpi_info_null"},
	{MPI_NAMES_MESSAGE, "MESSAGE_NO_PROC", 0x6c000000, "ompi_message_no_proc"},
	{MPI_NAMES_MESSAGE, "MESSAGE_NULL", 0x2c000000, "ompi_message_null"},
	{MPI_NAMES_OP, "BAND", 0x58000006, "ompi_mpi_op_band"},
	{MPI_NAMES_OP, "BOR", 0x58000008, "ompi_mpi_op_bor"},
	{MPI_NAMES_OP, "BXOR", 0x5800000a, "ompi_mpi_op_bxor"},
	{MPI_NAMES_OP, "LAND", 0x58000005, "ompi_mpi_op_land"},
	{MPI_NAMES_OP, "LOR", 0x58000007, "ompi_mpi_op_lor"},
	{MPI_NAMES_OP, "LXOR", 0x58000009, "ompi_mpi_op_lxor"},
	{MPI_NAMES_OP, "MAX", 0x58000001, "ompi_mpi_op_max"},
	{MPI_NAMES_OP, "MAXLOC", 0x5800000c, "ompi_mpi_op_maxloc"},
	{MPI_NAMES_OP, "MIN", 0x58000002, "ompi_mpi_op_min"},
	{MPI_NAMES_OP, "MINLOC", 0x5800000b, "ompi_mpi_op_minloc"},
	{MPI_NAMES_OP, "NO_OP", 0x5800000e, "ompi_mpi_op_no_op"},
	{MPI_NAMES_OP, "OP_NULL", 0x18000000, "ompi_mpi_op_null"},
	{MPI_NAMES_OP, "PROD", 0x58000004, "ompi_mpi_op_prod"},
	{MPI_NAMES_OP, "REPLACE", 0x5800000d, "ompi_mpi_op_replace"},
	{MPI_NAMES_OP, "SUM", 0x58000003, "ompi_mpi_op_sum"},
	{MPI_NAMES_REQUEST, "REQUEST_NULL", 0x2c000000, "ompi_request_null"},
	{MPI_NAMES_WIN, "WIN_NULL", 0x20000000, "ompi_mpi_win_null"},
};

static const char mpich_errors[] =
	"MPI_SUCCESS=0 MPI_ERR_BUFFER=1 MPI_ERR_COUNT=2 MPI_ERR_TYPE=3 MPI_ERR_TAG=4 MPI_ERR_COMM=5 MPI_ERR_RANK=6 "
	"MPI_ERR_ROOT=7 MPI_ERR_GROUP=8 MPI_ERR_OP=9 MPI_ERR_TOPOLOGY=10 MPI_ERR_DIMS=11 MPI_ERR_ARG=12 "
	"MPI_ERR_UNKNOWN=13 MPI_ERR_TRUNCATE=14 MPI_ERR_OTHER=15 MPI_ERR_INTERN=16 MPI_ERR_IN_STATUS=17 "
	"MPI_ERR_PENDING=18 MPI_ERR_REQUEST=19 MPI_ERR_ACCESS=20 MPI_ERR_AMODE=21 MPI_ERR_BAD_FILE=22 "
	"MPI_ERR_CONVERSION=23 MPI_ERR_DUP_DATAREP=24 MPI_ERR_FILE_EXISTS=25 MPI_ERR_FILE_IN_USE=26 MPI_ERR_FILE=27 "
	"MPI_ERR_INFO=28 MPI_ERR_INFO_KEY=29 MPI_ERR_INFO_VALUE=30 MPI_ERR_INFO_NOKEY=31 MPI_ERR_IO=32 MPI_ERR_NAME=33 "
	"MPI_ERR_NO_MEM=34 MPI_ERR_NOT_SAME=35 MPI_ERR_NO_SPACE=36 MPI_ERR_NO_SUCH_FILE=37 MPI_ERR_PORT=38 "
	"MPI_ERR_QUOTA=39 MPI_ERR_READ_ONLY=40 MPI_ERR_SERVICE=41 MPI_ERR_SPAWN=42 MPI_ERR_UNSUPPORTED_DATAREP=43 "
	"MPI_ERR_UNSUPPORTED_OPERATION=44 MPI_ERR_WIN=45 MPI_ERR_BASE=46 MPI_ERR_LOCKTYPE=47 MPI_ERR_KEYVAL=48 "
	"MPI_ERR_RMA_CONFLICT=49 MPI_ERR_RMA_SYNC=50 MPI_ERR_SIZE=51 MPI_ERR_DISP=52 MPI_ERR_ASSERT=53 "
	"MPI_ERR_RMA_RANGE=55 MPI_ERR_RMA_ATTACH=56 MPI_ERR_RMA_SHARED=57 MPI_ERR_RMA_FLAVOR=58 MPI_ERR_SESSION=75 "
	"MPI_ERR_PROC_ABORTED=76 MPI_ERR_VALUE_TOO_LARGE=77";

static const char open_mpi_errors[] =
	"MPI_SUCCESS=0 MPI_ERR_BUFFER=1 MPI_ERR_COUNT=2 MPI_ERR_TYPE=3 MPI_ERR_TAG=4 MPI_ERR_COMM=5 MPI_ERR_RANK=6 "
	"MPI_ERR_REQUEST=7 MPI_ERR_ROOT=8 MPI_ERR_GROUP=9 MPI_ERR_OP=10 MPI_ERR_TOPOLOGY=11 MPI_ERR_DIMS=12 "
	"MPI_ERR_ARG=13 MPI_ERR_UNKNOWN=14 MPI_ERR_TRUNCATE=15 MPI_ERR_OTHER=16 MPI_ERR_INTERN=17 MPI_ERR_IN_STATUS=18 "
	"MPI_ERR_PENDING=19 MPI_ERR_ACCESS=20 MPI_ERR_AMODE=21 MPI_ERR_ASSERT=22 MPI_ERR_BAD_FILE=23 MPI_ERR_BASE=24 "
	"MPI_ERR_CONVERSION=25 MPI_ERR_DISP=26 MPI_ERR_DUP_DATAREP=27 MPI_ERR_FILE_EXISTS=28 MPI_ERR_FILE_IN_USE=29 "
	"MPI_ERR_FILE=30 MPI_ERR_INFO_KEY=31 MPI_ERR_INFO_NOKEY=32 MPI_ERR_INFO_VALUE=33 MPI_ERR_INFO=34 MPI_ERR_IO=35 "
	"MPI_ERR_KEYVAL=36 MPI_ERR_LOCKTYPE=37 MPI_ERR_NAME=38 MPI_ERR_NO_MEM=39 MPI_ERR_NOT_SAME=40 "
	"MPI_ERR_NO_SPACE=41 MPI_ERR_NO_SUCH_FILE=42 MPI_ERR_PORT=43 MPI_ERR_QUOTA=44 MPI_ERR_READ_ONLY=45 "
	"MPI_ERR_RMA_CONFLICT=46 MPI_ERR_RMA_SYNC=47 MPI_ERR_SERVICE=48 MPI_ERR_SIZE=49 MPI_ERR_SPAWN=50 "
	"MPI_ERR_UNSUPPORTED_DATAREP=51 MPI_ERR_UNSUPPORTED_OPERATION=52 MPI_ERR_WIN=53 MPI_ERR_RMA_RANGE=68 "
	"MPI_ERR_RMA_ATTACH=69 MPI_ERR_RMA_FLAVOR=70 MPI_ERR_RMA_SHARED=71 MPI_ERR_LASTCODE=92";

static size_t handle_names(const struct mpi_library *library, uint32_t names, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]) && used < size; i++) {
		rec_word value = handles[i].mpich;

		if (handles[i].names != names)
			continue;
		if (library->pointers)
			value = handles[i].open_mpi[0] ?
				(rec_word)rec_provider_symbol(&mpi_backend, handles[i].open_mpi) : 0;
		if (value)
			used += (size_t)snprintf(text + used, size - used, "%sMPI_%s=0x%lx", used ? " " : "",
						 handles[i].name, (unsigned long)value);
	}
	return used;
}

static size_t write_names(const struct mpi_library *library, uint32_t names, char *text, size_t size)
{
	switch (names) {
	case MPI_NAMES_RANK:
		return (size_t)snprintf(text, size, "MPI_PROC_NULL=%d MPI_ANY_SOURCE=%d MPI_ROOT=%d",
					library->proc_null, library->any_source, library->root);
	case MPI_NAMES_BUFFER:
		return (size_t)snprintf(text, size, "MPI_IN_PLACE=0x%lx", (unsigned long)library->in_place);
	case MPI_NAMES_FILE:
		if (!library->pointers)
			return (size_t)snprintf(text, size, "MPI_FILE_NULL=0x0");
		/* fall through */
	default:
		return handle_names(library, names, text, size);
	}
}

/* Made once: hundreds of look-ups of symbols go into it, and hundreds of functions ask. */
const char *mpi_names_found(uint32_t names)
{
	const struct mpi_library *library = mpi_library();
	static const char *found[MPI_NAMES_COUNT]; /* under the lock of first calls */
	static char text[8192];
	static size_t used;
	size_t length;

	if (!library || names >= MPI_NAMES_COUNT)
		return NULL;
	if (names == MPI_NAMES_ERROR)
		return library->pointers ? open_mpi_errors : mpich_errors;
	if (!found[names]) {
		text[used] = '\0';
		length = write_names(library, names, text + used, sizeof(text) - used);
		if (length >= sizeof(text) - used)
			return NULL;
		found[names] = text + used;
		used += length + 1;
	}
	return found[names];
}

/* Source and tag lie behind the count in MPICH, in front elsewhere. */
uint64_t mpi_part(uint32_t part, const void *at)
{
	const struct mpi_library *library = mpi_library();
	size_t offset = library && !library->pointers ? 8 : 0;
	int32_t value;

	memcpy(&value, (const char *)at + offset + 4 * (part - 1), sizeof(value));
	return (uint64_t)(int64_t)value;
}

rec_word mpi_convert(uint32_t names, rec_word value)
{
	const struct mpi_library *library = mpi_library();

	if (!library)
		return value;
	if (names == MPI_NAMES_BUFFER)
		return mpi_is_one_of(value, library->fortran_in_place) ? library->in_place : value;
	return mpi_handle_from_fortran(library, (enum mpi_names)names, (int32_t)value);
}

bool mpi_ignores(rec_word pointer)
{
	const struct mpi_library *library = mpi_library();

	return !library || pointer == library->status_ignore ||
	       mpi_is_one_of(pointer, library->fortran_status_ignore) ||
	       mpi_is_one_of(pointer, library->fortran_statuses_ignore);
}
