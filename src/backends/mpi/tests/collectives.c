/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of every sort, with what this rank passes to each: in place, by root, with arrays of counts. */
#include "traffic.h"

#define WORLD MPI_COMM_WORLD
#define ROOT 1

static int rank, size, sum;
static int counts[64], places[64], ones[64], byte_places[64];
static int out[4096], in[4096];
static MPI_Datatype ints[64];

/* Rank i contributes or gets i + 1 items. */
static void set_up(void)
{
	DO(MPI_Comm_rank, 0, 0, WORLD, &rank);
	DO(MPI_Comm_size, 0, 0, WORLD, &size);
	for (int i = 0; i < size; i++) {
		counts[i] = i + 1;
		places[i] = sum;
		sum += i + 1;
		ones[i] = rank + 1;
		byte_places[i] = 4 * i * size;
		ints[i] = MPI_INT;
	}
}

static void rooted(void)
{
	int root = rank == ROOT;

	DO(MPI_Bcast, root ? 40 : 0, root ? 0 : 40, out, 10, MPI_INT, ROOT, WORLD);
	DO(MPI_Gather, 40, root ? 40 * size : 0, out, 10, MPI_INT, in, 10, MPI_INT, ROOT, WORLD);
	DO(MPI_Gatherv, 4 * (rank + 1), root ? 4 * sum : 0, out, rank + 1, MPI_INT, in, counts, places, MPI_INT, ROOT,
	   WORLD);
	DO(MPI_Scatter, root ? 40 * size : 0, 40, out, 10, MPI_INT, in, 10, MPI_INT, ROOT, WORLD);
	DO(MPI_Scatterv, root ? 4 * sum : 0, 4 * (rank + 1), out, counts, places, MPI_INT, in, rank + 1, MPI_INT, ROOT,
	   WORLD);
	DO(MPI_Reduce, 40, root ? 40 : 0, out, in, 10, MPI_INT, MPI_SUM, ROOT, WORLD);
	if (root) { /* in place: the same data as if it had been passed */
		DO(MPI_Gather, 40, 40 * size, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 10, MPI_INT, ROOT, WORLD);
		DO(MPI_Gatherv, 4 * (ROOT + 1), 4 * sum, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, counts, places,
		   MPI_INT, ROOT, WORLD);
		DO(MPI_Scatter, 40 * size, 40, out, 10, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ROOT, WORLD);
		DO(MPI_Scatterv, 4 * sum, 4 * (ROOT + 1), out, counts, places, MPI_INT, MPI_IN_PLACE, 0,
		   MPI_DATATYPE_NULL, ROOT, WORLD);
		DO(MPI_Reduce, 40, 40, MPI_IN_PLACE, in, 10, MPI_INT, MPI_SUM, ROOT, WORLD);
	} else { /* what is not significant here may be anything */
		DO(MPI_Gather, 40, 0, out, 10, MPI_INT, NULL, -5, MPI_DATATYPE_NULL, ROOT, WORLD);
		DO(MPI_Gatherv, 4 * (rank + 1), 0, out, rank + 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, ROOT,
		   WORLD);
		DO(MPI_Scatter, 0, 40, NULL, -5, MPI_DATATYPE_NULL, in, 10, MPI_INT, ROOT, WORLD);
		DO(MPI_Scatterv, 0, 4 * (rank + 1), NULL, NULL, NULL, MPI_DATATYPE_NULL, in, rank + 1, MPI_INT, ROOT,
		   WORLD);
		DO(MPI_Reduce, 40, 0, out, NULL, 10, MPI_INT, MPI_SUM, ROOT, WORLD);
	}
}

