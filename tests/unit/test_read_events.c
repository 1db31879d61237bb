/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of sound streams: order, pairing, calls, filters, arguments. Damage: test_read_streams.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stream_builder.h"

struct fixture {
	const char *run;
	struct builder *builder;
	struct stream_builder stream;
};

static const struct events_wish single = {.what = EVENTS_SINGLE};
static const struct events_wish by_end = {.what = EVENTS_CALLS_BY_END};
static const struct events_wish by_begin = {.what = EVENTS_CALLS_BY_BEGIN};

/* A process with functions one, two, three (of backend "other"), a device, a queue; thread.1 of thread 100 begun. */
static int setup(void **state)
{
	static struct fixture fixture;
	struct builder *builder;

	fixture.run = strdup(builder_run_directory());
	fixture.builder = builder = builder_create(fixture.run, 100, 0, 1000);
	builder_backend(builder, "api");
	builder_backend(builder, "other");
	builder_function(builder, 0, "one", SONDE_KIND_launch);
	builder_function(builder, 0, "two", SONDE_KIND_copy);
	builder_function(builder, 1, "three", SONDE_KIND_wait);
	builder_device(builder, 0, "key", "GPU");
	builder_queue(builder, 0, 0, "queue 1");
	builder->process.streams = FMT_STREAMS_TIMELINE;
	builder_write(builder);
	stream_start(&fixture.stream, builder, 1);
	stream_packet(&fixture.stream, 100, 1);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	free(fixture->stream.bytes); /* of tests that do not write it */
	builder_destroy(fixture->builder);
	builder_remove(fixture->run);
	free((char *)(uintptr_t)fixture->run);
	return 0;
}

static void shows(struct fixture *fixture, const struct events_wish *wish, const char *expected)
{
	assert_string_equal(stream_text(fixture->run, wish), expected);
}

/* one(10-50) { two(20-30, failed, linked, bytes) } three(60-70) */
static void small(struct fixture *fixture)
{
	struct stream_builder *stream = &fixture->stream;

	stream_entry(stream, 0, 10);
	stream_entry(stream, 1, 20);
	stream_failed(stream, 1, 30, 5);
	stream_link(stream, 31, 77);
	stream_bytes(stream, 32, 8, 9);
	stream_exit(stream, 0, 50, 0);
	stream_entry(stream, 2, 60);
	stream_exit(stream, 2, 70, 0);
	stream_write(stream);
}

static void single_events_come_as_they_happened(void **state)
{
	small(*state);
	shows(*state, &single,
	      "t100: >one@10; .>two@20; .!two@20-30; .link 77 of two; .bytes 8/9 of two; <one@10-50; >three@60; "
	      "<three@60-70");
	assert_string_equal(stream_notes(), "");
}

static void calls_by_end_carry_what_followed_their_exit(void **state)
{
	small(*state);
	shows(*state, &by_end, "t100: .[!two 20-30 #77 +8/9]; [one 10-50]; [three 60-70]");
}

static void calls_by_begin_put_the_outer_call_first(void **state)
{
	small(*state);
	shows(*state, &by_begin, "t100: [one 10-50]; .[!two 20-30 #77 +8/9]; [three 60-70]");
}

static void several_operations_of_one_call_are_all_linked(void **state)
{
	struct fixture *fixture = *state;
	uint64_t i;

	stream_entry(&fixture->stream, 0, 10);
	stream_exit(&fixture->stream, 0, 20, 0);
	for (i = 1; i <= 6; i++)
		stream_link(&fixture->stream, 20 + i, i);
	stream_write(&fixture->stream);
	shows(fixture, &by_end, "t100: [one 10-20 #1 #2 #3 #4 #5 #6]");
	shows(fixture, &by_begin, "t100: [one 10-20 #1 #2 #3 #4 #5 #6]");
}

