/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When processes were born and ended, and the window of the run on each host. A process tells its own
 * end only when it ends in an orderly way; else its launcher knows, else the end has to be inferred.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "analyze/streams.h"
#include "base/number.h"

const struct read_clock *process_clock(const struct analysis *analysis, const struct process_time *process)
{
	return &analysis->recording->host[process->tally->host].clock[process->tally->raw.clock];
}

const struct read_clock *thread_clock(const struct analysis *analysis, const struct process_time *process)
{
	static const struct read_clock ns_clock = {.valid = true, .rate = (uint64_t)1 << READ_RATE_SHIFT};

	return streams_of(analysis, process) ? &ns_clock : process_clock(analysis, process);
}

uint64_t process_raw(const struct analysis *analysis, const struct process_time *process, uint64_t ticks)
{
	return read_clock_raw(process_clock(analysis, process), ticks);
}

uint64_t process_ns(const struct analysis *analysis, const struct process_time *process, uint64_t ticks)
{
	return read_clock_duration(process_clock(analysis, process), ticks);
}

int64_t process_wall(const struct process_time *process)
{
	return (int64_t)(process->end_raw - process->birth_raw);
}

int64_t process_paused(const struct analysis *analysis, const struct process_time *process, int64_t *last_out)
{
	const struct fmt_process *raw = &process->tally->raw;
	uint64_t since = raw->paused_since ? process_raw(analysis, process, raw->paused_since) : 0;
	int64_t last = since && process->end_raw > since ? (int64_t)(process->end_raw - since) : 0;

	if (last_out)
		*last_out = last;
	return number_add((int64_t)process_ns(analysis, process, raw->paused), last);
}

int64_t window_wall(const struct analysis *analysis, const struct process_time *process)
{
	const struct host_window *window = &analysis->window[process->tally->host];

	return (int64_t)(window->end - window->start);
}

/* A launcher's reading on the same axis as the processes' times. */
static uint64_t launch_raw(const struct analysis *analysis, const struct read_launch *launch,
			   const struct fmt_triple *triple)
{
	const struct read_clock *clock = &analysis->recording->host[launch->host].clock[launch->raw.clock];

	return triple->ticks ? read_clock_raw(clock, triple->ticks) : triple->raw_ns;
}

static void window_start(struct host_window *window, uint64_t raw)
{
	if (!window->start || raw < window->start)
		window->start = raw;
}

static void window_end(struct host_window *window, uint64_t raw)
{
	if (raw > window->end)
		window->end = raw;
}

static const char *process_group(struct analysis *analysis, const struct tally *tally)
{
	const struct recording *recording = analysis->recording;
	const char *rank = tally->rank < 0 ? NULL : arena_printf(analysis->arena, "rank %d", tally->rank);

	switch (analysis->by) {
	case SUMMARY_BY_RANK:
		return rank ? rank : "no rank";
	case SUMMARY_BY_PROCESS:
	case SUMMARY_BY_THREAD:
		return arena_printf(analysis->arena, "%s%s%s%spid %u", rank ? rank : "", rank ? ", " : "",
				    recording->hosts > 1 ? recording->host[tally->host].name : "",
				    recording->hosts > 1 ? " " : "", tally->raw.pid);
	default:
		return "";
	}
}

/* The end where somebody knows it; false: it has to be inferred later. */
static bool known_end(struct analysis *analysis, struct process_time *process)
{
	const struct tally *tally = process->tally;
	const struct read_launch *launch = tally->is_program ? &analysis->recording->launch[tally->launch] : NULL;
	uint64_t own = tally->raw.end_ticks ? process_raw(analysis, process, tally->raw.end_ticks) : 0;

	if (tally->alive) {
		process->end_source = SUMMARY_END_RUNNING;
		return false;
	}
	if (launch && launch->raw.ended && tally->raw.end != FMT_END_EXEC) {
		process->end_raw = launch_raw(analysis, launch, &launch->raw.end);
		process->end_source = SUMMARY_END_LAUNCH;
	} else if (own) {
		process->end_raw = own;
		process->end_source = SUMMARY_END_OWN;
	} else {
		return false;
	}
	if (process->last_sign_raw > process->end_raw) /* calls made after its exit handlers */
		process->end_raw = process->last_sign_raw;
	return true;
}

