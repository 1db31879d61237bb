/* SPDX-License-Identifier: BSD-3-Clause */
/* Exports of one small recording, whose names are as bad as names can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "stream_builder.h"
#include "views/view_export.h"

struct fixture {
	char *run, *path;
	struct builder *builder;
};

/* o,"ne(10-50) { tw\xff(20-30, failed, two operations) } three(60-, open) in rank 4, then a gap; a copy; memory. */
static int setup(void **state)
{
	static struct fixture fixture;
	struct builder *builder;
	struct stream_builder stream;
	struct fmt_event_operation copy = {.begin_ns = EPOCH + 61, .end_ns = EPOCH + 1070, .correlation = 77,
					   .bytes = 64,
					   .kind = SONDE_KIND_copy, .direction = SONDE_DIRECTION_d2h};
	struct fmt_event_memory memory = {.live_bytes = 4096, .change = 4096, .memory = SONDE_MEMORY_device};
	const uint32_t size = 5;
	uint64_t name;

	fixture.run = strdup(builder_run_directory());
	assert_true(asprintf(&fixture.path, "%s/out", fixture.run) > 0);
	fixture.builder = builder = builder_create(fixture.run, 100, 0, 2000);
	builder_backend(builder, "api");
	builder_function(builder, 0, "o,\"ne", SONDE_KIND_launch);
	builder_function(builder, 0, "tw\xff\n", SONDE_KIND_copy);
	builder_function(builder, 0, "three", SONDE_KIND_wait);
	builder_device(builder, 0, "key", "GPU");
	builder_queue(builder, 0, 0, "blue");
	builder_arg(builder, 2, FMT_ARG_IN, FMT_ARG_U32, "size", NULL);
	name = builder_name(builder, "kernel");
	builder->process.rank = 4;
	builder->process.streams = FMT_STREAMS_TRACE;
	builder_write(builder);
	stream_start(&stream, builder, 1);
	stream_packet(&stream, 100, 1);
	stream_entry(&stream, 0, 10);
	stream_entry(&stream, 1, 20);
	stream_failed(&stream, 1, 30, (uint64_t)-5);
	stream_link(&stream, 30, 77);
	stream_link(&stream, 30, 78);
	stream_bytes(&stream, 32, 8, 9);
	stream_exit(&stream, 0, 50, 0);
	stream_event(&stream, FMT_EVENT_MEMORY, 51, &memory, sizeof(memory));
	stream_event(&stream, fmt_event_id(3, FMT_CALL_ENTRY), 60, &size, sizeof(size));
	stream_current(&stream)->discarded = 3;
	stream_write(&stream);
	stream_start(&stream, builder, READ_NONE);
	stream_packet(&stream, 0, 1);
	stream_kernel(&stream, name, 1040, 1050, 78);
	stream_event(&stream, FMT_EVENT_OPERATION, 1070, &copy, sizeof(copy));
	stream_write(&stream);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	builder_destroy(fixture->builder);
	builder_remove(fixture->run);
	free(fixture->run);
	free(fixture->path);
	return 0;
}

static int export_to(struct fixture *fixture, const struct export_format *format, const struct export_options *options)
{
	struct recording *recording;
	uint64_t rows;
	int err;

	assert_int_equal(recording_open((const char *const *)&fixture->run, 1, &recording), 0);
	err = export_write(recording, format, options, fixture->path, &rows);
	recording_close(recording);
	return err;
}

static void exports(struct fixture *fixture, const struct export_format *format, const char *expected)
{
	const struct export_options options = {0};

	assert_int_equal(export_to(fixture, format, &options), 0);
	assert_string_equal(file_text(fixture->path), expected);
}