static void threads_and_processes_are_merged_by_time(void **state)
{
	struct fixture *fixture = *state;
	struct builder *other = builder_create(fixture->run, 200, 5, 1000);
	struct stream_builder stream;

	builder_backend(other, "api");
	builder_function(other, 0, "four", SONDE_KIND_other);
	builder_write(other);
	stream_start(&stream, other, 1);
	stream_packet(&stream, 200, 5);
	stream_entry(&stream, 0, 25);
	stream_exit(&stream, 0, 55, 0);
	stream_write(&stream);
	stream_start(&stream, fixture->builder, 2);
	stream_packet(&stream, 101, 5);
	stream_entry(&stream, 1, 5);
	stream_exit(&stream, 1, 65, 0);
	stream_write(&stream);
	small(fixture);
	shows(fixture, &by_begin,
	      "t101: [two 5-65]; t100: [one 10-50]; .[!two 20-30 #77 +8/9]; t200: [four 25-55]; t100: [three 60-70]");
	shows(fixture, &(struct events_wish){.what = EVENTS_CALLS_BY_BEGIN, .order = EVENTS_BY_STREAM},
	      "t100: [one 10-50]; .[!two 20-30 #77 +8/9]; [three 60-70]; t101: [two 5-65]; t200: [four 25-55]");
	builder_destroy(other);
}

static void a_call_left_by_a_jump_ends_with_the_call_around_it(void **state)
{
	struct fixture *fixture = *state;

	stream_entry(&fixture->stream, 0, 10);
	stream_entry(&fixture->stream, 1, 20);
	stream_entry(&fixture->stream, 2, 30);
	stream_exit(&fixture->stream, 0, 40, 0);
	stream_write(&fixture->stream);
	shows(fixture, &single,
	      "t100: >one@10; .>two@20; ..>three@30; ..<three@30-40:left; .<two@20-40:left; <one@10-40");
	assert_int_equal(stream_counts()->left, 2);
	shows(fixture, &by_begin, "t100: [one 10-40]; .[two 20-40:left]; ..[three 30-40:left]");
}

static void a_call_left_by_a_jump_is_over_when_the_stream_says_so(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_event_left left = {2};

	stream_entry(&fixture->stream, 0, 10);
	stream_entry(&fixture->stream, 1, 20);
	stream_entry(&fixture->stream, 2, 30);
	stream_event(&fixture->stream, FMT_EVENT_LEFT, 40, &left, sizeof(left));
	stream_event(&fixture->stream, FMT_EVENT_LEFT, 41, &left, sizeof(left)); /* of one whose entry was lost */
	stream_entry(&fixture->stream, 1, 50);
	stream_exit(&fixture->stream, 1, 60, 0);
	stream_exit(&fixture->stream, 0, 70, 0);
	stream_write(&fixture->stream);
	shows(fixture, &by_begin,
	      "t100: [one 10-70]; .[two 20-40:left]; ..[three 30-40:left]; .[two 50-60]");
	assert_int_equal(stream_counts()->left, 2);
	assert_string_equal(stream_notes(), "");
}

static void an_exit_without_entry_is_told_and_is_no_call(void **state)
{
	struct fixture *fixture = *state;

	stream_exit(&fixture->stream, 1, 20, 0);
	stream_entry(&fixture->stream, 0, 30);
	stream_exit(&fixture->stream, 0, 40, 0);
	stream_write(&fixture->stream);
	shows(fixture, &single, "t100: <?two@20; >one@30; <one@30-40");
	assert_int_equal(stream_counts()->unmatched, 1);
	shows(fixture, &by_end, "t100: [one 30-40]");
}

static void calls_that_are_open_at_the_end_last_until_the_process_ended(void **state)
{
	struct fixture *fixture = *state;

	stream_entry(&fixture->stream, 0, 10);
	stream_entry(&fixture->stream, 1, 20);
	stream_write(&fixture->stream);
	shows(fixture, &single, "t100: >one@10; .>two@20; .<two@20-1000:open; <one@10-1000:open");
	shows(fixture, &by_begin, "t100: [one 10-1000:open]; .[two 20-1000:open]");
	assert_int_equal(stream_counts()->open, 2);
}

