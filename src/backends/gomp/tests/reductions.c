/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions over tasks: the runtime finds them by the first word of the region's data. */
#include <stdio.h>

#define COUNT 300

static volatile int seen;

int main(void)
{
	long region = 0, loop = 0, none = 0;

#pragma omp parallel reduction(task, + : region) num_threads(4)
#pragma omp single
	for (int i = 0; i < COUNT; i++)
#pragma omp task in_reduction(+ : region)
		region += i;
#pragma omp parallel for reduction(task, + : loop) num_threads(4)
	for (int i = 0; i < COUNT; i++)
#pragma omp task in_reduction(+ : loop)
		loop += i;
#pragma omp parallel num_threads(2) /* without data */
	seen = 1;
#pragma omp parallel reduction(task, + : none) num_threads(1)
	none++;
	printf("region=%ld\nloop=%ld\nnone=%ld\n", region, loop, none);
	return 0;
}
