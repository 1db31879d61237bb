/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loop WHAT CALLS [THREADS [hold]]: makes CALLS calls in each thread and prints
 *	CPU time of a thread per call in ns, CLOCK_MONOTONIC in ns at the end, pid
 * With `hold` it then waits, all threads alive, until standard input is closed. The first calls do not
 * count: a tracer opens its files then.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api.h"
#include "names.h"

#define WARM_UP 10000
#define THREADS_MAX 64
#define TYPE_INT 0x4c000405 /* MPICH's */

struct worker {
	void (*repeat)(long calls);
	long calls;
	double cpu_ns;
};

static pthread_barrier_t start, finish;
static volatile uint64_t ticks_seen;

static double clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
#else
#error "no user-readable counter known for this architecture"
#endif
}

/* ---- what is repeated ---------------------------------------------------------------------------- */

static void repeat_test(long calls)
{
	int request = 0, flag;

	for (long i = 0; i < calls; i++)
		MPI_Test(&request, &flag, NULL);
}

/* The same call between two clock reads and nothing else: no tracer with two time stamps is cheaper. */
static void repeat_clock(long calls)
{
	int request = 0, flag;
	uint64_t sum = 0;

	for (long i = 0; i < calls; i++) {
		uint64_t begin = ticks();

		MPI_Test(&request, &flag, NULL);
		sum += ticks() - begin;
	}
	ticks_seen = sum;
}

static void repeat_fence(long calls)
{
	for (long i = 0; i < calls; i++)
		MPI_Win_fence(0, 0);
}

static void repeat_send(long calls)
{
	int value = 0;

	for (long i = 0; i < calls; i++)
		MPI_Send(&value, 1, TYPE_INT, 0, 0, 0);
}

static void repeat_recv(long calls)
{
	int value = 0, status[6] = {sizeof(value)};

	for (long i = 0; i < calls; i++)
		MPI_Recv(&value, 1, TYPE_INT, 0, 0, 0, status);
}

static void repeat_rank(long calls)
{
	int rank;

	for (long i = 0; i < calls; i++)
		MPI_Comm_rank(0, &rank);
}

#define DECLARE(name) int name(void);
#define CALL(name) name();
#define ADDRESS(name) name,
BENCH_ALL(DECLARE)
BENCH_MORE(DECLARE)

static void repeat_many(long calls)
{
	for (long i = 0; i < calls; i++) {
		repeat_test(1);
		repeat_fence(1);
		repeat_send(1);
		repeat_recv(1);
		repeat_rank(1);
		BENCH_MORE(CALL)
	}
}

/* Hundreds of functions, in an order that no branch prediction learns: what a reader has to do with. */
static void repeat_spread(long calls)
{
	static int (*const function[])(void) = {BENCH_ALL(ADDRESS)};
	const uint32_t count = sizeof(function) / sizeof(function[0]);
	uint32_t state = (uint32_t)(uintptr_t)&state >> 12; /* another one in each thread */

	for (long i = 0; i < calls; i++) {
		state = state * 1664525u + 1013904223u;
		function[(state >> 8) % count]();
	}
}

static const struct {
	const char *name;
	void (*repeat)(long calls);
} kinds[] = {
	{"test", repeat_test}, {"clock", repeat_clock}, {"fence", repeat_fence}, {"send", repeat_send},
	{"recv", repeat_recv}, {"rank", repeat_rank},   {"many", repeat_many},
	{"spread", repeat_spread},
};

/* ---- threads ------------------------------------------------------------------------------------- */

static void *work(void *context)
{
	struct worker *worker = context;
	double begin;

	worker->repeat(worker->calls < WARM_UP ? worker->calls : WARM_UP);
	pthread_barrier_wait(&start);
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	worker->repeat(worker->calls);
	worker->cpu_ns = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / (double)worker->calls;
	pthread_barrier_wait(&finish);
	pthread_barrier_wait(&start); /* stays alive while the process is looked at */
	return NULL;
}

static void wait_for_end_of_input(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

static void run(void (*repeat)(long calls), long calls, int threads, int hold)
{
	struct worker worker[THREADS_MAX];
	pthread_t thread[THREADS_MAX];
	double mean = 0;

	pthread_barrier_init(&start, NULL, (unsigned)threads + 1);
	pthread_barrier_init(&finish, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++) {
		worker[i] = (struct worker){.repeat = repeat, .calls = calls};
		if (pthread_create(&thread[i], NULL, work, &worker[i])) {
			perror("loop: thread");
			exit(1);
		}
	}
	pthread_barrier_wait(&start);
	pthread_barrier_wait(&finish);
	for (int i = 0; i < threads; i++)
		mean += worker[i].cpu_ns / threads;
	printf("%.3f %.0f %d\n", mean, clock_ns(CLOCK_MONOTONIC), (int)getpid());
	fflush(stdout);
	if (hold)
		wait_for_end_of_input();
	pthread_barrier_wait(&start);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	long calls = argc > 2 ? atol(argv[2]) : 0;
	int threads = argc > 3 ? atoi(argv[3]) : 1;
	size_t kind = 0, count = sizeof(kinds) / sizeof(kinds[0]);

	while (kind < count && (argc < 2 || strcmp(kinds[kind].name, argv[1])))
		kind++;
	if (kind == count || calls < 1 || threads < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: loop test|clock|fence|send|recv|rank|many|spread CALLS [THREADS [hold]]\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	run(kinds[kind].repeat, calls, threads, argc > 4);
	MPI_Finalize();
	return 0;
}
