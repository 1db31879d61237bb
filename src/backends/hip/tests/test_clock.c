/* SPDX-License-Identifier: BSD-3-Clause */
/* The device's clock by what operations tell of it: how well it is known, what is certain beside it, drift, jumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hip.h"

#define US 1000ull
#define MS 1000000ull
#define S 1000000000ull
#define BASE (500 * S) /* raw ns at which the device's clock shows 0 */

static int64_t shown(uint64_t raw, double ppm)
{
	return (int64_t)((double)((int64_t)(raw - BASE)) * (1 + ppm / 1e6));
}

/* An operation of [begin, end] that was handed over at `from` and is seen to be over at `to`. */
static struct hip_stamps stamps(double ppm, uint64_t begin, uint64_t end, uint64_t from, uint64_t to)
{
	return (struct hip_stamps){ .start_ns = shown(begin, ppm), .duration_ns = shown(end, ppm) - shown(begin, ppm),
				    .host_begin = from, .host_call = from, .host_end = to };
}

static void near_to(uint64_t value, uint64_t expected, uint64_t error)
{
	assert_true(value + error >= expected && value <= expected + error);
}

/* What it tells of the clock, then its times. */
static struct rec_span heard(struct hip_clock *clock, const struct hip_stamps *stamps)
{
	struct rec_span span = { 0 };

	hip_clock_narrow(clock, stamps);
	assert_true(hip_clock_convert(clock, stamps, &span));
	return span;
}

/* A clock that is known to 10 us. */
static struct hip_clock known_clock(uint64_t at)
{
	struct hip_clock clock = { 0 };
	struct hip_stamps tight = stamps(0, at + 10 * US, at + 90 * US, at, at + 100 * US);

	hip_clock_narrow(&clock, &tight);
	assert_true(hip_clock_width(&clock) < HIP_NARROW_NS);
	return clock;
}

static void what_came_later_tells_the_time_of_what_was_before(void **state)
{
	struct hip_clock clock = { 0 };
	uint64_t at = BASE + S;
	/* a kernel that was seen to be over when the copy behind it was; the copy waited for the kernel */
	struct hip_stamps kernel = stamps(0, at + 20 * US, at + 100 * MS, at, at + 230 * MS);
	struct hip_stamps copy = stamps(0, at + 100 * MS, at + 230 * MS, at + 10 * US, at + 230 * MS + 50 * US);
	struct rec_span span = { 0 };

	(void)state;
	hip_clock_narrow(&clock, &kernel);
	assert_true(hip_clock_width(&clock) > 100 * MS);
	assert_true(hip_clock_convert(&clock, &kernel, &span));
	near_to(span.begin_ns, at + 65 * MS, MS);
	assert_true(span.error_ns > 64 * MS);
	hip_clock_narrow(&clock, &copy);
	assert_true(hip_clock_width(&clock) < HIP_NARROW_NS);
	assert_true(hip_clock_convert(&clock, &kernel, &span));
	near_to(span.begin_ns, at + 20 * US, span.error_ns);
	near_to(span.end_ns, at + 100 * MS, span.error_ns);
	assert_true(span.error_ns < 300 * US);
}

static void nothing_is_pushed_beyond_the_return_of_its_call(void **state)
{
	uint64_t at = BASE + S;
	struct hip_clock clock = known_clock(at);
	struct hip_stamps copy = stamps(0, at + 101 * MS, at + 230 * MS, at + 100 * MS, at + 231 * MS);
	struct rec_span span = { 0 };

	(void)state;
	copy.host_return = at + 230 * MS + 500 * US;
	copy.follows = at + 165 * MS; /* a time that was not well known */
	copy.follows_error = 70 * MS;
	span = heard(&clock, &copy);
	assert_true(span.end_ns <= copy.host_return);
	assert_int_equal(span.end_ns - span.begin_ns, 129 * MS);
	assert_true(span.error_ns < 2 * MS);
}

static void nothing_is_pushed_beyond_when_it_was_over(void **state)
{
	uint64_t at = BASE + S;
	struct hip_clock clock = known_clock(at);
	struct hip_stamps kernel = stamps(0, at + 10 * MS, at + 20 * MS, at + 9 * MS, at + 21 * MS);
	struct rec_span span = { 0 };

	(void)state;
	kernel.follows = at + 60 * MS;
	kernel.follows_error = 80 * MS;
	span = heard(&clock, &kernel);
	assert_true(span.end_ns <= kernel.host_end);
	assert_int_equal(span.end_ns - span.begin_ns, 10 * MS);
}

static void what_a_stream_did_before_is_over_before(void **state)
{
	uint64_t at = BASE + S;
	struct hip_clock clock = known_clock(at);
	struct hip_stamps kernel = stamps(0, at + 10 * MS, at + 20 * MS, at + 9 * MS, at + 21 * MS);
	struct rec_span span = { 0 };

	(void)state;
	hip_clock_narrow(&clock, &kernel);
	kernel.follows = at + 10 * MS + 40 * US;
	kernel.follows_error = 100 * US;
	assert_true(hip_clock_convert(&clock, &kernel, &span));
	assert_int_equal(span.begin_ns, kernel.follows);
	assert_int_equal(span.end_ns - span.begin_ns, 10 * MS);
	assert_true(span.error_ns <= 150 * US);
}