static void for_all(void)
{
	DO(MPI_Allgather, 40, 40 * size, out, 10, MPI_INT, in, 10, MPI_INT, WORLD);
	DO(MPI_Allgather, 40, 40 * size, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 10, MPI_INT, WORLD);
	DO(MPI_Allgatherv, 4 * (rank + 1), 4 * sum, out, rank + 1, MPI_INT, in, counts, places, MPI_INT, WORLD);
	DO(MPI_Allgatherv, 4 * (rank + 1), 4 * sum, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INT,
	   WORLD);
	DO(MPI_Alltoall, 40 * size, 40 * size, out, 10, MPI_INT, in, 10, MPI_INT, WORLD);
	DO(MPI_Alltoall, 40 * size, 40 * size, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 10, MPI_INT, WORLD);
	/* rank i sends i + 1 items to each */
	DO(MPI_Alltoallv, 4 * size * (rank + 1), 4 * sum, out, ones, places, MPI_INT, in, counts, places, MPI_INT,
	   WORLD);
	DO(MPI_Alltoallw, 4 * size * (rank + 1), 4 * sum, out, ones, byte_places, ints, in, counts, byte_places, ints,
	   WORLD);
	DO(MPI_Allreduce, 40, 40, out, in, 10, MPI_INT, MPI_MAX, WORLD);
	DO(MPI_Scan, 40, 40, out, in, 10, MPI_INT, MPI_SUM, WORLD);
	DO(MPI_Scan, 40, 40, MPI_IN_PLACE, in, 10, MPI_INT, MPI_SUM, WORLD);
	DO(MPI_Exscan, 80, 80, out, in, 20, MPI_INT, MPI_SUM, WORLD);
	DO(MPI_Reduce_scatter, 4 * sum, 4 * (rank + 1), out, in, counts, MPI_INT, MPI_SUM, WORLD);
	DO(MPI_Reduce_scatter_block, 40 * size, 40, out, in, 10, MPI_INT, MPI_SUM, WORLD);
	DO(MPI_Reduce_local, 0, 0, out, in, 10, MPI_INT, MPI_SUM);
}

static void immediate(void)
{
	MPI_Request request[4];
	int root = rank == ROOT;

	DO(MPI_Ibcast, root ? 40 : 0, root ? 0 : 40, out, 10, MPI_INT, ROOT, WORLD, &request[0]);
	DO(MPI_Iallreduce, 40, 40, in, in + 100, 10, MPI_INT, MPI_SUM, WORLD, &request[1]);
	DO(MPI_Igatherv, 4 * (rank + 1), root ? 4 * sum : 0, out, rank + 1, MPI_INT, in + 200, counts, places, MPI_INT,
	   ROOT, WORLD, &request[2]);
	DO(MPI_Ialltoall, 40 * size, 40 * size, out + 1000, 10, MPI_INT, in + 1000, 10, MPI_INT, WORLD, &request[3]);
	DO(MPI_Waitall, 0, 0, 4, request, MPI_STATUSES_IGNORE);
#if MPI_VERSION >= 4
	DO(MPI_Allreduce_init, 0, 0, out, in, 10, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request[0]);
	for (int i = 0; i < 3; i++) {
		DO(MPI_Start, 40, 40, &request[0]);
		DO(MPI_Wait, 0, 0, &request[0], MPI_STATUS_IGNORE);
	}
	DO(MPI_Request_free, 0, 0, &request[0]);
	DO(MPI_Allgatherv_c, 4 * (rank + 1), 4 * sum, out, rank + 1, MPI_INT, in,
	   ((MPI_Count[]){1, 2, 3, 4, 5, 6, 7, 8}), ((MPI_Aint[]){0, 1, 3, 6, 10, 15, 21, 28}), MPI_INT, WORLD);
#endif
}

