/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls, kernels, transfers, memory, builds, ranks, ledger, overhead, notes, verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "analyze/histogram.h"
#include "tally_builder.h"

#define PROCESSES 3

struct fixture {
	char run[200];
	struct builder *builder[PROCESSES];
	struct fmt_stats *row[PROCESSES]; /* of api_send in the initial thread */
	struct summary *summary;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	strcpy(fixture->run, builder_run_directory());
	for (int i = 0; i < PROCESSES; i++) {
		struct builder *builder = builder_create(fixture->run, 100 + (uint32_t)i, 0, 10 * SECOND);
		uint32_t backend = builder_backend(builder, "api");
		uint32_t thread = builder_thread(builder, builder->process.pid);

		fixture->row[i] = builder_row(builder, thread, builder_function(builder, backend, "api_send",
										SONDE_KIND_p2p));
		fixture->builder[i] = builder;
	}
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	summary_destroy(fixture->summary);
	for (int i = 0; i < PROCESSES; i++)
		builder_destroy(fixture->builder[i]);
	builder_remove(fixture->run);
	free(fixture);
	return 0;
}

static const struct summary *summarise_by(struct fixture *fixture, enum summary_by by)
{
	struct summary_options options = {.by = by};
	const char *run = fixture->run;

	for (int i = 0; i < PROCESSES; i++)
		builder_write(fixture->builder[i]);
	assert_int_equal(summary_of_directories(&run, 1, &options, &fixture->summary), 0);
	return fixture->summary;
}

static const struct summary *summarise(struct fixture *fixture)
{
	return summarise_by(fixture, SUMMARY_BY_NONE);
}

static void calls_are_merged_over_threads_and_processes(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_call *call;
	uint32_t thread = builder_thread(fixture->builder[0], 999);

	builder_calls(fixture->row[0], 10, 100);
	builder_calls(builder_row(fixture->builder[0], thread, 0), 5, 50);
	builder_calls(fixture->row[1], 1, 2000);
	fixture->row[1]->failed = 1;
	fixture->row[1]->bytes_out = 4096;
	summarise(fixture);
	assert_int_equal(fixture->summary->calls, 1);
	call = &fixture->summary->call[0];
	assert_string_equal(call->backend, "api");
	assert_int_equal(call->times.calls, 16);
	assert_int_equal(call->times.total_ns, 3250);
	assert_int_equal(call->times.min_ns, 50);
	assert_int_equal(call->times.max_ns, 2000);
	assert_int_equal(call->failed, 1);
	assert_int_equal(call->bytes_out, 4096);
}

static void functions_of_one_name_in_two_backends_stay_apart(void **state)
{
	struct fixture *fixture = *state;
	uint32_t other = builder_backend(fixture->builder[0], "other");
	uint32_t function = builder_function(fixture->builder[0], other, "api_send", SONDE_KIND_p2p);

	builder_calls(fixture->row[0], 1, 100);
	builder_calls(builder_row(fixture->builder[0], 0, function), 1, 100);
	summarise(fixture);
	assert_int_equal(fixture->summary->calls, 2);
}

static void ranks_give_mean_minimum_maximum_and_who_has_it(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_call *call;
	int i;

	for (i = 0; i < PROCESSES; i++) {
		fixture->builder[i]->process.rank = i;
		fixture->builder[i]->process.size = PROCESSES;
	}
	builder_calls(fixture->row[0], 1, 100);
	builder_calls(fixture->row[1], 1, 800);
	summarise(fixture); /* rank 2 makes no such call: that is its minimum of 0 */
	call = &fixture->summary->call[0];
	assert_int_equal(call->ranks.count, 3);
	assert_int_equal(call->ranks.mean, 300);
	assert_int_equal(call->ranks.min, 0);
	assert_int_equal(call->ranks.min_rank, 2);
	assert_int_equal(call->ranks.max, 800);
	assert_int_equal(call->ranks.max_rank, 1);
	assert_int_equal(fixture->summary->run.ranks, 3);
}

