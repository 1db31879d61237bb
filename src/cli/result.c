/* SPDX-License-Identifier: BSD-3-Clause */
/* See result.h. */
#include "cli/result.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "analyze/summary.h"
#include "base/log.h"
#include "cli/attach.h"
#include "cli/place.h"
#include "cli/plan.h"
#include "cli/proc.h"
#include "cli/rundir.h"
#include "cli/show.h"
#include "cli/tell.h"
#include "read/recording.h"
#include "views/timeline.h"

#define STILL_RUNNING_NAMED 8 /* processes that are named; of more the number is given */
#define STREAMS_AT_ONCE (16u << 20) /* bytes that are read before the table appears: the table does not wait */
#define GRACE_STEPS 25
#define EXEC_STEPS 10
#define KERNEL_THREADS 2 /* their parent: they have no environment either */
#define EXEC_STEP_US 1000
#define GRACE_STEP_US 20000

static int make_absolute(struct arena *arena, const char **path)
{
	char absolute[PATH_MAX];
	int err;

	if (!*path || !strcmp(*path, "-"))
		return 0;
	err = rundir_absolute(*path, absolute);
	if (!err)
		*path = arena_strdup(arena, absolute);
	return err;
}

/*
 * Events, and a timeline without a place of its own, are kept with their recording: ./sonde-PROGRAM-PID, or that name
 * where temporary files go when the current directory is not to be written to.
 */
static int choose_output(struct result *result)
{
	const char *slash = strrchr(result->program, '/');
	struct arena *arena = &result->preload.arena;
	struct options *own = &result->options;
	char base[PATH_MAX] = "";

	if (own->output || !(own->trace || (own->timeline && !*own->timeline)))
		return 0;
	if (access(".", W_OK | X_OK) != 0 && !rundir_find_base(base))
		return 0;
	own->output = arena_printf(arena, "%s%ssonde-%s-%d", base, *base ? "/" : "",
				   slash ? slash + 1 : result->program, (int)getpid());
	return make_absolute(arena, &own->output);
}

int result_prepare(struct result *result, const struct options *options)
{
	struct arena *arena = &result->preload.arena;
	struct options *own = &result->options;
	int err;

	*own = *options;
	err = make_absolute(arena, &own->json);
	if (!err)
		err = make_absolute(arena, &own->csv);
	if (!err)
		err = make_absolute(arena, &own->output);
	if (!err && own->timeline && *own->timeline)
		err = make_absolute(arena, &own->timeline);
	if (!err)
		err = choose_output(result);
	if (!err)
		err = show_check(own);
	if (!err && own->output)
		err = rundir_create_output(own->output, &result->created);
	if (err)
		return err;
	if (own->output)
		snprintf(result->keep, sizeof(result->keep), "%s", own->output);
	if (own->output && rundir_can_map(own->output) && strlen(own->output) < RUNDIR_PATH_MAX)
		strcpy(result->run, result->keep);
	else if (rundir_create_temporary(result->run) != 0)
		result->run[0] = '\0'; /* told; the program still runs */
	if (result->run[0] && plan_wants_streams(own) && plan_create(result->run, own) != 0)
		plan_remove(result->run); /* told; the summary does not need them */
	return 0;
}

void result_cancel(struct result *result)
{
	if (result->run[0])
		plan_remove(result->run);
	if (result->run[0] && strcmp(result->run, result->keep) != 0)
		rundir_remove(result->run);
	if (result->created)
		rmdir(result->keep);
}

static const char *backend_names(struct preload *preload)
{
	const char *names = "";

	for (unsigned i = 0; attach_backends[i].name && i < PRELOAD_MAX; i++)
		if (preload->enabled[i])
			names = arena_printf(&preload->arena, "%s%s%s", names, *names ? ", " : "",
					     attach_backends[i].name);
	return names;
}

/* One line: what was looked for, what was there, where to read on. */
static void tell_nothing(struct result *result, const struct summary *summary)
{
	struct preload *preload = &result->preload;
	const char *unrecorded = summary_note(summary, "unrecorded");

	if (!preload->libraries || result->target.reason)
		return; /* said before the start */
	if (preload->missing)
		tell("nothing recorded: %s needs %s, which was not found", result->program, preload->missing);
	else if (summary_note(summary, "no_record"))
		tell("nothing recorded: a process that made traced calls found no room for its record (disk full, or a "
		     "limit on files or memory)");
	else if (unrecorded)
		tell("nothing recorded: %s", unrecorded);
	else if (result->options.start_paused)
		tell("nothing recorded: recording started paused, and no process with a traced call resumed it");
	else if (result->options.ranks || result->options.include || result->options.exclude)
		tell("nothing recorded: --ranks, --include and --exclude left out every process that made a traced"
		     " call, or none made one");
	else if (preload->linked)
		tell("nothing recorded: %s is linked with %s but made no call that counts (a look at which devices"
		     " there are does not); sonde doctor %s shows what is recorded of it, and how", result->program,
		     preload->linked, result->program);
	else
		tell("nothing recorded: %s used none of %s, or ran without the libraries of sonde; sonde doctor"
		     " %s shows what is recorded of it, and how", result->program, backend_names(preload),
		     result->program);
}

/* Does it have our variables? One that is younger than this process may just be on its way through exec. */
static bool records_here(const struct result *result, const struct process *self, pid_t pid,
			 struct process *process_out)
{
	for (int i = 0; i < EXEC_STEPS; i++) {
		if (!process_read(pid, process_out) || process_out->ended || process_out->parent == KERNEL_THREADS ||
		    (result->alone && process_out->start < self->start))
			return false;
		if (proc_has_variable(pid, "SONDE_DIR", result->run))
			return true;
		if (process_out->start < self->start || !proc_is_bare(pid))
			return false;
		usleep(EXEC_STEP_US);
	}
	return false;
}

