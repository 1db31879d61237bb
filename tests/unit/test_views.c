/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views against golden files: tests/golden/. SONDE_UPDATE_GOLDEN=1 writes them anew; the difference is
 * then reviewed like any other change.
 */
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

#define GOLDEN SONDE_SRC "/tests/golden/"

static char run[200], out[240];

static void add_device_work(struct builder *builder, uint32_t device, uint32_t rank)
{
	struct fmt_device *gpu = builder->device[device];
	struct fmt_transfer *transfer = builder_transfer(builder, 1, device);
	struct fmt_memory *memory = builder_memory(builder, 1, device);
	struct fmt_op *op = builder_op(builder, 1, device, "stencil<double, 3>(double const*, \"x\")",
				       SONDE_KIND_launch);
	uint64_t i;

	for (i = 0; i < 4; i++)
		builder_interval(&gpu->kernels, (1 + 2 * i + rank) * SECOND, (2 + 2 * i + rank) * SECOND);
	gpu->kernels_sum_ns = 4 * SECOND;
	builder_interval(&gpu->copies, SECOND / 2, 1500 * MS);
	gpu->copies_sum_ns = SECOND;
	gpu->clock_error_ns = 250;
	builder_calls(&op->stats, 3, 990 * MS);
	builder_calls(&op->stats, 1, 1030 * MS);
	op->shape = builder_shape;
	op = builder_op(builder, 1, device, "reduce", SONDE_KIND_launch);
	builder_calls(&op->stats, 1000, 4321);
	op->shape = builder_shape;
	op->shape.grid[0] += rank; /* not the same for all */
	transfer->direction = SONDE_DIRECTION_h2d;
	transfer->memory = SONDE_MEMORY_pinned;
	transfer->calls = 10;
	transfer->bytes = 12ull << 30;
	transfer->total_ns = SECOND;
	memory->memory = SONDE_MEMORY_device;
	memory->allocs = 3;
	memory->frees = 2;
	memory->alloc_bytes = 3 << 20;
	memory->peak_bytes = 2 << 20;
	memory->live_bytes = 1 << 20;
}

static void add_calls(struct builder *builder, uint32_t rank)
{
	uint32_t thread = builder_thread(builder, builder->process.pid), function;
	struct fmt_stats *row;

	function = builder_function(builder, 0, "comm_allreduce", SONDE_KIND_coll);
	row = builder_row(builder, thread, function);
	builder_calls(row, 100, (2 + 3 * rank) * MS);
	row->bytes_out = row->bytes_in = 800;
	function = builder_function(builder, 0, "comm_rank", SONDE_KIND_query);
	builder->function[function].flags = FMT_FUNCTION_COUNTED;
	builder_row(builder, thread, function)->hist[0] = 12;
	function = builder_function(builder, 1, "dev_finish", SONDE_KIND_wait);
	row = builder_row(builder, thread, function);
	builder_calls(row, 4, 900 * MS);
	function = builder_function(builder, 1, "dev_write", SONDE_KIND_copy);
	row = builder_row(builder, thread, function);
	builder_calls(row, 10, 120 * MS);
	row->blocked = 1200 * MS;
	row->device_ns = SECOND;
	row->failed = 1;
	builder_failure(builder, function, -5, "DEV_OUT_OF_RESOURCES", 1);
	function = builder_function(builder, 1, "dev_launch", SONDE_KIND_launch);
	builder_calls(builder_row(builder, thread, function), 1004, 3000);
	builder_build(builder, 1, "stencil.cl")->calls = 1;
	builder->build[0].total = 45 * MS;
}

/* One graph of three nodes; the second node was given another kernel after its first run. */
static void add_graph(struct builder *builder, uint32_t device, uint32_t rank)
{
	static const struct {
		const char *name;
		enum sonde_kind kind;
		uint64_t number, calls, each;
	} nodes[] = {
		{"stencil", SONDE_KIND_launch, 31, 8, 5 * MS}, {"reduce", SONDE_KIND_launch, 32, 1, MS},
		{"reduce_all", SONDE_KIND_launch, 32, 7, 2 * MS}, {"", SONDE_KIND_copy, 33, 8, MS / 2},
	};
	struct fmt_graph *graph = builder_graph(builder, 1, 5 + rank);

	graph->launches = 8;
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		struct fmt_node *node = builder_node(builder, graph, device, nodes[i].name, nodes[i].kind);

		node->number = nodes[i].number;
		node->calls = nodes[i].calls;
		node->total_ns = nodes[i].calls * nodes[i].each;
		node->max_ns = nodes[i].each + 10 * rank;
	}
}

