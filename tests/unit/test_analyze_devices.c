/* SPDX-License-Identifier: BSD-3-Clause */
/* How busy devices were: unions over processes, overlap, folded parts, torn lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/interval.h"
#include "tally_builder.h"

#define PROCESSES 2

struct fixture {
	char run[200];
	struct builder *builder[PROCESSES];
	struct fmt_device *device[PROCESSES]; /* one and the same, as each process knows it */
	struct summary *summary;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	int i;

	strcpy(fixture->run, builder_run_directory());
	for (i = 0; i < PROCESSES; i++) {
		struct builder *builder = builder_create(fixture->run, 100 + (uint32_t)i, 0, 10 * SECOND);
		uint32_t backend = builder_backend(builder, "api");
		uint32_t thread = builder_thread(builder, builder->process.pid);

		builder_calls(builder_row(builder, thread, builder_function(builder, backend, "api_launch",
									    SONDE_KIND_launch)), 1, 1000);
		if (i) /* another ordinal in the other process */
			builder_device(builder, backend, "uuid-of-an-unused-device", "GPU");
		fixture->device[i] = builder->device[builder_device(builder, backend, "uuid-1", "GPU")];
		fixture->builder[i] = builder;
	}
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	int i;

	summary_destroy(fixture->summary);
	for (i = 0; i < PROCESSES; i++)
		builder_destroy(fixture->builder[i]);
	builder_remove(fixture->run);
	free(fixture);
	return 0;
}

static const struct summary_device *summarise(struct fixture *fixture)
{
	int i;

	for (i = 0; i < PROCESSES; i++)
		builder_write(fixture->builder[i]);
	fixture->summary = builder_summary(fixture->run);
	assert_int_equal(fixture->summary->devices, 1);
	return &fixture->summary->device[0];
}

static void kernel(struct fmt_device *device, uint64_t begin, uint64_t end)
{
	builder_interval(&device->kernels, begin, end);
	device->kernels_sum_ns += end - begin;
}

static void copy(struct fmt_device *device, uint64_t begin, uint64_t end)
{
	builder_interval(&device->copies, begin, end);
	device->copies_sum_ns += end - begin;
}

static void two_processes_on_one_device_are_a_union(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_device *device;

	kernel(fixture->device[0], 1 * SECOND, 7 * SECOND);
	kernel(fixture->device[1], 3 * SECOND, 9 * SECOND);
	device = summarise(fixture);
	assert_int_equal(device->kernels_ns, 8 * SECOND);
	assert_int_equal(device->kernels_sum_ns, 12 * SECOND);
	assert_int_equal(device->idle_ns, 2 * SECOND);
	assert_int_equal(device->wall_ns, 10 * SECOND);
	assert_int_equal(device->processes, 2);
	assert_false(device->approximate);
}

static void overlap_is_the_intersection_of_kernels_and_copies_of_all_processes(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_device *device;

	kernel(fixture->device[0], 1 * SECOND, 4 * SECOND);
	copy(fixture->device[1], 3 * SECOND, 6 * SECOND);
	copy(fixture->device[0], 2 * SECOND, 3 * SECOND + SECOND / 2);
	device = summarise(fixture);
	assert_int_equal(device->copies_ns, 4 * SECOND);
	assert_int_equal(device->copies_sum_ns, 4 * SECOND + SECOND / 2);
	assert_int_equal(device->overlap_ns, 2 * SECOND);
	assert_int_equal(device->idle_ns, 5 * SECOND);
}

static void touching_intervals_do_not_overlap(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_device *device;

	kernel(fixture->device[0], 1 * SECOND, 2 * SECOND);
	copy(fixture->device[1], 2 * SECOND, 3 * SECOND);
	device = summarise(fixture);
	assert_int_equal(device->overlap_ns, 0);
	assert_int_equal(device->idle_ns, 8 * SECOND);
}

static void one_process_folded_parts_are_exact(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_device *device;

	fixture->device[0]->fold_line = EPOCH + 4 * SECOND;
	fixture->device[0]->kernels.folded_ns = 3 * SECOND;
	fixture->device[0]->copies.folded_ns = 2 * SECOND;
	fixture->device[0]->overlap_folded_ns = SECOND + SECOND / 2;
	fixture->device[0]->kernels_sum_ns = 3 * SECOND;
	kernel(fixture->device[0], 5 * SECOND, 6 * SECOND);
	kernel(fixture->device[1], 5 * SECOND + SECOND / 2, 7 * SECOND); /* behind the line: exact, too */
	device = summarise(fixture);
	assert_int_equal(device->kernels_ns, 5 * SECOND);
	assert_int_equal(device->copies_ns, 2 * SECOND);
	assert_int_equal(device->overlap_ns, SECOND + SECOND / 2);
	assert_int_equal(device->idle_ns, 10 * SECOND - 5 * SECOND - SECOND / 2);
	assert_false(device->approximate);
}

