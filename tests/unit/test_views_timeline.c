/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timelines of small recordings, as tests/cli/pftrace.py reads them: it checks what must hold of every timeline
 * and shows slices as text.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "stream_builder.h"
#include "views/timeline.h"

struct fixture {
	char *run, *path;
	struct builder *builder;
	struct stream_builder stream, device;
};

/* Functions one, two (of "api"), three (of "other"), a device, a queue; thread.1 and the device's stream begun. */
static struct fixture *fixture_make(struct fixture *fixture, const char *run)
{
	struct builder *builder;

	memset(fixture, 0, sizeof(*fixture));
	fixture->run = strdup(run);
	assert_true(asprintf(&fixture->path, "%s/t.pftrace", run) > 0);
	fixture->builder = builder = builder_create(run, 100, 0, 1000);
	builder_backend(builder, "api");
	builder_backend(builder, "other");
	builder_function(builder, 0, "one", SONDE_KIND_launch);
	builder_function(builder, 0, "two", SONDE_KIND_copy);
	builder_function(builder, 1, "three", SONDE_KIND_wait);
	builder_device(builder, 0, "key", "GPU");
	builder_queue(builder, 0, 0, "blue");
	builder->process.streams = FMT_STREAMS_TIMELINE;
	return fixture;
}

static void fixture_streams(struct fixture *fixture)
{
	builder_write(fixture->builder);
	stream_start(&fixture->stream, fixture->builder, 1);
	stream_packet(&fixture->stream, 100, 1);
	stream_start(&fixture->device, fixture->builder, READ_NONE);
	stream_packet(&fixture->device, 0, 1);
}

static int setup(void **state)
{
	static struct fixture fixture;

	*state = fixture_make(&fixture, builder_run_directory());
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	free(fixture->stream.bytes);
	free(fixture->device.bytes);
	builder_destroy(fixture->builder);
	builder_remove(fixture->run);
	free(fixture->run);
	free(fixture->path);
	return 0;
}

static int timeline_make(const char *run, const struct timeline_options *options, const char *path)
{
	struct recording *recording;
	int err;

	assert_int_equal(recording_open(&run, 1, &recording), 0);
	err = timeline_write(recording, options, path);
	recording_close(recording);
	return err;
}

/* What the decoder says of a file; fails the test where it finds something wrong. */
static const char *decoded(const char *path, const char *options)
{
	static char *text;
	const size_t capacity = 16 << 20;
	const char *python = getenv("PYTHON");
	char *command;
	size_t length;
	FILE *pipe;

	assert_true(asprintf(&command, "%s -B %s/tests/cli/pftrace.py %s '%s'", python ? python : "python3", SONDE_SRC,
			     options, path) > 0);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	text = text ? text : malloc(capacity);
	assert_non_null(text);
	length = fread(text, 1, capacity - 1, pipe);
	text[length] = '\0';
	if (pclose(pipe))
		fail_msg("%s", text);
	free(command);
	return text;
}

static void finish(struct fixture *fixture)
{
	stream_write(&fixture->stream);
	stream_write(&fixture->device);
}

static const char *dump(struct fixture *fixture, const struct timeline_options *options)
{
	finish(fixture);
	assert_int_equal(timeline_make(fixture->run, options, fixture->path), 0);
	return decoded(fixture->path, "--dump");
}

static const struct timeline_options typed, tracks = {.gpu_tracks = true};

static void calls_are_nested_slices(void **state)
{
	struct fixture *fixture = *state;

	fixture_streams(fixture);
	stream_entry(&fixture->stream, 0, 10);
	stream_entry(&fixture->stream, 1, 20);
	stream_failed(&fixture->stream, 1, 30, (uint64_t)-5);
	stream_bytes(&fixture->stream, 32, 8, 9);
	stream_exit(&fixture->stream, 0, 50, 0);
	stream_entry(&fixture->stream, 2, 60);
	stream_exit(&fixture->stream, 2, 70, 7);
	assert_string_equal(dump(fixture, &typed),
			    "100/100 one 10-50 {}\n"
			    "100/100 .two 20-30 {\"bytes_in\": 9, \"bytes_out\": 8, \"failed\": true, \"result\": -5}\n"
			    "100/100 three 60-70 {\"result\": 7}\n");
}

