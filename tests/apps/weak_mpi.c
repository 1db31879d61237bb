/* SPDX-License-Identifier: BSD-3-Clause */
/* A library feature test of the kind `is MPI in this process?`: weak references, no MPI is linked. */
#include <stdio.h>

extern int MPI_Init(int *argc, char ***argv) __attribute__((weak));
extern int MPI_Initialized(int *flag) __attribute__((weak));
extern int MPI_Comm_rank(int comm, int *rank) __attribute__((weak));

int main(void)
{
	int flag = 0;

	printf("MPI_Initialized %s\n", MPI_Initialized ? "present" : "absent");
	printf("MPI_Init %s\n", MPI_Init ? "present" : "absent");
	printf("MPI_Comm_rank %s\n", MPI_Comm_rank ? "present" : "absent");
	if (MPI_Initialized && !MPI_Initialized(&flag))
		printf("flag %d\n", flag);
	return 0;
}
