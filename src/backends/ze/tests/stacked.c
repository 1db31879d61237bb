/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies by HIP, which makes them by Level Zero: says how long they took. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

int hipMalloc(void **out, size_t bytes);
int hipMemcpy(void *to, const void *from, size_t bytes, int direction);
int hipFree(void *address);

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int main(void)
{
	static char data[1000];
	uint64_t begin, took = 0;
	void *there;

	if (hipMalloc(&there, sizeof(data)) != 0)
		return 1;
	for (int i = 0; i < 3; i++) {
		begin = now_ns();
		if (hipMemcpy(there, data, sizeof(data), 1) != 0)
			return 1;
		took += now_ns() - begin;
	}
	printf("took_ns=%llu\n", (unsigned long long)took);
	return hipFree(there);
}
