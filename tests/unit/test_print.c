/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as lines, against golden files (SONDE_UPDATE_GOLDEN=1 writes them anew), and the text they are made of. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/text.h"
#include "stream_builder.h"
#include "views/view_print.h"

#define GOLDEN SONDE_SRC "/tests/golden/"
#define DAY (86400 * SECOND)

static char run[200], out[240];

/* send(int dest, const char *tag, size_t counts[]; void *request): one call, returning -5 as a failure. */
static void add_send(struct stream_builder *stream, uint64_t time)
{
	static const char in[] = "\xff\xff\xff\xff" "a \"quoted\"\n\xff tag\0" "\x02\0\0\0" "\x01\0\0\0\0\0\0\0"
		"\x00\x00\x00\x00\x01\0\0\0";
	static const char exit[] = "\xfb\xff\xff\xff\xff\xff\xff\xff" "\x10\x32\x54\x76\x98\xba\xdc\xfe";

	stream_event(stream, fmt_event_id(1, FMT_CALL_ENTRY), time, in, sizeof(in) - 1);
	stream_event(stream, fmt_event_id(1, FMT_CALL_FAILED), time + 1234567, exit, sizeof(exit) - 1);
	stream_bytes(stream, time + 1234570, 8192, 0);
}

static void add_open(struct stream_builder *stream, uint32_t flags, uint64_t time)
{
	uint64_t exit[2] = {0x7f00deadbeef, 0x3ff8000000000000};

	stream_event(stream, fmt_event_id(2, FMT_CALL_ENTRY), time, &flags, sizeof(flags));
	stream_event(stream, fmt_event_id(2, FMT_CALL_EXIT), time + 50, exit, sizeof(exit));
}

static void add_memory(struct stream_builder *stream, uint64_t time)
{
	struct fmt_event_memory memory = {.live_bytes = 4096, .change = -1024, .memory = SONDE_MEMORY_device};

	stream_event(stream, FMT_EVENT_MEMORY, time, &memory, sizeof(memory));
}

static void add_operations(struct builder *builder)
{
	struct fmt_event_operation copy = {
		.begin_ns = EPOCH + 3000, .end_ns = EPOCH + 2 * DAY, .correlation = 8,
		.name = builder_name(builder, "x"), .bytes = 1 << 20, .device = READ_NONE, .queue = READ_NONE,
		.error_ns = 100, .kind = SONDE_KIND_copy, .direction = SONDE_DIRECTION_d2h,
		.memory = SONDE_MEMORY_pinned,
	};
	struct stream_builder device;

	stream_start(&device, builder, READ_NONE);
	stream_packet(&device, 0, 1);
	stream_event(&device, FMT_EVENT_OPERATION, 2 * DAY, &copy, sizeof(copy));
	stream_kernel(&device, builder->op[0].name, 1500, 2750, 7);
	stream_write(&device);
}

static void add_arguments(struct builder *builder)
{
	builder_arg(builder, 0, FMT_ARG_IN, FMT_ARG_S32, "dest", "ANY=-1 NULL=-2");
	builder_arg(builder, 0, FMT_ARG_IN, FMT_ARG_STRING, "tag", NULL);
	builder_arg(builder, 0, FMT_ARG_IN, FMT_ARG_U64, "counts", NULL)->flags = FMT_ARG_ARRAY;
	builder_arg(builder, 0, FMT_ARG_OUT, FMT_ARG_POINTER, "request", NULL);
	builder_arg(builder, 1, FMT_ARG_IN, FMT_ARG_U32, "flags", "READ=1 WRITE=2 CREATE=4 BOTH=3")->flags =
		FMT_ARG_FLAGS;
	builder_arg(builder, 1, FMT_ARG_OUT, FMT_ARG_F64, "ratio", NULL);
}

static void add_streams(struct builder *builder)
{
	struct stream_builder stream;

	stream_start(&stream, builder, 1);
	stream_packet(&stream, 101, 900);
	add_open(&stream, 3, 1000);
	stream_link(&stream, 1060, 7);
	add_memory(&stream, 1070);
	add_open(&stream, 0x45, 1100);
	add_open(&stream, 0, 1200);
	stream_entry(&stream, 2, 2000);
	add_send(&stream, 5000);
	stream_current(&stream)->discarded = 12;
	stream_packet(&stream, 101, DAY);
	stream_exit(&stream, 2, DAY + 1, 0);
	stream_entry(&stream, 2, DAY + 2);
	stream_write(&stream);
}

