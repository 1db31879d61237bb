/* SPDX-License-Identifier: BSD-3-Clause */
/* What went on at the same time, and the figures of calls and operations, from made-up streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stream_builder.h"

enum function { SEND, FINISH, LAUNCH, READ };

struct fixture {
	char run[200];
	struct builder *builder;
	struct stream_builder thread, device;
	uint64_t correlations;
	struct summary *summary;
};

/* A process with a thread and a device, that lived from `birth` to `end`. */
static struct builder *process_create(const char *run, uint32_t pid, uint64_t birth, uint64_t end)
{
	struct builder *builder = builder_create(run, pid, birth, end);
	uint32_t api = builder_backend(builder, "api"), net = builder_backend(builder, "net");

	builder_function(builder, net, "send", SONDE_KIND_p2p);
	builder_function(builder, api, "finish", SONDE_KIND_wait);
	builder_function(builder, api, "launch", SONDE_KIND_launch);
	builder_function(builder, api, "read", SONDE_KIND_copy);
	builder_device(builder, api, "uuid-1", "GPU");
	builder_device(builder, api, "uuid-2", "GPU");
	builder_calls(builder_row(builder, builder_thread(builder, pid), LAUNCH), 1, 10);
	builder->process.streams = FMT_STREAMS_TIMELINE;
	return builder;
}

static void streams_start(struct fixture *fixture)
{
	builder_write(fixture->builder);
	stream_start(&fixture->thread, fixture->builder, 0);
	stream_packet(&fixture->thread, fixture->builder->process.pid, 0);
	stream_start(&fixture->device, fixture->builder, READ_NONE);
	stream_packet(&fixture->device, 0, 0);
}

