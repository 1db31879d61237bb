/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening of recordings: what is refused with one line, what is salvaged, how clocks are fitted. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "tally_builder.h"

struct fixture {
	char run[200];
	struct builder *builder;
	struct recording *recording;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	uint32_t backend, function, thread, device;

	strcpy(fixture->run, builder_run_directory());
	fixture->builder = builder_create(fixture->run, 100, 0, 10 * SECOND);
	backend = builder_backend(fixture->builder, "api");
	function = builder_function(fixture->builder, backend, "api_send", SONDE_KIND_p2p);
	thread = builder_thread(fixture->builder, 100);
	builder_calls(builder_row(fixture->builder, thread, function), 10, 1000);
	device = builder_device(fixture->builder, backend, "uuid", "GPU");
	builder_interval(&fixture->builder->device[device]->kernels, SECOND, 2 * SECOND);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	recording_close(fixture->recording);
	builder_destroy(fixture->builder);
	builder_remove(fixture->run);
	free(fixture);
	return 0;
}

static int open_run(struct fixture *fixture)
{
	const char *run = fixture->run;

	return recording_open(&run, 1, &fixture->recording);
}

/* Opening fails with SONDE_E..., one line that holds `what` and names the file or directory `where`. */
static void assert_refused(struct fixture *fixture, const char *where, const char *what)
{
	const char *text;
	int err;

	capture_start();
	err = open_run(fixture);
	text = capture_end();
	assert_true(err < 0);
	assert_null(fixture->recording);
	assert_non_null(strstr(text, what));
	assert_non_null(strstr(text, where));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static const char *read_note(const struct fixture *fixture, const char *code)
{
	size_t i;

	for (i = 0; i < fixture->recording->notes; i++)
		if (!strcmp(fixture->recording->note[i].code, code))
			return fixture->recording->note[i].text;
	return NULL;
}

static void an_empty_directory_is_refused(void **state)
{
	struct fixture *fixture = *state;

	assert_refused(fixture, fixture->run, "no recording");
}

static void a_directory_that_does_not_exist_is_refused(void **state)
{
	struct fixture *fixture = *state;

	strcat(fixture->run, "/nowhere");
	assert_refused(fixture, fixture->run, "No such file");
	*strrchr(fixture->run, '/') = '\0';
}

static void a_wrong_magic_is_refused(void **state)
{
	struct fixture *fixture = *state;

	memcpy(fixture->builder->head.magic, "GARBAGE!", 8);
	builder_write(fixture->builder);
	assert_refused(fixture, fixture->builder->path, "magic");
}

static void a_newer_major_version_is_refused(void **state)
{
	struct fixture *fixture = *state;

	fixture->builder->head.major = FMT_MAJOR + 1;
	builder_write(fixture->builder);
	assert_refused(fixture, fixture->builder->path, "by a newer sonde");
}

static void an_older_major_version_is_refused(void **state)
{
	struct fixture *fixture = *state;

	fixture->builder->head.major = FMT_MAJOR - 1;
	builder_write(fixture->builder);
	assert_refused(fixture, fixture->builder->path, "by an older sonde");
}

static void another_byte_order_is_refused(void **state)
{
	struct fixture *fixture = *state;

	fixture->builder->head.byte_order = 0x04030201;
	builder_write(fixture->builder);
	assert_refused(fixture, fixture->builder->path, "byte order");
}

static void a_file_shorter_than_its_head_is_refused(void **state)
{
	struct fixture *fixture = *state;

	builder_write(fixture->builder);
	assert_int_equal(truncate(fixture->builder->path, 10), 0);
	assert_refused(fixture, fixture->builder->path, "only 10 bytes");
}

static void a_newer_minor_version_is_read(void **state)
{
	struct fixture *fixture = *state;

	fixture->builder->head.minor = FMT_MINOR + 7;
	builder_write(fixture->builder);
	assert_int_equal(open_run(fixture), 0);
	assert_int_equal(fixture->recording->notes, 0);
}

static void a_bad_file_beside_a_good_one_is_noted(void **state)
{
	struct fixture *fixture = *state;
	struct builder *bad = builder_create(fixture->run, 101, 0, SECOND);

	bad->head.major = 9;
	builder_write(bad);
	builder_write(fixture->builder);
	builder_destroy(bad);
	assert_int_equal(open_run(fixture), 0);
	assert_int_equal(fixture->recording->tallies, 1);
	assert_non_null(strstr(read_note(fixture, "unreadable"), "format 9"));
}

static void a_process_directory_and_a_tally_file_can_be_named_themselves(void **state)
{
	struct fixture *fixture = *state;
	const char *path;

	builder_write(fixture->builder);
	path = fixture->builder->directory;
	assert_int_equal(recording_open(&path, 1, &fixture->recording), 0);
	assert_int_equal(fixture->recording->tallies, 1);
	recording_close(fixture->recording);
	path = fixture->builder->path;
	assert_int_equal(recording_open(&path, 1, &fixture->recording), 0);
	assert_int_equal(fixture->recording->tallies, 1);
}

static void a_recording_that_is_given_by_several_paths_is_read_once(void **state)
{
	struct fixture *fixture = *state;
	const char *paths[5] = {fixture->run, fixture->run};
	char link[300], other[300];

	builder_write(fixture->builder);
	snprintf(link, sizeof(link), "%s.link", fixture->run);
	snprintf(other, sizeof(other), "%s.tally", fixture->run);
	assert_int_equal(symlink(fixture->run, link), 0);
	assert_int_equal(linkat(AT_FDCWD, fixture->builder->path, AT_FDCWD, other, 0), 0); /* no path tells */
	paths[0] = fixture->builder->directory; /* the inner one first */
	paths[2] = link;
	paths[3] = fixture->builder->path;
	paths[4] = other;
	assert_int_equal(recording_open(paths, 5, &fixture->recording), 0);
	unlink(link);
	unlink(other);
	assert_int_equal(fixture->recording->tallies, 1);
	assert_non_null(strstr(read_note(fixture, "given_twice"), "given before, read once"));
}

static void a_fifo_or_directory_in_place_of_a_file_does_not_stop_the_reader(void **state)
{
	struct fixture *fixture = *state;
	char path[400];

	builder_write(fixture->builder);
	snprintf(path, sizeof(path), "%s/launch.node.1.1", fixture->run);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/launch.node.2.1", fixture->run);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(open_run(fixture), 0);
	assert_int_equal(fixture->recording->launches, 0);
}

static void a_cut_off_launch_record_is_noted(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_launch launch = builder_launch(100, 0, 10 * SECOND, 0);
	char path[400];

	builder_write(fixture->builder);
	builder_launch_write(fixture->run, &launch);
	snprintf(path, sizeof(path), "%s/launch.node.%u.1", fixture->run, launch.pid);
	assert_int_equal(truncate(path, sizeof(launch) - 1), 0);
	assert_int_equal(open_run(fixture), 0);
	assert_non_null(strstr(read_note(fixture, "unreadable"), "cut off"));
}

static void a_claim_of_huge_used_counts_is_cut_to_the_file(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_head head;
	uint32_t i;
	int fd;

	builder_write(fixture->builder);
	fd = open(fixture->builder->path, O_RDWR);
	assert_int_equal(pread(fd, &head, sizeof(head), 0), sizeof(head));
	for (i = 0; i < head.section_count; i++)
		head.section[i].used = head.section[i].capacity = UINT64_MAX;
	assert_int_equal(pwrite(fd, &head, sizeof(head), 0), sizeof(head));
	close(fd);
	assert_int_equal(open_run(fixture), 0);
	assert_int_equal(tally_load(fixture->recording, &fixture->recording->tally[0]), 0);
	assert_non_null(read_note(fixture, "truncated"));
	/* the row is still found */
	assert_int_equal(fixture->recording->tally[0].body->thread[0].row[0].stats.total, 10000);
}

static void a_sparse_file_of_gigabytes_is_read_where_it_was_written(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_head head;
	struct fmt_thread thread = {.tid = 100, .rows = 1000};
	struct fmt_stats row = {0};
	const uint64_t stride = 2 << 20, offset = 64 << 20, at = 3000;
	uint32_t i;
	int fd;

	builder_write(fixture->builder);
	fd = open(fixture->builder->path, O_RDWR);
	assert_int_equal(pread(fd, &head, sizeof(head), 0), sizeof(head));
	for (i = 0; i < head.section_count; i++)
		if (head.section[i].kind == FMT_SECTION_THREADS)
			head.section[i] = (struct fmt_section){FMT_SECTION_THREADS, (uint32_t)stride, offset, 4096,
							       4096};
	builder_calls(&row, 3, 500);
	assert_int_equal(pwrite(fd, &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(ftruncate(fd, (off_t)(offset + 4096 * stride)), 0);
	assert_int_equal(pwrite(fd, &thread, sizeof(thread), (off_t)(offset + at * stride)), sizeof(thread));
	assert_int_equal(pwrite(fd, &row, sizeof(row), (off_t)(offset + at * stride + FMT_THREAD_ROWS_OFFSET)),
			 sizeof(row));
	close(fd);
	assert_int_equal(open_run(fixture), 0);
	assert_int_equal(tally_load(fixture->recording, &fixture->recording->tally[0]), 0);
	assert_int_equal(fixture->recording->tally[0].body->threads, 1);
	assert_int_equal(fixture->recording->tally[0].body->thread[0].row[0].stats.total, 1500);
}

static void references_to_what_is_not_there_are_noted(void **state)
{
	struct fixture *fixture = *state;
	const struct tally_body *body;

	fixture->builder->function[0].backend = 77;
	fixture->builder->function[0].kind = 999;
	builder_calls(&builder_op(fixture->builder, 0, 55, "kernel", SONDE_KIND_launch)->stats, 1, 1);
	builder_write(fixture->builder);
	assert_int_equal(open_run(fixture), 0);
	assert_int_equal(tally_load(fixture->recording, &fixture->recording->tally[0]), 0);
	body = fixture->recording->tally[0].body;
	assert_string_equal(body->backend[body->function[0].backend].name, "?");
	assert_int_equal(body->function[0].kind, SONDE_KIND_other);
	assert_int_equal(body->op[0].device, READ_NONE);
	assert_non_null(strstr(read_note(fixture, "damaged"), "3 entries"));
}

static void names_without_an_end_are_cut(void **state)
{
	struct fixture *fixture = *state;
	char *name = malloc(10000);
	uint64_t offset;

	memset(name, 'x', 10000);
	offset = builder_bytes(fixture->builder, name, 10000);
	free(name);
	fixture->builder->function[0].name = offset;
	fixture->builder->backend[0].name = UINT64_MAX;
	builder_write(fixture->builder);
	assert_int_equal(open_run(fixture), 0);
	assert_int_equal(tally_load(fixture->recording, &fixture->recording->tally[0]), 0);
	assert_int_equal(strlen(fixture->recording->tally[0].body->function[0].name), READ_NAME_MAX);
	assert_string_equal(fixture->recording->tally[0].body->backend[0].name, "");
}

static void a_record_without_process_is_known_by_its_directory(void **state)
{
	struct fixture *fixture = *state;

	fixture->builder->process.pid = 0;
	fixture->builder->process.host = 0;
	fixture->builder->process.start_time = 0;
	fixture->builder->process.exe = 0;
	strcpy(fixture->builder->host, "lost.host");
	builder_write(fixture->builder);
	assert_int_equal(open_run(fixture), 0);
	assert_string_equal(fixture->recording->host[0].name, "lost.host");
}

/* ---- clocks ---- */

#define RATE_TICKS_PER_US 2100u /* a counter of 2.1 GHz */

static struct fmt_triple reading(uint64_t ns)
{
	return (struct fmt_triple){1 + ns / 1000 * RATE_TICKS_PER_US, EPOCH + ns, EPOCH + ns, 50};
}

static void make_counter(struct builder *builder, uint64_t open, uint64_t last)
{
	builder->process.clock = FMT_CLOCK_COUNTER;
	builder->process.open = reading(open);
	builder->process.last = reading(last);
	builder->process.birth_ticks = builder->process.open.ticks;
	builder->process.end_ticks = builder->process.last.ticks;
}

static void ticks_are_converted_by_the_longest_baseline_of_the_host(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_launch launch = builder_launch(100, 0, 10 * SECOND, 0);
	const struct read_clock *clock;

	make_counter(fixture->builder, SECOND, SECOND + MS);
	launch.clock = FMT_CLOCK_COUNTER;
	launch.start = reading(0);
	launch.end = reading(10 * SECOND);
	builder_launch_write(fixture->run, &launch);
	builder_write(fixture->builder);
	assert_int_equal(open_run(fixture), 0);
	clock = &fixture->recording->host[0].clock[FMT_CLOCK_COUNTER];
	assert_true(clock->valid);
	assert_int_equal(clock->baseline_ns, 10 * SECOND);
	assert_in_range(read_clock_duration(clock, 2100 * 1000 * 1000ull), SECOND - 10, SECOND + 10);
	assert_in_range(read_clock_raw(clock, fixture->recording->tally[0].raw.open.ticks), EPOCH + SECOND - 10,
			EPOCH + SECOND + 10);
}

static void readings_of_a_killed_launcher_and_a_process_make_a_pair(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_launch launch = builder_launch(100, 0, 0, 0);

	make_counter(fixture->builder, 5 * SECOND, 5 * SECOND); /* its clocks were read only once */
	launch.clock = FMT_CLOCK_COUNTER;
	launch.start = reading(0);
	builder_launch_write(fixture->run, &launch);
	builder_write(fixture->builder);
	assert_int_equal(open_run(fixture), 0);
	assert_true(fixture->recording->host[0].clock[FMT_CLOCK_COUNTER].valid);
	assert_int_equal(fixture->recording->host[0].clock[FMT_CLOCK_COUNTER].baseline_ns, 5 * SECOND);
}

static void a_wrong_reading_is_passed_over_and_noted(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_launch launch = builder_launch(100, 0, 10 * SECOND, 0);

	make_counter(fixture->builder, SECOND, 3 * SECOND);
	fixture->builder->process.last.raw_ns += 1000 * SECOND;
	launch.clock = FMT_CLOCK_COUNTER;
	launch.start = reading(0);
	launch.end = reading(10 * SECOND);
	launch.end.ticks = 12345; /* before its start */
	builder_launch_write(fixture->run, &launch);
	builder_write(fixture->builder);
	assert_int_equal(open_run(fixture), 0);
	assert_non_null(read_note(fixture, "clock"));
}

static void without_two_readings_times_are_ticks_and_noted(void **state)
{
	struct fixture *fixture = *state;
	const struct read_clock *clock;

	make_counter(fixture->builder, SECOND, SECOND);
	memset(&fixture->builder->process.last, 0, sizeof(fixture->builder->process.last));
	builder_write(fixture->builder);
	assert_int_equal(open_run(fixture), 0);
	clock = &fixture->recording->host[0].clock[FMT_CLOCK_COUNTER];
	assert_false(clock->valid);
	assert_int_equal(read_clock_duration(clock, 777), 777);
	assert_non_null(strstr(read_note(fixture, "clock"), "ticks"));
}

static void a_monotonic_clock_is_nanoseconds_already(void **state)
{
	struct fixture *fixture = *state;
	const struct read_clock *clock;

	fixture->builder->process.last.raw_ns += 400000; /* slewed against the raw clock */
	builder_write(fixture->builder);
	assert_int_equal(open_run(fixture), 0);
	clock = &fixture->recording->host[0].clock[FMT_CLOCK_MONOTONIC];
	assert_int_equal(read_clock_duration(clock, SECOND), SECOND);
}

static void conversions_of_nonsense_stay_in_range(void **state)
{
	struct read_clock clock = {.valid = true, .rate = (uint64_t)1000 << READ_RATE_SHIFT, .ticks = 5, .raw_ns = 7};

	(void)state;
	assert_int_equal(read_clock_duration(&clock, UINT64_MAX), INT64_MAX);
	assert_int_equal(read_clock_raw(&clock, UINT64_MAX), INT64_MAX);
	assert_int_equal(read_clock_raw(&clock, 0), 0);
}

/* ---- processes that still run ---- */

static void a_running_process_is_recognised_by_its_start_time(void **state)
{
	struct fixture *fixture = *state;
	char host[64] = "";

	gethostname(host, sizeof(host) - 1);
	builder_host(fixture->builder, host);
	fixture->builder->process.pid = (uint32_t)getpid();
	fixture->builder->process.start_time = 1; /* of an earlier process with our number */
	builder_write(fixture->builder);
	assert_int_equal(open_run(fixture), 0);
	assert_false(fixture->recording->tally[0].alive);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_directory_is_refused),
		TEST(a_directory_that_does_not_exist_is_refused),
		TEST(a_wrong_magic_is_refused),
		TEST(a_newer_major_version_is_refused),
		TEST(an_older_major_version_is_refused),
		TEST(another_byte_order_is_refused),
		TEST(a_file_shorter_than_its_head_is_refused),
		TEST(a_newer_minor_version_is_read),
		TEST(a_bad_file_beside_a_good_one_is_noted),
		TEST(a_process_directory_and_a_tally_file_can_be_named_themselves),
		TEST(a_recording_that_is_given_by_several_paths_is_read_once),
		TEST(a_fifo_or_directory_in_place_of_a_file_does_not_stop_the_reader),
		TEST(a_cut_off_launch_record_is_noted),
		TEST(a_claim_of_huge_used_counts_is_cut_to_the_file),
		TEST(a_sparse_file_of_gigabytes_is_read_where_it_was_written),
		TEST(references_to_what_is_not_there_are_noted),
		TEST(names_without_an_end_are_cut),
		TEST(a_record_without_process_is_known_by_its_directory),
		TEST(ticks_are_converted_by_the_longest_baseline_of_the_host),
		TEST(readings_of_a_killed_launcher_and_a_process_make_a_pair),
		TEST(a_wrong_reading_is_passed_over_and_noted),
		TEST(without_two_readings_times_are_ticks_and_noted),
		TEST(a_monotonic_clock_is_nanoseconds_already),
		TEST(conversions_of_nonsense_stay_in_range),
		TEST(a_running_process_is_recognised_by_its_start_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
