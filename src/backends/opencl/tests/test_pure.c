/* SPDX-License-Identifier: BSD-3-Clause */
/* Device clocks, without a runtime: stamps as devices give them, good and bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "opencl.h"

#define SECOND 1000000000ull

/* What a command looks like whose device clock is `ahead` ns ahead of the host's. */
static struct opencl_stamps command(uint64_t begin, uint64_t spent, int64_t ahead)
{
	return (struct opencl_stamps){
		.host_begin = begin,
		.queued = begin + 2000 + (uint64_t)ahead,
		.start = begin + 10000 + (uint64_t)ahead,
		.end = begin + 10000 + spent + (uint64_t)ahead,
		.host_end = begin + 10000 + spent + 30000
	};
}

/* Host clocks of which only the first agrees: the others are a day away. */
static struct opencl_host_clocks far_clocks(void)
{
	return (struct opencl_host_clocks){1, {0, 86400 * (int64_t)SECOND, -86400 * (int64_t)SECOND,
					       2 * 86400 * (int64_t)SECOND}};
}

static void a_device_on_the_hosts_clock_is_taken_as_such(void **state)
{
	struct opencl_clock clock = {0};
	struct opencl_host_clocks hosts = far_clocks();
	struct opencl_stamps stamps = command(100 * SECOND, 5000, 0);
	struct rec_span span = {0};

	(void)state;
	assert_true(opencl_clock_convert(&clock, &hosts, &stamps, &span));
	assert_int_equal(span.begin_ns, stamps.start);
	assert_int_equal(span.end_ns, stamps.end);
	assert_true(span.error_ns >= 2000 && span.error_ns <= 30000);
}

static void a_device_on_another_clock_of_the_host_is_recognised(void **state)
{
	struct opencl_clock clock = {0};
	struct opencl_host_clocks hosts = far_clocks();
	struct opencl_stamps stamps = command(100 * SECOND, 5000, 7 * SECOND);
	struct rec_span span = {0};

	(void)state;
	hosts.offset[1] = -7 * (int64_t)SECOND;
	assert_true(opencl_clock_convert(&clock, &hosts, &stamps, &span));
	assert_int_equal(span.begin_ns, 100 * SECOND + 10000);
	assert_int_equal(span.end_ns, 100 * SECOND + 15000);
}

static void a_device_with_a_clock_of_its_own_lies_within_the_error(void **state)
{
	struct opencl_clock clock = {0};
	struct opencl_host_clocks hosts = far_clocks();
	uint64_t last_error = UINT64_MAX;

	(void)state;
	for (int i = 0; i < 100; i++) {
		uint64_t begin = 100 * SECOND + (uint64_t)i * 100000;
		struct opencl_stamps stamps = command(begin, 5000, -12345678901);
		struct rec_span span = {0};
		int64_t off;

		stamps.host_end += (uint64_t)(100 - i) * 100; /* the narrowest comes last */
		assert_true(opencl_clock_convert(&clock, &hosts, &stamps, &span));
		off = (int64_t)span.begin_ns - (int64_t)(begin + 10000);
		assert_true((uint64_t)(off < 0 ? -off : off) <= span.error_ns);
		assert_int_equal(span.end_ns - span.begin_ns, 5000);
		last_error = span.error_ns;
	}
	assert_true(last_error <= 16200);
}

static void bounds_grow_with_time_so_that_drift_is_no_contradiction(void **state)
{
	struct opencl_clock clock = {0};
	struct opencl_host_clocks hosts = far_clocks();

	(void)state;
	for (int i = 0; i < 60; i++) { /* runs 300 ppm fast */
		struct opencl_stamps stamps = command((100 + (uint64_t)i) * SECOND, 5000, 5 * SECOND + i * 300000);
		struct rec_span span = {0};
		int64_t off;

		assert_true(opencl_clock_convert(&clock, &hosts, &stamps, &span));
		off = (int64_t)span.begin_ns - (int64_t)((100 + (uint64_t)i) * SECOND + 10000);
		assert_true((uint64_t)(off < 0 ? -off : off) <= span.error_ns);
	}
}

