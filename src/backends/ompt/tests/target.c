/* SPDX-License-Identifier: BSD-3-Clause */
/* Target constructs with known maps: target MODE. The lines of its constructs are told in `lines`. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <sonde/sonde.h>

#define N 50000

static double a[N], b[N];


static void maps(void)
{
	int on_host = -1, enter, region, update, leave;

	enter = __LINE__ + 1;
#pragma omp target enter data map(to : a)
	for (int round = 0; round < 5; round++) {
		region = __LINE__ + 1;
#pragma omp target teams distribute parallel for map(tofrom : b) map(from : on_host)
		for (int i = 0; i < N; i++) {
			b[i] = 2 * a[i];
			if (i == 0)
				on_host = omp_is_initial_device();
		}
	}
	update = __LINE__ + 1;
#pragma omp target update from(a)
	leave = __LINE__ + 1;
#pragma omp target exit data map(delete : a)
	printf("on_host=%d\nenter=%d\nregion=%d\nupdate=%d\nleave=%d\nbytes=%zu\n", on_host, enter, region, update,
	       leave, sizeof(a));
}

/* A kernel that takes its time, by a clock that it can ask for itself. */
static void sleeps(void)
{
	uint64_t slept = 0;

#pragma omp target map(from : slept)
	{
		double begin = omp_get_wtime();

		while (omp_get_wtime() - begin < 0.1)
			;
		slept = (uint64_t)((omp_get_wtime() - begin) * 1e9);
	}
	printf("slept=%llu\n", (unsigned long long)slept);
}

static void deferred(void)
{
	int devices = omp_get_num_devices();

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target map(tofrom : a) nowait device(0)
		for (int i = 0; i < N; i++)
			a[i] = i;
#pragma omp target map(tofrom : b) nowait device(1)
		for (int i = 0; i < N; i++)
			b[i] = i;
#pragma omp taskwait
	}
	printf("devices=%d\nright=%d\nbytes=%zu\n", devices, a[5] == 5 && b[6] == 6, sizeof(a));
}

static void by_hand(void)
{
	void *device = omp_target_alloc(8000, 0);

	omp_target_memcpy(device, a, 8000, 0, 0, 0, omp_get_initial_device());
	omp_target_memcpy(b, device, 4000, 0, 0, omp_get_initial_device(), 0);
	omp_target_free(device, 0);
}

/* A target region, then five on the host, and recording, if it was paused, begins between them. */
static void resumed(void)
{
	int sum = 0;

#pragma omp target map(tofrom : sum)
	sum++;
	sonde_resume();
	for (int round = 0; round < 5; round++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
		sum++;
	}
	printf("sum=%d\n", sum);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "maps";

	if (!strcmp(mode, "maps"))
		maps();
	else if (!strcmp(mode, "sleeps"))
		sleeps();
	else if (!strcmp(mode, "deferred"))
		deferred();
	else if (!strcmp(mode, "by-hand"))
		by_hand();
	else if (!strcmp(mode, "resumed"))
		resumed();
	else
		return 2;
	return 0;
}
