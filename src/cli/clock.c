/* SPDX-License-Identifier: BSD-3-Clause */
/* See clock.h. */
#include "cli/clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define TRIPLE_TRIES 8

const char *clock_name(enum fmt_clock clock)
{
	return clock == FMT_CLOCK_COUNTER ? "counter" : "monotonic";
}

#if defined(__x86_64__)
/* The processor promises a constant rate in all power states. */
static bool has_invariant_counter(void)
{
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
}

/*
 * `tsc`: the kernel itself keeps its time by the counter and watches it. Paravirtual clocks are the
 * counter too, scaled by the hypervisor, which keeps it steady between migrations. With any other
 * source (hpet, acpi_pm) the kernel has found the counter unfit.
 */
static bool kernel_keeps_time_by_counter(void)
{
	static const char *const sources[] = { "tsc", "kvm-clock", "hyperv_clocksource_tsc_page" };
	char text[64];
	ssize_t length;
	int fd = open(CLOCKSOURCE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(text, sources[i]))
			return true;
	return false;
}

static enum fmt_clock choose(void)
{
	return has_invariant_counter() && kernel_keeps_time_by_counter() ? FMT_CLOCK_COUNTER : FMT_CLOCK_MONOTONIC;
}

static uint64_t counter(void)
{
	return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
static enum fmt_clock choose(void)
{
	return FMT_CLOCK_COUNTER; /* the architecture promises a constant rate */
}

static uint64_t counter(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}
#else
static enum fmt_clock choose(void)
{
	return FMT_CLOCK_MONOTONIC;
}

static uint64_t counter(void)
{
	return 0;
}
#endif

enum fmt_clock clock_choose(void)
{
	const char *wish = getenv("SONDE_CLOCK");

	if (wish && !strcmp(wish, clock_name(FMT_CLOCK_MONOTONIC)))
		return FMT_CLOCK_MONOTONIC;
	if (wish && !strcmp(wish, clock_name(FMT_CLOCK_COUNTER)))
		return FMT_CLOCK_COUNTER;
	return choose();
}

static uint64_t read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

struct fmt_triple clock_triple(enum fmt_clock clock)
{
	struct fmt_triple best = { .error_ns = UINT64_MAX };

	/* the narrowest bracket wins: one that was interrupted is wide */
	for (int i = 0; i < TRIPLE_TRIES; i++) {
		uint64_t before = read_ns(CLOCK_MONOTONIC_RAW);
		uint64_t ticks = clock == FMT_CLOCK_COUNTER ? counter() : read_ns(CLOCK_MONOTONIC);
		uint64_t real = read_ns(CLOCK_REALTIME);
		uint64_t width = read_ns(CLOCK_MONOTONIC_RAW) - before;

		if (width < best.error_ns)
			best = (struct fmt_triple){ ticks, before + width / 2, real, width };
	}
	return best;
}
