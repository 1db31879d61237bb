/* SPDX-License-Identifier: BSD-3-Clause */
/* Compacting kept recordings: same content, no room for what never came, nothing that still runs touched. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "stream_builder.h"
#include "views/view.h"

#define GIB (1ull << 30)

struct fixture {
	char run[200], json[220];
	struct builder *builder;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct fmt_launch launch = builder_launch(100, 0, 10 * SECOND, 0);
	uint32_t backend, function, thread, device;

	strcpy(fixture->run, builder_run_directory());
	snprintf(fixture->json, sizeof(fixture->json), "%s/summary.json", fixture->run);
	fixture->builder = builder_create(fixture->run, 100, 0, 10 * SECOND);
	backend = builder_backend(fixture->builder, "api");
	function = builder_function(fixture->builder, backend, "api_send", SONDE_KIND_p2p);
	thread = builder_thread(fixture->builder, 100);
	builder_calls(builder_row(fixture->builder, thread, function), 10, 1000);
	device = builder_device(fixture->builder, backend, "uuid", "GPU");
	builder_interval(&fixture->builder->device[device]->kernels, SECOND, 2 * SECOND);
	builder_calls(&builder_op(fixture->builder, backend, device, "stencil", SONDE_KIND_launch)->stats, 2, SECOND);
	builder_launch_write(fixture->run, &launch);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	builder_destroy(fixture->builder);
	builder_remove(fixture->run);
	free(fixture);
	return 0;
}

/* Spreads the tally out as a writer does: threads far behind, every section with room for more. */
static void spread(const struct builder *builder)
{
	struct fmt_head head;
	char block[FMT_THREAD_ROWS_OFFSET + sizeof(struct fmt_stats)];
	int fd = open(builder->path, O_RDWR);
	uint32_t i;

	assert_int_equal(pread(fd, &head, sizeof(head), 0), sizeof(head));
	for (i = 0; i < head.section_count; i++) {
		struct fmt_section *section = &head.section[i];

		if (section->kind != FMT_SECTION_THREADS)
			continue;
		assert_int_equal(pread(fd, block, sizeof(block), (off_t)section->offset), sizeof(block));
		section->offset = GIB;
		section->stride = 2 << 20;
		section->capacity = 3000;
		assert_int_equal(pwrite(fd, block, sizeof(block), (off_t)section->offset), sizeof(block));
	}
	assert_int_equal(pwrite(fd, &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(ftruncate(fd, 8 * GIB), 0);
	close(fd);
}

static char *summary_json(const struct fixture *fixture)
{
	struct summary *summary = builder_summary(fixture->run);
	char *text;

	assert_int_equal(view_json(summary, fixture->json, NULL), 0);
	summary_destroy(summary);
	text = strdup(file_text(fixture->json));
	unlink(fixture->json);
	return text;
}

static void a_compacted_recording_gives_the_same_summary(void **state)
{
	struct fixture *fixture = *state;
	struct stat status;
	char *before, *after;

	builder_write(fixture->builder);
	spread(fixture->builder);
	before = summary_json(fixture);
	assert_int_equal(recording_compact(fixture->run), 0);
	after = summary_json(fixture);
	assert_string_equal(before, after);
	assert_int_equal(stat(fixture->builder->path, &status), 0);
	assert_true(status.st_size < 200000);
	assert_true(status.st_blocks * 512 < 60000);
	free(before);
	free(after);
}

static void compacting_twice_changes_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct stat first, second;

	builder_write(fixture->builder);
	assert_int_equal(recording_compact(fixture->run), 0);
	assert_int_equal(stat(fixture->builder->path, &first), 0);
	assert_int_equal(recording_compact(fixture->run), 0);
	assert_int_equal(stat(fixture->builder->path, &second), 0);
	assert_int_equal(first.st_size, second.st_size);
}

static void a_running_process_is_left_alone(void **state)
{
	struct fixture *fixture = *state;
	char host[64] = "", text[1024], *at;
	struct stat before, after;
	int fd = open("/proc/self/stat", O_RDONLY), field;
	ssize_t length = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[length > 0 ? length : 0] = '\0';
	at = strrchr(text, ')');
	for (field = 2; field < 22; field++)
		at = strchr(at + 1, ' ');
	gethostname(host, sizeof(host) - 1);
	builder_host(fixture->builder, host);
	fixture->builder->process.pid = (uint32_t)getpid();
	fixture->builder->process.start_time = strtoull(at, NULL, 10);
	builder_write(fixture->builder);
	assert_int_equal(stat(fixture->builder->path, &before), 0);
	assert_int_equal(recording_compact(fixture->run), 0);
	assert_int_equal(stat(fixture->builder->path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
}

static void a_process_of_another_host_whose_end_is_unknown_is_left_alone(void **state)
{
	struct fixture *fixture = *state;
	struct stat before, after;

	fixture->builder->process.pid = 101; /* not the program that the launcher saw end */
	builder_write(fixture->builder);
	assert_int_equal(stat(fixture->builder->path, &before), 0);
	assert_int_equal(recording_compact(fixture->run), 0);
	assert_int_equal(stat(fixture->builder->path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
}

static void no_temporary_file_stays_behind(void **state)
{
	struct fixture *fixture = *state;
	char path[320];

	builder_write(fixture->builder);
	assert_int_equal(recording_compact(fixture->run), 0);
	snprintf(path, sizeof(path), "%s.new", fixture->builder->path);
	assert_int_equal(access(path, F_OK), -1);
}

static void compacting_keeps_streams_and_what_their_events_refer_to(void **state)
{
	struct fixture *fixture = *state;
	struct stream_builder stream;
	struct stat before, after;
	struct recording *recording;
	struct events *events;
	const char *run = fixture->run;
	const struct tally_body *names;

	builder_queue(fixture->builder, 0, 0, "queue 1, in order");
	builder_arg(fixture->builder, 0, FMT_ARG_IN, FMT_ARG_S32, "dest", "ANY=-1");
	fixture->builder->process.streams = FMT_STREAMS_TRACE;
	builder_write(fixture->builder);
	stream_start(&stream, fixture->builder, 1);
	stream_packet(&stream, 100, 1);
	stream_event(&stream, fmt_event_id(1, FMT_CALL_ENTRY), 10, "\xff\xff\xff\xff", 4);
	stream_exit(&stream, 0, 20, 0);
	stream_write(&stream);
	assert_int_equal(stat(stream.path, &before), 0);
	assert_int_equal(recording_compact(fixture->run), 0);
	assert_int_equal(stat(stream.path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_string_equal(stream_text(run, &(struct events_wish){.what = EVENTS_SINGLE}),
			    "t100: >api_send@10; <api_send@10-20");
	assert_int_equal(recording_open(&run, 1, &recording), 0);
	assert_int_equal(events_open(recording, &(struct events_wish){0}, &events), 0);
	names = events_process(events, 0)->names;
	assert_int_equal(names->queues, 1);
	assert_string_equal(names->queue[0].name, "queue 1, in order");
	assert_int_equal(names->queue[0].device, 0);
	assert_int_equal(names->args, 1);
	assert_string_equal(names->arg[0].name, "dest");
	assert_string_equal(names->arg[0].word[0].name, "ANY");
	events_close(events);
	recording_close(recording);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_compacted_recording_gives_the_same_summary),
		TEST(compacting_twice_changes_nothing),
		TEST(a_running_process_is_left_alone),
		TEST(a_process_of_another_host_whose_end_is_unknown_is_left_alone),
		TEST(compacting_keeps_streams_and_what_their_events_refer_to),
		TEST(no_temporary_file_stays_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