static void folded_parts_of_several_processes_are_marked_and_bounded(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_device *device;
	int i;

	for (i = 0; i < PROCESSES; i++) {
		fixture->device[i]->fold_line = EPOCH + 10 * SECOND;
		fixture->device[i]->kernels.folded_ns = 8 * SECOND;
		fixture->device[i]->kernels_sum_ns = 8 * SECOND;
	}
	device = summarise(fixture);
	assert_true(device->approximate);
	assert_int_equal(device->kernels_min_ns, 8 * SECOND);
	assert_int_equal(device->kernels_max_ns, 10 * SECOND);
	assert_in_range(device->kernels_ns, 96 * SECOND / 10 - 1000, 96 * SECOND / 10 + 1000); /* 1 - 0.2 x 0.2 */
	assert_true(device->idle_ns >= 0);
	assert_non_null(summary_note(fixture->summary, "approximate"));
}

static void intervals_before_another_process_fold_line_join_the_estimate(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_device *device;

	fixture->device[0]->fold_line = EPOCH + 5 * SECOND;
	fixture->device[0]->kernels.folded_ns = 4 * SECOND;
	kernel(fixture->device[1], 1 * SECOND, 6 * SECOND);
	device = summarise(fixture);
	assert_true(device->approximate);
	assert_int_equal(device->kernels_min_ns, 5 * SECOND); /* 4 of the first 5 s, and 1 s behind them */
	assert_int_equal(device->kernels_max_ns, 6 * SECOND);
	assert_in_range(device->kernels_ns, 5 * SECOND, 6 * SECOND);
}

static void a_clock_error_that_shares_show_is_noted(void **state)
{
	struct fixture *fixture = *state;

	kernel(fixture->device[0], 1 * SECOND, 2 * SECOND);
	fixture->device[0]->clock_error_ns = SECOND / 2 + SECOND / 4;
	fixture->device[1]->clock_error_ns = 1000;
	assert_false(summarise(fixture)->approximate);
	assert_non_null(strstr(summary_note(fixture->summary, "clock_error"), "up to 750.0 ms earlier or later"));
}

static void a_clock_error_that_shares_do_not_show_is_none(void **state)
{
	struct fixture *fixture = *state;

	kernel(fixture->device[0], 1 * SECOND, 2 * SECOND);
	fixture->device[0]->clock_error_ns = SECOND / 4;
	summarise(fixture);
	assert_null(summary_note(fixture->summary, "clock_error"));
}

static void a_list_torn_by_a_kill_is_sorted_and_merged(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_device *device;

	kernel(fixture->device[0], 5 * SECOND, 6 * SECOND);
	kernel(fixture->device[0], 1 * SECOND, 3 * SECOND);
	kernel(fixture->device[0], 2 * SECOND, 4 * SECOND);
	kernel(fixture->device[0], 5 * SECOND, 6 * SECOND); /* moved, old place not yet cleared */
	fixture->device[0]->kernels.busy = 1;
	device = summarise(fixture);
	assert_int_equal(device->kernels_ns, 4 * SECOND);
	assert_true(device->approximate);
}

static void copies_without_a_row_make_a_lower_bound(void **state)
{
	struct fixture *fixture = *state;

	kernel(fixture->device[0], 0, SECOND);
	fixture->builder[1]->process.notes = FMT_NOTE_ROWS_FULL;
	summarise(fixture);
	assert_non_null(summary_note(fixture->summary, "rows"));
	assert_true(fixture->summary->lower_bound);
}

static void reversed_intervals_are_dropped_and_noted(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_device *device;

	kernel(fixture->device[0], 1 * SECOND, 2 * SECOND);
	builder_interval(&fixture->device[0]->kernels, 5 * SECOND, 4 * SECOND);
	device = summarise(fixture);
	assert_int_equal(device->kernels_ns, SECOND);
	assert_non_null(summary_note(fixture->summary, "damaged"));
	assert_true(fixture->summary->lower_bound);
}

static void a_device_busy_for_longer_than_the_run_is_an_error(void **state)
{
	struct fixture *fixture = *state;

	kernel(fixture->device[0], 1 * SECOND, 30 * SECOND);
	assert_true(summarise(fixture)->idle_ns < 0);
	assert_non_null(summary_note(fixture->summary, "negative"));
}

static void devices_that_nobody_used_are_left_out(void **state)
{
	struct fixture *fixture = *state;

	kernel(fixture->device[0], 1 * SECOND, 2 * SECOND);
	summarise(fixture); /* asserts that there is one device of the two that process 1 knows */
	assert_string_equal(fixture->summary->device[0].key, "uuid-1");
	assert_string_equal(fixture->summary->device[0].label, "GPU");
}

