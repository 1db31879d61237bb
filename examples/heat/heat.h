/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heat: the 2-D heat equation u_t = u_xx + u_yy on the unit square with cold walls, by the explicit
 * five-point scheme. The rows of the grid are distributed over MPI ranks (comm.c), each rank
 * computes its block on an OpenCL device (device.c); steps.c drives both, the wrong and the right way.
 */
#ifndef HEAT_H
#define HEAT_H

#include <stdbool.h>
#include <stddef.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

struct options {
	int nx, ny;    /* inner points of the grid, nx per row */
	int steps;
	bool overlap;  /* false: --wait-each-step */
	int device;    /* -1: by rank */
};

/* Seconds that this rank spent in each kind of call; what is left of the wall time is host work. */
struct timers {
	double start;
	double mpi_init, mpi, device_wait, copy, launch, build, setup;
};
extern struct timers timers;

double now(void);

/* Usage: double since = now(); call(); add_time(&timers.mpi, since); */
static inline void add_time(double *timer, double since)
{
	*timer += now() - since;
}

void die(const char *what, long code) __attribute__((noreturn));

/*
 * One rank's rows. In memory the block has a row above and one below (halo or wall) and a point left
 * and right, so that row 1 .. rows are its own.
 */
struct block {
	int rank, ranks;
	int above, below;  /* neighbour ranks, -1 at a wall */
	int first;         /* global number of its first row, from 1 */
	int rows;
	int width;         /* points of a row in memory: nx + 2 */
};

static inline size_t block_points(const struct block *block)
{
	return (size_t)(block->rows + 2) * (size_t)block->width;
}

static inline size_t row_bytes(const struct block *block)
{
	return (size_t)block->width * sizeof(double);
}

/* ---- comm.c ---- */
struct halo_exchange; /* messages in flight */

void comm_open(int *argc, char ***argv, struct block *block);
void comm_close(void);
void comm_abort(void) __attribute__((noreturn));
double comm_max(double value);
/* Blocking: sends rows 1 and rows of the block, receives rows 0 and rows + 1. */
void comm_exchange(const struct block *block, double *field);
/* Non-blocking: receives are posted first, sends follow when the rows are there. */
struct halo_exchange *comm_receive(const struct block *block, double *from_above, double *from_below);
void comm_send_wait(struct halo_exchange *exchange, const double *to_above, const double *to_below);

/* ---- device.c ---- */
struct device {
	cl_context context;
	cl_device_id id;
	cl_command_queue compute, transfer;
	cl_program program;
	cl_kernel stencil;
	cl_mem field[2];  /* current and next; swapped after each step */
};

void device_open(struct device *device, const struct block *block, int number, double diffusion);
void device_close(struct device *device);
void device_finish(cl_command_queue queue);
/* Computes rows first .. first + rows - 1 of the next field. event may be NULL. */
void device_step(struct device *device, const struct block *block, int first, int rows,
		 int waits, const cl_event *wait, cl_event *event);
void device_swap(struct device *device);
void check_cl(cl_int status, const char *what);

/* ---- steps.c ---- */
void run_waiting(struct device *device, const struct block *block, const struct options *options, double *field);
void run_overlapped(struct device *device, const struct block *block, const struct options *options, double *field);

#endif