static void process_collect(struct analysis *analysis, struct process_time *process)
{
	const struct fmt_process *raw = &process->tally->raw;
	uint64_t birth = raw->birth_ticks;

	process->rank = rank_index(analysis, process->tally->rank);
	process->group = process_group(analysis, process->tally);
	process->call_cost_ns = process_ns(analysis, process, raw->call_cost);
	if (!birth || (raw->open.ticks && birth > raw->open.ticks))
		birth = raw->open.ticks;
	if (!birth) {
		process->no_time = true;
		return;
	}
	process->birth_raw = process_raw(analysis, process, birth);
	process->last_sign_raw = process_raw(analysis, process, raw->last.ticks > birth ? raw->last.ticks : birth);
	window_start(&analysis->window[process->tally->host], process->birth_raw);
	window_end(&analysis->window[process->tally->host], process->last_sign_raw);
	if (known_end(analysis, process))
		window_end(&analysis->window[process->tally->host], process->end_raw);
}

/* Program images that one process ran in turn belong together: they share one stretch of time. */
static void images_collect(struct analysis *analysis)
{
	struct rows images = {0};
	uint32_t *last;
	bool is_new;
	size_t i;

	for (i = 0; i < analysis->recording->tallies; i++) {
		struct process_time *process = &analysis->process[i];

		rows_key(&images);
		rows_key_number(analysis, &images, process->tally->host);
		rows_key_number(analysis, &images, process->tally->raw.pid);
		rows_key_number(analysis, &images, process->tally->raw.start_time);
		last = rows_find(analysis, &images, sizeof(*last), &is_new);
		process->image = is_new ? 0 : analysis->process[*last].image + 1;
		process->first_image = is_new ? (uint32_t)i : analysis->process[*last].first_image;
		if (!is_new)
			analysis->process[process->first_image].has_images = true;
		*last = (uint32_t)i;
	}
}

/* An image that did not tell its end ended, at the latest, when the next one of its process began. */
static void images_end(struct analysis *analysis)
{
	const size_t count = analysis->recording->tallies;

	for (size_t i = 0; i < count; i++) {
		struct process_time *process = &analysis->process[i];
		uint64_t next = 0;

		if (process->no_time || !analysis->process[process->first_image].has_images ||
		    process->end_source == SUMMARY_END_OWN)
			continue;
		for (size_t j = process->first_image; j < count; j++) {
			const struct process_time *other = &analysis->process[j];

			if (other->first_image == process->first_image && other->birth_raw > process->birth_raw &&
			    (!next || other->birth_raw < next))
				next = other->birth_raw;
		}
		if (next) {
			process->end_raw = next;
			process->end_source = SUMMARY_END_OWN;
		}
	}
}

void times_collect(struct analysis *analysis)
{
	struct recording *recording = analysis->recording;
	size_t i;

	analysis->window = arena_array(&analysis->scratch, recording->hosts, sizeof(*analysis->window));
	analysis->process = arena_array(&analysis->scratch, recording->tallies, sizeof(*analysis->process));
	for (i = 0; i < recording->launches; i++) {
		const struct read_launch *launch = &recording->launch[i];

		window_start(&analysis->window[launch->host], launch_raw(analysis, launch, &launch->raw.start));
		if (launch->raw.ended)
			window_end(&analysis->window[launch->host], launch_raw(analysis, launch, &launch->raw.end));
	}
	for (i = 0; i < recording->tallies; i++) {
		analysis->process[i].tally = &recording->tally[i];
		process_collect(analysis, &analysis->process[i]);
	}
	images_collect(analysis);
	images_end(analysis);
}

static void infer_end(struct analysis *analysis, struct process_time *process)
{
	const struct host_window *window = &analysis->window[process->tally->host];

	if (process->no_time) {
		process->birth_raw = process->end_raw = window->start;
		process->end_source = SUMMARY_END_LAST;
	} else if (!process->end_raw && process->end_source != SUMMARY_END_RUNNING) {
		/* with a call open it lived on for an unknown time: as long as the run, at most */
		process->end_source = process->has_open ? SUMMARY_END_RUN : SUMMARY_END_LAST;
		process->end_raw = process->has_open ? window->end : process->last_sign_raw;
	}
}

