/* SPDX-License-Identifier: BSD-3-Clause */
/* The time loop: once with the classic mistake, once with its cure. Both give the same numbers. */
#include <stdlib.h>

#include "heat.h"

static void copy_blocking(struct device *device, const struct block *block, double *field, bool to_device)
{
	size_t bytes = block_points(block) * sizeof(double);
	cl_command_queue queue = device->compute;
	cl_mem buffer = device->field[0];
	double since = now();

	if (to_device)
		check_cl(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, field, 0, NULL, NULL),
			 "clEnqueueWriteBuffer");
	else
		check_cl(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, field, 0, NULL, NULL),
			 "clEnqueueReadBuffer");
	add_time(&timers.copy, since);
}

/* Both fields get the initial values: nobody computes the walls, they stay as they are. */
static void upload(struct device *device, const struct block *block, double *field)
{
	copy_blocking(device, block, field, true);
	device_swap(device);
	copy_blocking(device, block, field, true);
}

/*
 * The mistake: after every step wait for the device, fetch the whole block to reach two rows of it,
 * exchange them while the device idles, and send the whole block back.
 */
void run_waiting(struct device *device, const struct block *block, const struct options *options, double *field)
{
	upload(device, block, field);
	for (int step = 0; step < options->steps; step++) {
		device_step(device, block, 1, block->rows, 0, NULL, NULL);
		device_finish(device->compute);
		device_swap(device);
		copy_blocking(device, block, field, false);
		comm_exchange(block, field);
		copy_blocking(device, block, field, true);
	}
	copy_blocking(device, block, field, false);
}

/* What the overlapped loop needs for one of the two edges of a block; unused at a wall. */
struct edge {
	bool used;
	int own, halo;     /* rows in the block */
	double *send;
	double *receive[2]; /* by step parity: the last one may still be on its way to the device */
	cl_event computed, fetched, written; /* NULL when there is none */
};

static void edge_open(struct edge *edge, const struct block *block, int neighbour, int own, int halo)
{
	edge->used = neighbour >= 0;
	edge->own = own;
	edge->halo = halo;
	edge->send = calloc(3, row_bytes(block));
	if (!edge->send)
		die("out of memory", 0);
	edge->receive[0] = edge->send + block->width;
	edge->receive[1] = edge->send + 2 * block->width;
	edge->computed = edge->fetched = edge->written = NULL;
}

static void release(cl_event *event)
{
	if (*event)
		clReleaseEvent(*event);
	*event = NULL;
}

/* Computes the edge's row first and has it fetched, both without waiting. */
static void edge_compute(struct edge *edge, struct device *device, const struct block *block)
{
	double since;

	if (!edge->used)
		return;
	device_step(device, block, edge->own, 1, edge->written ? 1 : 0, &edge->written, &edge->computed);
	release(&edge->written);
	since = now();
	check_cl(clEnqueueReadBuffer(device->transfer, device->field[1], CL_FALSE, (size_t)edge->own * row_bytes(block),
				     row_bytes(block), edge->send, 1, &edge->computed, &edge->fetched),
		 "clEnqueueReadBuffer");
	release(&edge->computed);
	add_time(&timers.copy, since);
}

static void edge_wait(struct edge *edge)
{
	double since = now();

	if (!edge->used)
		return;
	check_cl(clWaitForEvents(1, &edge->fetched), "clWaitForEvents");
	add_time(&timers.device_wait, since);
	release(&edge->fetched);
}

static void edge_write(struct edge *edge, struct device *device, const struct block *block, int step)
{
	double since = now();

	if (!edge->used)
		return;
	check_cl(clEnqueueWriteBuffer(device->transfer, device->field[1], CL_FALSE,
				      (size_t)edge->halo * row_bytes(block), row_bytes(block), edge->receive[step % 2],
				      0, NULL, &edge->written), "clEnqueueWriteBuffer");
	add_time(&timers.copy, since);
}

static void flush(struct device *device)
{
	double since = now();

	check_cl(clFlush(device->compute), "clFlush");
	check_cl(clFlush(device->transfer), "clFlush");
	add_time(&timers.launch, since);
}

/*
 * The cure: only the rows that a neighbour needs are computed first and copied; while they travel,
 * the device works on the inner rows; the host waits for nothing but those two rows.
 */
static void step_overlapped(struct device *device, const struct block *block, struct edge *top, struct edge *bottom,
			    int step)
{
	int first = top->used ? 2 : 1, last = bottom->used ? block->rows - 1 : block->rows;
	struct halo_exchange *exchange;

	edge_compute(top, device, block);
	edge_compute(bottom, device, block);
	if (last >= first)
		device_step(device, block, first, last - first + 1, 0, NULL, NULL);
	flush(device);
	if (top->used || bottom->used) {
		exchange = comm_receive(block, top->receive[step % 2], bottom->receive[step % 2]);
		edge_wait(top);
		edge_wait(bottom);
		comm_send_wait(exchange, top->send, bottom->send);
	}
	edge_write(top, device, block, step);
	edge_write(bottom, device, block, step);
	device_swap(device);
}

void run_overlapped(struct device *device, const struct block *block, const struct options *options, double *field)
{
	struct edge top, bottom;

	edge_open(&top, block, block->above, 1, 0);
	edge_open(&bottom, block, block->below, block->rows, block->rows + 1);
	upload(device, block, field);
	for (int step = 0; step < options->steps; step++)
		step_overlapped(device, block, &top, &bottom, step);
	device_finish(device->compute);
	device_finish(device->transfer);
	copy_blocking(device, block, field, false);
	release(&top.written);
	release(&bottom.written);
	free(top.send);
	free(bottom.send);
}