static void nothing_is_paired_across_a_gap(void **state)
{
	struct fixture *fixture = *state;

	stream_entry(&fixture->stream, 0, 10);
	stream_entry(&fixture->stream, 1, 20);
	stream_current(&fixture->stream)->discarded = 7;
	stream_packet(&fixture->stream, 100, 50);
	stream_exit(&fixture->stream, 1, 60, 0);
	stream_entry(&fixture->stream, 2, 70);
	stream_exit(&fixture->stream, 2, 80, 0);
	stream_write(&fixture->stream);
	shows(fixture, &single,
	      "t100: >one@10; .>two@20; .<two@20-20:cut; <one@10-20:cut; gap(7) 20-50; <?two@60; >three@70; "
	      "<three@70-80");
	assert_int_equal(stream_counts()->lost, 7);
	shows(fixture, &by_begin, "t100: [one 10-20:cut]; .[two 20-20:cut]; gap(7) 20-50; [three 70-80]");
	shows(fixture, &by_end, "t100: .[two 20-20:cut]; [one 10-20:cut]; gap(7) 20-50; [three 70-80]");
}

static void events_lost_at_the_very_end_are_a_gap_up_to_the_end(void **state)
{
	struct fixture *fixture = *state;

	stream_entry(&fixture->stream, 0, 10);
	stream_exit(&fixture->stream, 0, 20, 0);
	stream_current(&fixture->stream)->discarded = 3;
	stream_write(&fixture->stream);
	shows(fixture, &by_end, "t100: [one 10-20]; gap(3) 20-1000");
}

static void the_next_thread_of_a_block_is_another_lane(void **state)
{
	struct fixture *fixture = *state;

	stream_entry(&fixture->stream, 0, 10);
	stream_packet(&fixture->stream, 101, 50);
	stream_exit(&fixture->stream, 0, 60, 0);
	stream_packet(&fixture->stream, 101, 70);
	stream_entry(&fixture->stream, 1, 80);
	stream_exit(&fixture->stream, 1, 90, 0);
	stream_write(&fixture->stream);
	shows(fixture, &single, "t100: >one@10; <one@10-10:left; t101: <?one@60; >two@80; <two@80-90");
}

static void time_stamps_of_48_bits_are_widened_over_their_wrap(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t wrap = ((uint64_t)1 << 48) - EPOCH % ((uint64_t)1 << 48);

	stream_packet(&fixture->stream, 100, wrap - 100);
	stream_entry(&fixture->stream, 0, wrap - 10);
	stream_exit(&fixture->stream, 0, wrap + 10, 0);
	stream_write(&fixture->stream);
	assert_non_null(strstr(stream_text(fixture->run, &by_end), "[one 280474976710646-280474976710666]"));
	assert_string_equal(stream_notes(), "");
}

static void operations_are_sorted_by_begin(void **state)
{
	struct fixture *fixture = *state;
	struct stream_builder device;
	uint64_t name = fixture->builder->function[0].name;

	small(fixture);
	stream_start(&device, fixture->builder, READ_NONE);
	stream_packet(&device, 0, 1);
	stream_operation(&device, name, 40, 90, 77);
	stream_operation(&device, name, 15, 95, 0);
	stream_operation(&device, name, 25, 97, 0);
	stream_write(&device);
	shows(fixture, &by_begin,
	      "t100: [one 10-50]; {one 15-95}; .[!two 20-30 #77 +8/9]; {one 25-97}; {one 40-90 #77}; [three 60-70]");
	assert_int_equal(stream_counts()->operations, 3);
}

static void an_operation_that_ends_before_it_begins_is_counted_and_left_out(void **state)
{
	struct fixture *fixture = *state;
	struct stream_builder device;

	stream_start(&device, fixture->builder, READ_NONE);
	stream_packet(&device, 0, 1);
	stream_operation(&device, fixture->builder->function[0].name, 40, 30, 0);
	stream_write(&device);
	shows(fixture, &single, "");
	assert_int_equal(stream_counts()->skewed, 1);
}