/* Viewers pair edges by their order in the file where times are equal. */
static void equal_times_keep_the_nesting(void **state)
{
	struct fixture *fixture = *state;

	fixture_streams(fixture);
	stream_entry(&fixture->stream, 0, 10);
	stream_entry(&fixture->stream, 1, 10);
	stream_entry(&fixture->stream, 2, 10);
	stream_exit(&fixture->stream, 2, 10, 0);
	stream_exit(&fixture->stream, 1, 20, 0);
	stream_entry(&fixture->stream, 2, 20);
	stream_exit(&fixture->stream, 2, 20, 0);
	stream_exit(&fixture->stream, 0, 20, 0);
	stream_entry(&fixture->stream, 1, 20);
	stream_exit(&fixture->stream, 1, 20, 0);
	assert_string_equal(dump(fixture, &typed), "100/100 one 10-20 {}\n"
						   "100/100 .two 10-20 {}\n"
						   "100/100 ..three 10-10 {}\n"
						   "100/100 .three 20-20 {}\n"
						   "100/100 two 20-20 {}\n");
}

static void calls_that_did_not_return_say_so(void **state)
{
	struct fixture *fixture = *state;

	fixture_streams(fixture);
	stream_entry(&fixture->stream, 0, 10);
	stream_entry(&fixture->stream, 1, 20);
	stream_exit(&fixture->stream, 0, 30, 0);
	stream_entry(&fixture->stream, 2, 40);
	assert_string_equal(dump(fixture, &typed),
			    "100/100 one 10-30 {}\n"
			    "100/100 .two 20-30 {\"ended\": \"left without return\"}\n"
			    "100/100 three 40-1000 {\"ended\": \"did not return\"}\n");
}

static void lost_events_are_an_instant(void **state)
{
	struct fixture *fixture = *state;

	fixture_streams(fixture);
	stream_entry(&fixture->stream, 0, 10);
	stream_entry(&fixture->stream, 1, 20);
	stream_current(&fixture->stream)->discarded = 7;
	stream_packet(&fixture->stream, 100, 50);
	stream_entry(&fixture->stream, 2, 70);
	stream_exit(&fixture->stream, 2, 80, 0);
	assert_string_equal(dump(fixture, &typed),
			    "100/100 one 10-20 {\"ended\": \"unknown: events lost\"}\n"
			    "100/100 .two 20-20 {\"ended\": \"unknown: events lost\"}\n"
			    "100/100 three 70-80 {}\n"
			    "100/100 ! events lost 20 {\"duration_ns\": 30, \"lost\": 7}\n");
}

static void put_u32(uint8_t **at, uint32_t value)
{
	memcpy(*at, &value, sizeof(value));
	*at += sizeof(value);
}

static void arguments_are_decoded(void **state)
{
	struct fixture *fixture = *state;
	struct builder *builder = fixture->builder;
	uint8_t bytes[200], *at = bytes;
	uint64_t pointer = 0xdeadbeef;
	double half = 0.5;

	builder->process.streams = FMT_STREAMS_TRACE;
	builder_arg(builder, 0, FMT_ARG_IN, FMT_ARG_S32, "count", NULL);
	builder_arg(builder, 0, FMT_ARG_IN, FMT_ARG_U32, "mode", "READ=1 WRITE=2");
	builder_arg(builder, 0, FMT_ARG_IN, FMT_ARG_U32, "flags", "A=1 B=2 C=4")->flags = FMT_ARG_FLAGS;
	builder_arg(builder, 0, FMT_ARG_IN, FMT_ARG_POINTER, "buffer", NULL);
	builder_arg(builder, 0, FMT_ARG_IN, FMT_ARG_STRING, "text", NULL);
	builder_arg(builder, 0, FMT_ARG_IN, FMT_ARG_U32, "sizes", NULL)->flags = FMT_ARG_ARRAY;
	builder_arg(builder, 0, FMT_ARG_OUT, FMT_ARG_F64, "share", NULL);
	fixture_streams(fixture);
	put_u32(&at, (uint32_t)-3);
	put_u32(&at, 2);
	put_u32(&at, 1 | 4 | 16);
	memcpy(at, &pointer, 8);
	at += 8;
	memcpy(at, "a\"\n\xff", 5);
	at += 5;
	put_u32(&at, 2);
	put_u32(&at, 64);
	put_u32(&at, 65);
	stream_event(&fixture->stream, fmt_event_id(1, FMT_CALL_ENTRY), 10, bytes, (size_t)(at - bytes));
	memset(bytes, 0, 8);
	memcpy(bytes + 8, &half, 8);
	stream_event(&fixture->stream, fmt_event_id(1, FMT_CALL_EXIT), 20, bytes, 16);
	assert_string_equal(dump(fixture, &typed),
			    "100/100 one 10-20 {\"buffer\": 3735928559, \"count\": -3, \"flags\": \"C|A|0x10\", "
			    "\"mode\": \"WRITE\", \"result\": 0, \"share\": 0.5, \"sizes\": [64, 65], "
			    "\"text\": \"a\\\"\\n\xef\xbf\xbd\"}\n");
}

