/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin with constructs that need the runtime it is linked to, and no other; run() says which went right. */
#include <omp.h>

__attribute__((visibility("default"))) int run(void);
static int items[1000];

static __attribute__((noinline)) int region(void)
{
	int sum = 0, threads = 0;

#pragma omp parallel num_threads(4) reduction(+ : sum)
	{
#pragma omp master
		threads = omp_get_num_threads();
#pragma omp for schedule(static)
		for (int i = 0; i < 1000; i++)
			sum += i;
#pragma omp barrier
#pragma omp critical
		sum += 1;
	}
	return threads == 4 && sum == 499500 + 4;
}

/* The body's last call is that of the loop's end: it returns to whoever called the body. */
static __attribute__((noinline)) int loop(void)
{
	int right = 0;

	for (int i = 0; i < 1000; i++)
		items[i] = 0;
#pragma omp parallel num_threads(3)
	{
#pragma omp single nowait
		__atomic_store_n(&items[0], 0, __ATOMIC_RELAXED);
#pragma omp for schedule(dynamic, 10) nowait
		for (int i = 0; i < 1000; i++)
			__atomic_add_fetch(&items[i], 1, __ATOMIC_RELAXED);
	}
	for (int i = 0; i < 1000; i++)
		right += items[i] == 1;
	return right == 1000;
}

static __attribute__((noinline)) int tasks(void)
{
	int done = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
	for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
		{
#pragma omp task shared(done)
			__atomic_add_fetch(&done, omp_get_num_threads() == 4, __ATOMIC_RELAXED);
#pragma omp taskwait
		}
	}
	return done == 50;
}

int run(void)
{
	return region() | loop() << 1 | tasks() << 2;
}