static void a_rank_comes_from_the_launcher_where_the_process_does_not_know_it(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_launch launch = builder_launch(100, 0, 10 * SECOND, 0);

	launch.rank = 7;
	launch.size = 8;
	builder_launch_write(fixture->run, &launch);
	fixture->builder[1]->process.ppid = 100; /* a child of the ranked program */
	fixture->builder[2]->process.ppid = 101; /* its child */
	summarise(fixture);
	assert_int_equal(fixture->summary->process[0].rank, 7);
	assert_int_equal(fixture->summary->process[1].rank, 7);
	assert_int_equal(fixture->summary->process[2].rank, 7);
}

static void ranks_that_never_came_are_named(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_launch launch = builder_launch(100, 0, 10 * SECOND, 0);

	launch.rank = 2;
	launch.size = 6;
	launch.local_size = 6;
	builder_launch_write(fixture->run, &launch);
	summarise(fixture);
	assert_string_equal(summary_note(fixture->summary, "missing_ranks"),
			    "5 of 6 ranks never came: 0-1, 3-5");
}

static void splitting_by_rank_keeps_ranks_apart(void **state)
{
	struct fixture *fixture = *state;

	fixture->builder[0]->process.rank = 0;
	fixture->builder[1]->process.rank = 1;
	builder_calls(fixture->row[0], 1, 100);
	builder_calls(fixture->row[1], 1, 200);
	summarise_by(fixture, SUMMARY_BY_RANK);
	assert_int_equal(fixture->summary->calls, 2);
	assert_string_equal(fixture->summary->call[0].group, "rank 1");
	assert_string_equal(fixture->summary->call[1].group, "rank 0");
}

static void the_verdict_names_a_function_also_where_the_tables_are_split(void **state)
{
	struct fixture *fixture = *state;

	fixture->builder[0]->process.rank = 0;
	fixture->builder[1]->process.rank = 1;
	builder_calls(fixture->row[0], 1, 9 * SECOND);
	builder_calls(fixture->row[1], 1, 9 * SECOND);
	summarise_by(fixture, SUMMARY_BY_RANK);
	assert_non_null(strstr(fixture->summary->verdict, ", mostly api_"));
}

/* The verdict where of ten seconds of the host's own work so many are one loop. */
static const char *verdict_with_loop(struct fixture *fixture, uint64_t seconds)
{
	int i;

	for (i = 0; i < PROCESSES; i++) {
		uint32_t loop = builder_function(fixture->builder[i], 0, "loop", SONDE_KIND_compute);

		builder_calls(builder_row(fixture->builder[i], 0, loop), 1, seconds * SECOND);
	}
	return summarise(fixture)->verdict;
}

static void the_verdict_names_a_loop_that_is_most_of_the_hosts_work(void **state)
{
	assert_non_null(strstr(verdict_with_loop(*state, 6), "Bound by the host, mostly loop: "));
}

static void the_verdict_names_no_loop_that_is_less(void **state)
{
	assert_non_null(strstr(verdict_with_loop(*state, 4), "Bound by the host: "));
}

static void the_verdict_names_the_call_that_has_not_returned(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < PROCESSES; i++) {
		uint32_t receive = builder_function(fixture->builder[i], 0, "api_receive", SONDE_KIND_p2p);

		builder_calls(fixture->row[i], 20, SECOND / 1000);
		builder_open_call(fixture->builder[i], 0, receive, SECOND, 0);
	}
	summarise(fixture);
	assert_non_null(strstr(fixture->summary->verdict, ", mostly api_receive"));
}

static void splitting_by_thread_keeps_threads_apart(void **state)
{
	struct fixture *fixture = *state;
	uint32_t thread = builder_thread(fixture->builder[0], 555);

	builder_calls(fixture->row[0], 1, 100);
	builder_calls(builder_row(fixture->builder[0], thread, 0), 1, 200);
	summarise_by(fixture, SUMMARY_BY_THREAD);
	assert_int_equal(fixture->summary->calls, 2);
	assert_string_equal(fixture->summary->call[0].group, "pid 100, thread 555");
	assert_int_equal(fixture->summary->threads, 4);
}