/* What python says of the output, given as `data` and parsed as JSON; fails where it cannot be parsed. */
static const char *python(struct fixture *fixture, const char *expression)
{
	static char text[65536];
	const char *interpreter = getenv("PYTHON");
	char *command;
	size_t length;
	FILE *pipe;

	assert_true(asprintf(&command, "%s -c 'import json, sys\ndata = json.load(open(sys.argv[1]))\nprint(%s)' '%s'",
			     interpreter ? interpreter : "python3", expression, fixture->path) > 0);
	pipe = popen(command, "r");
	length = fread(text, 1, sizeof(text) - 1, pipe);
	text[length] = '\0';
	assert_int_equal(pclose(pipe), 0);
	free(command);
	return text;
}

static void csv_has_a_row_per_event(void **state)
{
	exports(*state, &export_csv,
		"type,begin_ns,duration_ns,host,pid,tid,rank,backend,name,kind,depth,failed,ended,result,bytes_out,"
		"bytes_in,bytes,direction,memory,device,ordinal,queue,correlation,clock_error_ns,lost,value,unit,grid,"
		"block,registers,static_shared_bytes,dynamic_shared_bytes,graph,graph_node\r\n"
		"call,10,40,node,100,100,4,api,\"o,\"\"ne\",launch,0,false,,0,,,,,,,,,,,,,,,,,,,,\r\n"
		"call,20,10,node,100,100,4,api,\"tw\xef\xbf\xbd\n\",copy,1,true,,-5,8,9,,,,,,,77 78,,,,,,,,,,,\r\n"
		"memory,51,0,node,100,100,4,api,,,,,,,,,4096,,device,GPU,0,,,,,,,,,,,,,\r\n"
		"call,60,0,node,100,100,4,api,three,wait,0,false,cut,,,,,,,,,,,,,,,,,,,,,\r\n"
		"gap,60,1940,node,100,100,4,,,,,,,,,,,,,,,,,,3,,,,,,,,,\r\n"
		"operation,61,1009,node,100,,4,api,copy,copy,,,,,,,64,D2H,unknown,GPU,0,blue,77,0,,,,,,,,,,\r\n"
		"operation,1040,10,node,100,,4,api,kernel,launch,,,,,,,,,,GPU,0,blue,78,0,,,,64x2x1,"
		"128x1x1,40,1024,256,5,9\r\n");
}

static void json_has_the_same_names(void **state)
{
	exports(*state, &export_json,
		"{\"type\": \"call\", \"begin_ns\": 10, \"duration_ns\": 40, \"host\": \"node\", \"pid\": 100, "
		"\"tid\": 100, "
		"\"rank\": 4, \"backend\": \"api\", \"name\": \"o,\\\"ne\", \"kind\": \"launch\", \"depth\": 0, "
		"\"failed\": false, \"result\": 0}\n"
		"{\"type\": \"call\", \"begin_ns\": 20, \"duration_ns\": 10, \"host\": \"node\", \"pid\": 100, "
		"\"tid\": 100, "
		"\"rank\": 4, \"backend\": \"api\", \"name\": \"tw\xef\xbf\xbd\\u000a\", "
		"\"kind\": \"copy\", \"depth\": 1, "
		"\"failed\": true, \"result\": -5, \"bytes_out\": 8, \"bytes_in\": 9, \"correlation\": [77, 78]}\n"
		"{\"type\": \"memory\", \"begin_ns\": 51, \"duration_ns\": 0, \"host\": \"node\", \"pid\": 100, "
		"\"tid\": 100, \"rank\": 4, \"backend\": \"api\", \"bytes\": 4096, \"memory\": \"device\", "
		"\"device\": \"GPU\", \"ordinal\": 0}\n"
		"{\"type\": \"call\", \"begin_ns\": 60, \"duration_ns\": 0, \"host\": \"node\", \"pid\": 100, "
		"\"tid\": 100, "
		"\"rank\": 4, \"backend\": \"api\", \"name\": \"three\", \"kind\": \"wait\", \"depth\": 0, "
		"\"failed\": false, \"args\": {\"size\": 5}, \"ended\": \"cut\"}\n"
		"{\"type\": \"gap\", \"begin_ns\": 60, \"duration_ns\": 1940, \"host\": \"node\", \"pid\": 100, "
		"\"tid\": 100, \"rank\": 4, \"lost\": 3}\n"
		"{\"type\": \"operation\", \"begin_ns\": 61, \"duration_ns\": 1009, \"host\": \"node\", \"pid\": 100, "
		"\"rank\": 4, \"backend\": \"api\", \"name\": \"copy\", \"kind\": \"copy\", \"bytes\": 64, "
		"\"direction\": \"D2H\", \"memory\": \"unknown\", \"device\": \"GPU\", "
		"\"ordinal\": 0, \"queue\": \"blue\", "
		"\"correlation\": 77, \"clock_error_ns\": 0}\n"
		"{\"type\": \"operation\", \"begin_ns\": 1040, \"duration_ns\": 10, \"host\": \"node\", \"pid\": 100, "
		"\"rank\": 4, \"backend\": \"api\", \"name\": \"kernel\", \"kind\": \"launch\", "
		"\"device\": \"GPU\", \"ordinal\": 0, \"queue\": \"blue\", \"correlation\": 78, "
		"\"clock_error_ns\": 0, \"grid\": [64, 2, 1], \"block\": [128, 1, 1], \"registers\": 40, "
		"\"static_shared_bytes\": 1024, \"dynamic_shared_bytes\": 256, \"graph\": 5, \"graph_node\": 9}\n");
}

