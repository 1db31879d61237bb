/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time went: every rule of the breakdown, on synthetic recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tally_builder.h"

struct fixture {
	char run[200];
	struct builder *builder; /* a process that lived from 1 s to 9 s of a run of 10 s */
	uint32_t backend, send, launch, wait, poll, copy;
	struct summary *summary;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct builder *builder;

	strcpy(fixture->run, builder_run_directory());
	fixture->builder = builder = builder_create(fixture->run, 100, 1 * SECOND, 9 * SECOND);
	fixture->backend = builder_backend(builder, "api");
	fixture->send = builder_function(builder, fixture->backend, "api_send", SONDE_KIND_p2p);
	fixture->launch = builder_function(builder, fixture->backend, "api_launch", SONDE_KIND_launch);
	fixture->wait = builder_function(builder, fixture->backend, "api_wait", SONDE_KIND_wait);
	fixture->poll = builder_function(builder, fixture->backend, "api_poll", SONDE_KIND_poll);
	fixture->copy = builder_function(builder, fixture->backend, "api_copy", SONDE_KIND_copy);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	summary_destroy(fixture->summary);
	builder_destroy(fixture->builder);
	builder_remove(fixture->run);
	free(fixture);
	return 0;
}

/* Writes the process and a launch of 0 s to 10 s that another program belongs to, and sums up. */
static void summarise(struct fixture *fixture)
{
	struct fmt_launch launch = builder_launch(1, 0, 10 * SECOND, 0);

	builder_write(fixture->builder);
	builder_launch_write(fixture->run, &launch);
	fixture->summary = builder_summary(fixture->run);
}

static int64_t share_ns(const struct fixture *fixture, enum sonde_category category)
{
	return fixture->summary->share[category].ns;
}

static void shares_sum_to_the_wall_time_exactly(void **state)
{
	struct fixture *fixture = *state;
	uint32_t thread = builder_thread(fixture->builder, 100);
	int64_t ns = 0, ppm = 0;
	int i;

	builder_calls(builder_row(fixture->builder, thread, fixture->send), 7, 333333333);
	builder_calls(builder_row(fixture->builder, thread, fixture->launch), 3, 7);
	summarise(fixture);
	for (i = 0; i < SONDE_CATEGORY_COUNT; i++) {
		ns += fixture->summary->share[i].ns;
		ppm += fixture->summary->share[i].ppm;
	}
	assert_int_equal(ns, 10 * SECOND);
	assert_int_equal(ppm, 1000000);
}

static void time_before_birth_and_after_the_end_is_not_running(void **state)
{
	struct fixture *fixture = *state;

	builder_thread(fixture->builder, 100);
	summarise(fixture);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_not_running), 2 * SECOND);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_host), 8 * SECOND);
}

static void kinds_count_towards_their_category(void **state)
{
	struct fixture *fixture = *state;
	uint32_t thread = builder_thread(fixture->builder, 100);

	builder_calls(builder_row(fixture->builder, thread, fixture->send), 2, SECOND);
	builder_calls(builder_row(fixture->builder, thread, fixture->launch), 1, SECOND);
	builder_calls(builder_row(fixture->builder, thread, fixture->wait), 3, SECOND);
	summarise(fixture);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_comm), 2 * SECOND);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_launch), 1 * SECOND);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_device_wait), 3 * SECOND);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_host), 2 * SECOND);
}

static void nested_calls_count_once(void **state)
{
	struct fixture *fixture = *state;
	uint32_t thread = builder_thread(fixture->builder, 100);
	struct fmt_stats *outer = builder_row(fixture->builder, thread, fixture->send);

	builder_calls(outer, 1, 5 * SECOND);
	outer->child = 2 * SECOND;
	builder_calls(builder_row(fixture->builder, thread, fixture->wait), 1, 2 * SECOND);
	summarise(fixture);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_comm), 3 * SECOND);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_device_wait), 2 * SECOND);
	assert_int_equal(summary_find_call(fixture->summary, "api_send")->self_ns, 3 * SECOND);
	assert_int_equal(summary_find_call(fixture->summary, "api_send")->times.total_ns, 5 * SECOND);
}

