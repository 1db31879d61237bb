/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of every way that GCC's runtime has to make them; each must get its own copy of what it works on. What the
 * program prints without sonde it must print with it, but for times, which are told on standard error.
 */
#include <omp.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

static uint64_t now()
{
	timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void rest(int milliseconds)
{
	timespec time = {0, milliseconds * 1000000L};

	nanosleep(&time, NULL);
}

static long copies, live;

/* Copied by a function of the program's; knows where it is, and has to be aligned. */
struct alignas(32) Own {
	int value;
	const Own *self;

	explicit Own(int of) : value(of), self(this) { __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED); }
	Own(const Own &other) : value(other.value), self(this)
	{
		__atomic_add_fetch(&copies, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
	}
	~Own() { __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED); }
	bool right(int wanted) const { return value == wanted && self == this && (uintptr_t)this % 32 == 0; }
};

static int right;

static void tell(bool good)
{
	__atomic_add_fetch(&right, good, __ATOMIC_RELAXED);
}

/* Deferred, and at once: by a clause, as part of a final task, outside of any region. */
static __attribute__((noinline)) void copied(int undeferred)
{
	for (int i = 0; i < 10; i++) {
		Own own(i);
		char block[3000], large[20000];

		memset(block, i, sizeof(block));
		memset(large, i, sizeof(large));
#pragma omp task firstprivate(own, i) if (!undeferred)
		tell(own.right(i));
#pragma omp task firstprivate(block, i) if (!undeferred) priority(i)
		tell(block[0] == i && block[2999] == i);
#pragma omp task firstprivate(large, i) if (!undeferred)
		tell(large[0] == i && large[19999] == i);
	}
#pragma omp taskwait
}

static __attribute__((noinline)) void loops()
{
	long sum = 0, seen = 0;
	Own own(7);

#pragma omp taskloop num_tasks(8) reduction(+ : sum) firstprivate(own)
	for (int i = 0; i < 1000; i++)
		sum += own.right(7) ? i : -1000000;
#pragma omp taskloop grainsize(1) shared(seen)
	for (unsigned long long i = 1; i < 101; i++)
		__atomic_add_fetch(&seen, (long)i, __ATOMIC_RELAXED);
	tell(sum == 499500);
	tell(seen == 5050);
}

static __attribute__((noinline)) void ordered_by_data()
{
	int value = 0;

#pragma omp task depend(out : value) shared(value)
	value = 1;
#pragma omp task depend(inout : value) shared(value)
	value = value * 10 + 2;
#pragma omp task depend(in : value) shared(value)
	tell(value == 12);
#pragma omp taskwait
}

static __attribute__((noinline)) void detached()
{
	omp_event_handle_t event;

#pragma omp task detach(event)
	omp_fulfill_event(event);
#pragma omp taskwait
	tell(true);
}

static uint64_t waited_ns, handed_ns;

/* One thread of the team works, all others wait for what it hands over. */
static __attribute__((noinline)) void handed_over()
{
	uint64_t begin = now();
	int value = 0;

#pragma omp single copyprivate(value)
	{
		rest(30);
		value = 5;
		__atomic_store_n(&handed_ns, now() - begin, __ATOMIC_RELAXED);
	}
	tell(value == 5);
	if (now() - begin > 20000000)
		__atomic_add_fetch(&waited_ns, now() - begin, __ATOMIC_RELAXED);
}

/* Tasks that the team runs at the end of the region, where there is nothing else to do. */
static __attribute__((noinline)) void at_the_end()
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
	for (int i = 0; i < 8; i++) {
#pragma omp task
		rest(10);
	}
}

/* Tasks that run at once, within each other. */
static __attribute__((noinline)) long deep(long levels)
{
	long below = 0;

	if (!levels)
		return 0;
#pragma omp task shared(below) if (0)
	below = deep(levels - 1);
	return below + 1;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "deep")) {
		printf("levels=%ld\n", deep(5000));
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "end")) {
		at_the_end();
		return 0;
	}
	copied(0);
#pragma omp parallel num_threads(4)
	{
#pragma omp single
		{
			copied(0);
			copied(1);
#pragma omp task final(1)
			copied(0);
			loops();
			ordered_by_data();
			detached();
		}
		handed_over();
	}
	loops();
	printf("right=%d\ncopies=%ld\nlive=%ld\n", right, copies, live);
	fprintf(stderr, "handed=%llu\n", (unsigned long long)handed_ns);
	return 0;
}
