/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `sonde PROGRAM`: runs a program with recorder and wrappers in its environment and shows the result.
 * Whatever goes wrong with tracing, the program runs; only wrong use and an output that cannot be
 * written end `sonde` before it starts.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/number.h"
#include "cli/clock.h"
#include "cli/commands.h"
#include "cli/job.h"
#include "cli/keeper.h"
#include "cli/launch_file.h"
#include "cli/plan.h"
#include "cli/proc.h"
#include "cli/program.h"
#include "cli/ranks.h"
#include "cli/result.h"
#include "cli/sampler.h"
#include "cli/tell.h"

#define SHORT_RUN_NS 1000000000ull

struct run {
	char **words;
	struct result result;
	struct ranks ranks;
	struct job job;
	bool in_job;
	struct launch_file launch;
	struct program program;
	struct samplers samplers; /* outside of jobs: those of a job are its keeper's */
};

/* A recording of an outer `sonde` goes on here: one trace, not two. */
static bool is_traced_already(void)
{
	const char *directory = getenv("SONDE_DIR");
	struct stat status;

	/* what a traced daemon left in its children's environment may be long gone */
	return directory && *directory && stat(directory, &status) == 0 && S_ISDIR(status.st_mode) &&
	       status.st_uid == geteuid();
}

static int check_options(const struct options *options)
{
	int err = preload_check_options(options);

	if (!err)
		err = plan_check(options);
	if (!err && options->timeline && !strcmp(options->timeline, "-"))
		err = log_error(SONDE_EUSAGE, "--timeline takes a file: standard output is the program's");
	if (!err && options->ranks)
		err = ranks_check_list(options->ranks);
	if (!err)
		err = samplers_check(options);
	return err;
}

/* Of the program; ours is put back. */
static void prepare_environment(void *context)
{
	const struct run *run = context;

	preload_export(&run->result.preload, run->result.run);
}

static void tell_plan(struct run *run)
{
	struct result *result = &run->result;

	if (!result->options.verbose || (run->in_job && !run->job.first))
		return;
	tell("%s is %s", run->words[0], result->target.path);
	tell("loaded into it: %s", preload_names(&result->preload));
	tell("recording in %s, %s clock", result->run, clock_name(clock_choose()));
}

static void start_and_wait(struct run *run)
{
	struct result *result = &run->result;

	if (!run->in_job)
		samplers_start(&run->samplers, result, true);
	if (result->options.ranks)
		run->ranks.numbers.size = -1; /* how many of them are to be traced is not known */
	launch_file_create(&run->launch, result->run, run->words, &run->ranks.numbers, result->target.reason);
	program_start(&run->program, run->words, prepare_environment, run);
	if (run->program.error) {
		if (run->program.pid > 0)
			program_wait(&run->program);
		samplers_stop(&run->samplers, false);
		launch_file_discard(&run->launch);
		return;
	}
	launch_file_started(&run->launch, run->program.pid);
	if (run->in_job)
		job_started(&run->job, run->program.pid, run->launch.path);
	program_wait(&run->program);
	launch_file_ended(&run->launch, run->program.wait_status);
	samplers_stop(&run->samplers, true);
}

/* Where the recording goes, alone or together with the other ranks of a job. 0 or SONDE_E..., logged. */
static int find_place(struct run *run, const struct options *options)
{
	bool parallel = ranks_find(&run->ranks);
	bool traced = !parallel || !options->ranks || number_in_list(options->ranks, run->ranks.numbers.rank);

	if (parallel && job_join(&run->job, &run->ranks, &run->result, options, traced) == 0) {
		run->in_job = true;
		return run->job.failed ? SONDE_EUSAGE : 0;
	}
	if (!traced)
		return 0;
	memset(&run->result, 0, sizeof(run->result)); /* told; this rank goes on alone */
	run->result.program = run->words[0];
	return result_prepare(&run->result, options);
}

/*
 * In a short run numbers of processes cannot have come round, so that the younger ones are the greater
 * ones, and most of /proc need not be read.
 */
static void note_first_pid(struct run *run)
{
	uint64_t wall_ns = run->launch.record.end.raw_ns - run->launch.record.start.raw_ns;

	if (wall_ns < SHORT_RUN_NS && proc_newest() >= run->program.pid)
		run->result.first_pid = run->program.pid;
}

static void show(struct run *run)
{
	struct result *result = &run->result;
	int status = run->program.wait_status;

	arena_exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (run->in_job) {
		job_leave(&run->job, result);
	} else if (run->program.error) {
		result_cancel(result);
	} else {
		result->alone = true;
		note_first_pid(run);
		result_show(result, status);
	}
}

/* No such program: it may be meant as a sub-command, which stands in front of all options. */
static void tell_command(const char *word)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (i != COMMAND_run && !strcmp(word, command_rows[i].name))
			tell("the command %s goes in front of options: sonde %s ...", word, word);
}

static int run_program(struct run *run, const struct options *options)
{
	struct result *result = &run->result;
	int error = target_look(run->words[0], &result->target);
	struct target target = result->target;
	int err;

	if (error) {
		tell_command(run->words[0]);
		return program_cannot_run(run->words[0], error);
	}
	program_hold_signals();
	result->program = run->words[0];
	err = find_place(run, options);
	result->target = target;
	result->preload.words = run->words;
	preload_plan(&result->preload, &result->options, &result->target, !run->in_job || run->job.first);
	if (run->in_job && run->job.first)
		keeper_start(&run->job, result);
	if (err)
		return SONDE_EXIT_BAD;
	if (!result->run[0] || (run->in_job && run->job.own < 0))
		return program_become(run->words); /* nothing can be, or is to be, recorded */
	tell_plan(run);
	start_and_wait(run);
	show(run);
	if (run->program.error)
		return program_cannot_run(run->words[0], run->program.error);
	program_exit_like(run->program.wait_status);
}

int cmd_run(const struct options *options, char **words)
{
	static struct run run;

	run.words = words;
	if (!words[0]) {
		log_error(SONDE_EUSAGE, "no program to run (see sonde --help)");
		return SONDE_EXIT_BAD;
	}
	if (options->disable)
		return program_become(words);
	if (is_traced_already()) {
		ranks_find(&run.ranks);
		if (run.ranks.numbers.rank <= 0) /* one line for all ranks */
			samplers_left_out(options, getenv("SONDE_DIR"));
		return program_become(words);
	}
	if (check_options(options) != 0)
		return SONDE_EXIT_BAD;
	return run_program(&run, options);
}