static void recursion_counts_in_the_outermost_call_only(void **state)
{
	struct fixture *fixture = *state;
	uint32_t thread = builder_thread(fixture->builder, 100);
	struct fmt_stats *row = builder_row(fixture->builder, thread, fixture->send);
	struct fmt_stats *between = builder_row(fixture->builder, thread, fixture->wait);

	/* send (5 s) calls wait (3 s), which calls send (1 s): inner time is subtracted from child */
	builder_calls(row, 1, 5 * SECOND);
	row->hist[fmt_bucket(SECOND)]++;
	row->child = 3 * SECOND;
	row->child -= SECOND;
	builder_calls(between, 1, 3 * SECOND);
	between->child = SECOND;
	summarise(fixture);
	assert_int_equal(summary_find_call(fixture->summary, "api_send")->times.calls, 2);
	assert_int_equal(summary_find_call(fixture->summary, "api_send")->self_ns, 3 * SECOND);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_comm) + share_ns(fixture, SONDE_CATEGORY_device_wait),
			 5 * SECOND);
}

static void a_negative_share_is_reported_and_not_clamped(void **state)
{
	struct fixture *fixture = *state;
	uint32_t thread = builder_thread(fixture->builder, 100);

	builder_calls(builder_row(fixture->builder, thread, fixture->send), 1, 11 * SECOND);
	summarise(fixture);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_host), -3 * (int64_t)SECOND);
	assert_non_null(summary_note(fixture->summary, "negative"));
	assert_non_null(strstr(summary_note(fixture->summary, "negative"), "host"));
}

/* Four copies of a second, of which so much waited and moved data. */
static void summarise_copies(struct fixture *fixture, uint64_t blocked, uint64_t device_ns)
{
	uint32_t thread = builder_thread(fixture->builder, 100);
	struct fmt_stats *row = builder_row(fixture->builder, thread, fixture->copy);

	builder_calls(row, 4, SECOND);
	row->blocked = blocked;
	row->device_ns = device_ns;
	summarise(fixture);
}

static void a_blocking_copy_is_copy_for_its_device_span_and_waiting_for_the_rest(void **state)
{
	struct fixture *fixture = *state;

	summarise_copies(fixture, 3 * SECOND /* three of the four calls */, SECOND / 2);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_copy), 1500 * MS);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_device_wait), 2500 * MS);
}

static void a_blocking_copy_whose_device_span_is_longer_by_the_clocks_error_waited_for_nothing(void **state)
{
	struct fixture *fixture = *state;

	summarise_copies(fixture, 4 * SECOND, 4 * SECOND + 500000);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_device_wait), 0);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_copy), 4 * (int64_t)SECOND);
	assert_null(summary_note(fixture->summary, "negative"));
}

static void a_blocking_copy_whose_device_span_is_far_longer_is_a_fault_that_shows(void **state)
{
	struct fixture *fixture = *state;

	summarise_copies(fixture, 4 * SECOND, 5 * SECOND);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_device_wait), -(int64_t)SECOND);
	assert_non_null(summary_note(fixture->summary, "negative"));
}

static void counted_functions_take_no_time(void **state)
{
	struct fixture *fixture = *state;
	uint32_t thread = builder_thread(fixture->builder, 100);
	const struct summary_call *call;

	fixture->builder->function[fixture->poll].flags = FMT_FUNCTION_COUNTED;
	builder_row(fixture->builder, thread, fixture->poll)->hist[0] = 1234;
	summarise(fixture);
	call = summary_find_call(fixture->summary, "api_poll");
	assert_non_null(call);
	assert_false(call->timed);
	assert_int_equal(call->times.calls, 1234);
	assert_int_equal(call->times.total_ns, 0);
	assert_int_equal(call->times.p99_ns, 0);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_host), 8 * SECOND);
}

/* ---- reference thread ---- */

static void the_initial_thread_is_the_reference(void **state)
{
	struct fixture *fixture = *state;
	uint32_t other = builder_thread(fixture->builder, 101), initial = builder_thread(fixture->builder, 100);

	builder_calls(builder_row(fixture->builder, other, fixture->launch), 1, 5 * SECOND);
	builder_calls(builder_row(fixture->builder, initial, fixture->send), 1, SECOND);
	summarise(fixture);
	assert_int_equal(fixture->summary->process[0].reference_tid, 100);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_launch), 0);
}

static void a_thread_with_more_device_time_than_the_reference_is_named(void **state)
{
	struct fixture *fixture = *state;
	uint32_t other = builder_thread(fixture->builder, 101), initial = builder_thread(fixture->builder, 100);

	builder_calls(builder_row(fixture->builder, other, fixture->launch), 1, 5 * SECOND);
	builder_calls(builder_row(fixture->builder, initial, fixture->send), 1, SECOND);
	summarise(fixture);
	assert_non_null(summary_note(fixture->summary, "busier_thread"));
	assert_non_null(strstr(summary_note(fixture->summary, "busier_thread"), "thread 101"));
}