/* ---- percentiles ---- */

static void percentiles_are_upper_ends_of_histogram_steps(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_times *times;

	builder_calls(fixture->row[0], 98, 1000);
	builder_calls(fixture->row[0], 2, 1000000);
	summarise(fixture);
	times = &fixture->summary->call[0].times;
	assert_int_equal(times->p50_ns, fmt_bucket_floor(fmt_bucket(1000) + 1) - 1);
	assert_int_equal(times->p99_ns, 1000000); /* its step goes on behind the maximum */
}

static void a_percentile_of_99_is_not_below_the_average_of_calls_in_one_step(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_times *times;

	builder_calls(fixture->row[0], 2, fmt_bucket_floor(80));
	builder_calls(fixture->row[0], 98, fmt_bucket_floor(81) - 1);
	summarise(fixture);
	times = &fixture->summary->call[0].times;
	assert_true(times->p99_ns >= times->total_ns / times->calls);
}

static void calls_beyond_the_last_step_have_the_maximum_as_percentile(void **state)
{
	struct fixture *fixture = *state;

	builder_calls(fixture->row[0], 3, fmt_bucket_floor(FMT_BUCKETS - 1) + 12345);
	summarise(fixture);
	assert_int_equal(fixture->summary->call[0].times.p99_ns, fixture->summary->call[0].times.max_ns);
}

static void histograms_of_clocks_with_different_speed_add_up(void **state)
{
	struct read_clock slow = {.valid = true, .rate = (uint64_t)10 << READ_RATE_SHIFT};
	struct fmt_stats stats = {0}, ticks = {0};
	struct histogram histogram = {0};
	struct arena arena = {NULL};

	(void)state;
	builder_calls(&stats, 10, 1000);  /* 1000 ns */
	builder_calls(&ticks, 10, 1000);  /* 10000 ns */
	histogram_add(&histogram, &arena, NULL, NULL, &stats);
	histogram_add(&histogram, &arena, &slow, &slow, &ticks);
	assert_int_equal(histogram.total_ns, 110000);
	assert_int_equal(histogram.min_ns, 1000);
	assert_int_equal(histogram.max_ns, 10000);
	assert_int_equal(histogram_percentile(&histogram, 50), fmt_bucket_floor(fmt_bucket(1000) + 1) - 1);
	assert_int_equal(histogram_percentile(&histogram, 99), 10000);
	arena_free(&arena);
}

/* ---- things ---- */

static void kernels_are_merged_by_name_and_listed_per_device(void **state)
{
	struct fixture *fixture = *state;
	struct builder *builder = fixture->builder[0];
	uint32_t first = builder_device(builder, 0, "a", "GPU"), second = builder_device(builder, 0, "b", "GPU");

	builder_calls(fixture->row[0], 1, 1);
	builder_calls(&builder_op(builder, 0, first, "stencil", SONDE_KIND_launch)->stats, 4, 1000);
	builder_calls(&builder_op(builder, 0, second, "stencil", SONDE_KIND_launch)->stats, 2, 3000);
	builder_calls(&builder_op(builder, 0, second, "read", SONDE_KIND_copy)->stats, 2, 9000);
	summarise(fixture);
	assert_int_equal(fixture->summary->kernels, 2);
	assert_int_equal(fixture->summary->kernels_all, 1);
	assert_int_equal(fixture->summary->kernel_all[0].times.calls, 6);
	assert_int_equal(fixture->summary->kernel_all[0].times.total_ns, 10000);
	assert_string_equal(fixture->summary->kernel[0].device, "GPU #1");
	assert_int_equal(fixture->summary->kernel[0].times.total_ns, 6000);
}