static void devices_of_one_name_get_numbers(void **state)
{
	struct fixture *fixture = *state;

	kernel(fixture->device[0], 1 * SECOND, 2 * SECOND);
	kernel(fixture->builder[1]->device[0], 1 * SECOND, 2 * SECOND);
	builder_write(fixture->builder[0]);
	builder_write(fixture->builder[1]);
	fixture->summary = builder_summary(fixture->run);
	assert_int_equal(fixture->summary->devices, 2);
	assert_string_equal(fixture->summary->device[0].label, "GPU #0");
	assert_string_equal(fixture->summary->device[1].label, "GPU #1");
}

static void the_same_key_on_two_hosts_is_two_devices(void **state)
{
	struct fixture *fixture = *state;

	builder_host(fixture->builder[1], "node2");
	kernel(fixture->device[0], 1 * SECOND, 2 * SECOND);
	kernel(fixture->device[1], 1 * SECOND, 2 * SECOND);
	builder_write(fixture->builder[0]);
	builder_write(fixture->builder[1]);
	fixture->summary = builder_summary(fixture->run);
	assert_int_equal(fixture->summary->devices, 2);
	assert_int_equal(fixture->summary->run.hosts, 2);
}

static void ranks_are_mapped_to_their_devices(void **state)
{
	struct fixture *fixture = *state;

	fixture->builder[0]->process.rank = 3;
	fixture->builder[1]->process.rank = 1;
	kernel(fixture->device[0], 1 * SECOND, 2 * SECOND);
	kernel(fixture->device[1], 1 * SECOND, 4 * SECOND);
	summarise(fixture);
	assert_int_equal(fixture->summary->rank_devices, 2);
	assert_int_equal(fixture->summary->rank_device[0].rank, 1);
	assert_string_equal(fixture->summary->rank_device[0].device, "GPU");
	assert_int_equal(fixture->summary->rank_device[1].rank, 3);
	assert_int_equal(fixture->summary->device[0].ranks.max_rank, 1);
	assert_int_equal(fixture->summary->device[0].ranks.max, 3 * SECOND);
	assert_int_equal(fixture->summary->device[0].ranks.min, SECOND);
	assert_int_equal(fixture->summary->device[0].ranks.mean, 2 * SECOND);
}

/* ---- the set operations against plain counting ---- */

#define UNITS 200

static void fill_random(unsigned *seed, bool *busy, struct fmt_interval *interval, size_t *used)
{
	size_t i;

	*used = 0;
	for (i = 0; i < UNITS; i++)
		busy[i] = rand_r(seed) % 3 == 0;
	for (i = 0; i < UNITS; i++) {
		if (!busy[i])
			continue;
		if (i && busy[i - 1])
			interval[*used - 1].end = i + 1;
		else
			interval[(*used)++] = (struct fmt_interval){i, i + 1};
	}
}

static void unions_and_overlaps_equal_plain_counting(void **state)
{
	struct fmt_interval intervals[2][UNITS];
	bool busy[2][UNITS];
	unsigned seed = 1, round, line;
	size_t i;

	(void)state;
	for (round = 0; round < 500; round++) {
		struct arena arena = {NULL};
		struct interval_set left = {intervals[0], 0}, right = {intervals[1], 0}, both, before, from;
		uint64_t either = 0, common = 0, early = 0;

		fill_random(&seed, busy[0], intervals[0], &left.used);
		fill_random(&seed, busy[1], intervals[1], &right.used);
		line = (unsigned)rand_r(&seed) % UNITS;
		for (i = 0; i < UNITS; i++) {
			either += busy[0][i] || busy[1][i];
			common += busy[0][i] && busy[1][i];
			early += busy[0][i] && i < line;
		}
		both = interval_union(&arena, &left, &right);
		before = interval_before(&arena, &left, line);
		from = interval_from(&arena, &left, line);
		assert_int_equal(interval_length(&both), either);
		assert_int_equal(interval_overlap(&left, &right), common);
		assert_int_equal(interval_length(&before), early);
		assert_int_equal(interval_length(&before) + interval_length(&from), interval_length(&left));
		arena_free(&arena);
	}
}

/* The verdict where each process waited for nine of its ten seconds, and the first had the device run for so many. */
static const char *verdict_of_waits(struct fixture *fixture, uint64_t seconds)
{
	for (int i = 0; i < PROCESSES; i++) {
		struct builder *builder = fixture->builder[i];

		builder_calls(builder_row(builder, 0, builder_function(builder, 0, "api_wait", SONDE_KIND_wait)), 9,
			      SECOND);
		kernel(fixture->device[i], 0, i ? MS : seconds * SECOND);
		builder_write(builder);
	}
	fixture->summary = builder_summary(fixture->run);
	return fixture->summary->verdict;
}