static int setup(void **state)
{
	struct builder *builder;
	uint32_t backend;

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	strcpy(run, builder_run_directory());
	snprintf(out, sizeof(out), "%s/out", run);
	builder = builder_create(run, 100, 0, 3 * DAY);
	builder->process.rank = 2;
	backend = builder_backend(builder, "api");
	builder_function(builder, backend, "send", SONDE_KIND_p2p);
	builder_function(builder, backend, "open", SONDE_KIND_setup);
	builder_function(builder, backend, "wait", SONDE_KIND_wait);
	builder_device(builder, backend, "key", "GPU\tmodel 1");
	builder_queue(builder, backend, 0, "queue 1");
	builder_op(builder, backend, 0, "stencil<double>", SONDE_KIND_launch);
	builder->process.streams = FMT_STREAMS_TRACE;
	add_arguments(builder);
	builder_name(builder, "x");
	builder_write(builder);
	builder->strings_used -= 2;
	add_operations(builder);
	add_streams(builder);
	builder_destroy(builder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	builder_remove(run);
	return 0;
}

static int print_to(int fd, const struct print_options *options, const struct events_filter *filter)
{
	const char *path = run;
	struct events_wish wish = {.what = EVENTS_SINGLE};
	struct recording *recording;
	struct events *events;
	int err;

	if (filter)
		wish.filter = *filter;
	assert_true(fd >= 0);
	assert_int_equal(recording_open(&path, 1, &recording), 0);
	assert_int_equal(events_open(recording, &wish, &events), 0);
	err = view_print(recording, events, fd, options, NULL);
	events_close(events);
	recording_close(recording);
	close(fd);
	return err;
}

static void prints(const struct print_options *options, const struct events_filter *filter, const char *name)
{
	char golden[400], *text;
	FILE *file;

	assert_int_equal(print_to(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), options, filter), 0);
	text = strdup(file_text(out));
	snprintf(golden, sizeof(golden), "%s%s", GOLDEN, name);
	if (getenv("SONDE_UPDATE_GOLDEN")) {
		file = fopen(golden, "w");
		assert_non_null(file);
		fputs(text, file);
		fclose(file);
	}
	assert_string_equal(text, file_text(golden));
	free(text);
}

static void every_event_is_a_line(void **state)
{
	(void)state;
	prints(&(struct print_options){0}, NULL, "print.txt");
}

static void every_line_has_its_date_when_asked(void **state)
{
	(void)state;
	prints(&(struct print_options){.date = true}, &(struct events_filter){.include = "wait,x"}, "print-date.txt");
}

static void every_line_is_a_json_object(void **state)
{
	(void)state;
	prints(&(struct print_options){.json = true}, NULL, "print.json");
}

static void a_reader_that_goes_away_is_no_error(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(print_to(ends[1], &(struct print_options){0}, NULL), 0);
	signal(SIGPIPE, SIG_DFL);
}

static void a_full_disk_is_an_error(void **state)
{
	const char *line;
	int err;

	(void)state;
	capture_start();
	err = print_to(open("/dev/full", O_WRONLY), &(struct print_options){0}, NULL);
	line = capture_end();
	assert_int_equal(err, -1);
	assert_string_equal(line, "sonde: events cannot be written: No space left on device\n");
}

/* ---- text ---- */

static struct text text;

static const char *written(void)
{
	text.bytes[text.used] = '\0';
	text.used = 0;
	return text.bytes;
}

static void numbers_are_those_of_printf(void **state)
{
	static const uint64_t values[] = {0, 1, 9, 10, 99, 100, 101, 999, 12345, 1000000, UINT32_MAX, INT64_MAX,
					  UINT64_MAX};
	char expected[64];

	(void)state;
	text_start(&text, -1);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		text_u64(&text, values[i]);
		text_char(&text, ' ');
		text_i64(&text, -(int64_t)values[i]);
		text_char(&text, ' ');
		text_hex(&text, values[i]);
		snprintf(expected, sizeof(expected), "%llu %lld %llx", (unsigned long long)values[i],
			 -(long long)values[i], (unsigned long long)values[i]);
		assert_string_equal(written(), expected);
	}
	text_digits(&text, 1234, 3);
	text_digits(&text, 7, 9);
	assert_string_equal(written(), "234000000007");
}

static void times_are_those_of_tables(void **state)
{
	struct number number;
	uint64_t ns;

	(void)state;
	text_start(&text, -1);
	for (ns = 0; ns < (uint64_t)1 << 62; ns += 1 + ns / 7) {
		text_time(&text, ns);
		assert_string_equal(written(), number_time_u(&number, ns));
	}
}

static void times_are_read_with_their_unit(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {{"1.5", 1500000000}, {"200ms", 200000000}, {"3 us", 3000}, {"10ns", 10}, {"2m", 120000000000},
		    {"0.000000001", 1}, {".5s", 500000000}, {"-1", -1000000000}, {"1h", 3600000000000}};
	static const char *const bad[] = {"", "s", "1.5x", "1,5", "--1", ".", "1e3", "99999999999999999999", "2h1"};
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(number_parse_time(good[i].text, &ns));
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(number_parse_time(bad[i], &ns));
}

static void text_longer_than_the_buffer_comes_out_whole(void **state)
{
	const size_t length = 3 * TEXT_BYTES;
	char *long_text = malloc(length);
	FILE *file = tmpfile();

	(void)state;
	memset(long_text, 'x', length);
	text_start(&text, fileno(file));
	text_char(&text, 'a');
	text_bytes(&text, long_text, length);
	text_clean(&text, long_text, TEXT_BYTES / 3, '"');
	text_clean(&text, long_text, TEXT_BYTES / 3, '"');
	text_clean(&text, long_text, TEXT_BYTES / 3, '"');
	text_clean(&text, long_text, TEXT_BYTES / 3, '"');
	text_flush(&text);
	assert_int_equal(text.error, 0);
	assert_int_equal(lseek(fileno(file), 0, SEEK_END), 1 + length + 4 * (TEXT_BYTES / 3));
	fclose(file);
	free(long_text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_event_is_a_line),
		TEST(every_line_has_its_date_when_asked),
		TEST(every_line_is_a_json_object),
		TEST(a_reader_that_goes_away_is_no_error),
		TEST(a_full_disk_is_an_error),
		cmocka_unit_test(numbers_are_those_of_printf),
		cmocka_unit_test(times_are_those_of_tables),
		cmocka_unit_test(times_are_read_with_their_unit),
		cmocka_unit_test(text_longer_than_the_buffer_comes_out_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