static void transfers_are_merged_by_direction_and_memory(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_transfer *transfer;
	int i;

	for (i = 0; i < 2; i++) {
		uint32_t device = builder_device(fixture->builder[i], 0, "a", "GPU");

		transfer = builder_transfer(fixture->builder[i], 0, device);
		transfer->direction = SONDE_DIRECTION_d2h;
		transfer->memory = SONDE_MEMORY_pinned;
		transfer->calls = 2;
		transfer->bytes = 1000;
		transfer->total_ns = 50;
	}
	summarise(fixture);
	assert_int_equal(fixture->summary->transfers, 1);
	assert_int_equal(fixture->summary->transfer[0].bytes, 2000);
	assert_int_equal(fixture->summary->transfer[0].calls, 4);
	assert_string_equal(fixture->summary->transfer[0].device, "GPU");
}

static void the_peak_of_several_processes_is_marked_as_a_bound(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < 2; i++) {
		struct fmt_memory *memory = builder_memory(fixture->builder[i], 0, UINT32_MAX);

		memory->memory = SONDE_MEMORY_pinned;
		memory->allocs = 3;
		memory->frees = 1;
		memory->alloc_bytes = memory->peak_bytes = 3 << 20;
		memory->live_bytes = 2 << 20;
	}
	summarise(fixture);
	assert_int_equal(fixture->summary->memories, 1);
	assert_int_equal(fixture->summary->memory[0].peak_bytes, 6 << 20);
	assert_true(fixture->summary->memory[0].peak_is_bound);
	assert_int_equal(fixture->summary->memory[0].live_bytes, 4 << 20);
	assert_string_equal(fixture->summary->memory[0].device, "");
}

static void builds_are_merged_by_program_and_source(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < PROCESSES; i++) {
		struct fmt_build *build = builder_build(fixture->builder[i], 0, "stencil.cl");

		build->source = i == 2 ? SONDE_BUILD_cache : SONDE_BUILD_source;
		build->calls = 1;
		build->total = 5 * MS;
	}
	summarise(fixture);
	assert_int_equal(fixture->summary->builds, 2);
	assert_int_equal(fixture->summary->build[0].calls, 2);
	assert_int_equal(fixture->summary->build[0].total_ns, 10 * MS);
}

static void failures_are_merged_by_function_and_answer(void **state)
{
	static const int64_t answers[] = {2, -7, 0}, calls[] = {3 * PROCESSES, PROCESSES - 1, 1};
	struct fixture *fixture = *state;

	for (int i = 0; i < PROCESSES; i++) {
		builder_failure(fixture->builder[i], 0, 2, "NO_MEMORY", 3);
		builder_failure(fixture->builder[i], 0, i ? -7 : 0, "", 1);
	}
	builder_failure(fixture->builder[0], 4711, 2, "of no function", 1);
	summarise(fixture);
	assert_int_equal(fixture->summary->failures, 3);
	assert_string_equal(fixture->summary->failure[0].answer_name, "NO_MEMORY");
	for (int i = 0; i < 3; i++)
		assert_true(fixture->summary->failure[i].answer == answers[i] &&
			    fixture->summary->failure[i].calls == (uint64_t)calls[i]);
}

/* ---- ledger ---- */

static void recorded_and_lost_is_seen(void **state)
{
	struct fixture *fixture = *state;
	const struct summary_ledger *ledger;

	builder_calls(fixture->row[0], 90, 10);
	builder_calls(fixture->row[1], 5, 10);
	fixture->builder[0]->backend[0].lost = 3;
	fixture->builder[1]->thread[0]->head.lost = 2; /* of a thread: there is one backend to which it can belong */
	summarise(fixture);
	ledger = &fixture->summary->ledger[0];
	assert_int_equal(ledger->recorded, 95);
	assert_int_equal(ledger->lost, 5);
	assert_int_equal(ledger->seen, 100);
	assert_true(ledger->off);
	assert_true(fixture->summary->lower_bound);
	assert_non_null(summary_note(fixture->summary, "lower_bound"));
}

