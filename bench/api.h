/* SPDX-License-Identifier: BSD-3-Clause */
/* The call that is measured: of a real API, so that it is traced, and as cheap as a call can be. */
#ifndef BENCH_API_H
#define BENCH_API_H

int MPI_Init(int *argc, char ***argv);
int MPI_Test(int *request, int *flag, void *status);

#endif
