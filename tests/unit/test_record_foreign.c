/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks of runtimes that can be read: what one of their times is by the host's. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "record/rec_state.h"
#include "record/rec_tools.h"

static double hz, ppm;
static int64_t ahead_ns;
static unsigned asked;
static bool gone;

static uint64_t theirs_at(uint64_t raw)
{
	return (uint64_t)((double)((int64_t)raw + ahead_ns) * (1 + ppm / 1e6) * hz / 1e9);
}

static bool ask(uint64_t *theirs_out)
{
	asked++;
	*theirs_out = theirs_at(rec_raw_ns());
	return !gone;
}

static void nap(long ms)
{
	const struct timespec time = {0, ms * 1000000};

	nanosleep(&time, NULL);
}

static struct rec_foreign_clock set(double new_hz, double new_ppm, int64_t new_ahead_ns)
{
	hz = new_hz;
	ppm = new_ppm;
	ahead_ns = new_ahead_ns;
	gone = false;
	asked = 0;
	return (struct rec_foreign_clock){.hz = new_hz == 1e9 ? 0 : (uint64_t)new_hz};
}

/* The time is told right, to the bound that is told with it and what doubles can tell. */
static void assert_right(struct rec_foreign_clock *clock, uint64_t raw)
{
	uint64_t told = 0, error = 0;

	assert_true(rec_foreign_convert(clock, theirs_at(raw), &told, &error));
	assert_true((told > raw ? told - raw : raw - told) <= error + 2 + (uint64_t)(2e9 / hz));
}

static void times_are_right_within_the_bound_before_between_and_after_readings(void **state)
{
	static const double rates[] = {1e9, 1e8, 2.5e9};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct rec_foreign_clock clock = set(rates[i], i * 100.0 - 100, 86400000000000);
		uint64_t start = rec_raw_ns(), middle;

		assert_true(rec_foreign_read(&clock, ask, 0));
		assert_right(&clock, start);
		nap(15);
		middle = rec_raw_ns();
		nap(15);
		assert_true(rec_foreign_read(&clock, ask, 0));
		assert_right(&clock, start);
		assert_right(&clock, middle);
		assert_right(&clock, rec_raw_ns() + 5000000);
	}
}

static void the_bound_grows_with_the_distance_while_the_rate_is_not_known(void **state)
{
	struct rec_foreign_clock clock = set(1e9, 0, 5);
	uint64_t told, near, far, now = rec_raw_ns();

	(void)state;
	assert_true(rec_foreign_read(&clock, ask, 0));
	assert_true(rec_foreign_convert(&clock, theirs_at(now), &told, &near));
	assert_true(rec_foreign_convert(&clock, theirs_at(now + 1000000000), &told, &far));
	assert_true(far > near + 400000); /* 500 ppm of a second */
}

static void a_clock_that_was_read_just_now_is_not_read_again(void **state)
{
	struct rec_foreign_clock clock = set(1e9, 0, 5);
	unsigned before;

	(void)state;
	assert_true(rec_foreign_read(&clock, ask, 10000000000));
	before = asked;
	assert_true(before > 0);
	assert_true(rec_foreign_read(&clock, ask, 10000000000));
	assert_int_equal(asked, before);
	assert_true(rec_foreign_read(&clock, ask, 0));
	assert_true(asked > before);
}

static void a_clock_that_jumps_begins_anew(void **state)
{
	struct rec_foreign_clock clock = set(1e9, 0, 5);

	(void)state;
	assert_true(rec_foreign_read(&clock, ask, 0));
	nap(12);
	assert_true(rec_foreign_read(&clock, ask, 0));
	ahead_ns += 3600000000000; /* the host was suspended */
	assert_true(rec_foreign_read(&clock, ask, 0));
	assert_right(&clock, rec_raw_ns());
}

static void a_clock_that_is_gone_or_was_never_read_tells_nothing(void **state)
{
	struct rec_foreign_clock clock = set(1e9, 0, 5);
	uint64_t told, error;

	(void)state;
	gone = true;
	assert_false(rec_foreign_read(&clock, ask, 0));
	assert_false(rec_foreign_convert(&clock, 1, &told, &error));
}

static bool reading;

static void *jump_and_read(void *clock)
{
	while (__atomic_load_n(&reading, __ATOMIC_RELAXED)) {
		ahead_ns ^= 3600000000000;
		rec_foreign_read(clock, ask, 0);
	}
	return NULL;
}

static void both_ends_of_a_span_are_by_one_view_of_the_clock(void **state)
{
	struct rec_foreign_clock clock = set(1e9, 0, 0);
	uint64_t parted = 0;
	struct rec_span span;
	pthread_t reader;

	(void)state;
	assert_true(rec_foreign_read(&clock, ask, 0));
	reading = true;
	assert_int_equal(pthread_create(&reader, NULL, jump_and_read, &clock), 0);
	for (int i = 0; i < 100000; i++) {
		span.begin_ns = span.end_ns = 0;
		rec_foreign_span(&clock, 1000000000, 1000000000, 0, &span);
		parted += span.begin_ns != span.end_ns;
	}
	__atomic_store_n(&reading, false, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
	assert_int_equal(parted, 0);
}

static void times_of_a_device_that_cannot_be_right_are_told_from_those_that_can(void **state)
{
	struct rec_foreign_clock clock = set(1e9, 0, 7000);
	const uint64_t ms = 1000000, long_ago = rec_raw_ns() - 100 * ms;
	uint64_t begin, end;
	struct rec_span span;

	(void)state;
	assert_false(rec_foreign_span(&clock, theirs_at(long_ago), theirs_at(long_ago) + ms, 0, &span)); /* unread */
	assert_true(rec_foreign_read(&clock, ask, 0));
	begin = theirs_at(long_ago);
	end = begin + 20 * ms;
	assert_true(rec_foreign_span(&clock, begin, end, 0, &span));
	assert_true(rec_foreign_span(&clock, begin, end, long_ago, &span));
	assert_true(span.end_ns - span.begin_ns > 19 * ms && span.end_ns - span.begin_ns < 21 * ms);
	assert_true(span.error_ns >= 100 * ms / 1000000 * 400); /* that of the begin, which is further away */
	assert_true(rec_foreign_span(&clock, begin, begin, long_ago, &span));
	assert_false(rec_foreign_span(&clock, 0, end, 0, &span));
	assert_false(rec_foreign_span(&clock, end, begin, 0, &span));
	assert_false(rec_foreign_span(&clock, begin, end, long_ago + 2 * ms, &span));
	assert_false(rec_foreign_span(&clock, begin, theirs_at(rec_raw_ns()) + 50 * ms, long_ago, &span));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_right_within_the_bound_before_between_and_after_readings),
		cmocka_unit_test(the_bound_grows_with_the_distance_while_the_rate_is_not_known),
		cmocka_unit_test(a_clock_that_was_read_just_now_is_not_read_again),
		cmocka_unit_test(a_clock_that_jumps_begins_anew),
		cmocka_unit_test(a_clock_that_is_gone_or_was_never_read_tells_nothing),
		cmocka_unit_test(both_ends_of_a_span_are_by_one_view_of_the_clock),
		cmocka_unit_test(times_of_a_device_that_cannot_be_right_are_told_from_those_that_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
