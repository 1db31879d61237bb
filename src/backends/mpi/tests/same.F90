! SPDX-License-Identifier: BSD-3-Clause
! The calls of same.c from Fortran, by one of three bindings: -DBINDING=1 mpif.h, 2 use mpi, 3 use mpi_f08.
! What the calls move is told by same.c alone: the numbers must be the same.
#if BINDING == 3
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define REQUEST type(MPI_Request)
#define FILEHANDLE type(MPI_File)
#define INFOHANDLE type(MPI_Info)
#define STATUS(name) type(MPI_Status) :: name
#else
#define COMM integer
#define DATATYPE integer
#define REQUEST integer
#define FILEHANDLE integer
#define INFOHANDLE integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#endif

program same
#if BINDING == 2
	use mpi
#elif BINDING == 3
	use mpi_f08
#endif
	implicit none
#if BINDING == 1
	include 'mpif.h'
#endif
	integer :: rank, size, error

	call MPI_Init(error)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
	call MPI_Comm_size(MPI_COMM_WORLD, size, error)
	call collectives()
	call messages()
	call derived_types()
	call files()
	call MPI_Finalize(error)

contains

	subroutine collectives()
		double precision :: value(8), result(8), all(64)
		integer :: counts(16), places(16), sum, i

		value = 0
		sum = 0
		do i = 1, size
			counts(i) = i
			places(i) = sum
			sum = sum + i
		end do
		call MPI_Barrier(MPI_COMM_WORLD, error)
		call MPI_Bcast(value, 8, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
		call MPI_Allreduce(value, result, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
		call MPI_Allreduce(MPI_IN_PLACE, value, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
		call MPI_Reduce(value, result, 8, MPI_DOUBLE_PRECISION, MPI_SUM, 1, MPI_COMM_WORLD, error)
		call MPI_Gather(value, 2, MPI_DOUBLE_PRECISION, all, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
		call MPI_Allgather(value, 2, MPI_DOUBLE_PRECISION, all, 2, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
		if (rank == 0) then
			call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, all, counts, places, &
				MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
		else
			call MPI_Gatherv(value, rank + 1, MPI_DOUBLE_PRECISION, all, counts, places, &
				MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
		end if
	end subroutine

	subroutine messages()
		integer :: out(100), in(100), next, before
		REQUEST :: requests(2)
		STATUS(stat)

		out = 0
		next = mod(rank + 1, size)
		before = mod(rank + size - 1, size)
		call MPI_Sendrecv(out, 10, MPI_INTEGER, next, 1, in, 100, MPI_INTEGER, before, 1, &
			MPI_COMM_WORLD, stat, error)
		call MPI_Sendrecv(out, 20, MPI_INTEGER, next, 1, in, 100, MPI_INTEGER, before, 1, &
			MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
		if (mod(rank, 2) == 1) then
			call MPI_Recv(in, 100, MPI_INTEGER, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
			call MPI_Recv(in, 100, MPI_INTEGER, rank - 1, 2, MPI_COMM_WORLD, stat, error)
		else
			call MPI_Send(out, 30, MPI_INTEGER, rank + 1, 2, MPI_COMM_WORLD, error)
			call MPI_Send(out, 40, MPI_INTEGER, rank + 1, 2, MPI_COMM_WORLD, error)
		end if
		call MPI_Irecv(in, 100, MPI_INTEGER, before, 3, MPI_COMM_WORLD, requests(1), error)
		call MPI_Isend(out, 50, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(2), error)
		call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
		call MPI_Send(out, 50, MPI_INTEGER, MPI_PROC_NULL, 4, MPI_COMM_WORLD, error)
		call MPI_Recv(in, 50, MPI_INTEGER, MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
	end subroutine

	subroutine derived_types()
		integer :: out(64), in(64), next, before, i
		REQUEST :: requests(2)
		DATATYPE :: vector

		out = 0
		next = mod(rank + 1, size)
		before = mod(rank + size - 1, size)
		call MPI_Type_vector(3, 2, 4, MPI_INTEGER, vector, error)
		call MPI_Type_commit(vector, error)
		call MPI_Sendrecv(out, 2, vector, next, 5, in, 4, vector, before, 5, &
			MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
		call MPI_Type_free(vector, error)
		call MPI_Recv_init(in, 64, MPI_INTEGER, before, 6, MPI_COMM_WORLD, requests(1), error)
		call MPI_Send_init(out, 64, MPI_INTEGER, next, 6, MPI_COMM_WORLD, requests(2), error)
		do i = 1, 3
			call MPI_Startall(2, requests, error)
			call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
		end do
		call MPI_Request_free(requests(1), error)
		call MPI_Request_free(requests(2), error)
	end subroutine

	subroutine files()
		integer :: out(4)
		FILEHANDLE :: handle
		INFOHANDLE :: info
		character(len=11) :: name

		out = 0
		name = 'same.file.' // achar(iachar('0') + rank)
		call MPI_Info_create(info, error)
		call MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
			info, handle, error)
		call MPI_File_write_at(handle, 0_MPI_OFFSET_KIND, out, 4, MPI_INTEGER, MPI_STATUS_IGNORE, error)
		call MPI_File_close(handle, error)
		call MPI_Info_free(info, error)
	end subroutine
end program