static void streams_end(struct fixture *fixture)
{
	stream_write(&fixture->thread);
	stream_write(&fixture->device);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct fmt_launch launch = builder_launch(100, 0, 1000, 0);

	strcpy(fixture->run, builder_run_directory());
	builder_launch_write(fixture->run, &launch);
	fixture->builder = process_create(fixture->run, 100, 100, 900);
	fixture->builder->process.end = FMT_END_EXEC; /* so that its own end counts, not its launcher's */
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

static void call(struct fixture *fixture, enum function function, uint64_t begin, uint64_t end)
{
	stream_entry(&fixture->thread, function, begin);
	stream_exit(&fixture->thread, function, end, 0);
}

static void operation(struct fixture *fixture, enum sonde_kind kind, uint32_t device, uint64_t begin, uint64_t end)
{
	struct fmt_event_operation event = {
		.begin_ns = EPOCH + begin, .end_ns = EPOCH + end, .correlation = ++fixture->correlations,
		.bytes = kind == SONDE_KIND_copy ? 64 : 0, .device = device, .queue = READ_NONE,
		.kind = (uint8_t)kind, .direction = SONDE_DIRECTION_d2h,
	};

	stream_event(&fixture->device, FMT_EVENT_OPERATION, end, &event, sizeof(event));
}

static void kernel(struct fixture *fixture, uint64_t begin, uint64_t end)
{
	operation(fixture, SONDE_KIND_launch, 0, begin, end);
}

static void copy(struct fixture *fixture, uint64_t begin, uint64_t end)
{
	operation(fixture, SONDE_KIND_copy, 0, begin, end);
}

static const struct summary *summarise(struct fixture *fixture, bool from_streams)
{
	struct summary_options options = {.from_streams = from_streams};
	const char *run = fixture->run;

	summary_destroy(fixture->summary);
	fixture->summary = NULL;
	assert_int_equal(summary_of_directories(&run, 1, &options, &fixture->summary), 0);
	return fixture->summary;
}

/* All classes in their order. */
static void holds(const struct summary *summary, const int64_t (*ns)[SUMMARY_OVERLAP_COUNT])
{
	int64_t sum = 0, ppm = 0;

	assert_int_equal(summary->overlap_state, SUMMARY_OVERLAP_THERE);
	assert_int_equal(summary->overlaps, SUMMARY_OVERLAP_COUNT);
	for (int i = 0; i < SUMMARY_OVERLAP_COUNT; i++) {
		assert_int_equal(summary->overlap[i].class, i);
		if (summary->overlap[i].ns != (*ns)[i])
			print_message("class %d\n", i);
		assert_int_equal(summary->overlap[i].ns, (*ns)[i]);
		sum += summary->overlap[i].ns;
		ppm += summary->overlap[i].ppm;
	}
	assert_int_equal(ppm, 1000000);
	for (size_t i = 0; i < summary->shares; i++)
		sum -= summary->share[i].ns;
	assert_int_equal(sum, 0);
	assert_int_equal(summary->overlap[SUMMARY_OVERLAP_IDLE].ns,
			 summary->share[SONDE_CATEGORY_not_running].ns);
}
#define HOLDS(summary, ...) holds(summary, &(const int64_t[SUMMARY_OVERLAP_COUNT]){__VA_ARGS__})

static const struct summary_call *the(const struct summary *summary, const char *name)
{
	for (size_t i = 0; i < summary->calls; i++)
		if (!strcmp(summary->call[i].name, name))
			return &summary->call[i];
	fail_msg("no call of %s", name);
	return NULL;
}

static void each_moment_belongs_to_one_class(void **state)
{
	struct fixture *fixture = *state;
	const struct summary *summary;

	streams_start(fixture);
	kernel(fixture, 200, 400);
	copy(fixture, 350, 450);
	operation(fixture, SONDE_KIND_launch, 1, 300, 500);
	call(fixture, SEND, 440, 600);
	call(fixture, FINISH, 600, 700);
	streams_end(fixture);
	summary = summarise(fixture, false);
	/* the kernel's 200-350, both 350-440, all 440-450, kernel and send 450-500, send 500-600 */
	HOLDS(summary, 150, 0, 100, 90, 50, 0, 10, 400, 200);
	assert_true(summary->overlap_whole);
	assert_int_equal(summary->overlap_processes, 1);
	assert_int_equal(summary->overlap_waiting_ns, 100);
	assert_string_equal(summary->overlap_comm, "communication"); /* the tally knows of no time in it */
}

static void a_copy_during_communication_alone_is_its_own_class(void **state)
{
	struct fixture *fixture = *state;

	streams_start(fixture);
	call(fixture, SEND, 200, 400);
	copy(fixture, 300, 500);
	kernel(fixture, 500, 501); /* begins where the copy ends: no moment in common */
	streams_end(fixture);
	HOLDS(summarise(fixture, false), 1, 100, 100, 0, 0, 100, 0, 499, 200);
}

static void what_is_nested_or_in_several_threads_counts_once(void **state)
{
	struct fixture *fixture = *state;
	struct stream_builder other;

	streams_start(fixture);
	stream_entry(&fixture->thread, SEND, 200);
	call(fixture, SEND, 250, 300);
	stream_exit(&fixture->thread, SEND, 400, 0);
	stream_start(&other, fixture->builder, 1);
	stream_packet(&other, 101, 0);
	stream_entry(&other, SEND, 350);
	stream_exit(&other, SEND, 500, 0);
	stream_write(&other);
	streams_end(fixture);
	HOLDS(summarise(fixture, false), 0, 0, 300, 0, 0, 0, 0, 500, 200);
}

static void waiting_while_the_device_works_is_not_the_hosts(void **state)
{
	struct fixture *fixture = *state;
	const struct summary *summary;

	streams_start(fixture);
	call(fixture, FINISH, 200, 700);
	kernel(fixture, 300, 600);
	streams_end(fixture);
	summary = summarise(fixture, false);
	HOLDS(summary, 300, 0, 0, 0, 0, 0, 0, 500, 200);
	assert_int_equal(summary->overlap_waiting_ns, 200);
}

static void a_call_that_did_not_return_goes_on_to_the_end(void **state)
{
	struct fixture *fixture = *state;

	streams_start(fixture);
	stream_entry(&fixture->thread, SEND, 400);
	call(fixture, LAUNCH, 450, 460);
	streams_end(fixture);
	HOLDS(summarise(fixture, false), 0, 0, 500, 0, 0, 0, 0, 300, 200);
}

static void lost_events_make_it_partial(void **state)
{
	struct fixture *fixture = *state;
	const struct summary *summary;

	fixture->builder->process.streams_lost = 3;
	fixture->builder->process.streams_end = FMT_STREAMS_NO_SPACE;
	streams_start(fixture);
	kernel(fixture, 300, 500);
	copy(fixture, 500, 700);
	call(fixture, LAUNCH, 200, 210);
	stream_current(&fixture->thread)->discarded = 3;
	stream_packet(&fixture->thread, 100, 600);
	call(fixture, LAUNCH, 610, 620);
	streams_end(fixture);
	summary = summarise(fixture, false);
	HOLDS(summary, 200, 200, 0, 0, 0, 0, 0, 400, 200);
	assert_false(summary->overlap_whole);
	assert_int_equal(summary->overlap_lost, 3);
	assert_null(summary->overlap_finding); /* that nothing overlapped cannot be known */
	assert_false(summary->lower_bound);    /* the tally is whole */
	assert_true(summarise(fixture, true)->lower_bound);
}

static void a_damaged_stream_leaves_the_tally_whole(void **state)
{
	struct fixture *fixture = *state;
	const struct summary *summary;

	streams_start(fixture);
	call(fixture, SEND, 200, 300);
	stream_packet(&fixture->thread, 100, 400)->magic = 1;
	streams_end(fixture);
	summary = summarise(fixture, false);
	assert_false(summary->overlap_whole);
	assert_false(summary->lower_bound);
	assert_true(summary->notes > 0);
}

static void ranks_are_looked_at_one_by_one(void **state)
{
	struct fixture *fixture = *state;
	struct builder *first = fixture->builder, *second = process_create(fixture->run, 200, 100, 900);
	const struct summary *summary;

	first->process.rank = 0;
	second->process.rank = 1;
	second->process.end = FMT_END_EXEC;
	streams_start(fixture);
	kernel(fixture, 200, 400);
	streams_end(fixture);
	fixture->builder = second;
	streams_start(fixture);
	call(fixture, SEND, 200, 500); /* of the other rank: it overlaps nothing */
	streams_end(fixture);
	fixture->builder = first;
	builder_destroy(second);
	summary = summarise(fixture, false);
	HOLDS(summary, 200, 0, 300, 0, 0, 0, 0, 1100, 400);
	assert_int_equal(summary->overlap[SUMMARY_OVERLAP_COMM].ranks.mean, 150);
	assert_int_equal(summary->overlap[SUMMARY_OVERLAP_COMM].ranks.max_rank, 1);
	assert_int_equal(summary->overlap[SUMMARY_OVERLAP_KERNELS].ranks.max, 200);
	assert_int_equal(summary->overlap[SUMMARY_OVERLAP_KERNELS].ranks.min, 0);
}

static void a_process_without_streams_is_left_out(void **state)
{
	struct fixture *fixture = *state;
	struct builder *silent = process_create(fixture->run, 200, 100, 900);
	const struct summary *summary;

	silent->process.streams = FMT_STREAMS_NONE;
	builder_write(silent);
	builder_destroy(silent);
	streams_start(fixture);
	kernel(fixture, 200, 400);
	streams_end(fixture);
	summary = summarise(fixture, false);
	assert_int_equal(summary->overlap_without, 1);
	assert_false(summary->overlap_whole);
	assert_int_equal(summary->overlap[SUMMARY_OVERLAP_IDLE].ns, 200);
	assert_int_equal(summary->overlap[SUMMARY_OVERLAP_HOST].ns, 600);
}

static void without_streams_nothing_is_said(void **state)
{
	struct fixture *fixture = *state;
	struct summary_options options = {.from_streams = true};
	const char *run = fixture->run;

	fixture->builder->process.streams = FMT_STREAMS_NONE;
	builder_write(fixture->builder);
	assert_int_equal(summarise(fixture, false)->overlap_state, SUMMARY_OVERLAP_NONE);
	assert_int_equal(fixture->summary->overlaps, 0);
	summary_destroy(fixture->summary);
	fixture->summary = NULL;
	assert_true(summary_of_directories(&run, 1, &options, &fixture->summary) < 0);
}

static void large_streams_are_left_alone_where_the_table_is_not_to_wait(void **state)
{
	struct fixture *fixture = *state;
	struct summary_options options = {.stream_bytes_max = 4096};
	const char *run = fixture->run;

	streams_start(fixture);
	kernel(fixture, 200, 400);
	streams_end(fixture);
	assert_int_equal(summary_of_directories(&run, 1, &options, &fixture->summary), 0);
	assert_int_equal(fixture->summary->overlap_state, SUMMARY_OVERLAP_SKIPPED);
	summary_destroy(fixture->summary);
	options.stream_bytes_max = 8192; /* two files of a packet each */
	assert_int_equal(summary_of_directories(&run, 1, &options, &fixture->summary), 0);
	assert_int_equal(fixture->summary->overlap_state, SUMMARY_OVERLAP_THERE);
}

static void what_never_overlaps_is_said_with_its_figures(void **state)
{
	struct fixture *fixture = *state;

	streams_start(fixture);
	kernel(fixture, 200, 400);
	copy(fixture, 400, 500);
	call(fixture, SEND, 390, 500);
	streams_end(fixture);
	assert_string_equal(summarise(fixture, false)->overlap_finding,
			    "Copies never ran while a kernel did: 100 ns, and 200 ns of kernels.");
}

static void a_tenth_in_common_is_an_overlap(void **state)
{
	struct fixture *fixture = *state;

	streams_start(fixture);
	kernel(fixture, 200, 400);
	copy(fixture, 390, 490);
	streams_end(fixture);
	assert_null(summarise(fixture, false)->overlap_finding);
}

/* ---- figures of calls and operations ---- */

static void calls_are_counted_as_the_recorder_counts_them(void **state)
{
	struct fixture *fixture = *state;
	const struct summary *summary;

	streams_start(fixture);
	stream_entry(&fixture->thread, SEND, 200);
	stream_entry(&fixture->thread, FINISH, 210);
	stream_entry(&fixture->thread, SEND, 220); /* within itself: its time is in the outer one's */
	stream_exit(&fixture->thread, SEND, 250, 0);
	stream_bytes(&fixture->thread, 251, 7, 9);
	stream_exit(&fixture->thread, FINISH, 260, 0);
	stream_failed(&fixture->thread, SEND, 300, 1);
	call(fixture, LAUNCH, 300, 305);
	call(fixture, LAUNCH, 310, 330);
	stream_entry(&fixture->thread, LAUNCH, 340);
	stream_entry(&fixture->thread, FINISH, 350); /* left when the launch returns */
	stream_exit(&fixture->thread, LAUNCH, 360, 0);
	streams_end(fixture);
	summary = summarise(fixture, true);
	assert_true(summary->from_streams);
	assert_int_equal(the(summary, "send")->times.calls, 2);
	assert_int_equal(the(summary, "send")->times.total_ns, 100);
	assert_int_equal(the(summary, "send")->self_ns, 80);
	assert_int_equal(the(summary, "send")->failed, 1);
	assert_int_equal(the(summary, "send")->bytes_out, 7);
	assert_int_equal(the(summary, "send")->bytes_in, 9);
	assert_int_equal(the(summary, "finish")->times.calls, 1);
	assert_int_equal(the(summary, "finish")->times.total_ns, 50);
	assert_int_equal(the(summary, "finish")->self_ns, 20);
	assert_int_equal(the(summary, "finish")->unfinished, 1);
	assert_int_equal(the(summary, "launch")->times.calls, 3);
	assert_int_equal(the(summary, "launch")->times.min_ns, 5);
	assert_int_equal(the(summary, "launch")->times.max_ns, 20);
	assert_int_equal(summary->share[SONDE_CATEGORY_comm].ns, 80);
	assert_int_equal(summary->share[SONDE_CATEGORY_device_wait].ns, 20);
	assert_int_equal(summary->share[SONDE_CATEGORY_launch].ns, 45);
	assert_int_equal(summary->process[0].calls, 6);
}

static void a_blocking_copy_is_waiting_but_for_its_device_span(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_event_operation waited = {
		.begin_ns = EPOCH + 350, .end_ns = EPOCH + 390, .correlation = 1, .bytes = 64,
		.kind = SONDE_KIND_copy, .direction = SONDE_DIRECTION_d2h, .waited = 1,
	}, late = waited;
	const struct summary *summary;

	streams_start(fixture);
	call(fixture, READ, 200, 400);
	stream_link(&fixture->thread, 401, 1);
	stream_event(&fixture->device, FMT_EVENT_OPERATION, 402, &waited, sizeof(waited));
	call(fixture, READ, 500, 510); /* its copy seems to begin behind it: the clock of the device errs */
	stream_link(&fixture->thread, 511, 2);
	late.begin_ns = EPOCH + 512;
	late.end_ns = EPOCH + 516;
	late.correlation = 2;
	stream_event(&fixture->device, FMT_EVENT_OPERATION, 517, &late, sizeof(late));
	call(fixture, READ, 600, 650); /* waits for nothing */
	stream_link(&fixture->thread, 651, 3);
	late.correlation = 3;
	late.waited = 0;
	stream_event(&fixture->device, FMT_EVENT_OPERATION, 652, &late, sizeof(late));
	streams_end(fixture);
	summary = summarise(fixture, true);
	assert_int_equal(summary->share[SONDE_CATEGORY_copy].ns, 40 + 4 + 50);
	assert_int_equal(summary->share[SONDE_CATEGORY_device_wait].ns, 160 + 6);
}

static void processes_on_one_device_are_a_union(void **state)
{
	struct fixture *fixture = *state;
	struct builder *first = fixture->builder, *second = process_create(fixture->run, 200, 100, 900);
	const struct summary *summary;

	streams_start(fixture);
	kernel(fixture, 200, 400);
	kernel(fixture, 600, 700);
	streams_end(fixture);
	fixture->builder = second;
	streams_start(fixture);
	kernel(fixture, 300, 500);
	copy(fixture, 450, 650);
	streams_end(fixture);
	fixture->builder = first;
	builder_destroy(second);
	summary = summarise(fixture, true);
	assert_int_equal(summary->devices, 1);
	assert_int_equal(summary->device[0].kernels_ns, 400);
	assert_int_equal(summary->device[0].kernels_sum_ns, 500);
	assert_int_equal(summary->device[0].copies_ns, 200);
	assert_int_equal(summary->device[0].overlap_ns, 100);
	assert_int_equal(summary->device[0].processes, 2);
	assert_false(summary->device[0].approximate);
	assert_int_equal(summary->transfers, 1);
	assert_int_equal(summary->transfer[0].bytes, 64);
	assert_int_equal(summary->kernel[0].times.calls, 3);
	assert_int_equal(summary->kernel[0].times.total_ns, 500);
}

static void open_calls_come_from_the_streams_too(void **state)
{
	struct fixture *fixture = *state;
	const struct summary *summary;

	streams_start(fixture);
	stream_entry(&fixture->thread, FINISH, 400);
	call(fixture, LAUNCH, 450, 460);
	stream_entry(&fixture->thread, SEND, 500);
	streams_end(fixture);
	summary = summarise(fixture, true);
	assert_int_equal(summary->open_calls, 2);
	assert_string_equal(summary->open_call[0].name, "finish");
	assert_int_equal(summary->open_call[0].ns, 500);
	assert_string_equal(summary->open_call[1].name, "send");
	assert_true(summary->open_call[1].innermost);
	assert_int_equal(summary->share[SONDE_CATEGORY_device_wait].ns, 90);
	assert_int_equal(summary->share[SONDE_CATEGORY_comm].ns, 400);
}

static void counted_functions_and_builds_stay_the_tallys(void **state)
{
	struct fixture *fixture = *state;
	struct builder *builder = fixture->builder;
	uint32_t asked = builder_function(builder, 0, "ask", SONDE_KIND_query);
	const struct summary *summary;

	builder->function[asked].flags = FMT_FUNCTION_COUNTED;
	builder_row(builder, 0, asked)->hist[0] = 5;
	builder_build(builder, 0, "kernel")->calls = 2;
	streams_start(fixture);
	call(fixture, LAUNCH, 300, 305);
	streams_end(fixture);
	summary = summarise(fixture, true);
	assert_int_equal(the(summary, "ask")->times.calls, 5);
	assert_int_equal(the(summary, "launch")->times.total_ns, 5);
	assert_int_equal(summary->builds, 1);
	assert_int_equal(summary->process[0].calls, 6);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(each_moment_belongs_to_one_class),
		TEST(a_copy_during_communication_alone_is_its_own_class),
		TEST(what_is_nested_or_in_several_threads_counts_once),
		TEST(waiting_while_the_device_works_is_not_the_hosts),
		TEST(a_call_that_did_not_return_goes_on_to_the_end),
		TEST(lost_events_make_it_partial),
		TEST(a_damaged_stream_leaves_the_tally_whole),
		TEST(ranks_are_looked_at_one_by_one),
		TEST(a_process_without_streams_is_left_out),
		TEST(without_streams_nothing_is_said),
		TEST(large_streams_are_left_alone_where_the_table_is_not_to_wait),
		TEST(what_never_overlaps_is_said_with_its_figures),
		TEST(a_tenth_in_common_is_an_overlap),
		TEST(calls_are_counted_as_the_recorder_counts_them),
		TEST(a_blocking_copy_is_waiting_but_for_its_device_span),
		TEST(processes_on_one_device_are_a_union),
		TEST(open_calls_come_from_the_streams_too),
		TEST(counted_functions_and_builds_stay_the_tallys),
	};

	return cmocka_run_group_tests_name("overlap", tests, NULL, NULL);
}