static void an_operation_lies_within_the_call_that_waited_for_it(void **state)
{
	struct hip_clock clock = { 0 };
	uint64_t at = BASE + S;
	/* nobody saw that it was over before a second had passed */
	struct hip_stamps copy = stamps(0, at + 100 * US, at + 130 * MS, at, at + 2 * S);
	struct rec_span span = { 0 };

	(void)state;
	copy.host_return = at + 130 * MS;
	span = heard(&clock, &copy);
	assert_true(span.begin_ns >= copy.host_call);
	assert_true(span.end_ns <= copy.host_return);
	assert_int_equal(span.end_ns - span.begin_ns, 130 * MS - 100 * US);
	clock = known_clock(at);
	copy = stamps(0, at + 10 * MS, at + 20 * MS, at + 10 * MS, at + 20 * MS + 20 * US);
	copy.host_call = at + 11 * MS; /* the events lie farther apart than the call was long */
	copy.host_return = at + 19 * MS;
	span = heard(&clock, &copy);
	assert_int_equal(span.begin_ns, copy.host_call);
	assert_int_equal(span.end_ns, copy.host_return);
}

static void the_event_after_a_call_may_come_late(void **state)
{
	struct hip_clock clock = { .known = true, .low = BASE - 400 * (int64_t)US, .high = BASE + 400 * (int64_t)US,
				   .seen = BASE + S };
	struct hip_stamps copy = stamps(0, BASE + S, BASE + S + 100 * MS, BASE + S - 50 * MS, BASE + S + 102 * MS);
	struct rec_span span = { 0 };

	(void)state;
	copy.host_return = BASE + S + 99 * MS;
	copy.follows_error = 450 * US;
	for (int64_t late = -100; late <= 100; late += 100) { /* what the stream did before was over so much too late */
		copy.follows = (uint64_t)((int64_t)(BASE + S) + late * (int64_t)US);
		assert_true(hip_clock_convert(&clock, &copy, &span));
		assert_int_equal(span.begin_ns, copy.follows);
		assert_int_equal(span.end_ns, copy.host_return);
	}
}

static void drift_is_within_the_error(void **state)
{
	static const double drifts[] = { 400, 0, -400 };

	(void)state;
	for (int d = 0; d < 3; d++) {
		struct hip_clock clock = { 0 };
		struct hip_stamps each[100];
		uint64_t end = BASE + 21 * S;

		/* handed over at once, worked off within ten seconds, all seen at the end */
		for (int i = 0; i < 100; i++) {
			uint64_t begin = BASE + 11 * S + (uint64_t)i * 100 * MS;

			each[i] = stamps(drifts[d], begin, begin + 100 * MS, BASE + 11 * S - 10 * US, end + 10 * US);
			hip_clock_narrow(&clock, &each[i]);
		}
		for (int i = 0; i < 100; i++) {
			uint64_t begin = BASE + 11 * S + (uint64_t)i * 100 * MS;
			struct rec_span span = { 0 };

			assert_true(hip_clock_convert(&clock, &each[i], &span));
			near_to(span.begin_ns, begin, span.error_ns);
			near_to(span.end_ns, begin + 100 * MS, span.error_ns + 50 * US);
			assert_true(span.error_ns < 15 * MS);
		}
	}
}

static void a_clock_that_has_jumped_begins_anew(void **state)
{
	uint64_t at = BASE + S;
	struct hip_clock clock = known_clock(at);
	struct hip_stamps before = stamps(0, at + 10 * US, at + 90 * US, at, at + 100 * US), after = before;
	struct rec_span span = { 0 };

	(void)state;
	for (int i = 1; i <= 4; i++) {
		uint64_t then = at + (uint64_t)i * MS;

		after = stamps(0, then + 10 * US, then + 90 * US, then, then + 100 * US);
		after.start_ns += (int64_t)S;
		hip_clock_narrow(&clock, &after);
		assert_int_equal(hip_clock_convert(&clock, &after, &span), i == 4);
		assert_int_equal(hip_clock_convert(&clock, &before, &span), i < 4);
	}
	assert_true(hip_clock_convert(&clock, &after, &span));
	near_to(span.begin_ns, at + 4 * MS + 10 * US, span.error_ns);
}

static void what_cannot_be_is_refused(void **state)
{
	uint64_t at = BASE + S;
	struct hip_clock clock = known_clock(at), none = { 0 };
	struct hip_stamps kernel = stamps(0, at + MS, at + 2 * MS, at, at + 3 * MS);
	struct rec_span span = { 0 };

	(void)state;
	assert_false(hip_clock_convert(&none, &kernel, &span));
	assert_true(hip_clock_convert(&clock, &kernel, &span));
	kernel.duration_ns = 0;
	assert_false(hip_clock_convert(&clock, &kernel, &span));
	kernel.duration_ns = 4 * (int64_t)MS; /* more than there was between the launch and its end */
	assert_false(hip_clock_convert(&clock, &kernel, &span));
	hip_clock_narrow(&none, &kernel);
	assert_false(none.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_came_later_tells_the_time_of_what_was_before),
		cmocka_unit_test(nothing_is_pushed_beyond_the_return_of_its_call),
		cmocka_unit_test(nothing_is_pushed_beyond_when_it_was_over),
		cmocka_unit_test(what_a_stream_did_before_is_over_before),
		cmocka_unit_test(an_operation_lies_within_the_call_that_waited_for_it),
		cmocka_unit_test(the_event_after_a_call_may_come_late),
		cmocka_unit_test(drift_is_within_the_error),
		cmocka_unit_test(a_clock_that_has_jumped_begins_anew),
		cmocka_unit_test(what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
