/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams that are cut off, damaged or still being written: what can be read is read, once noted, nothing invented. */
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

static const struct events_wish by_end = {.what = EVENTS_CALLS_BY_END};
static const struct events_wish single = {.what = EVENTS_SINGLE};

static int setup(void **state)
{
	static struct fixture fixture;
	struct builder *builder;

	fixture.run = strdup(builder_run_directory());
	fixture.builder = builder = builder_create(fixture.run, 100, 0, 1000);
	builder_backend(builder, "api");
	builder_function(builder, 0, "one", SONDE_KIND_launch);
	builder_function(builder, 0, "two", SONDE_KIND_copy);
	builder->process.streams = FMT_STREAMS_TIMELINE;
	builder_write(builder);
	stream_start(&fixture.stream, builder, 1);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	builder_destroy(fixture->builder);
	builder_remove(fixture->run);
	free((char *)(uintptr_t)fixture->run);
	return 0;
}

/* A packet with one call of `one` from time + 1 to time + 5. */
static void call_packet(struct fixture *fixture, uint64_t time)
{
	stream_packet(&fixture->stream, 100, time);
	stream_entry(&fixture->stream, 0, time + 1);
	stream_exit(&fixture->stream, 0, time + 5, 0);
}

static void shows(struct fixture *fixture, const char *expected, const char *notes)
{
	assert_string_equal(stream_text(fixture->run, &by_end), expected);
	assert_string_equal(stream_notes(), notes);
}

static void an_empty_file_holds_nothing(void **state)
{
	struct fixture *fixture = *state;

	stream_write(&fixture->stream);
	shows(fixture, "", "");
}

static void empty_packets_are_passed_over(void **state)
{
	struct fixture *fixture = *state;
	int i;

	call_packet(fixture, 10);
	for (i = 0; i < 4; i++)
		stream_packet(&fixture->stream, 100, 20);
	call_packet(fixture, 30);
	for (i = 0; i < 60; i++) /* a new area, killed before it became one packet */
		stream_packet(&fixture->stream, 100, 40)->sequence = 6;
	stream_write(&fixture->stream);
	shows(fixture, "t100: [one 11-15]; [one 31-35]", "");
}

static void a_header_without_magic_is_passed_over(void **state)
{
	struct fixture *fixture = *state;

	call_packet(fixture, 10);
	call_packet(fixture, 20);
	stream_current(&fixture->stream)->magic = 0;
	call_packet(fixture, 30);
	stream_write(&fixture->stream);
	shows(fixture, "t100: [one 11-15]; gap(0) 15-30; [one 31-35]", "damaged");
}

static void a_first_header_without_magic_is_passed_over(void **state)
{
	struct fixture *fixture = *state;

	call_packet(fixture, 10);
	stream_current(&fixture->stream)->magic = 0;
	call_packet(fixture, 30);
	stream_write(&fixture->stream);
	shows(fixture, "t100: gap(0) 30-30; [one 31-35]", "damaged");
}

static void a_file_of_zeros_is_a_gap(void **state)
{
	struct fixture *fixture = *state;

	stream_packet(&fixture->stream, 100, 10);
	stream_seal(&fixture->stream);
	memset(stream_current(&fixture->stream), 0, FMT_PACKET_UNIT);
	stream_write_raw(&fixture->stream);
	assert_non_null(strstr(stream_text(fixture->run, &by_end), "gap(0)"));
	assert_string_equal(stream_notes(), "damaged");
}

/* Cuts the file to `bytes` and looks. */
static void cut(struct fixture *fixture, off_t bytes, const char *expected, const char *notes)
{
	assert_int_equal(truncate(fixture->stream.path, bytes), 0);
	shows(fixture, expected, notes);
}

static void a_file_that_is_cut_off_is_read_up_to_there(void **state)
{
	struct fixture *fixture = *state;

	call_packet(fixture, 10);
	stream_packet(&fixture->stream, 100, 30);
	stream_entry(&fixture->stream, 0, 31);
	stream_exit(&fixture->stream, 0, 35, 0);
	stream_entry(&fixture->stream, 1, 41);
	stream_exit(&fixture->stream, 1, 45, 0);
	stream_write(&fixture->stream);
	shows(fixture, "t100: [one 11-15]; [one 31-35]; [two 41-45]", "");
	cut(fixture, 4096 + 80 + 24 + 8 + 10,
	    "t100: [one 11-15]; [one 31-35]; [two 41-41:cut]; gap(0) 41-1000", "truncated");
	cut(fixture, 4096 + 80 + 24, "t100: [one 11-15]; [one 31-35]; gap(0) 35-1000", "truncated");
	cut(fixture, 4096 + 80, "t100: [one 11-15]; gap(0) 15-1000", "truncated");
	cut(fixture, 4096 + 60, "t100: [one 11-15]", "truncated");
	cut(fixture, 4096, "t100: [one 11-15]", "");
	cut(fixture, 30, "", "truncated");
}