/* Two kernels that overlap, one of them linked with its launch, and a copy. */
static void device_work(struct fixture *fixture)
{
	struct fmt_event_operation copy = {.begin_ns = EPOCH + 60, .end_ns = EPOCH + 70, .correlation = 79, .bytes = 64,
					   .device = READ_NONE, .queue = READ_NONE, .kind = SONDE_KIND_copy,
					   .direction = SONDE_DIRECTION_d2h, .memory = SONDE_MEMORY_pinned};
	uint64_t name;
	int i;

	name = builder_name(fixture->builder, "kernel");
	fixture_streams(fixture);
	for (i = 0; i < 3; i++) {
		stream_entry(&fixture->stream, 0, 10 + 5 * (uint64_t)i);
		stream_exit(&fixture->stream, 0, 12 + 5 * (uint64_t)i, 0);
		stream_link(&fixture->stream, 12 + 5 * (uint64_t)i, 77 + (uint64_t)i);
	}
	stream_operation(&fixture->device, name, 40, 50, 78);
	stream_kernel(&fixture->device, name, 30, 55, 77);
	stream_event(&fixture->device, FMT_EVENT_OPERATION, 70, &copy, sizeof(copy));
}

static void device_work_is_typed_and_connected(void **state)
{
	struct fixture *fixture = *state;

	device_work(fixture);
	assert_string_equal(
		dump(fixture, &typed),
		"100/100 one 10-12 {}\n100/100 one 15-17 {}\n100/100 one 20-22 {}\n"
		"stage {\"api\": 0, \"begin\": 30, \"block\": [128, 1, 1], "
		"\"context\": 100, \"device\": 0, \"dynamic_shared_bytes\": 256, \"end\": 55, \"gpu\": 0, "
		"\"graph\": 5, \"graph_node\": 9, \"grid\": [64, 2, 1], \"id\": 77, "
		"\"kernel\": \"kernel\", \"machine\": 0, \"name\": \"kernel\", \"queue\": \"api:0 queue 000 (blue)\", "
		"\"registers\": 40, \"stage\": \"kernel\", \"static_shared_bytes\": 1024, \"stream\": 0}\n"
		"stage {\"api\": 0, \"begin\": 40, "
		"\"context\": 100, \"device\": 0, \"end\": 50, \"gpu\": 0, \"id\": 78, "
		"\"kernel\": \"kernel\", \"machine\": 0, \"name\": \"kernel\", \"queue\": \"api:0 queue 000 (blue)\", "
		"\"stage\": \"kernel\", \"stream\": 0}\n"
		"stage {\"api\": 0, \"begin\": 60, "
		"\"bytes\": 64, \"context\": 100, \"direction\": \"D2H\", \"end\": 70, "
		"\"gpu\": 1, "
		"\"host memory\": \"pinned host\", \"id\": 79, \"kernel\": null, \"machine\": 0, \"name\": \"copy\", "
		"\"queue\": \"api no queue known\", \"stage\": \"copy\"}\n"
		"running kernels: GPU 0 = 1 at 30\nrunning kernels: GPU 0 = 2 at 40\n"
		"running kernels: GPU 0 = 1 at 50\nrunning kernels: GPU 0 = 0 at 55\n");
}

static void rows_hold_no_two_slices_at_once(void **state)
{
	struct fixture *fixture = *state;

	device_work(fixture);
	assert_string_equal(dump(fixture, &tracks),
			    "100/100 one 10-12 {}\n100/100 one 15-17 {}\n100/100 one 20-22 {}\n"
			    "queue 000 (blue) kernel 30-55 {\"block\": [128, 1, 1], "
			    "\"dynamic_shared_bytes\": 256, \"graph\": 5, \"graph_node\": 9, "
			    "\"grid\": [64, 2, 1], \"registers\": 40, \"static_shared_bytes\": 1024}\n"
			    "queue 000 (blue) kernel 40-50 {}\n"
			    "no queue known copy 60-70 "
			    "{\"bytes\": 64, \"direction\": \"D2H\", \"host memory\": \"pinned host\"}\n"
			    "running kernels: GPU 0 = 1 at 30\nrunning kernels: GPU 0 = 2 at 40\n"
			    "running kernels: GPU 0 = 1 at 50\nrunning kernels: GPU 0 = 0 at 55\n");
	assert_non_null(strstr(decoded(fixture->path, ""), "\"flows\": 3, \"flow_ends\": 3"));
}

