/* SPDX-License-Identifier: BSD-3-Clause */
/* A region as compilers of ten years ago began it, after one of today's: its threads are the same. */
#include <stdio.h>
#include <time.h>

void GOMP_parallel_start(void (*function)(void *data), void *data, unsigned threads);
void GOMP_parallel_end(void);
void GOMP_barrier(void);

static __attribute__((noinline)) int today(void)
{
	int sum = 0;

#pragma omp parallel num_threads(4) reduction(+ : sum)
	sum++;
	return sum;
}

static void wait_for_others(void *data)
{
	if (data)
		nanosleep(&(struct timespec){0, 20000000}, NULL);
	GOMP_barrier();
}

/* What is written where the frames of the region before this one were? */
static __attribute__((noinline)) int older(void)
{
	volatile unsigned char room[4096] = {0};
	int written = 0;

	GOMP_parallel_start(wait_for_others, NULL, 4);
	wait_for_others((void *)&written);
	GOMP_parallel_end();
	for (unsigned i = 0; i < sizeof(room); i++)
		written += room[i] != 0;
	return written;
}

int main(void)
{
	int sum = today();

	printf("sum=%d\nwritten=%d\n", sum, older());
	return 0;
}
