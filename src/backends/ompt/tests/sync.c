/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that is shared, tasks and waiting, of known duration, in one region of three threads. */
#include <omp.h>
#include <stdio.h>

#include "clock.h"

static uint64_t barrier_ns, critical_ns, lock_ns, task_ns;
static omp_lock_t lock;

static void tell(uint64_t *sum, uint64_t since)
{
	__atomic_fetch_add(sum, now() - since, __ATOMIC_RELAXED);
}

static void shared_work(void)
{
#pragma omp for schedule(dynamic, 1) nowait
	for (int i = 0; i < 6; i++)
		rest(2);
#pragma omp sections nowait
	{
#pragma omp section
		rest(2);
#pragma omp section
		rest(2);
	}
#pragma omp single nowait
	rest(2);
}

static void tasks(void)
{
#pragma omp single nowait
	{
		for (int i = 0; i < 12; i++)
#pragma omp task
		{
			uint64_t begin = now();

			rest(5);
			tell(&task_ns, begin);
		}
#pragma omp taskwait
	}
}

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
	{
		uint64_t begin;

		rest(20 * omp_get_thread_num());
		begin = now();
#pragma omp barrier
		tell(&barrier_ns, begin);
		begin = now();
#pragma omp critical
		{
			tell(&critical_ns, begin);
			rest(20);
		}
#pragma omp barrier
		begin = now();
		omp_set_lock(&lock);
		tell(&lock_ns, begin);
		rest(20);
		omp_unset_lock(&lock);
		if (omp_test_lock(&lock))
			omp_unset_lock(&lock);
		shared_work();
		tasks();
	}
	printf("barrier=%llu\ncritical=%llu\nlock=%llu\ntask=%llu\n", (unsigned long long)barrier_ns,
	       (unsigned long long)critical_ns, (unsigned long long)lock_ns, (unsigned long long)task_ns);
	return 0;
}