static void an_idle_initial_thread_gives_way_to_the_one_that_faces_the_device(void **state)
{
	struct fixture *fixture = *state;
	uint32_t initial = builder_thread(fixture->builder, 100), sender = builder_thread(fixture->builder, 101);
	uint32_t launcher = builder_thread(fixture->builder, 102);

	builder_calls(builder_row(fixture->builder, initial, fixture->send), 1, 79 * MS); /* under 1 % of 8 s */
	builder_calls(builder_row(fixture->builder, sender, fixture->send), 1, 4 * SECOND);
	builder_calls(builder_row(fixture->builder, launcher, fixture->launch), 1, SECOND);
	summarise(fixture);
	assert_int_equal(fixture->summary->process[0].reference_tid, 102);
}

static void an_initial_thread_with_one_per_cent_traced_stays_the_reference(void **state)
{
	struct fixture *fixture = *state;
	uint32_t initial = builder_thread(fixture->builder, 100), launcher = builder_thread(fixture->builder, 102);

	builder_calls(builder_row(fixture->builder, initial, fixture->send), 1, 81 * MS);
	builder_calls(builder_row(fixture->builder, launcher, fixture->launch), 1, SECOND);
	summarise(fixture);
	assert_int_equal(fixture->summary->process[0].reference_tid, 100);
}

static void a_polling_thread_is_never_the_reference(void **state)
{
	struct fixture *fixture = *state;
	uint32_t initial = builder_thread(fixture->builder, 100), poller = builder_thread(fixture->builder, 101);
	uint32_t worker = builder_thread(fixture->builder, 102);

	builder_calls(builder_row(fixture->builder, initial, fixture->send), 1, 1 * MS);
	builder_calls(builder_row(fixture->builder, poller, fixture->poll), 1000, 7300000); /* 7.3 of 8 s */
	builder_calls(builder_row(fixture->builder, worker, fixture->launch), 1, SECOND);
	summarise(fixture);
	assert_int_equal(fixture->summary->process[0].reference_tid, 102);
}

static void without_device_work_the_thread_with_most_traced_time_is_taken(void **state)
{
	struct fixture *fixture = *state;
	uint32_t little = builder_thread(fixture->builder, 101), much = builder_thread(fixture->builder, 102);

	builder_calls(builder_row(fixture->builder, little, fixture->send), 1, SECOND);
	builder_calls(builder_row(fixture->builder, much, fixture->send), 1, 2 * SECOND);
	summarise(fixture);
	assert_int_equal(fixture->summary->process[0].reference_tid, 102);
}

/* ---- open calls ---- */

static void a_killed_process_was_in_its_open_call_until_its_launcher_saw_the_end(void **state)
{
	struct fixture *fixture = *state;
	uint32_t thread = builder_thread(fixture->builder, 100);
	struct fmt_launch launch = builder_launch(100, 0, 125 * SECOND, 9);
	const char *note;

	builder_open_call(fixture->builder, thread, fixture->send, 5 * SECOND, SECOND);
	builder_open_call(fixture->builder, thread, fixture->wait, 105 * SECOND, 0);
	fixture->builder->process.end = FMT_END_NONE;
	fixture->builder->process.end_ticks = 0;
	builder_write(fixture->builder);
	builder_launch_write(fixture->run, &launch);
	fixture->summary = builder_summary(fixture->run);
	note = summary_note(fixture->summary, "open_call");
	assert_non_null(note);
	assert_non_null(strstr(note, "in api_wait for 20.00 s"));
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_device_wait), 20 * SECOND);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_comm), 99 * SECOND);
	assert_int_equal(summary_find_call(fixture->summary, "api_send")->open_ns, 120 * SECOND);
	assert_int_equal(summary_find_call(fixture->summary, "api_send")->times.calls, 0);
	assert_int_equal(summary_find_call(fixture->summary, "api_send")->unfinished, 1);
	assert_string_equal(fixture->summary->run.end, "signal 9");
	assert_non_null(strstr(summary_note(fixture->summary, "signal"), "signal 9"));
}

