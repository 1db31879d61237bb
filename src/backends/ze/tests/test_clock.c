/* SPDX-License-Identifier: BSD-3-Clause */
/* The device's clock against the host's: wraps, drift, what cannot be right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ze.h"

#define MS 1000000ull
#define S 1000000000ull

/* A device whose clock is 1000 times 3.7 s ahead, runs at `hz` and drifts by `ppm`. */
static uint64_t ticks_at(uint64_t raw, double hz, double ppm, uint32_t bits)
{
	uint64_t ticks = (uint64_t)(((double)raw * (1 + ppm / 1e6) + 3.7e12) * hz / 1e9);

	return bits >= 64 ? ticks : ticks & (((uint64_t)1 << bits) - 1);
}

static struct zed_clock clock_at(uint64_t raw, double hz, double ppm, uint32_t bits, uint64_t until)
{
	struct zed_clock clock = { .hz = hz, .bits = bits, .device_bits = bits };

	for (uint64_t at = raw; at <= until; at += 30 * MS)
		zed_clock_read(&clock, ticks_at(at, hz, ppm, bits), at - 100, at + 100);
	return clock;
}

/* Converts a command of [begin, end] that was handed over at `from` and seen done at `to`. */
static enum zed_stamp convert(const struct zed_clock *clock, double ppm, uint64_t begin, uint64_t end, uint64_t from,
			      uint64_t to, struct rec_span *span)
{
	struct zed_window window = { .begin = from, .end = to };

	return zed_clock_convert(clock, ticks_at(begin, clock->hz, ppm, clock->bits),
				 ticks_at(end, clock->hz, ppm, clock->bits), &window, span);
}

static void near_to(uint64_t value, uint64_t expected, uint64_t error)
{
	assert_true(value + error >= expected && value <= expected + error);
}

static void times_are_those_of_the_host(void **state)
{
	static const double rates[] = { 1e9, 12.5e6, 19.2e6, 10e9 };
	static const double drifts[] = { 0, 40, -40 };

	(void)state;
	for (int r = 0; r < 4; r++)
		for (int d = 0; d < 3; d++)
			for (uint32_t bits = 36; bits <= 64; bits += 28) {
				struct zed_clock clock = clock_at(5 * S, rates[r], drifts[d], bits, 6 * S);
				struct rec_span span = { 0 };

				assert_int_equal(convert(&clock, drifts[d], 6 * S + 10 * MS, 6 * S + 12 * MS,
							 6 * S + 9 * MS, 6 * S + 50 * MS, &span), ZED_STAMP_RIGHT);
				near_to(span.begin_ns, 6 * S + 10 * MS, 200 + span.error_ns);
				near_to(span.end_ns, 6 * S + 12 * MS, 200 + span.error_ns);
				assert_true(span.error_ns < 3000);
			}
}

static void a_clock_that_wraps_within_a_command_and_between_readings(void **state)
{
	/* 2^28 ticks are 0.27 s */
	struct zed_clock clock = { .hz = 1e9, .bits = 28, .device_bits = 28 };
	struct rec_span span = { 0 };

	(void)state;
	zed_clock_read(&clock, ticks_at(5 * S, 1e9, 0, 28), 5 * S - 100, 5 * S + 100);
	zed_clock_read(&clock, ticks_at(7 * S, 1e9, 0, 28), 7 * S - 100, 7 * S + 100); /* 7 wraps later */
	for (uint64_t at = 7 * S; at < 8 * S; at += 17 * MS) {
		assert_int_equal(convert(&clock, 0, at, at + 100 * MS, at - MS, at + 150 * MS, &span), ZED_STAMP_RIGHT);
		near_to(span.begin_ns, at, 1000);
		near_to(span.end_ns, at + 100 * MS, 1000);
	}
}