static int order_of(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

static void more_operations_than_fit_into_memory_are_sorted_on_disk(void **state)
{
	struct fixture *fixture = *state;
	struct events_wish wish = {.memory_bytes = 1}; /* nothing stays in memory: runs of 1024 */
	struct stream_builder device;
	struct recording *recording;
	struct events *events;
	const struct event *event;
	int begin[5000], i;

	stream_start(&device, fixture->builder, READ_NONE);
	srand(7);
	for (i = 0; i < 5000; i++) {
		if (i % 100 == 0)
			stream_packet(&device, 0, (uint64_t)i);
		begin[i] = 1 + rand() % 100000;
		stream_operation(&device, 0, (uint64_t)begin[i], (uint64_t)begin[i] + 5, 0);
		stream_current(&device)->end = EPOCH + 200000;
	}
	stream_write(&device);
	qsort(begin, 5000, sizeof(*begin), order_of);
	assert_int_equal(recording_open(&fixture->run, 1, &recording), 0);
	assert_int_equal(events_open(recording, &wish, &events), 0);
	for (i = 0; (event = events_next(events)); i++)
		assert_int_equal(event->begin, begin[i]);
	assert_int_equal(i, 5000);
	events_close(events);
	recording_close(recording);
}

/* An outer call around `inner` others: far more than the ring for calls in order of begin holds. */
static void a_call_with_thousands_of_calls_in_it_comes_first(void **state)
{
	struct fixture *fixture = *state;
	struct stream_builder *stream = &fixture->stream;
	const int inner = 20000;
	struct recording *recording;
	struct events *events;
	const struct event *event;
	int i;

	stream_entry(stream, 0, 1);
	stream_entry(stream, 1, 2);
	for (i = 0; i < inner; i++) {
		if (i % 1000 == 999)
			stream_packet(stream, 100, 3 + (uint64_t)i * 10);
		stream_entry(stream, 2, 3 + (uint64_t)i * 10);
		stream_exit(stream, 2, 8 + (uint64_t)i * 10, 0);
		stream_bytes(stream, 9 + (uint64_t)i * 10, (uint64_t)i, 0);
	}
	stream_exit(stream, 1, 300000, 0);
	stream_bytes(stream, 300001, 4, 5);
	stream_failed(stream, 0, 300010, 0);
	stream_link(stream, 300020, 42);
	stream_write(stream);
	assert_int_equal(recording_open(&fixture->run, 1, &recording), 0);
	assert_int_equal(events_open(recording, &by_begin, &events), 0);
	event = events_next(events);
	assert_int_equal(event->end, 300010);
	assert_true(event->failed);
	assert_int_equal(event->links, 1);
	assert_int_equal(event->link[0], 42);
	event = events_next(events);
	assert_int_equal(event->end, 300000);
	assert_int_equal(event->bytes_in, 5);
	for (i = 0; i < inner; i++) {
		event = events_next(events);
		assert_int_equal(event->begin, 3 + i * 10);
		assert_int_equal(event->end, 8 + i * 10);
		assert_int_equal(event->bytes_out, i);
		assert_int_equal(event->depth, 2);
	}
	assert_null(events_next(events));
	assert_int_equal(events_counts(events)->entries, inner + 2);
	events_close(events);
	recording_close(recording);
}

/* ---- filters ---- */

static void filtered_by(struct fixture *fixture, enum events_what what, struct events_filter filter,
			const char *expected)
{
	shows(fixture, &(struct events_wish){.what = what, .filter = filter}, expected);
}

static void filters_leave_out_functions_and_what_belongs_to_them(void **state)
{
	small(*state);
	filtered_by(*state, EVENTS_SINGLE, (struct events_filter){.backends = "other"},
		    "t100: >three@60; <three@60-70");
	filtered_by(*state, EVENTS_SINGLE, (struct events_filter){.include = "o*,api:tw?"},
		    "t100: >one@10; .>two@20; .!two@20-30; .link 77 of two; .bytes 8/9 of two; <one@10-50");
	filtered_by(*state, EVENTS_SINGLE, (struct events_filter){.exclude = "t*"}, "t100: >one@10; <one@10-50");
	filtered_by(*state, EVENTS_CALLS_BY_END, (struct events_filter){.include = "two"},
		    "t100: .[!two 20-30 #77 +8/9]");
}

static void a_window_takes_calls_that_overlap_it(void **state)
{
	const struct events_filter window = {.has_from = true, .from = 31, .has_to = true, .to = 60};

	small(*state);
	filtered_by(*state, EVENTS_SINGLE, window, "t100: .link 77 of two; .bytes 8/9 of two; <one@10-50");
	filtered_by(*state, EVENTS_CALLS_BY_BEGIN, window, "t100: [one 10-50]");
	filtered_by(*state, EVENTS_CALLS_BY_END, (struct events_filter){.has_to = true, .to = 25},
		    "t100: .[!two 20-30 #77 +8/9]; [one 10-50]");
}

static void short_calls_can_be_left_out(void **state)
{
	small(*state);
	filtered_by(*state, EVENTS_SINGLE, (struct events_filter){.min_duration = 11}, "t100: <one@10-50");
	filtered_by(*state, EVENTS_CALLS_BY_BEGIN, (struct events_filter){.min_duration = 10},
		    "t100: [one 10-50]; .[!two 20-30 #77 +8/9]; [three 60-70]");
}

static void threads_and_ranks_can_be_chosen(void **state)
{
	small(*state);
	filtered_by(*state, EVENTS_CALLS_BY_END, (struct events_filter){.threads = "7,101"}, "");
	filtered_by(*state, EVENTS_CALLS_BY_END, (struct events_filter){.threads = "99-100", .include = "one"},
		    "t100: [one 10-50]");
	filtered_by(*state, EVENTS_CALLS_BY_END, (struct events_filter){.ranks = "0-3"}, "");
}

static void a_list_that_is_none_is_refused(void **state)
{
	struct fixture *fixture = *state;
	struct events_wish wish = {.filter = {.ranks = "1,x"}};
	struct recording *recording;
	struct events *events;

	small(fixture);
	assert_int_equal(recording_open(&fixture->run, 1, &recording), 0);
	capture_start();
	assert_int_equal(events_open(recording, &wish, &events), -3);
	assert_string_equal(capture_end(), "sonde: ranks are a list like 0,2,8-15, not '1,x'\n");
	recording_close(recording);
}

/* ---- arguments ---- */

/* A process 300 with full(count, name, sizes; ratio, event), called three times. */
static void write_full(struct fixture *fixture)
{
	static const uint8_t in[] = "\xff\xff\xff\xff" "text\0" "\x02\0\0\0" "\x01\0\x02\0";
	static const uint8_t out[] = "\x05\0\0\0\0\0\0\0" "\0\0\xc0\x3f" "\x03\0\0\0\0\0\0\0";
	struct builder *builder = builder_create(fixture->run, 300, 0, 1000);
	struct stream_builder stream;
	uint64_t i;

	builder_backend(builder, "args");
	builder_function(builder, 0, "plain", SONDE_KIND_other);
	builder_function(builder, 0, "full", SONDE_KIND_other);
	builder_arg(builder, 1, FMT_ARG_IN, FMT_ARG_S32, "count", "NONE=-1 SOME=1");
	builder_arg(builder, 1, FMT_ARG_OUT, FMT_ARG_F32, "ratio", NULL);
	builder_arg(builder, 1, FMT_ARG_IN, FMT_ARG_STRING, "name", NULL);
	builder_arg(builder, 1, FMT_ARG_IN, FMT_ARG_U16, "sizes", NULL)->flags = FMT_ARG_ARRAY;
	builder_arg(builder, 1, FMT_ARG_OUT, FMT_ARG_POINTER, "event", NULL);
	builder->process.streams = FMT_STREAMS_TRACE;
	builder_write(builder);
	stream_start(&stream, builder, 1);
	stream_packet(&stream, 300, 1);
	for (i = 0; i < 3; i++) {
		stream_event(&stream, fmt_event_id(2, FMT_CALL_ENTRY), 10 + i, in, sizeof(in) - 1);
		stream_event(&stream, fmt_event_id(2, FMT_CALL_EXIT), 11 + i, out, sizeof(out) - 1);
	}
	stream_write(&stream);
	builder_destroy(builder);
}

static void check_full(const struct events *events, const struct event *event)
{
	struct event_arguments arguments;
	struct event_argument argument;

	assert_int_equal(event->result, 5);
	event_arguments(&arguments, events, event, FMT_ARG_IN);
	assert_true(event_arguments_next(&arguments, &argument));
	assert_string_equal(argument.arg->name, "count");
	assert_true(event_is_signed(&argument));
	assert_int_equal(event_word(&argument, 0), -1);
	assert_string_equal(event_word_name(argument.arg, event_word(&argument, 0)), "NONE");
	assert_null(event_word_name(argument.arg, 7));
	assert_true(event_arguments_next(&arguments, &argument));
	assert_string_equal(event_string(&argument), "text");
	assert_true(event_arguments_next(&arguments, &argument));
	assert_int_equal(argument.count, 2);
	assert_int_equal(event_word(&argument, 1), 2);
	assert_false(event_arguments_next(&arguments, &argument));
	event_arguments(&arguments, events, event, FMT_ARG_OUT);
	assert_true(event_arguments_next(&arguments, &argument));
	assert_true(event_double(&argument, 0) == 1.5);
	assert_true(event_arguments_next(&arguments, &argument));
	assert_int_equal(event_word(&argument, 0), 3);
	assert_false(event_arguments_next(&arguments, &argument));
}

static void arguments_of_calls_are_decoded(void **state)
{
	static const enum events_what whats[] = {EVENTS_CALLS_BY_BEGIN, EVENTS_CALLS_BY_END};
	struct fixture *fixture = *state;
	struct recording *recording;
	struct events *events;
	const struct event *event;
	int i, calls;

	write_full(fixture);
	small(fixture);
	for (i = 0; i < 2; i++) {
		const struct events_wish wish = {.what = whats[i], .filter = {.backends = "args"}};

		assert_int_equal(recording_open(&fixture->run, 1, &recording), 0);
		assert_int_equal(events_open(recording, &wish, &events), 0);
		for (calls = 0; (event = events_next(events)); calls++)
			check_full(events, event);
		assert_int_equal(calls, 3);
		events_close(events);
		recording_close(recording);
	}
}

/* ---- time ---- */

static void hosts_are_held_against_each_other_by_their_wall_clocks(void **state)
{
	struct fixture *fixture = *state;
	struct builder *other = builder_create(fixture->run, 200, 0, 1000);
	struct stream_builder stream;

	/* booted an hour later: its counters are behind, and it started 500 ns after the first host */
	other->process.open.real_ns += 500;
	other->process.last.real_ns += 500;
	builder_host(other, "node2");
	builder_backend(other, "api");
	builder_function(other, 0, "four", SONDE_KIND_other);
	builder_write(other);
	stream_start(&stream, other, 1);
	stream_packet(&stream, 200, 5);
	stream_entry(&stream, 0, 25);
	stream_exit(&stream, 0, 55, 0);
	stream_write(&stream);
	small(fixture);
	shows(fixture, &(struct events_wish){.what = EVENTS_CALLS_BY_BEGIN, .filter = {.include = "four,three"}},
	      "t100: [three 60-70]; t200: [four 525-555]");
	builder_destroy(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(single_events_come_as_they_happened),
		TEST(calls_by_end_carry_what_followed_their_exit),
		TEST(calls_by_begin_put_the_outer_call_first),
		TEST(several_operations_of_one_call_are_all_linked),
		TEST(threads_and_processes_are_merged_by_time),
		TEST(a_call_left_by_a_jump_ends_with_the_call_around_it),
		TEST(a_call_left_by_a_jump_is_over_when_the_stream_says_so),
		TEST(an_exit_without_entry_is_told_and_is_no_call),
		TEST(calls_that_are_open_at_the_end_last_until_the_process_ended),
		TEST(nothing_is_paired_across_a_gap),
		TEST(events_lost_at_the_very_end_are_a_gap_up_to_the_end),
		TEST(the_next_thread_of_a_block_is_another_lane),
		TEST(time_stamps_of_48_bits_are_widened_over_their_wrap),
		TEST(operations_are_sorted_by_begin),
		TEST(an_operation_that_ends_before_it_begins_is_counted_and_left_out),
		TEST(more_operations_than_fit_into_memory_are_sorted_on_disk),
		TEST(a_call_with_thousands_of_calls_in_it_comes_first),
		TEST(filters_leave_out_functions_and_what_belongs_to_them),
		TEST(a_window_takes_calls_that_overlap_it),
		TEST(short_calls_can_be_left_out),
		TEST(threads_and_ranks_can_be_chosen),
		TEST(a_list_that_is_none_is_refused),
		TEST(arguments_of_calls_are_decoded),
		TEST(hosts_are_held_against_each_other_by_their_wall_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