static void chrome_keeps_nanoseconds_rows_and_arrows(void **state)
{
	struct fixture *fixture = *state;
	const struct export_options options = {0};

	assert_int_equal(export_to(fixture, &export_chrome, &options), 0);
	assert_string_equal(
		python(fixture, "[(e[\"name\"], e[\"tid\"], e[\"ts\"], e[\"dur\"]) for e in data[\"traceEvents\"] "
				"if e[\"ph\"] == \"X\"]"),
		"[('o,\"ne', 100, 0.01, 0.04), ('tw\xef\xbf\xbd\\n', 100, 0.02, 0.01), ('three', 100, 0.06, 0.0), "
		"('copy', 1000000000, 0.061, 1.009), ('kernel', 1000000001, 1.04, 0.01)]\n");
	assert_string_equal(python(fixture, "[(e[\"ph\"], e[\"id\"], e[\"tid\"]) for e in data[\"traceEvents\"] "
					    "if e[\"ph\"] in \"sf\"]"),
			    "[('s', 77, 100), ('s', 78, 100), ('f', 77, 1000000000), ('f', 78, 1000000001)]\n");
	assert_string_equal(python(fixture, "[(e[\"name\"], e[\"args\"]) for e in data[\"traceEvents\"] "
					    "if e[\"ph\"] in \"Ci\"]"),
			    "[('memory in use: device, GPU 0', {'bytes': 4096}), "
			    "('events lost', {'lost': 3, 'duration_ns': 1940})]\n");
	assert_string_equal(python(fixture, "[e[\"args\"] for e in data[\"traceEvents\"] "
					    "if e[\"name\"] == \"kernel\"]"),
			    "[{'grid': [64, 2, 1], 'block': [128, 1, 1], 'registers': 40, "
			    "'static_shared_bytes': 1024, 'dynamic_shared_bytes': 256, 'graph': 5, "
			    "'graph_node': 9}]\n");
}

static void speedscope_opens_and_closes_every_call(void **state)
{
	struct fixture *fixture = *state;
	const struct export_options options = {0};

	assert_int_equal(export_to(fixture, &export_speedscope, &options), 0);
	assert_string_equal(python(fixture, "[f[\"name\"] for f in data[\"shared\"][\"frames\"]]"),
			    "['api:o,\"ne', 'api:tw\xef\xbf\xbd\\n', 'api:three']\n");
	assert_string_equal(python(fixture, "[(p[\"name\"], p[\"unit\"], p[\"startValue\"], p[\"endValue\"]) "
					    "for p in data[\"profiles\"]]"),
			    "[('rank 4 pid 100', 'nanoseconds', 10, 60)]\n");
	assert_string_equal(python(fixture, "[(e[\"type\"], e[\"frame\"], e[\"at\"]) "
					    "for e in data[\"profiles\"][0][\"events\"]]"),
			    "[('O', 0, 10), ('O', 1, 20), ('C', 1, 30), ('C', 0, 50), ('O', 2, 60), ('C', 2, 60)]\n");
}

