/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * truth DIR: where the time goes, known beforehand. Host code sleeps 1.5 s; with two ranks, a blocking
 * receive waits 600 ms; the device is waited for about 1 s; a user operation takes 200 ms and waits for the
 * device; two blocking copies follow long kernels, so that each is part waiting, part transfer. The program
 * times every call itself, by category, and writes DIR/truth.RANK as key=value (ns).
 */
#include <mpi.h>

#include "cl_app.h"

enum category { DEVICE_WAIT, COMM, MEMORY, COPY, LAUNCH, BUILD, OTHER_API, CATEGORIES };
static const char *const names[] = { "device_wait", "comm", "memory", "copy", "launch", "build", "other_api" };

static double own[CATEGORIES];
static struct cl_app app;
static int spin_rounds;

/* Time of the statements goes to the category. */
#define IN(category, ...)                                \
	do {                                             \
		double begin_ = app_now();               \
		__VA_ARGS__;                             \
		own[category] += app_now() - begin_;     \
	} while (0)

static void spin(int rounds)
{
	size_t one = 1;

	IN(OTHER_API, CL_OK(clSetKernelArg(app.spin, 1, sizeof(rounds), &rounds)));
	IN(LAUNCH, CL_OK(clEnqueueNDRangeKernel(app.queue, app.spin, 1, NULL, &one, NULL, 0, NULL, NULL)));
}

static void open_device(void)
{
	const char *source = cl_app_source;
	cl_platform_id platform;
	cl_int code;

	IN(OTHER_API, CL_OK(clGetPlatformIDs(1, &platform, NULL)));
	IN(OTHER_API, CL_OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &app.device, NULL)));
	IN(OTHER_API, app.context = clCreateContext(NULL, 1, &app.device, NULL, NULL, &code));
	CL_OK(code);
	IN(OTHER_API, app.queue = clCreateCommandQueue(app.context, app.device, CL_QUEUE_PROFILING_ENABLE, &code));
	CL_OK(code);
	IN(BUILD, app.program = clCreateProgramWithSource(app.context, 1, &source, NULL, &code));
	CL_OK(code);
	IN(BUILD, CL_OK(clBuildProgram(app.program, 1, &app.device, "", NULL, NULL)));
	IN(OTHER_API, app.spin = clCreateKernel(app.program, "spin", &code));
	CL_OK(code);
	IN(MEMORY, app.buffer = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64 << 20, NULL, &code));
	CL_OK(code);
	IN(OTHER_API, CL_OK(clSetKernelArg(app.spin, 0, sizeof(app.buffer), &app.buffer)));
	spin(1);
	IN(DEVICE_WAIT, CL_OK(clFinish(app.queue)));
}

/* How many rounds take the device about 250 ms. */
static void calibrate(void)
{
	int rounds = 10000000;
	double begin = app_now();

	spin(rounds);
	IN(DEVICE_WAIT, CL_OK(clFinish(app.queue)));
	spin_rounds = (int)(rounds * 0.25 / (app_now() - begin));
}

static double span_of(cl_event event)
{
	cl_ulong begin, end;

	CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, NULL));
	CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	IN(OTHER_API, CL_OK(clReleaseEvent(event)));
	return 1e-9 * (double)(end - begin);
}

/* A blocking copy behind a long kernel: the copy's own span is transfer, the rest is waiting. */
static void copy_behind_kernel(int to_device)
{
	static char host[64 << 20];
	double begin, total, span;
	cl_event event;

	spin(spin_rounds);
	begin = app_now();
	if (to_device)
		CL_OK(clEnqueueWriteBuffer(app.queue, app.buffer, CL_TRUE, 0, sizeof(host), host, 0, NULL, &event));
	else
		CL_OK(clEnqueueReadBuffer(app.queue, app.buffer, CL_TRUE, 0, sizeof(host), host, 0, NULL, &event));
	total = app_now() - begin;
	span = span_of(event);
	own[COPY] += span;
	own[DEVICE_WAIT] += total - span;
}

static double nested;

static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
	double before = own[DEVICE_WAIT] + own[LAUNCH] + own[OTHER_API];

	(void)in;
	(void)inout;
	(void)count;
	(void)type;
	app_pause_ms(200);
	spin(spin_rounds);
	IN(DEVICE_WAIT, CL_OK(clFinish(app.queue)));
	nested += own[DEVICE_WAIT] + own[LAUNCH] + own[OTHER_API] - before;
}

static void communicate(int rank, int size)
{
	int value = 1, sum = 0;
	MPI_Op op;
	char byte = 0;

	IN(COMM, MPI_Barrier(MPI_COMM_WORLD));
	if (!rank && size > 1)
		IN(COMM, MPI_Recv(&byte, 1, MPI_BYTE, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (rank && rank == size - 1) {
		app_pause_ms(600);
		IN(COMM, MPI_Send(&byte, 1, MPI_BYTE, 0, 9, MPI_COMM_WORLD));
	}
	IN(OTHER_API, MPI_Op_create(operation, 1, &op));
	if (size == 1) /* the operation of a sum over one rank is never called: reduce locally */
		IN(COMM, MPI_Reduce_local(&value, &sum, 1, MPI_INT, op));
	else
		IN(COMM, MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD));
	own[COMM] -= nested;
}

static void report(const char *dir, int rank, double wall)
{
	double traced = 0;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/truth.%d", dir, rank);
	file = fopen(path, "w");
	if (!file)
		app_die(path, errno);
	for (int i = 0; i < CATEGORIES; i++) {
		fprintf(file, "%s=%.0f\n", names[i], 1e9 * own[i]);
		traced += own[i];
	}
	fprintf(file, "host=%.0f\nwall=%.0f\n", 1e9 * (wall - traced), 1e9 * wall);
	fclose(file);
}

int main(int argc, char **argv)
{
	double begin = app_now();
	int rank, size;

	if (argc < 2)
		return 1;
	IN(OTHER_API, MPI_Init(&argc, &argv));
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	open_device();
	calibrate();
	app_pause_ms(1500);
	spin(spin_rounds);
	IN(DEVICE_WAIT, CL_OK(clFinish(app.queue)));
	copy_behind_kernel(1);
	copy_behind_kernel(0);
	communicate(rank, size);
	IN(OTHER_API, MPI_Finalize());
	report(argv[1], rank, app_now() - begin);
	_exit(0);
}
