/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_overlap DIR, on two ranks: what goes on at the same time is known beforehand. Rank 1 waits 300 ms in a receive,
 * then 200 ms in another one while a kernel of its own runs; rank 0 waits 150 ms in a receive while nothing runs.
 * Writes DIR/intervals.RANK: "comm|kernel|copy BEGIN END", ns of CLOCK_MONOTONIC_RAW, as the runtime tells them, too.
 */
#include <stdbool.h>

#include <mpi.h>

#include "cl_app.h"

static FILE *file;

static unsigned long long raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
}

static void comm(bool sends, int tag)
{
	unsigned long long begin = raw_ns();
	char byte = 0;
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (sends)
		MPI_Send(&byte, 1, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD);
	else
		MPI_Recv(&byte, 1, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	fprintf(file, "comm %llu %llu\n", begin, raw_ns());
}

static void barrier(void)
{
	unsigned long long begin = raw_ns();

	MPI_Barrier(MPI_COMM_WORLD);
	fprintf(file, "comm %llu %llu\n", begin, raw_ns());
}

static void say(const char *kind, cl_event event)
{
	cl_ulong begin, end;

	CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, NULL));
	CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	fprintf(file, "%s %llu %llu\n", kind, (unsigned long long)begin, (unsigned long long)end);
	CL_OK(clReleaseEvent(event));
}

static cl_event spin(struct cl_app *app, int rounds)
{
	size_t one = 1;
	cl_event event;

	CL_OK(clSetKernelArg(app->spin, 1, sizeof(rounds), &rounds));
	CL_OK(clEnqueueNDRangeKernel(app->queue, app->spin, 1, NULL, &one, NULL, 0, NULL, &event));
	CL_OK(clFlush(app->queue));
	return event;
}

int main(int argc, char **argv)
{
	cl_int data[CL_APP_ITEMS];
	struct cl_app app;
	cl_event event, read;
	char path[4096];
	int rank;

	if (argc < 2)
		return 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(path, sizeof(path), "%s/intervals.%d", argv[1], rank);
	file = fopen(path, "w");
	if (!file)
		app_die(path, errno);
	cl_app_open(&app, CL_QUEUE_PROFILING_ENABLE);
	barrier();
	if (!rank) {
		app_pause_ms(300);
		comm(true, 1);
		app_pause_ms(200);
		comm(true, 2);
		comm(false, 3);
	} else {
		comm(false, 1);
		event = spin(&app, 200000000); /* some 400 ms */
		comm(false, 2);
		app_pause_ms(150);
		comm(true, 3);
		CL_OK(clFinish(app.queue));
		CL_OK(clEnqueueReadBuffer(app.queue, app.buffer, CL_TRUE, 0, sizeof(data), data, 0, NULL, &read));
		say("kernel", event);
		say("copy", read);
	}
	barrier();
	fclose(file);
	MPI_Finalize();
	return 0;
}