void times_resolve(struct analysis *analysis)
{
	struct recording *recording = analysis->recording;
	uint64_t now = read_clock_now();
	size_t i;

	for (i = 0; i < recording->launches; i++)
		if (recording->launch[i].alive)
			window_end(&analysis->window[recording->launch[i].host], now);
	for (i = 0; i < recording->tallies; i++) {
		struct process_time *process = &analysis->process[i];

		if (process->end_source == SUMMARY_END_RUNNING) {
			process->end_raw = now;
			window_end(&analysis->window[process->tally->host], now);
		}
		if (!process->no_time)
			window_end(&analysis->window[process->tally->host], process->last_sign_raw);
	}
	for (i = 0; i < recording->hosts; i++)
		if (analysis->window[i].end < analysis->window[i].start)
			analysis->window[i].end = analysis->window[i].start;
	for (i = 0; i < recording->tallies; i++)
		infer_end(analysis, &analysis->process[i]);
}

static const char *wait_text(struct analysis *analysis, int status)
{
	if (WIFSIGNALED(status))
		return arena_printf(analysis->arena, "signal %d", WTERMSIG(status));
	return arena_printf(analysis->arena, "exit %d", WEXITSTATUS(status));
}

const char *process_end_text(struct analysis *analysis, const struct process_time *process)
{
	static const char *const own[] = {
		[FMT_END_NONE] = "unknown", [FMT_END_EXIT] = "exit", [FMT_END_QUICK] = "exit",
		[FMT_END_ABORT] = "abort", [FMT_END_EXEC] = "exec",
	};
	const struct tally *tally = process->tally;
	uint32_t end = tally->raw.end <= FMT_END_EXEC ? tally->raw.end : FMT_END_NONE;

	if (tally->alive)
		return "running";
	if (tally->is_program && end != FMT_END_EXEC &&
	    analysis->recording->launch[tally->launch].raw.ended == FMT_ENDED_SEEN)
		return wait_text(analysis, analysis->recording->launch[tally->launch].raw.wait_status);
	return own[end];
}

/*
 * Of several programs: still running, else the end of the first that ended badly. A launcher ends the others by a
 * signal then, which would say less.
 */
static const char *run_end(struct analysis *analysis, bool *running_out)
{
	const struct recording *recording = analysis->recording;
	const struct fmt_launch *first = NULL;
	size_t i;

	*running_out = false;
	for (i = 0; i < recording->launches; i++)
		*running_out |= recording->launch[i].alive;
	for (i = 0; i < recording->tallies; i++)
		*running_out |= recording->tally[i].alive && recording->tally[i].is_program;
	for (i = 0; i < recording->launches; i++) {
		const struct fmt_launch *launch = &recording->launch[i].raw;

		if (launch->ended != FMT_ENDED_SEEN)
			continue;
		if (!first || (launch->wait_status && (!first->wait_status ||
						       launch->end.real_ns < first->end.real_ns)))
			first = launch;
	}
	if (*running_out)
		return "running";
	if (first)
		return wait_text(analysis, first->wait_status);
	if (!recording->launches && recording->tallies == 1)
		return process_end_text(analysis, &analysis->process[0]);
	return "unknown";
}

static void fill_argv(struct analysis *analysis)
{
	const struct recording *recording = analysis->recording;
	const struct read_launch *first = NULL;
	struct summary_run *run = &analysis->summary->run;
	uint32_t i;

	for (i = 0; i < recording->launches; i++)
		if (!first || recording->launch[i].raw.start.raw_ns < first->raw.start.raw_ns)
			first = &recording->launch[i];
	if (first) {
		run->argv = arena_array(analysis->arena, first->argc + 1, sizeof(*run->argv));
		for (i = 0; i < first->argc; i++)
			run->argv[i] = arena_strdup(analysis->arena, first->argv[i]);
		return;
	}
	run->argv = arena_array(analysis->arena, 2, sizeof(*run->argv));
	if (recording->tallies)
		run->argv[0] = arena_strdup(analysis->arena, recording->tally[0].command);
}

void times_fill_run(struct analysis *analysis)
{
	struct summary_run *run = &analysis->summary->run;
	const struct recording *recording = analysis->recording;
	uint64_t wall;
	size_t i;

	for (i = 0; i < recording->hosts; i++) {
		wall = analysis->window[i].end - analysis->window[i].start;
		if (wall > run->wall_ns)
			run->wall_ns = wall;
	}
	for (i = 0; i < recording->tallies; i++)
		run->processes += !analysis->process[i].image;
	run->hosts = (uint32_t)recording->hosts;
	run->ranks = analysis->ranks;
	run->end = run_end(analysis, &run->running);
	fill_argv(analysis);
}
