/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls whose names are known at run time alone: how they nest with each other, with other calls, and how they end. */
#include "record_fixture.h"

static struct fmt_stats *row_of(const char *name)
{
	for (uint64_t i = 0; i < rec_state.area[FMT_SECTION_FUNCTIONS].section->used; i++) {
		const struct fmt_function *function = rec_area_item(FMT_SECTION_FUNCTIONS, i);

		if (!strcmp(rec_state.area[FMT_SECTION_STRINGS].base + function->name, name))
			return rec_row(rec_tls.thread, (uint32_t)i + 1);
	}
	fail_msg("no function %s", name);
	return NULL;
}

static uint64_t calls_of(const char *name)
{
	uint64_t calls = 0;

	for (unsigned i = 0; i < FMT_BUCKETS; i++)
		calls += row_of(name)->hist[i];
	return calls;
}

static struct rec_call enter(const char *name, uintptr_t frame_address)
{
	struct rec_label label = rec_label(NULL, name);
	struct rec_call call;

	rec_enter_dynamic(&call, &fixture_backend, &label, SONDE_KIND_compute, frame_address);
	return call;
}

static uint64_t begin(const char *name)
{
	struct rec_call call = enter(name, 0);

	return rec_call_token(&call);
}

static bool end(uint64_t token)
{
	struct rec_call call;

	if (!rec_call_resume(&call, &fixture_backend, token))
		return false;
	rec_leave(&call);
	return true;
}

static void self_times_add_up_to_the_outermost(void **state)
{
	uint64_t outer = begin("outer"), inner;

	(void)state;
	for (int i = 0; i < 3; i++) {
		inner = begin("inner");
		assert_true(end(inner));
	}
	assert_true(end(outer));
	assert_int_equal(calls_of("outer"), 1);
	assert_int_equal(calls_of("inner"), 3);
	assert_int_equal(row_of("outer")->child, row_of("inner")->total);
	assert_int_equal(rec_tls.thread->depth, 0);
}

static void a_call_within_itself_counts_its_time_once(void **state)
{
	uint64_t outer = begin("same"), inner = begin("same");

	(void)state;
	assert_true(end(inner));
	assert_true(end(outer));
	assert_int_equal(calls_of("same"), 2);
	assert_true(row_of("same")->max == row_of("same")->total);
	assert_int_equal(row_of("same")->child, 0);
}

static void an_end_closes_what_was_begun_inside_and_never_ended(void **state)
{
	uint64_t outer = begin("outer"), inner = begin("inner");

	(void)state;
	assert_true(end(outer));
	assert_int_equal(row_of("inner")->unfinished, 1);
	assert_int_equal(rec_tls.thread->depth, 0);
	assert_false(end(inner));
	assert_false(end(outer));
	assert_int_equal(calls_of("outer"), 1);
}

static void a_token_of_a_call_that_is_over_ends_no_other(void **state)
{
	uint64_t first = begin("name"), second;

	(void)state;
	assert_true(end(first));
	second = begin("name");
	assert_int_not_equal(first, second);
	assert_false(end(first));
	assert_true(end(second));
	assert_int_equal(calls_of("name"), 2);
	assert_int_equal(row_of("name")->unfinished, 0);
	assert_false(end(0));
}

static void a_frame_that_was_jumped_over_is_dropped_by_the_next_call_above_it(void **state)
{
	struct rec_call above;

	(void)state;
	enter("left", 1000);
	above = enter("next", 2000);
	assert_int_equal(row_of("left")->unfinished, 1);
	assert_int_equal(above.depth, 1);
	rec_leave(&above);
	assert_int_equal(calls_of("next"), 1);
}

static void calls_too_deep_are_counted_as_lost(void **state)
{
	uint64_t token[FMT_FRAMES];

	(void)state;
	for (unsigned i = 0; i < FMT_FRAMES; i++)
		token[i] = begin("deep");
	assert_int_equal(begin("deep"), 0);
	assert_int_equal(rec_tls.thread->lost, 1);
	for (unsigned i = FMT_FRAMES; i-- > 0;)
		assert_true(end(token[i]));
	assert_int_equal(calls_of("deep"), FMT_FRAMES);
}

static void failures_bytes_and_sizes_of_communicators_reach_the_row(void **state)
{
	struct rec_call call = enter("copy", 0);
	const struct fmt_function *function = rec_area_item(FMT_SECTION_FUNCTIONS, call.slot - 1);

	(void)state;
	call.failed = 1;
	rec_leave(&call);
	rec_call_bytes(&call, 10, 20, false);
	rec_call_members(&call, 8);
	rec_call_members(&call, 2);
	rec_call_members(&call, 4);
	assert_int_equal(row_of("copy")->failed, 1);
	assert_int_equal(row_of("copy")->bytes_out, 10);
	assert_int_equal(row_of("copy")->bytes_in, 20);
	assert_int_equal(function->members_least, 2);
	assert_int_equal(function->members_most, 8);
}

static void a_wait_that_begins_in_a_pause_is_none(void **state)
{
	(void)state;
	assert_true(rec_past_begin() > 0);
	rec_pause();
	assert_true(rec_past_begin() == 0);
	rec_resume();
	assert_true(rec_past_begin() > 0);
}

static void what_is_called_while_the_tool_is_at_work_is_not_recorded(void **state)
{
	uint64_t outer = begin("outer");
	uint32_t guard = rec_guard_enter();

	(void)state;
	assert_int_equal(begin("inside"), 0);
	rec_guard_leave(guard);
	assert_true(end(outer));
	assert_int_equal(rec_tls.thread->lost, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(self_times_add_up_to_the_outermost),
		T(a_call_within_itself_counts_its_time_once),
		T(an_end_closes_what_was_begun_inside_and_never_ended),
		T(a_token_of_a_call_that_is_over_ends_no_other),
		T(a_frame_that_was_jumped_over_is_dropped_by_the_next_call_above_it),
		T(calls_too_deep_are_counted_as_lost),
		T(failures_bytes_and_sizes_of_communicators_reach_the_row),
		T(a_wait_that_begins_in_a_pause_is_none),
		T(what_is_called_while_the_tool_is_at_work_is_not_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