static void a_packet_of_no_sound_size_is_read_all_the_same(void **state)
{
	static const uint64_t sizes[] = {0, 8, 4095 * 8, 4097 * 8, 4096 * 8 + 1, UINT64_MAX};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		stream_start(&fixture->stream, fixture->builder, 1);
		call_packet(fixture, 10);
		stream_seal(&fixture->stream);
		stream_current(&fixture->stream)->packet_bits = sizes[i];
		call_packet(fixture, 30);
		stream_write(&fixture->stream);
		shows(fixture, "t100: [one 11-15]; [one 31-35]", "damaged");
	}
}

static void content_beyond_its_packet_is_not_believed(void **state)
{
	static const uint64_t contents[] = {4097 * 8, UINT64_MAX - 7, 8, 639, 641};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
		stream_start(&fixture->stream, fixture->builder, 1);
		call_packet(fixture, 10);
		stream_seal(&fixture->stream);
		stream_current(&fixture->stream)->content_bits = contents[i];
		call_packet(fixture, 30);
		stream_write(&fixture->stream);
		shows(fixture, "t100: [one 11-15]; gap(0) 15-30; [one 31-35]", "damaged");
	}
}

static void an_event_of_no_known_kind_ends_what_is_read_of_its_packet(void **state)
{
	static const uint16_t ids[] = {5, 15, 16 + 6, 16 + 8 * 2, 60000};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		stream_start(&fixture->stream, fixture->builder, 1);
		call_packet(fixture, 10);
		stream_event(&fixture->stream, ids[i], 16, NULL, 0);
		stream_entry(&fixture->stream, 1, 17);
		call_packet(fixture, 30);
		stream_write(&fixture->stream);
		shows(fixture, "t100: [one 11-15]; gap(0) 15-30; [one 31-35]", "damaged");
	}
}

static void an_event_that_reaches_beyond_its_packet_is_left_out(void **state)
{
	struct fixture *fixture = *state;

	call_packet(fixture, 10);
	stream_event(&fixture->stream, fmt_event_id(1, FMT_CALL_EXIT), 16, NULL, 0);
	call_packet(fixture, 30);
	stream_write(&fixture->stream);
	shows(fixture, "t100: [one 11-15]; gap(0) 15-30; [one 31-35]", "damaged");
}

static void a_packet_that_ends_before_it_begins_keeps_its_events(void **state)
{
	struct fixture *fixture = *state;

	call_packet(fixture, 10);
	call_packet(fixture, 20);
	stream_current(&fixture->stream)->begin = UINT64_MAX / 3;
	call_packet(fixture, 30);
	stream_write(&fixture->stream);
	shows(fixture, "t100: [one 11-15]; [one 21-25]; [one 31-35]", "damaged");
}

static void one_damaged_time_does_not_move_those_behind_it(void **state)
{
	struct fixture *fixture = *state;
	int bit;

	for (bit = 10; bit < 48; bit++) {
		uint64_t head;

		stream_start(&fixture->stream, fixture->builder, 1);
		call_packet(fixture, 10);
		memcpy(&head, fixture->stream.bytes + 80, sizeof(head));
		head ^= (uint64_t)1 << (16 + bit);
		memcpy(fixture->stream.bytes + 80, &head, sizeof(head));
		stream_entry(&fixture->stream, 1, 17);
		stream_exit(&fixture->stream, 1, 19, 0);
		call_packet(fixture, 30);
		stream_write(&fixture->stream);
		assert_non_null(strstr(stream_text(fixture->run, &by_end), "[two 17-19]; [one 31-35]"));
	}
}

static void a_hole_of_zeros_between_events_is_a_gap(void **state)
{
	struct fixture *fixture = *state;
	static const size_t holes[] = {8, 16, 9, 40, 1000};

	for (size_t i = 0; i < sizeof(holes) / sizeof(holes[0]); i++) {
		char zeros[1000] = "";

		stream_start(&fixture->stream, fixture->builder, 1);
		call_packet(fixture, 10);
		stream_event(&fixture->stream, 0, 16, zeros, holes[i] - 8);
		memset(fixture->stream.bytes + fixture->stream.used - holes[i], 0, holes[i]);
		stream_entry(&fixture->stream, 1, 17);
		stream_exit(&fixture->stream, 1, 19, 0);
		stream_write(&fixture->stream);
		shows(fixture, "t100: [one 11-15]; gap(0) 15-15; [two 17-19]", "damaged");
	}
}

static void zeros_up_to_the_end_of_the_content_are_a_gap(void **state)
{
	struct fixture *fixture = *state;

	call_packet(fixture, 10);
	stream_seal(&fixture->stream);
	stream_current(&fixture->stream)->content_bits = 4096 * 8;
	stream_write(&fixture->stream);
	shows(fixture, "t100: [one 11-15]; gap(0) 15-1000", "damaged");
}

