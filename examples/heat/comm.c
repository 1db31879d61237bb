/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbours and messages. Without HEAT_MPI there is one rank and nothing to exchange. */
#include <stdlib.h>
#include <string.h>

#include "heat.h"

#ifdef HEAT_MPI
#include <mpi.h>

enum { TAG_UP = 1, TAG_DOWN = 2 };

struct halo_exchange {
	MPI_Request request[4]; /* receives, then sends */
	int above, below, width;
};

static int neighbour(int rank)
{
	return rank < 0 ? MPI_PROC_NULL : rank;
}

void comm_open(int *argc, char ***argv, struct block *block)
{
	double since = now();

	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &block->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &block->ranks);
	add_time(&timers.mpi_init, since);
}

void comm_close(void)
{
	double since = now();

	MPI_Finalize();
	add_time(&timers.mpi, since);
}

void comm_abort(void)
{
	MPI_Abort(MPI_COMM_WORLD, 3);
	exit(3);
}

double comm_max(double value)
{
	double since = now(), result;

	MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	add_time(&timers.mpi, since);
	return result;
}

void comm_exchange(const struct block *block, double *field)
{
	double *top = field + block->width, *bottom = field + (size_t)block->rows * (size_t)block->width;
	double since = now();

	MPI_Sendrecv(top, block->width, MPI_DOUBLE, neighbour(block->above), TAG_UP,
		     bottom + block->width, block->width, MPI_DOUBLE, neighbour(block->below), TAG_UP,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(bottom, block->width, MPI_DOUBLE, neighbour(block->below), TAG_DOWN,
		     field, block->width, MPI_DOUBLE, neighbour(block->above), TAG_DOWN,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	add_time(&timers.mpi, since);
}

struct halo_exchange *comm_receive(const struct block *block, double *from_above, double *from_below)
{
	static struct halo_exchange exchange;
	double since = now();

	exchange.above = neighbour(block->above);
	exchange.below = neighbour(block->below);
	exchange.width = block->width;
	MPI_Irecv(from_above, block->width, MPI_DOUBLE, exchange.above, TAG_DOWN, MPI_COMM_WORLD, &exchange.request[0]);
	MPI_Irecv(from_below, block->width, MPI_DOUBLE, exchange.below, TAG_UP, MPI_COMM_WORLD, &exchange.request[1]);
	add_time(&timers.mpi, since);
	return &exchange;
}

void comm_send_wait(struct halo_exchange *exchange, const double *to_above, const double *to_below)
{
	MPI_Status status[4];
	double since = now();

	MPI_Isend(to_above, exchange->width, MPI_DOUBLE, exchange->above, TAG_UP, MPI_COMM_WORLD,
		  &exchange->request[2]);
	MPI_Isend(to_below, exchange->width, MPI_DOUBLE, exchange->below, TAG_DOWN, MPI_COMM_WORLD,
		  &exchange->request[3]);
	MPI_Waitall(4, exchange->request, status);
	add_time(&timers.mpi, since);
}

#else

void comm_open(int *argc, char ***argv, struct block *block)
{
	(void)argc;
	(void)argv;
	block->rank = 0;
	block->ranks = 1;
}

void comm_close(void)
{
}

void comm_abort(void)
{
	exit(3);
}

double comm_max(double value)
{
	return value;
}

void comm_exchange(const struct block *block, double *field)
{
	(void)block;
	(void)field;
}

struct halo_exchange *comm_receive(const struct block *block, double *from_above, double *from_below)
{
	(void)block;
	(void)from_above;
	(void)from_below;
	return NULL;
}

void comm_send_wait(struct halo_exchange *exchange, const double *to_above, const double *to_below)
{
	(void)exchange;
	(void)to_above;
	(void)to_below;
}

#endif