static void impossible_stamps_give_no_time(void **state)
{
	static const struct {
		uint64_t start, end;
	} bad[] = {{0, 0}, {0, 5}, {5, 0}, {200, 100}, {UINT64_MAX, UINT64_MAX}, {5, UINT64_MAX},
		   {(uint64_t)1 << 63, ((uint64_t)1 << 63) + 1}, {100, 100 * SECOND}};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct opencl_clock clock = {0};
		struct opencl_host_clocks hosts = far_clocks();
		struct opencl_stamps stamps = command(100 * SECOND, 5000, 0);
		struct rec_span span = {0};

		stamps.start = bad[i].start;
		stamps.end = bad[i].end;
		assert_false(opencl_clock_convert(&clock, &hosts, &stamps, &span));
		assert_int_equal(span.end_ns, 0);
		assert_false(clock.known);
	}
}

static void a_stray_command_is_refused_and_leaves_the_clock_alone(void **state)
{
	struct opencl_clock clock = {0};
	struct opencl_host_clocks hosts = far_clocks();
	struct opencl_stamps good = command(100 * SECOND, 5000, 0), stray = command(101 * SECOND, 5000, 600 * SECOND);
	struct rec_span span = {0};

	(void)state;
	assert_true(opencl_clock_convert(&clock, &hosts, &good, &span));
	assert_false(opencl_clock_convert(&clock, &hosts, &stray, &span));
	good = command(102 * SECOND, 5000, 0);
	assert_true(opencl_clock_convert(&clock, &hosts, &good, &span));
	assert_int_equal(span.begin_ns, good.start);
}

static void a_clock_that_was_set_anew_is_followed_after_some_commands(void **state)
{
	struct opencl_clock clock = {0};
	struct opencl_host_clocks hosts = far_clocks();
	struct opencl_stamps stamps = command(100 * SECOND, 5000, 3 * SECOND);
	struct rec_span span = {0};
	int refused = 0;

	(void)state;
	assert_true(opencl_clock_convert(&clock, &hosts, &stamps, &span));
	for (uint64_t i = 1; i <= 10; i++) {
		stamps = command((100 + i) * SECOND, 5000, 900 * SECOND);
		refused += !opencl_clock_convert(&clock, &hosts, &stamps, &span);
	}
	assert_int_equal(refused, 3);
	assert_true(span.begin_ns >= 110 * SECOND && span.end_ns <= 110 * SECOND + 60000);
}

static void a_missing_time_of_queueing_is_done_without(void **state)
{
	struct opencl_clock clock = {0};
	struct opencl_host_clocks hosts = far_clocks();
	struct opencl_stamps stamps = command(100 * SECOND, 5000, 0);
	struct rec_span span = {0};

	(void)state;
	stamps.queued = 0;
	assert_true(opencl_clock_convert(&clock, &hosts, &stamps, &span));
	assert_int_equal(span.begin_ns, stamps.start);
	stamps.queued = stamps.start + 99; /* after the start */
	assert_true(opencl_clock_convert(&clock, &hosts, &stamps, &span));
}

static void the_devices_timer_narrows_the_bounds(void **state)
{
	struct opencl_clock clock = {0};
	struct opencl_host_clocks hosts = far_clocks();
	struct opencl_stamps stamps = command(100 * SECOND, 5000, 4 * SECOND);
	struct rec_span span = {0};

	(void)state;
	opencl_clock_read(&clock, 104 * SECOND - 50000, 100 * SECOND - 50200, 100 * SECOND - 49800);
	assert_int_equal(clock.timer, 1);
	assert_true(opencl_clock_convert(&clock, &hosts, &stamps, &span));
	assert_true(span.error_ns <= 300);
	opencl_clock_read(&clock, 0, 100 * SECOND, 100 * SECOND); /* an error */
	assert_int_equal(clock.timer, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_on_the_hosts_clock_is_taken_as_such),
		cmocka_unit_test(a_device_on_another_clock_of_the_host_is_recognised),
		cmocka_unit_test(a_device_with_a_clock_of_its_own_lies_within_the_error),
		cmocka_unit_test(bounds_grow_with_time_so_that_drift_is_no_contradiction),
		cmocka_unit_test(impossible_stamps_give_no_time),
		cmocka_unit_test(a_stray_command_is_refused_and_leaves_the_clock_alone),
		cmocka_unit_test(a_clock_that_was_set_anew_is_followed_after_some_commands),
		cmocka_unit_test(a_missing_time_of_queueing_is_done_without),
		cmocka_unit_test(the_devices_timer_narrows_the_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