static void a_missing_packet_is_a_gap(void **state)
{
	struct fixture *fixture = *state;

	call_packet(fixture, 10);
	fixture->stream.sequence += 3;
	call_packet(fixture, 30);
	stream_write(&fixture->stream);
	shows(fixture, "t100: [one 11-15]; gap(0) 15-30; [one 31-35]", "damaged");
}

static void trouble_of_a_file_is_noted_once_and_names_it(void **state)
{
	struct fixture *fixture = *state;
	struct recording *recording;
	struct events *events;
	int i;

	for (i = 0; i < 5; i++) {
		call_packet(fixture, 10 + 10 * (uint64_t)i);
		stream_event(&fixture->stream, 5, 16, NULL, 0);
	}
	stream_write(&fixture->stream);
	assert_int_equal(recording_open(&fixture->run, 1, &recording), 0);
	assert_int_equal(events_open(recording, &single, &events), 0);
	while (events_next(events))
		;
	assert_int_equal(recording->notes, 1);
	assert_non_null(strstr(recording->note[0].text, "/ctf/thread.1: "));
	events_close(events);
	recording_close(recording);
}

static void a_missing_folder_of_streams_is_noted(void **state)
{
	struct fixture *fixture = *state;
	char folder[300];

	snprintf(folder, sizeof(folder), "%s/ctf", fixture->builder->directory);
	assert_int_equal(rmdir(folder), 0);
	shows(fixture, "", "unreadable");
}

static void streams_of_a_process_whose_names_cannot_be_read_hold_nothing_readable(void **state)
{
	struct fixture *fixture = *state;

	fixture->builder->functions = 0;
	unlink(fixture->builder->path);
	fixture->builder->process.start_time++;
	builder_write(fixture->builder);
	stream_start(&fixture->stream, fixture->builder, 1);
	call_packet(fixture, 10);
	stream_write(&fixture->stream);
	assert_non_null(strstr(stream_text(fixture->run, &by_end), "gap(0)"));
}

/* Any byte of a file set to any of some values: nothing crashes, and calls never end before they begin. */
static void no_damaged_byte_makes_the_reader_fail(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	static const enum events_what whats[] = {EVENTS_SINGLE, EVENTS_CALLS_BY_BEGIN, EVENTS_CALLS_BY_END};
	struct fixture *fixture = *state;
	struct recording *recording;
	struct events *events;
	const struct event *event;
	FILE *file;
	size_t at, i;

	call_packet(fixture, 10);
	stream_link(&fixture->stream, 16, 1);
	stream_bytes(&fixture->stream, 17, 1, 2);
	call_packet(fixture, 30);
	stream_write(&fixture->stream);
	file = fopen(fixture->stream.path, "r+");
	for (at = 0; at < 160; at++)
		for (i = 0; i < 2 * sizeof(values); i++) {
			long place = (long)at + (i % 2 ? 4096 : 0);
			int before;

			fseek(file, place, SEEK_SET);
			before = fgetc(file);
			fseek(file, place, SEEK_SET);
			fputc(values[i / 2], file);
			fflush(file);
			assert_int_equal(recording_open(&fixture->run, 1, &recording), 0);
			assert_int_equal(events_open(recording, &(struct events_wish){.what = whats[at % 3]}, &events),
					 0);
			while ((event = events_next(events)))
				assert_true(event->end >= event->begin);
			events_close(events);
			recording_close(recording);
			fseek(file, place, SEEK_SET);
			fputc(before, file);
			fflush(file);
		}
	fclose(file);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_file_holds_nothing),
		TEST(empty_packets_are_passed_over),
		TEST(a_header_without_magic_is_passed_over),
		TEST(a_first_header_without_magic_is_passed_over),
		TEST(a_file_of_zeros_is_a_gap),
		TEST(a_file_that_is_cut_off_is_read_up_to_there),
		TEST(a_packet_of_no_sound_size_is_read_all_the_same),
		TEST(content_beyond_its_packet_is_not_believed),
		TEST(an_event_of_no_known_kind_ends_what_is_read_of_its_packet),
		TEST(an_event_that_reaches_beyond_its_packet_is_left_out),
		TEST(a_packet_that_ends_before_it_begins_keeps_its_events),
		TEST(one_damaged_time_does_not_move_those_behind_it),
		TEST(a_hole_of_zeros_between_events_is_a_gap),
		TEST(zeros_up_to_the_end_of_the_content_are_a_gap),
		TEST(a_missing_packet_is_a_gap),
		TEST(trouble_of_a_file_is_noted_once_and_names_it),
		TEST(a_missing_folder_of_streams_is_noted),
		TEST(streams_of_a_process_whose_names_cannot_be_read_hold_nothing_readable),
		TEST(no_damaged_byte_makes_the_reader_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