/* The processes that can still record, by name. Without our variables none can. */
static unsigned find_running(const struct result *result, char *names, size_t size)
{
	DIR *processes = opendir("/proc");
	unsigned count = 0;
	struct dirent *entry;
	struct process self, proc;
	bool known = process_read(getpid(), &self);

	while (processes && known && (entry = readdir(processes))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || pid < result->first_pid || pid == self.pid)
			continue;
		if (!records_here(result, &self, pid, &proc))
			continue;
		if (count++ < STILL_RUNNING_NAMED)
			snprintf(names + strlen(names), size - strlen(names), "%s%d (%s)", names[0] ? ", " : "",
				 (int)pid, proc.name);
	}
	if (processes)
		closedir(processes);
	return count;
}

/*
 * Tells which processes still record and returns their number. Helpers of a runtime end a moment after the
 * program that they served: they get that moment before they are called survivors.
 */
static unsigned tell_still_running(const struct result *result)
{
	char names[512];
	unsigned count, tries = 0;

	do {
		if (tries)
			usleep(GRACE_STEP_US);
		names[0] = '\0';
		count = find_running(result, names, sizeof(names));
	} while (count && ++tries < GRACE_STEPS);
	if (count && !result->options.quiet)
		tell("still running: %s%s; what they record goes on in %s", names,
			    count > STILL_RUNNING_NAMED ? " and others" : "", result->run);
	return count;
}

static void add_notes(struct summary *summary, const struct result *result)
{
	if (result->target.reason)
		summary_add_note(summary, "untraceable", "%s %s.", result->target.object,
				 target_reason_text(result->target.reason));
	if (result->missing_ranks[0] && !summary_note(summary, "missing_ranks"))
		summary_add_note(summary, "missing_ranks", "%s", result->missing_ranks);
}

/* True: something was recorded. */
static bool summarize(struct result *result)
{
	const char *directory = result->run;
	struct options options = result->options;
	struct summary_options wish = { .tool = "sonde " SONDE_VERSION, .stream_bytes_max = STREAMS_AT_ONCE };
	struct summary *summary;
	bool recorded;

	if (summary_of_directories(&directory, 1, &wish, &summary) != 0)
		return false;
	recorded = summary->processes > 0;
	add_notes(summary, result);
	if (!summary->processes && !options.quiet) {
		if (result->missing_ranks[0])
			tell("%s", result->missing_ranks);
		tell_nothing(result, summary);
		options.quiet = !summary->counters; /* a table of nothing says less than that line */
		for (size_t i = 0; options.quiet && i < summary->notes; i++)
			if (!strcmp(summary->note[i].code, "counters"))
				tell("%s", summary->note[i].text);
	}
	show_summary(summary, &options, stderr);
	summary_destroy(summary);
	return recorded;
}

/* 0 or SONDE_E..., logged. */
static int write_timeline(struct result *result)
{
	const char *directory = result->run, *path = result->options.timeline;
	int err;
	struct timeline_result written = {0};
	struct timeline_options wish = {.split_bytes = TIMELINE_SPLIT_DEFAULT, .result = &written};
	const char *left_out;
	struct recording *recording;
	char own[PATH_MAX + 32];

	if (!*path) {
		snprintf(own, sizeof(own), "%s/timeline.pftrace", result->keep[0] ? result->keep : result->run);
		path = own;
	}
	err = recording_open(&directory, 1, &recording);
	if (err)
		return err;
	err = timeline_write(recording, &wish, path);
	if (!err && !result->options.quiet)
		tell("timeline: %s: %s%s", path, place_counts(&result->preload.arena, &written),
		     written.files > 1 ? ", in several files beside this overview of them" : "");
	left_out = place_left_out(&result->preload.arena, &written);
	if (!err && left_out && !result->options.quiet)
		tell("%s", left_out);
	if (result->options.quiet)
		recording_close(recording);
	else
		place_close(recording, err);
	return err;
}

/* Whoever looks into a crash has to know that it was not the program alone that ran. */
static void tell_signal(const struct result *result, int wait_status)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
	bool crashed = false;

	for (size_t i = 0; WIFSIGNALED(wait_status) && i < sizeof(crashes) / sizeof(crashes[0]); i++)
		crashed |= WTERMSIG(wait_status) == crashes[i];
	if (crashed && !result->options.quiet && result->preload.libraries && !result->target.reason)
		tell("%s was ended by signal %d (%s) while it was traced; --disable runs it without sonde",
			    result->program, WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
}

/* The recording goes to the user's directory, or away. */
static void put_away(struct result *result, bool recorded)
{
	bool moved = strcmp(result->run, result->keep) != 0;
	unsigned running = tell_still_running(result);
	int err = 0;

	if (!running)
		plan_remove(result->run);
	if (result->keep[0])
		recording_compact(result->run);
	if (recorded && result->options.timeline)
		err = write_timeline(result);
	if (result->keep[0] && moved && !err)
		err = rundir_copy(result->run, result->keep);
	if (recorded && result->options.trace && !err && !result->options.quiet)
		tell("every call: sonde print %s", result->keep);
	if (err && moved)
		tell("the recording stays in %s", result->run);
	else if (moved && !running)
		rundir_remove(result->run);
}

void result_show(struct result *result, int wait_status)
{
	bool recorded;

	if (!result->run[0])
		return;
	recorded = summarize(result);
	tell_signal(result, wait_status);
	put_away(result, recorded);
	if (result->keep[0] && !result->options.quiet)
		tell("recording: %s", result->keep);
}