static void filters_hold_for_exports(void **state)
{
	struct fixture *fixture = *state;
	const struct export_options options = {.filter = {.include = "kernel"}}, none = {.filter = {.include = "x"}};
	const char *text;

	assert_int_equal(export_to(fixture, &export_csv, &options), 0);
	text = file_text(fixture->path);
	assert_non_null(strstr(text, "kernel"));
	assert_null(strstr(text, "three"));
	capture_start();
	assert_int_not_equal(export_to(fixture, &export_chrome, &none), 0);
	assert_non_null(strstr(capture_end(), "no call, range or operation is left"));
}

static void a_page_needs_the_release_of_the_viewer(void **state)
{
	struct fixture *fixture = *state;
	const struct export_options options = {.speedscope = fixture->run};

	capture_start();
	assert_int_not_equal(export_to(fixture, &export_speedscope, &options), 0);
	assert_non_null(strstr(capture_end(), "no release of speedscope"));
	assert_int_equal(access(fixture->path, F_OK), -1);
}

/* A release that tries to end its own element, and the data behind it. */
static void a_page_holds_viewer_and_data(void **state)
{
	struct fixture *fixture = *state;
	const struct export_options options = {.speedscope = fixture->run};
	char path[300];
	const char *text;
	FILE *file;

	snprintf(path, sizeof(path), "%s/speedscope-1.js", fixture->run);
	file = fopen(path, "w");
	fputs("var a = '</script>', b = 1 </x/;", file);
	fclose(file);
	snprintf(path, sizeof(path), "%s/speedscope-1.css", fixture->run);
	file = fopen(path, "w");
	fputs("body {}", file);
	fclose(file);
	assert_int_equal(export_to(fixture, &export_speedscope, &options), 0);
	text = file_text(fixture->path);
	assert_non_null(strstr(text, "<style>body {}</style>"));
	assert_non_null(strstr(text, "<script>var a = '<\\/script>', b = 1 </x/;</script>"));
	assert_non_null(strstr(text, "'sonde.json', 'ewoJIiRzY2hlbWEiOiAiaHR0cHM6")); /* {"$schema": "https: */
	assert_non_null(strstr(text, "');</script></body></html>"));
}

static void ctf_takes_whole_processes_into_a_new_directory(void **state)
{
	struct fixture *fixture = *state;
	const struct export_options options = {0}, filtered = {.filter = {.include = "x"}};
	char path[600];

	capture_start();
	assert_int_not_equal(export_to(fixture, &export_ctf, &filtered), 0);
	assert_non_null(strstr(capture_end(), "whole processes"));
	assert_int_equal(export_to(fixture, &export_ctf, &options), 0);
	snprintf(path, sizeof(path), "%s%s/thread.1", fixture->path, strrchr(fixture->builder->directory, '/'));
	assert_int_equal(access(path, R_OK), 0);
	capture_start();
	assert_int_not_equal(export_to(fixture, &export_ctf, &options), 0);
	assert_non_null(strstr(capture_end(), "name another one by -o"));
	snprintf(path, sizeof(path), "rm -r '%s'", fixture->path);
	assert_int_equal(system(path), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(csv_has_a_row_per_event), TEST(json_has_the_same_names),
		TEST(chrome_keeps_nanoseconds_rows_and_arrows), TEST(speedscope_opens_and_closes_every_call),
		TEST(filters_hold_for_exports), TEST(a_page_needs_the_release_of_the_viewer),
		TEST(a_page_holds_viewer_and_data), TEST(ctf_takes_whole_processes_into_a_new_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