static void memory_in_use_is_a_counter(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_event_memory memory = {.live_bytes = 4096, .change = 4096, .memory = SONDE_MEMORY_device};

	fixture_streams(fixture);
	stream_entry(&fixture->stream, 0, 10);
	stream_exit(&fixture->stream, 0, 20, 0);
	stream_event(&fixture->stream, FMT_EVENT_MEMORY, 21, &memory, sizeof(memory));
	assert_string_equal(dump(fixture, &typed), "100/100 one 10-20 {}\n"
						   "memory in use: device, GPU 0 = 4096 at 21\n");
}

static void names_of_any_bytes_survive(void **state)
{
	struct fixture *fixture = *state;
	char name[4001], expected[4200];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, "\x01\"\xc3\xa9\xff", 5);
	builder_function(fixture->builder, 0, name, SONDE_KIND_other);
	builder_function(fixture->builder, 0, "", SONDE_KIND_other);
	fixture_streams(fixture);
	stream_entry(&fixture->stream, 3, 10);
	stream_exit(&fixture->stream, 3, 20, 0);
	stream_entry(&fixture->stream, 4, 30);
	stream_exit(&fixture->stream, 4, 40, 0);
	snprintf(expected, sizeof(expected),
		 "100/100 \x01\"\xc3\xa9\xef\xbf\xbd%s 10-20 {}\n100/100 ? 30-40 {}\n", name + 5);
	assert_string_equal(dump(fixture, &typed), expected);
}

static void one_call(struct fixture *fixture)
{
	stream_entry(&fixture->stream, 0, 10);
	stream_exit(&fixture->stream, 0, 20, 0);
	stream_link(&fixture->stream, 20, 5);
	stream_link(&fixture->stream, 20, 5 + ((uint64_t)1 << 40)); /* no serial number, but as good as one */
	stream_operation(&fixture->device, 0, 30, 40, 5);
	stream_operation(&fixture->device, 0, 35, 40, 5 + ((uint64_t)1 << 40));
	finish(fixture);
}

/* Equal ids in all places where processes can have them. */
static void processes_and_hosts_do_not_mix(void **state)
{
	static struct fixture other[2];
	struct fixture *fixture = *state;
	const char *text;
	int i;

	fixture->builder->process.rank = 0;
	fixture_streams(fixture);
	one_call(fixture);
	for (i = 0; i < 2; i++) {
		fixture_make(&other[i], fixture->run);
		other[i].builder->process.rank = i + 1;
		if (i)
			builder_host(other[i].builder, "farther");
		else
			other[i].builder->process.pid = 101;
		fixture_streams(&other[i]);
		one_call(&other[i]);
	}
	assert_int_equal(timeline_make(fixture->run, &typed, fixture->path), 0);
	text = decoded(fixture->path, "");
	assert_non_null(strstr(text, "\"slices\": 3, \"stages\": 6"));
	assert_non_null(strstr(text, "\"submitted\": 6"));
	assert_non_null(strstr(text, "\": \"farther\""));
	assert_non_null(strstr(text, "rank 2: "));
	assert_non_null(strstr(text, "\"threads\": 3"));
	for (i = 0; i < 2; i++) {
		builder_destroy(other[i].builder);
		free(other[i].run);
		free(other[i].path);
	}
}

static void filters_leave_out(void **state)
{
	struct fixture *fixture = *state;
	struct timeline_options options = {.filter = {.exclude = "two"}};

	fixture_streams(fixture);
	stream_entry(&fixture->stream, 0, 10);
	stream_entry(&fixture->stream, 1, 20);
	stream_entry(&fixture->stream, 2, 22);
	stream_exit(&fixture->stream, 2, 28, 0);
	stream_exit(&fixture->stream, 1, 30, 0);
	stream_exit(&fixture->stream, 0, 50, 0);
	assert_string_equal(dump(fixture, &options), "100/100 one 10-50 {}\n100/100 .three 22-28 {}\n");
	options.filter = (struct events_filter){.min_duration = 10};
	assert_int_equal(timeline_make(fixture->run, &options, fixture->path), 0);
	assert_string_equal(decoded(fixture->path, "--dump"), "100/100 one 10-50 {}\n100/100 .two 20-30 {}\n");
}