/* The first kernels of the tally's, a copy beside one of them, and a message while the device works. */
static void add_streams(const struct builder *builder, uint32_t rank)
{
	struct fmt_event_operation copy = {
		.begin_ns = EPOCH + 500 * MS, .end_ns = EPOCH + 1500 * MS, .kind = SONDE_KIND_copy, .queue = READ_NONE,
		.direction = SONDE_DIRECTION_h2d, .backend = 1,
	};
	struct stream_builder stream;
	uint64_t i;

	stream_start(&stream, builder, READ_NONE);
	stream_packet(&stream, 0, 0);
	stream_event(&stream, FMT_EVENT_OPERATION, 1500 * MS, &copy, sizeof(copy));
	for (i = 0; i < 4; i++)
		stream_operation(&stream, 0, (1 + 2 * i + rank) * SECOND, (2 + 2 * i + rank) * SECOND, 0);
	stream_write(&stream);
	stream_start(&stream, builder, 0);
	stream_packet(&stream, builder->process.pid, 0);
	stream_entry(&stream, 2, 200 * MS); /* dev_finish: 100 ms before anything runs */
	stream_exit(&stream, 2, 300 * MS, 0);
	stream_entry(&stream, 0, (3 + rank) * SECOND);
	stream_exit(&stream, 0, (3 + rank) * SECOND + (500 + 300 * rank) * MS, 0);
	stream_write(&stream);
}

static void add_rank(uint32_t rank)
{
	struct builder *builder = builder_create(run, 100 + rank, 100 * MS, 9900 * MS);
	struct fmt_launch launch = builder_launch(100 + rank, rank * MS, 10 * SECOND - rank * MS, 0);
	uint32_t device;

	builder->process.rank = (int32_t)rank;
	builder->process.size = 2;
	launch.rank = (int32_t)rank;
	launch.size = launch.local_size = 2;
	builder_backend(builder, "comm");
	builder_backend(builder, "dev");
	builder->backend[1].device_seen = 1010;
	builder->backend[1].device_recorded = rank ? 1008 : 1010;
	builder->process.notes = rank ? FMT_NOTE_CHILDREN_UNTRACED : 0;
	add_calls(builder, rank);
	device = builder_device(builder, 1, "uuid-1", "Simulated GPU");
	add_device_work(builder, device, rank);
	add_graph(builder, device, rank);
	builder->process.streams = FMT_STREAMS_TIMELINE;
	builder_write(builder);
	add_streams(builder, rank);
	builder_launch_write(run, &launch);
	builder_destroy(builder);
}

static int setup(void **state)
{
	(void)state;
	strcpy(run, builder_run_directory());
	snprintf(out, sizeof(out), "%s/out", run);
	add_rank(0);
	add_rank(1);
	builder_samples_write(run, "node", "uuid-1", "uuid-2");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	builder_remove(run);
	return 0;
}

/* The bytes of a file are those of its golden one. */
static void assert_golden(const char *path, const char *name)
{
	char golden[400];
	char *text = strdup(file_text(path));
	FILE *file;

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

static struct summary *summarise(enum summary_by by)
{
	struct summary_options options = {.by = by, .tool = "sonde test"};
	const char *directory = run;
	struct summary *summary;

	assert_int_equal(summary_of_directories(&directory, 1, &options, &summary), 0);
	return summary;
}

static void print_table(enum summary_by by, const struct view_options *options, const char *golden)
{
	struct summary *summary = summarise(by);
	FILE *file = fopen(out, "w");

	assert_int_equal(view_table(summary, file, options), 0);
	fclose(file);
	assert_golden(out, golden);
	summary_destroy(summary);
}

static void the_table_of_two_ranks(void **state)
{
	(void)state;
	print_table(SUMMARY_BY_NONE, NULL, "table.txt");
}

static void the_table_on_a_narrow_terminal_with_colour(void **state)
{
	(void)state;
	print_table(SUMMARY_BY_NONE, &(struct view_options){.width = 72, .colour = true, .max_name = 20},
		    "table-narrow.txt");
}

/* What `change` does to a summary, as its table says it. */
static void table_says(void (*change)(struct summary *summary), const char *text)
{
	struct summary *summary = summarise(SUMMARY_BY_NONE);
	FILE *file = fopen(out, "w");

	change(summary);
	assert_int_equal(view_table(summary, file, NULL), 0);
	fclose(file);
	assert_non_null(strstr(file_text(out), text));
	summary_destroy(summary);
}

static void lose_events(struct summary *summary)
{
	summary->overlap_whole = false;
	summary->overlap_lost = 7;
	summary->overlap_without = 1;
}

static void be_too_large(struct summary *summary)
{
	summary->overlap_state = SUMMARY_OVERLAP_SKIPPED;
	summary->overlaps = 0;
}

static void find_something(struct summary *summary)
{
	summary->overlap_finding = "Copies never ran.";
}

static void the_overlap_says_what_it_lacks(void **state)
{
	(void)state;
	table_says(lose_events, "  partial: 1 of 3 processes recorded no events and are left out; 7 events are "
				"missing, and what they would show is counted as host\n");
	table_says(be_too_large, "\nOverlap: many events were recorded; `sonde report` tells it");
	table_says(find_something, "\n  Copies never ran.\n");
}

static void the_table_by_rank_with_two_rows_and_the_ledger(void **state)
{
	(void)state;
	print_table(SUMMARY_BY_RANK, &(struct view_options){.top = 2, .ledger = true}, "table-by-rank.txt");
}

static void the_table_by_thread_and_by_device(void **state)
{
	(void)state;
	print_table(SUMMARY_BY_THREAD, NULL, "table-by-thread.txt");
	print_table(SUMMARY_BY_DEVICE, NULL, "table-by-device.txt");
}

static void json_of_two_ranks(void **state)
{
	struct summary *summary = summarise(SUMMARY_BY_NONE);

	(void)state;
	assert_int_equal(view_json(summary, out, NULL), 0);
	assert_golden(out, "summary.json");
	summary_destroy(summary);
}

static void csv_of_two_ranks(void **state)
{
	static const char *const files[] = {"run", "notes", "processes", "rank_device", "breakdown", "overlap",
					    "devices", "kernels", "graphs", "graph_nodes", "transfers", "memory",
					    "calls", "counters", "builds", "ledger"};
	struct summary *summary = summarise(SUMMARY_BY_NONE);
	char directory[260], path[400], golden[100];
	size_t i;

	(void)state;
	snprintf(directory, sizeof(directory), "%s/csv", run);
	assert_int_equal(view_csv(summary, directory, NULL), 0);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s.csv", directory, files[i]);
		snprintf(golden, sizeof(golden), "csv/%s.csv", files[i]);
		assert_golden(path, golden);
	}
	summary_destroy(summary);
}