static void device_work_that_was_not_delivered_is_unfinished(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_backend *backend = &fixture->builder[0]->backend[0];

	builder_calls(fixture->row[0], 1, 10);
	backend->device_seen = 100;
	backend->device_recorded = 90;
	backend->untimed = 4;
	backend->device_lost = 1;
	summarise(fixture);
	assert_int_equal(fixture->summary->ledger[0].unfinished, 5);
	assert_int_equal(fixture->summary->ledger[0].untimed, 4);
	assert_true(fixture->summary->lower_bound);
}

static void a_whole_recording_is_no_lower_bound(void **state)
{
	struct fixture *fixture = *state;

	builder_calls(fixture->row[0], 1, 10);
	summarise(fixture);
	assert_false(fixture->summary->lower_bound);
	assert_false(fixture->summary->ledger[0].off);
	assert_int_equal(fixture->summary->notes, 0);
}

static void calls_left_by_longjmp_make_a_lower_bound(void **state)
{
	struct fixture *fixture = *state;

	builder_calls(fixture->row[0], 1, 10);
	fixture->row[0]->unfinished = 200;
	summarise(fixture);
	assert_int_equal(fixture->summary->call[0].unfinished, 200);
	assert_int_equal(fixture->summary->ledger[0].calls_unfinished, 200);
	assert_true(fixture->summary->lower_bound);
}

static void overhead_is_calls_times_the_measured_cost(void **state)
{
	struct fixture *fixture = *state;

	builder_calls(fixture->row[0], 1000000, 10);
	summarise(fixture);
	assert_int_equal(fixture->summary->overhead.per_call_ns, 40);
	assert_int_equal(fixture->summary->overhead.total_ns, 40 * MS);
	assert_int_equal(fixture->summary->overhead.wall_ns, 30 * SECOND);
	assert_int_equal(fixture->summary->overhead.ppm, 1333);
}

/* ---- verdict and notes ---- */

static void the_verdict_names_kernels_and_the_backend_that_communicates(void **state)
{
	struct fixture *fixture = *state;
	struct builder *builder = fixture->builder[0];
	struct fmt_device *device = builder->device[builder_device(builder, 0, "a", "GPU")];

	builder_interval(&device->kernels, 0, 8 * SECOND + SECOND / 10);
	builder_interval(&device->copies, 8 * SECOND, 8 * SECOND + SECOND / 2);
	builder_calls(fixture->row[0], 3, 600 * MS);
	summarise(fixture);
	assert_non_null(strstr(fixture->summary->verdict, "Bound by the host: the program's own work 94 %"));
	assert_non_null(strstr(fixture->summary->verdict, "device kernels 81 %"));
	assert_non_null(strstr(fixture->summary->verdict, "API 6 %"));
}

static void an_empty_recording_says_so(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_launch launch = builder_launch(100, 0, SECOND, 0);
	const char *run = fixture->run;

	builder_launch_write(fixture->run, &launch);
	assert_int_equal(summary_of_directories(&run, 1, NULL, &fixture->summary), 0);
	assert_string_equal(fixture->summary->verdict, "Nothing was recorded.");
	assert_non_null(summary_note(fixture->summary, "nothing"));
	assert_string_equal(fixture->summary->run.end, "exit 0");
	assert_string_equal(fixture->summary->run.argv[0], "prog");
	assert_string_equal(fixture->summary->run.argv[1], "--size=3");
}

static void the_first_bad_end_of_several_launches_is_the_end_of_the_run(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_launch good = builder_launch(100, 0, SECOND, 0);
	struct fmt_launch bad = builder_launch(101, 0, 2 * SECOND, 3 << 8);
	struct fmt_launch ended = builder_launch(102, 0, 3 * SECOND, 15);

	good.rank = 0;
	bad.rank = 1;
	ended.rank = 2;
	builder_launch_write(fixture->run, &good);
	builder_launch_write(fixture->run, &bad);
	builder_launch_write(fixture->run, &ended);
	summarise(fixture);
	assert_string_equal(fixture->summary->run.end, "exit 3");
	assert_null(summary_note(fixture->summary, "several_runs"));
	assert_non_null(strstr(summary_note(fixture->summary, "exit_status"), "exit status 3"));
}