static void a_window_longer_than_a_wrap_leaves_no_time(void **state)
{
	struct zed_clock clock = clock_at(5 * S, 1e9, 0, 28, 6 * S);
	struct zed_window window = { .begin = 6 * S, .end = 6 * S + 600 * MS };
	struct rec_span span = { 0 };
	uint64_t begin = ticks_at(6 * S + 500 * MS, 1e9, 0, 28), end = ticks_at(6 * S + 510 * MS, 1e9, 0, 28);

	(void)state;
	assert_int_equal(zed_clock_convert(&clock, begin, end, &window, &span), ZED_STAMP_WRONG);
	window.follows = 6 * S + 450 * MS; /* the command before it has ended there */
	assert_int_equal(zed_clock_convert(&clock, begin, end, &window, &span), ZED_STAMP_RIGHT);
	near_to(span.begin_ns, 6 * S + 500 * MS, 1000);
}

static void stamps_that_cannot_be(void **state)
{
	(void)state;
	for (uint32_t bits = 32; bits <= 64; bits += 32) {
		struct zed_clock clock = clock_at(5 * S, 1e9, 0, bits, 6 * S);
		struct zed_window window = { .begin = 6 * S, .end = 6 * S + 100 * MS };
		struct rec_span span = { 0 };
		uint64_t in = ticks_at(6 * S + 50 * MS, 1e9, 0, bits);

		assert_int_equal(zed_clock_convert(&clock, 0, 0, &window, &span), ZED_STAMP_WRONG);
		assert_int_equal(zed_clock_convert(&clock, in, in - 1000, &window, &span), ZED_STAMP_WRONG);
		assert_int_not_equal(zed_clock_convert(&clock, in, in + S, &window, &span), ZED_STAMP_RIGHT);
		assert_int_equal(zed_clock_convert(&clock, in - S, in, &window, &span), ZED_STAMP_WRONG);
		assert_int_equal(zed_clock_convert(&clock, in - 2 * S, in - S, &window, &span), ZED_STAMP_OLD);
		assert_int_equal(zed_clock_convert(&clock, in, in, &window, &span), ZED_STAMP_RIGHT);
		assert_int_equal(span.begin_ns, span.end_ns);
	}
}

static void garbage_of_64_bits(void **state)
{
	static const uint64_t garbage[] = { 1ull << 63, UINT64_MAX, UINT64_MAX - 1, 1ull << 62 };
	struct zed_clock clock = clock_at(5 * S, 1e9, 0, 64, 6 * S);
	struct zed_window window = { .begin = 6 * S, .end = 6 * S + 100 * MS };
	struct rec_span span = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++)
			assert_int_not_equal(zed_clock_convert(&clock, garbage[i], garbage[k], &window, &span),
					     ZED_STAMP_RIGHT);
}

static void a_clock_that_jumps_starts_anew(void **state)
{
	struct zed_clock clock = clock_at(5 * S, 1e9, 0, 64, 6 * S);
	struct zed_window window = { .begin = 9 * S, .end = 9 * S + 100 * MS };
	struct rec_span span = { 0 };

	(void)state;
	/* the device slept for a second */
	zed_clock_read(&clock, ticks_at(8 * S, 1e9, 0, 64), 9 * S - 100, 9 * S + 100);
	assert_int_equal(zed_clock_convert(&clock, ticks_at(8 * S + 10 * MS, 1e9, 0, 64),
					   ticks_at(8 * S + 20 * MS, 1e9, 0, 64), &window, &span), ZED_STAMP_RIGHT);
	near_to(span.begin_ns, 9 * S + 10 * MS, span.error_ns + 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_those_of_the_host),
		cmocka_unit_test(a_clock_that_wraps_within_a_command_and_between_readings),
		cmocka_unit_test(a_window_longer_than_a_wrap_leaves_no_time),
		cmocka_unit_test(stamps_that_cannot_be),
		cmocka_unit_test(garbage_of_64_bits),
		cmocka_unit_test(a_clock_that_jumps_starts_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