/* Halves of the world: 0 to half - 1, and the rest. */
static void between_groups(void)
{
	int half = size / 2, low = rank < half, others = low ? size - half : half;
	int root = low && rank == 0, root_argument = low ? root ? MPI_ROOT : MPI_PROC_NULL : 0;
	MPI_Comm local, inter;

	DO(MPI_Comm_split, 0, 0, WORLD, low, rank, &local);
	DO(MPI_Intercomm_create, 0, 0, local, 0, WORLD, low ? half : 0, 1, &inter);
	DO(MPI_Bcast, root ? 40 : 0, low ? 0 : 40, out, 10, MPI_INT, root_argument, inter);
	DO(MPI_Gather, low ? 0 : 40, root ? 40 * others : 0, out, 10, MPI_INT, in, 10, MPI_INT, root_argument, inter);
	DO(MPI_Scatter, root ? 40 * others : 0, low ? 0 : 40, out, 10, MPI_INT, in, 10, MPI_INT, root_argument, inter);
	DO(MPI_Reduce, low ? 0 : 40, root ? 40 : 0, out, in, 10, MPI_INT, MPI_SUM, root_argument, inter);
	DO(MPI_Allgather, 40, 40 * others, out, 10, MPI_INT, in, 10, MPI_INT, inter);
	DO(MPI_Alltoall, 40 * others, 40 * others, out, 10, MPI_INT, in, 10, MPI_INT, inter);
	DO(MPI_Allreduce, 40, 40, out, in, 10, MPI_INT, MPI_SUM, inter);
	DO(MPI_Comm_free, 0, 0, &inter);
	DO(MPI_Comm_free, 0, 0, &local);
}

/* A line: its ends have one neighbour; the other is MPI_PROC_NULL and moves nothing. */
static void on_a_line(void)
{
	int neighbors = (rank > 0) + (rank < size - 1);
	int two[2] = {rank > 0 ? 3 : 100, rank < size - 1 ? 5 : 100}, two_places[2] = {0, 200};
	int moved = 4 * ((rank > 0 ? 3 : 0) + (rank < size - 1 ? 5 : 0));
	int back[2] = {rank > 0 ? 5 : 100, rank < size - 1 ? 3 : 100};
	int came = 4 * ((rank > 0 ? 5 : 0) + (rank < size - 1 ? 3 : 0));
	MPI_Aint wide_places[2] = {0, 800};
	MPI_Comm line;

	DO(MPI_Cart_create, 0, 0, WORLD, 1, &size, &(int){0}, 0, &line);
	DO(MPI_Neighbor_allgather, 40, 40 * neighbors, out, 10, MPI_INT, in, 10, MPI_INT, line);
	DO(MPI_Neighbor_alltoall, 40 * neighbors, 40 * neighbors, out, 10, MPI_INT, in, 10, MPI_INT, line);
	/* 3 items to the left, 5 to the right: 5 come from the left, 3 from the right */
	DO(MPI_Neighbor_alltoallv, moved, came, out, two, two_places, MPI_INT, in, back, two_places, MPI_INT, line);
	DO(MPI_Neighbor_alltoallw, moved, came, out, two, wide_places, ints, in, back, wide_places, ints, line);
	DO(MPI_Comm_free, 0, 0, &line);
}

/* Each rank sends to the next one only, and the last to two. */
static void on_a_graph(void)
{
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	int to[2] = {next, 1}, from[2] = {before, size - 1};
	int last = rank == size - 1, targets = last ? 2 : 1, sources = rank == 1 ? 2 : 1;
	MPI_Request request;
	MPI_Comm graph;

	DO(MPI_Dist_graph_create_adjacent, 0, 0, WORLD, sources, from, MPI_UNWEIGHTED, targets, to, MPI_UNWEIGHTED,
	   MPI_INFO_NULL, 0, &graph);
	DO(MPI_Neighbor_allgather, 40, 40 * sources, out, 10, MPI_INT, in, 10, MPI_INT, graph);
	DO(MPI_Neighbor_allgatherv, 40, 40 * sources, out, 10, MPI_INT, in, ((int[]){10, 10}), ((int[]){0, 10}),
	   MPI_INT, graph);
	DO(MPI_Ineighbor_alltoall, 40 * targets, 40 * sources, out, 10, MPI_INT, in, 10, MPI_INT, graph, &request);
	DO(MPI_Wait, 0, 0, &request, MPI_STATUS_IGNORE);
	DO(MPI_Comm_free, 0, 0, &graph);
}

int main(int argc, char **argv)
{
	DO(MPI_Init, 0, 0, &argc, &argv);
	set_up();
	DO(MPI_Barrier, 0, 0, WORLD);
	rooted();
	for_all();
	immediate();
	between_groups();
	on_a_line();
	on_a_graph();
	DO(MPI_Finalize, 0, 0);
	tell_all();
	return 0;
}