static void a_rank_that_was_started_twice_is_of_two_runs(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_launch one = builder_launch(100, 0, SECOND, 0);
	struct fmt_launch other = builder_launch(101, 2 * SECOND, 3 * SECOND, 0);

	one.rank = other.rank = 0;
	builder_launch_write(fixture->run, &one);
	builder_launch_write(fixture->run, &other);
	summarise(fixture);
	assert_string_equal(summary_note(fixture->summary, "several_runs"), "the figures of 2 runs are added up");
}

static void a_rank_whose_record_cannot_be_read_is_not_said_to_have_made_no_call(void **state)
{
	struct fixture *fixture = *state;
	struct fmt_launch one = builder_launch(100, 0, SECOND, 0), other = builder_launch(999, 0, SECOND, 0);
	char path[300];
	FILE *file;

	one.rank = 0;
	other.rank = 1;
	builder_launch_write(fixture->run, &one);
	builder_launch_write(fixture->run, &other);
	snprintf(path, sizeof(path), "%s/node.999.1", fixture->run);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/node.999.1/tally", fixture->run);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("no tally", file);
	fclose(file);
	summarise(fixture);
	assert_non_null(summary_note(fixture->summary, "unreadable"));
	assert_non_null(strstr(summary_note(fixture->summary, "rank_silent"), "has no record that can be read"));
}

static void thousands_of_equal_notes_become_a_few(void **state)
{
	struct fixture *fixture = *state;
	size_t i;

	summarise(fixture);
	fixture->summary->notes = 0;
	for (i = 0; i < 5000; i++)
		summary_add_note(fixture->summary, "code", "number %zu", i);
	assert_int_equal(fixture->summary->notes, 9);
	assert_non_null(strstr(fixture->summary->note[8].text, "more"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(calls_are_merged_over_threads_and_processes),
		TEST(functions_of_one_name_in_two_backends_stay_apart),
		TEST(ranks_give_mean_minimum_maximum_and_who_has_it),
		TEST(a_rank_comes_from_the_launcher_where_the_process_does_not_know_it),
		TEST(ranks_that_never_came_are_named),
		TEST(splitting_by_rank_keeps_ranks_apart),
		TEST(the_verdict_names_a_function_also_where_the_tables_are_split),
		TEST(the_verdict_names_a_loop_that_is_most_of_the_hosts_work),
		TEST(the_verdict_names_no_loop_that_is_less),
		TEST(the_verdict_names_the_call_that_has_not_returned),
		TEST(splitting_by_thread_keeps_threads_apart),
		TEST(percentiles_are_upper_ends_of_histogram_steps),
		TEST(a_percentile_of_99_is_not_below_the_average_of_calls_in_one_step),
		TEST(calls_beyond_the_last_step_have_the_maximum_as_percentile),
		cmocka_unit_test(histograms_of_clocks_with_different_speed_add_up),
		TEST(kernels_are_merged_by_name_and_listed_per_device),
		TEST(transfers_are_merged_by_direction_and_memory),
		TEST(the_peak_of_several_processes_is_marked_as_a_bound),
		TEST(builds_are_merged_by_program_and_source),
		TEST(failures_are_merged_by_function_and_answer),
		TEST(recorded_and_lost_is_seen),
		TEST(device_work_that_was_not_delivered_is_unfinished),
		TEST(a_whole_recording_is_no_lower_bound),
		TEST(calls_left_by_longjmp_make_a_lower_bound),
		TEST(overhead_is_calls_times_the_measured_cost),
		TEST(the_verdict_names_kernels_and_the_backend_that_communicates),
		TEST(an_empty_recording_says_so),
		TEST(the_first_bad_end_of_several_launches_is_the_end_of_the_run),
		TEST(a_rank_that_was_started_twice_is_of_two_runs),
		TEST(a_rank_whose_record_cannot_be_read_is_not_said_to_have_made_no_call),
		TEST(thousands_of_equal_notes_become_a_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