/* Many calls in an outer one: every part is sound, and all of them together hold every call. */
static void large_timelines_are_split(void **state)
{
	struct fixture *fixture = *state;
	struct timeline_result result;
	struct timeline_options options = {.split_bytes = TIMELINE_SPLIT_LEAST, .result = &result};
	const uint32_t inner = 70000;
	struct stat info;
	uint32_t i, seen = 0;
	char path[300];

	fixture->builder->process.end_ticks = EPOCH + inner * 100 + 1000;
	fixture_streams(fixture);
	stream_entry(&fixture->stream, 0, 1);
	for (i = 0; i < inner; i++) {
		if (i % 1000 == 999)
			stream_packet(&fixture->stream, 100, 10 + i * 100);
		stream_entry(&fixture->stream, 1, 10 + i * 100);
		stream_exit(&fixture->stream, 1, 50 + i * 100, 0);
	}
	stream_exit(&fixture->stream, 0, inner * 100 + 20, 0);
	finish(fixture);
	assert_int_equal(timeline_make(fixture->run, &options, fixture->path), 0);
	assert_in_range(result.files, 3, 4);
	assert_int_equal(result.calls, inner + 1);
	for (i = 1; i <= result.files; i++) {
		const char *text, *count;

		snprintf(path, sizeof(path), "%s/t.%03u.pftrace", fixture->run, i);
		assert_int_equal(stat(path, &info), 0);
		assert_in_range(info.st_size, 1, TIMELINE_SPLIT_LEAST);
		text = decoded(path, "");
		count = strstr(text, "\"two\": ");
		assert_non_null(count);
		seen += (uint32_t)atol(count + 7);
		assert_non_null(strstr(text, "\"one\": 1"));
	}
	assert_int_equal(seen, inner);
	assert_non_null(strstr(decoded(fixture->path, "--dump"), "files of this timeline t.002.pftrace "));
}

static void a_small_recording_is_not_split(void **state)
{
	struct fixture *fixture = *state;
	struct timeline_result result;
	struct timeline_options options = {.split_bytes = TIMELINE_SPLIT_DEFAULT, .result = &result};

	fixture_streams(fixture);
	one_call(fixture);
	assert_int_equal(timeline_make(fixture->run, &options, fixture->path), 0);
	assert_int_equal(result.files, 1);
	assert_int_equal(result.operations, 2);
}

static void gz_holds_the_same(void **state)
{
	struct fixture *fixture = *state;
	char path[300], *plain;

	if (!dlopen("libz.so.1", RTLD_LAZY))
		skip();
	fixture_streams(fixture);
	one_call(fixture);
	assert_int_equal(timeline_make(fixture->run, &typed, fixture->path), 0);
	plain = strdup(decoded(fixture->path, "--dump"));
	snprintf(path, sizeof(path), "%s.gz", fixture->path);
	assert_int_equal(timeline_make(fixture->run, &typed, path), 0);
	assert_string_equal(decoded(path, "--dump"), plain);
	free(plain);
}

static void fails(struct fixture *fixture, const char *path, const char *why)
{
	char partial[400];

	capture_start();
	assert_int_not_equal(timeline_make(fixture->run, &typed, path), 0);
	assert_non_null(strstr(capture_end(), why));
	snprintf(partial, sizeof(partial), "%s.partial", path);
	assert_int_equal(access(partial, F_OK), -1);
}

static void trouble_is_told_and_leaves_no_file(void **state)
{
	struct fixture *fixture = *state;

	fixture_streams(fixture);
	finish(fixture);
	fails(fixture, fixture->path, "no call, range or operation is left");
	assert_int_equal(access(fixture->path, F_OK), -1);
	stream_start(&fixture->stream, fixture->builder, 1);
	stream_packet(&fixture->stream, 100, 1);
	stream_start(&fixture->device, fixture->builder, READ_NONE);
	stream_packet(&fixture->device, 0, 1);
	one_call(fixture);
	fails(fixture, "/dev/full", "/dev/full: No space left on device");
	fails(fixture, "/nowhere/t.pftrace", "/nowhere/t.pftrace: No such file or directory");
}

static void a_recording_without_streams_is_told(void **state)
{
	struct fixture *fixture = *state;

	builder_write(fixture->builder);
	fails(fixture, fixture->path, "recorded without -l");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(calls_are_nested_slices), TEST(equal_times_keep_the_nesting),
		TEST(calls_that_did_not_return_say_so),
		TEST(lost_events_are_an_instant), TEST(arguments_are_decoded), TEST(device_work_is_typed_and_connected),
		TEST(rows_hold_no_two_slices_at_once), TEST(memory_in_use_is_a_counter),
		TEST(names_of_any_bytes_survive),
		TEST(processes_and_hosts_do_not_mix), TEST(filters_leave_out), TEST(large_timelines_are_split),
		TEST(a_small_recording_is_not_split), TEST(gz_holds_the_same), TEST(trouble_is_told_and_leaves_no_file),
		TEST(a_recording_without_streams_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