static void who_waits_for_a_busy_device_waits_for_no_idle_one_beside_it(void **state)
{
	struct fixture *fixture = *state;
	const char *verdict;

	kernel(fixture->builder[0]->device[builder_device(fixture->builder[0], 0, "uuid-2", "GPU")], 0, 10 * MS);
	verdict = verdict_of_waits(fixture, 9);
	assert_non_null(strstr(verdict, "Bound by device kernels: running 45 % of the time (mean of 2 devices)"));
	assert_null(strstr(verdict, "idle"));
}

/* One process alone: it waited for nine seconds, and each of two devices ran for `ns`. */
static const char *verdict_of_two(struct fixture *fixture, uint64_t second_begins, uint64_t ns, bool folded)
{
	struct builder *builder = fixture->builder[0];
	struct fmt_device *device[2] = {fixture->device[0],
					builder->device[builder_device(builder, 0, "uuid-2", "GPU")]};

	builder_calls(builder_row(builder, 0, builder_function(builder, 0, "api_wait", SONDE_KIND_wait)), 9, SECOND);
	for (int i = 0; i < 2; i++) {
		if (folded) {
			device[i]->kernels.folded_ns = device[i]->kernels_sum_ns = ns;
			device[i]->fold_line = 9 * SECOND;
		} else {
			kernel(device[i], i ? second_begins : 0, (i ? second_begins : 0) + ns);
		}
	}
	builder_write(builder);
	fixture->summary = builder_summary(fixture->run);
	return fixture->summary->verdict;
}

static void devices_that_run_at_the_same_time_explain_that_time_once(void **state)
{
	assert_non_null(strstr(verdict_of_two(*state, 0, 1500 * MS, false),
			       "Bound by waiting for the device: 75 % of the time while it is idle"));
}

static void devices_that_run_by_turns_explain_the_waiting(void **state)
{
	const char *verdict = verdict_of_two(*state, 4500 * MS, 4500 * MS, false);

	assert_non_null(strstr(verdict, "Bound by device kernels: running 45 % of the time"));
	assert_null(strstr(verdict, "waiting for the device"));
}

static void where_times_of_several_devices_are_not_kept_nothing_is_said_of_idle_ones(void **state)
{
	assert_non_null(strstr(verdict_of_two(*state, 0, 1500 * MS, true),
			       "Bound by waiting for the device: 75 % of the time, beyond what any device ran"));
}

static void who_waits_while_no_device_is_busy_waits_for_an_idle_one(void **state)
{
	assert_non_null(strstr(verdict_of_waits(*state, 1),
			       "Bound by waiting for the device: 80 % of the time while it is idle"));
}

static void who_waits_in_blocking_copies_is_told_so(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_stats *row;

	for (int i = 0; i < PROCESSES; i++) {
		row = builder_row(fixture->builder[i], 0,
				  builder_function(fixture->builder[i], 0, "api_copy", SONDE_KIND_copy));
		builder_calls(row, 9, SECOND);
		row->blocked = 9 * SECOND;
		row->device_ns = SECOND;
		copy(fixture->device[i], 0, SECOND);
		builder_write(fixture->builder[i]);
	}
	fixture->summary = builder_summary(fixture->run);
	assert_non_null(strstr(fixture->summary->verdict, "Bound by waiting for the device in blocking copies: "
			       "70 % of the time while it is idle"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_processes_on_one_device_are_a_union),
		TEST(overlap_is_the_intersection_of_kernels_and_copies_of_all_processes),
		TEST(touching_intervals_do_not_overlap),
		TEST(one_process_folded_parts_are_exact),
		TEST(folded_parts_of_several_processes_are_marked_and_bounded),
		TEST(intervals_before_another_process_fold_line_join_the_estimate),
		TEST(a_clock_error_that_shares_show_is_noted),
		TEST(a_clock_error_that_shares_do_not_show_is_none),
		TEST(a_list_torn_by_a_kill_is_sorted_and_merged),
		TEST(reversed_intervals_are_dropped_and_noted),
		TEST(copies_without_a_row_make_a_lower_bound),
		TEST(a_device_busy_for_longer_than_the_run_is_an_error),
		TEST(devices_that_nobody_used_are_left_out),
		TEST(devices_of_one_name_get_numbers),
		TEST(the_same_key_on_two_hosts_is_two_devices),
		TEST(ranks_are_mapped_to_their_devices),
		TEST(who_waits_for_a_busy_device_waits_for_no_idle_one_beside_it),
		TEST(devices_that_run_at_the_same_time_explain_that_time_once),
		TEST(devices_that_run_by_turns_explain_the_waiting),
		TEST(where_times_of_several_devices_are_not_kept_nothing_is_said_of_idle_ones),
		TEST(who_waits_while_no_device_is_busy_waits_for_an_idle_one),
		TEST(who_waits_in_blocking_copies_is_told_so),
		cmocka_unit_test(unions_and_overlaps_equal_plain_counting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
