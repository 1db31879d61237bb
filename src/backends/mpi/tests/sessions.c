/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with sessions only: no MPI_Init, no MPI_Finalize, no MPI_COMM_WORLD. */
#include "traffic.h"

int main(void)
{
	int rank, size, value[10] = {0}, result[10];
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;

	DO(MPI_Session_init, 0, 0, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	DO(MPI_Group_from_session_pset, 0, 0, session, "mpi://WORLD", &group);
	DO(MPI_Comm_create_from_group, 0, 0, group, "sonde", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	DO(MPI_Group_free, 0, 0, &group);
	DO(MPI_Comm_rank, 0, 0, comm, &rank);
	DO(MPI_Comm_size, 0, 0, comm, &size);
	DO(MPI_Bcast, rank ? 0 : 40, rank ? 40 : 0, value, 10, MPI_INT, 0, comm);
	DO(MPI_Allreduce, 40, 40, value, result, 10, MPI_INT, MPI_SUM, comm);
	DO(MPI_Sendrecv, 12, 12, value, 3, MPI_INT, (rank + 1) % size, 0, result, 10, MPI_INT, (rank + size - 1) % size,
	   0, comm, MPI_STATUS_IGNORE);
	DO(MPI_Comm_free, 0, 0, &comm);
	DO(MPI_Session_finalize, 0, 0, &session);
	tell_all();
	return 0;
}
