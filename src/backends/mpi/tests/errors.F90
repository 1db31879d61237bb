! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08 lets the error argument be absent. Calls that fail on a communicator that returns errors, while
! MPI_COMM_WORLD ends the program on any error: nobody may ask MPI about the wrong arguments once more.
program errors
	use mpi_f08
	implicit none
	type(MPI_Comm) :: comm
	type(MPI_Status) :: stat
	integer :: value(10), error

	value = 0
	call MPI_Init()
	call MPI_Comm_dup(MPI_COMM_SELF, comm)
	call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
	call MPI_Send(value, 10, MPI_DATATYPE_NULL, 0, 1, comm)
	call MPI_Bcast(value, 10, MPI_DATATYPE_NULL, 0, comm)
	call MPI_Bcast(value, 10, MPI_DATATYPE_NULL, 0, comm, error)
	call MPI_Bcast(value, 10, MPI_INTEGER, 0, comm)
	call MPI_Sendrecv(value, 3, MPI_INTEGER, 0, 1, value(5), 3, MPI_INTEGER, 0, 1, comm, stat)
	call MPI_Comm_free(comm)
	call MPI_Finalize()
	if (error /= MPI_SUCCESS) print '(a)', 'the error is there'
end program