static void an_unknown_end_without_open_calls_is_the_last_sign_of_life(void **state)
{
	struct fixture *fixture = *state;

	builder_thread(fixture->builder, 100);
	fixture->builder->process.end = FMT_END_NONE;
	fixture->builder->process.end_ticks = 0;
	fixture->builder->process.last.ticks = EPOCH + 4 * SECOND;
	fixture->builder->process.last.raw_ns = EPOCH + 4 * SECOND;
	summarise(fixture);
	assert_int_equal(fixture->summary->process[0].end_ns, 4 * SECOND);
	assert_int_equal(fixture->summary->process[0].end_source, SUMMARY_END_LAST);
	assert_non_null(summary_note(fixture->summary, "end_unknown"));
}

static void an_unknown_end_with_an_open_call_is_the_end_of_the_run(void **state)
{
	struct fixture *fixture = *state;
	uint32_t thread = builder_thread(fixture->builder, 100);

	builder_open_call(fixture->builder, thread, fixture->send, 2 * SECOND, 0);
	fixture->builder->process.end = FMT_END_NONE;
	fixture->builder->process.end_ticks = 0;
	summarise(fixture);
	assert_int_equal(fixture->summary->process[0].end_ns, 10 * SECOND);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_comm), 8 * SECOND);
}

/* ---- several processes ---- */

static void images_of_one_process_share_its_stretch_of_time(void **state)
{
	struct fixture *fixture = *state;
	struct builder *second = builder_create(fixture->run, 100, 5 * SECOND, 9 * SECOND);

	builder_thread(fixture->builder, 100);
	fixture->builder->process.end = FMT_END_EXEC;
	fixture->builder->process.end_ticks = EPOCH + 4 * SECOND;
	fixture->builder->process.last = fixture->builder->process.open;
	builder_backend(second, "api");
	builder_thread(second, 100);
	builder_write(fixture->builder);
	builder_write(second);
	builder_destroy(second);
	{
		struct fmt_launch launch = builder_launch(100, 0, 10 * SECOND, 0);

		builder_launch_write(fixture->run, &launch);
	}
	fixture->summary = builder_summary(fixture->run);
	assert_int_equal(fixture->summary->run.processes, 1);
	assert_int_equal(fixture->summary->processes, 2);
	/* 1-4 s and 5-10 s of 10 s: 8 s in which a program image ran, 2 s in which none did */
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_host), 8 * SECOND);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_not_running), 2 * SECOND);
}

static void processes_without_ranks_share_one_table(void **state)
{
	struct fixture *fixture = *state;
	struct builder *second = builder_create(fixture->run, 200, 2 * SECOND, 4 * SECOND);

	builder_thread(fixture->builder, 100);
	builder_thread(second, 200);
	builder_write(second);
	builder_destroy(second);
	summarise(fixture);
	assert_int_equal(fixture->summary->run.processes, 2);
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_host), 10 * SECOND);         /* 8 + 2 */
	assert_int_equal(share_ns(fixture, SONDE_CATEGORY_not_running), 10 * SECOND);  /* 2 + 8 */
	assert_int_equal(fixture->summary->share[SONDE_CATEGORY_host].ppm, 500000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shares_sum_to_the_wall_time_exactly),
		TEST(time_before_birth_and_after_the_end_is_not_running),
		TEST(kinds_count_towards_their_category),
		TEST(nested_calls_count_once),
		TEST(recursion_counts_in_the_outermost_call_only),
		TEST(a_negative_share_is_reported_and_not_clamped),
		TEST(a_blocking_copy_is_copy_for_its_device_span_and_waiting_for_the_rest),
		TEST(a_blocking_copy_whose_device_span_is_longer_by_the_clocks_error_waited_for_nothing),
		TEST(a_blocking_copy_whose_device_span_is_far_longer_is_a_fault_that_shows),
		TEST(counted_functions_take_no_time),
		TEST(the_initial_thread_is_the_reference),
		TEST(a_thread_with_more_device_time_than_the_reference_is_named),
		TEST(an_idle_initial_thread_gives_way_to_the_one_that_faces_the_device),
		TEST(an_initial_thread_with_one_per_cent_traced_stays_the_reference),
		TEST(a_polling_thread_is_never_the_reference),
		TEST(without_device_work_the_thread_with_most_traced_time_is_taken),
		TEST(a_killed_process_was_in_its_open_call_until_its_launcher_saw_the_end),
		TEST(an_unknown_end_without_open_calls_is_the_last_sign_of_life),
		TEST(an_unknown_end_with_an_open_call_is_the_end_of_the_run),
		TEST(images_of_one_process_share_its_stretch_of_time),
		TEST(processes_without_ranks_share_one_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