/* ---- names of any kind ---- */

static void make_odd_names(void)
{
	struct builder *builder = builder_create(run, 300, 0, SECOND);
	char name[READ_NAME_MAX];
	uint32_t backend, thread, i;

	memset(name, 'n', sizeof(name));
	backend = builder_backend(builder, "a\"b\\c\x01");
	thread = builder_thread(builder, 300);
	builder_function(builder, backend, "operator\"\"_x\n\t\x1b[31m", SONDE_KIND_other);
	builder_function(builder, backend, "caf\xc3\xa9 \xff\xfe\xc0\x80", SONDE_KIND_other);
	builder->function[builder_function(builder, backend, "", SONDE_KIND_other)].name =
		builder_bytes(builder, name, sizeof(name));
	builder_function(builder, backend, "", SONDE_KIND_other);
	for (i = 0; i < builder->functions; i++)
		builder_calls(builder_row(builder, thread, i), 1, 100);
	builder_write(builder);
	builder_destroy(builder);
}

static void json_is_read_by_another_parser_whatever_the_names(void **state)
{
	const char *python = getenv("PYTHON");
	struct summary *summary;
	char command[900];

	(void)state;
	make_odd_names();
	summary = summarise(SUMMARY_BY_NONE);
	assert_int_equal(view_json(summary, out, NULL), 0);
	snprintf(command, sizeof(command),
		 "%s -c 'import json,sys; d=json.load(open(sys.argv[1],encoding=\"utf-8\")); "
		 "n=[c[\"name\"] for c in d[\"calls\"]]; "
		 "sys.exit(not (d[\"schema\"]==\"sonde-summary-1\" and \"n\"*4096 in n and \"\" in n and "
		 "\"operator\\\"\\\"_x\\n\\t\\x1b[31m\" in n and "
		 "\"caf\\u00e9 \\ufffd\\ufffd\\ufffd\\ufffd\" in n))' %s",
		 python ? python : "python3", out);
	assert_int_equal(system(command), 0);
	summary_destroy(summary);
}

static void the_table_shows_no_control_characters(void **state)
{
	struct summary *summary;
	const char *text, *at;
	FILE *file;

	(void)state;
	make_odd_names();
	summary = summarise(SUMMARY_BY_NONE);
	file = fopen(out, "w");
	view_table(summary, file, NULL);
	fclose(file);
	text = file_text(out);
	for (at = text; *at; at++)
		assert_true((unsigned char)*at >= ' ' || *at == '\n');
	assert_non_null(strstr(text, "operator\"\"_x\\n\\t\\x1b[31m"));
	assert_non_null(strstr(text, "(no name)"));
	summary_destroy(summary);
}

static void unwritable_output_is_one_line(void **state)
{
	struct summary *summary = summarise(SUMMARY_BY_NONE);
	const char *text;
	int json, csv, full;

	(void)state;
	capture_start();
	json = view_json(summary, "/nonexistent/dir/file.json", NULL);
	csv = view_csv(summary, "/nonexistent/dir", NULL);
	full = view_json(summary, "/dev/full", NULL);
	text = capture_end();
	assert_true(json < 0 && csv < 0 && full < 0);
	assert_string_equal(text, "sonde: /nonexistent/dir/file.json: No such file or directory\n"
				  "sonde: /nonexistent/dir: No such file or directory\n"
				  "sonde: /dev/full: No space left on device\n");
	summary_destroy(summary);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_table_of_two_ranks),
		TEST(the_table_on_a_narrow_terminal_with_colour),
		TEST(the_overlap_says_what_it_lacks),
		TEST(the_table_by_rank_with_two_rows_and_the_ledger),
		TEST(the_table_by_thread_and_by_device),
		TEST(json_of_two_ranks),
		TEST(csv_of_two_ranks),
		TEST(json_is_read_by_another_parser_whatever_the_names),
		TEST(the_table_shows_no_control_characters),
		TEST(unwritable_output_is_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
