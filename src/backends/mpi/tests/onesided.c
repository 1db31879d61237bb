/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided calls, files and memory, with what each moves. onesided FILE: a file that all ranks use. */
#include "traffic.h"

static int rank, size, next;
static long mine[256], other[256];

static void windows(void)
{
	long *shared, one = 1, old;
	MPI_Win win, memory;
	MPI_Request request;

	/* stated by its size; memory is compared by the test */
	DO(MPI_Win_allocate, 0, 0, 4096, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win);
	DO(MPI_Win_allocate, 0, 0, 1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &memory);
	DO(MPI_Win_lock_all, 0, 0, 0, win);
	DO(MPI_Put, 80, 0, mine, 10, MPI_LONG, next, 0, 10, MPI_LONG, win);
	DO(MPI_Put, 0, 0, mine, 10, MPI_LONG, MPI_PROC_NULL, 0, 10, MPI_LONG, win);
	DO(MPI_Get, 0, 160, other, 20, MPI_LONG, next, 100, 20, MPI_LONG, win);
	DO(MPI_Get, 0, 0, other, 20, MPI_LONG, MPI_PROC_NULL, 100, 20, MPI_LONG, win);
	DO(MPI_Accumulate, 24, 0, mine, 3, MPI_LONG, next, 200, 3, MPI_LONG, MPI_SUM, win);
	DO(MPI_Get_accumulate, 32, 32, mine, 4, MPI_LONG, other, 4, MPI_LONG, next, 200, 4, MPI_LONG, MPI_SUM, win);
	/* reads and sends nothing */
	DO(MPI_Get_accumulate, 0, 32, NULL, 0, MPI_LONG, other, 4, MPI_LONG, next, 200, 4, MPI_LONG, MPI_NO_OP, win);
	DO(MPI_Fetch_and_op, 8, 8, &one, &old, MPI_LONG, next, 300, MPI_SUM, win);
	DO(MPI_Fetch_and_op, 0, 8, &one, &old, MPI_LONG, next, 300, MPI_NO_OP, win);
	DO(MPI_Compare_and_swap, 8, 8, &one, &old, &old, MPI_LONG, next, 301, win);
	DO(MPI_Rput, 40, 0, mine, 5, MPI_LONG, next, 0, 5, MPI_LONG, win, &request);
	DO(MPI_Wait, 0, 0, &request, MPI_STATUS_IGNORE);
	DO(MPI_Rget, 0, 48, other, 6, MPI_LONG, next, 100, 6, MPI_LONG, win, &request);
	DO(MPI_Wait, 0, 0, &request, MPI_STATUS_IGNORE);
	DO(MPI_Win_unlock_all, 0, 0, win);
	DO(MPI_Win_free, 0, 0, &win);
	DO(MPI_Win_free, 0, 0, &memory);
}

static void memory(void)
{
	void *first, *second;

	DO(MPI_Alloc_mem, 0, 0, 10000, MPI_INFO_NULL, &first);
	DO(MPI_Alloc_mem, 0, 0, 500, MPI_INFO_NULL, &second);
	DO(MPI_Free_mem, 0, 0, first);
	DO(MPI_Alloc_mem, 0, 0, 2000, MPI_INFO_NULL, &first);
	DO(MPI_Free_mem, 0, 0, first);
	/* the second one is never given back */
}

/* Every rank writes 100 numbers of 4 bytes into its part, then reads; the last reads beyond the end of the file. */
static void files(const char *name)
{
	int data[400] = {0}, last = rank == size - 1;
	MPI_Offset part = 400 * rank;
	MPI_Request request;
	MPI_Status status;
	MPI_File file;

	DO(MPI_File_open, 0, 0, MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	DO(MPI_File_write_at, 400, 0, file, part, data, 100, MPI_INT, MPI_STATUS_IGNORE);
	DO(MPI_File_write_at_all, 400, 0, file, part, data, 100, MPI_INT, &status);
	DO(MPI_File_iwrite_at, 400, 0, file, part, data, 100, MPI_INT, &request);
	DO(MPI_Wait, 0, 0, &request, MPI_STATUS_IGNORE);
	DO(MPI_File_sync, 0, 0, file);
	DO(MPI_Barrier, 0, 0, MPI_COMM_WORLD);
	DO(MPI_File_read_at, 0, last ? 400 : 800, file, part, data, 200, MPI_INT, &status);
	DO(MPI_File_read_at, 0, last ? 400 : 800, file, part, data, 200, MPI_INT, MPI_STATUS_IGNORE);
	DO(MPI_File_read_at_all, 0, 400, file, part, data, 100, MPI_INT, MPI_STATUS_IGNORE);
	POST(MPI_File_iread_at, 0, 400, file, part, data, 100, MPI_INT, &request);
	DO(MPI_Wait, 0, 0, &request, MPI_STATUS_IGNORE);
	DO(MPI_File_seek, 0, 0, file, part, MPI_SEEK_SET);
	DO(MPI_File_read, 0, 40, file, data, 10, MPI_INT, MPI_STATUS_IGNORE);
	DO(MPI_File_write, 40, 0, file, data, 10, MPI_INT, MPI_STATUS_IGNORE);
	DO(MPI_File_write_at_all_begin, 400, 0, file, part, data, 100, MPI_INT);
	DO(MPI_File_write_at_all_end, 0, 0, file, data, MPI_STATUS_IGNORE);
	DO(MPI_File_read_at_all_begin, 0, 0, file, part, data, 100, MPI_INT);
	DO(MPI_File_read_at_all_end, 0, 400, file, data, MPI_STATUS_IGNORE);
	DO(MPI_File_close, 0, 0, &file);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "onesided.data";

	DO(MPI_Init, 0, 0, &argc, &argv);
	DO(MPI_Comm_rank, 0, 0, MPI_COMM_WORLD, &rank);
	DO(MPI_Comm_size, 0, 0, MPI_COMM_WORLD, &size);
	next = (rank + 1) % size;
	windows();
	memory();
	files(name);
	DO(MPI_Finalize, 0, 0);
	tell_all();
	return 0;
}
