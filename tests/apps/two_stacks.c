/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * two_stacks first|last: two coroutines of one thread, each inside of a call, whose user operation switches to the
 * other. The first of them has the lower stack, or the higher one. Each function was called before, so that it takes
 * the path of those that are known.
 */
#include <stdbool.h>
#include <ucontext.h>

#include "app.h"
#include "fake_mpi.h"

#define STACK (256 * 1024)

static ucontext_t outside, one, other;
static char stacks[2][STACK];
static MPI_Op op;

static void to_other(void *in, void *inout, int *count, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)count, (void)type;
	usleep(20000);
	swapcontext(&one, &other);
}

static void nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)count, (void)type;
}

static void to_one(void *in, void *inout, int *count, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)count, (void)type;
	swapcontext(&other, &one);
}

static void run_one(void)
{
	int in = 0, out;

	MPI_Op_create(to_other, 1, &op);
	MPI_Allreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Send(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	swapcontext(&one, &other);
}

static void run_other(void)
{
	int in = 0, out;

	MPI_Op_create(to_one, 1, &op);
	MPI_Scan(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Send(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	setcontext(&outside);
}

static void prepare(ucontext_t *context, char *stack, void (*run)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = STACK;
	context->uc_link = &outside;
	makecontext(context, run, 0);
}

int main(int argc, char **argv)
{
	bool low = argc > 1 && strcmp(argv[1], "first") == 0;
	int byte = 0, out;

	MPI_Init(&argc, &argv);
	MPI_Op_create(nothing, 1, &op);
	MPI_Allreduce(&byte, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Scan(&byte, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
	prepare(&one, stacks[low ? 0 : 1], run_one);
	prepare(&other, stacks[low ? 1 : 0], run_other);
	swapcontext(&outside, &one);
	MPI_Send(&byte, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
