/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for an OpenMP runtime that does what real ones were seen to do wrong: runtime LIBSONDE-OMPT MODE. It loads
 * the tool as a runtime does, and calls what the tool asked for.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backends/ompt/ompt.h"

static ompt_function callback[64];

static int set_callback(int event, ompt_function function)
{
	callback[event] = function;
	return 5;
}

static ompt_function lookup(const char *name)
{
	return strcmp(name, "ompt_set_callback") == 0 ? (ompt_function)set_callback : NULL;
}

static ompt_word initial_task, tasks[64], regions[64], targets[64];

static void rest(int milliseconds)
{
	struct timespec time = {0, milliseconds * 1000000L};

	nanosleep(&time, NULL);
}

static void parallel_begin(int which, const void *code)
{
	((void (*)(ompt_word *, const void *, ompt_word *, unsigned, int, const void *))callback[OMPT_PARALLEL_BEGIN])(
		&initial_task, NULL, &regions[which], 1, 0, code);
}

static void parallel_end(int which, const void *code)
{
	((void (*)(ompt_word *, ompt_word *, int, const void *))callback[OMPT_PARALLEL_END])(&regions[which],
											     &initial_task, 0, code);
}

static void target(int endpoint, int kind, int which, const void *code)
{
	((void (*)(int, int, int, ompt_word *, ompt_word *, ompt_word *, const void *))callback[OMPT_TARGET])(
		kind, endpoint, 0, &initial_task, NULL, &targets[which], code);
}

static void data(int endpoint, int operation, size_t bytes, const void *code)
{
	((void (*)(int, ompt_word *, ompt_word *, uint64_t *, int, void *, int, void *, int, size_t,
		   const void *))callback[OMPT_TARGET_DATA_OP])(endpoint, NULL, NULL, NULL, operation, NULL, 4, NULL, 0,
								bytes, code);
}

static void work(int endpoint, int which, const void *code)
{
	((void (*)(int, int, ompt_word *, ompt_word *, uint64_t, const void *))callback[OMPT_WORK])(
		OMPT_LOOP, endpoint, &regions[0], &tasks[which], 10, code);
}

static void mutex_acquire(int kind, uint64_t which, const void *code)
{
	((void (*)(int, unsigned, unsigned, uint64_t, const void *))callback[OMPT_MUTEX_ACQUIRE])(kind, 0, 0, which,
												   code);
}

static void mutex_acquired(int kind, uint64_t which, const void *code)
{
	((void (*)(int, uint64_t, const void *))callback[OMPT_MUTEX_ACQUIRED])(kind, which, code);
}

/* Begins of enter data, of loops and of locks that nobody ends, within what does end; then ends that nobody began. */
static void unmatched(void *here)
{
	parallel_begin(0, here);
	for (int i = 0; i < 3; i++) {
		target(OMPT_BEGIN, OMPT_TARGET_ENTER, i, here);
		work(OMPT_BEGIN, i, here);
		mutex_acquire(OMPT_LOCK, 77, here);
		rest(5);
	}
	parallel_end(0, here);
	target(OMPT_END, OMPT_TARGET_ENTER, 9, here);
	work(OMPT_END, 9, here);
	mutex_acquired(OMPT_LOCK, 99, here);
	data(OMPT_END, OMPT_TO_DEVICE, 100, here);
	parallel_begin(1, here);
	rest(5);
	parallel_end(1, here);
}

/* More of them than there is room for, in one region after the other. */
static void many(void *here)
{
	for (int round = 0; round < 3; round++) {
		parallel_begin(0, here);
		for (int i = 0; i < 2000; i++)
			mutex_acquire(OMPT_LOCK, (uint64_t)i + 1, here);
		parallel_end(0, here);
	}
}

/* Addresses that lie in the runtime, in no object at all, or are missing. */
static void nowhere(void *inside)
{
	static char heap;

	parallel_begin(0, &heap + (1ull << 40));
	target(OMPT_BEGIN, OMPT_TARGET_REGION, 0, inside);
	target(OMPT_END, OMPT_TARGET_REGION, 0, inside);
	work(OMPT_BEGIN, 0, NULL);
	work(OMPT_END, 0, NULL);
	parallel_end(0, NULL);
}

int main(int argc, char **argv)
{
	void *tool = dlopen(argv[1], RTLD_NOW), *runtime = dlopen("libomp.so.5", RTLD_NOW);
	struct ompt_start *(*start)(unsigned, const char *);
	struct ompt_start *started;

	if (argc < 3 || !tool)
		return 2;
	start = (struct ompt_start * (*)(unsigned, const char *)) dlsym(tool, "ompt_start_tool");
	started = start ? start(201611, "stand-in") : NULL;
	printf("started=%d\n", started != NULL);
	if (!started || !started->initialize(lookup, 0, &started->tool))
		return 0;
	if (!strcmp(argv[2], "unmatched"))
		unmatched((char *)main + 5);
	else if (!strcmp(argv[2], "many"))
		many((char *)main + 5);
	else if (!strcmp(argv[2], "nowhere"))
		nowhere(runtime ? dlsym(runtime, "omp_get_num_threads") : NULL);
	started->finalize(&started->tool);
	return 0;
}
