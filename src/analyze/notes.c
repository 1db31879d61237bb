/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reader of the figures has to know: how programs ended, what is missing, what is approximate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "analyze/streams.h"
#include "base/number.h"

#define RANKS_LISTED_MAX 65536 /* a damaged record may claim any size */

/* Who, in a note: "rank 2 (pid 17 on node1)" */
static const char *who(struct analysis *analysis, int32_t rank, uint32_t pid, uint32_t host)
{
	const struct recording *recording = analysis->recording;
	const char *on = "";

	if (recording->hosts > 1)
		on = arena_printf(&analysis->scratch, " on %s", recording->host[host].name);
	if (rank < 0)
		return arena_printf(&analysis->scratch, "pid %u%s", pid, on);
	return arena_printf(&analysis->scratch, "rank %d (pid %u%s)", rank, pid, on);
}

/* Then what is known of its end is noted with its record. */
static bool program_is_recorded(const struct analysis *analysis, const struct read_launch *launch)
{
	const struct recording *recording = analysis->recording;
	size_t i;

	for (i = 0; i < recording->tallies; i++)
		if (recording->tally[i].is_program && &recording->launch[recording->tally[i].launch] == launch)
			return true;
	return false;
}

static void note_launch(struct analysis *analysis, const struct read_launch *launch)
{
	const struct fmt_launch *raw = &launch->raw;
	const char *name = who(analysis, raw->rank, raw->program_pid, launch->host);
	struct summary *summary = analysis->summary;

	if (raw->untraceable && !summary->run.untraceable) { /* the launcher has the words for it */
		summary->run.untraceable = raw->untraceable;
		summary->run.untraceable_program = keep(analysis, launch->argc ? launch->argv[0] : "");
	}
	if (launch->alive)
		summary_add_note(summary, "running", "%s is still running", name);
	else if (raw->ended != FMT_ENDED_SEEN && !program_is_recorded(analysis, launch))
		summary_add_note(summary, "end_unknown", "%s: its launcher did not see how it ended", name);
	else if (raw->ended == FMT_ENDED_SEEN && WIFSIGNALED(raw->wait_status))
		summary_add_note(summary, "signal", "%s was ended by signal %d (%s)", name, WTERMSIG(raw->wait_status),
				 strsignal(WTERMSIG(raw->wait_status)));
	else if (raw->ended == FMT_ENDED_SEEN && WEXITSTATUS(raw->wait_status))
		summary_add_note(summary, "exit_status", "%s ended with exit status %d", name,
				 WEXITSTATUS(raw->wait_status));
}

static void note_process(struct analysis *analysis, const struct process_time *process)
{
	const struct tally *tally = process->tally;
	const char *name = who(analysis, tally->rank, tally->raw.pid, tally->host);

	analysis->summary->lower_bound |= process_end_unseen(process) && process->has_open;
	if (tally->alive && !tally->is_program)
		summary_add_note(analysis->summary, "running", "%s (%s) is still running", name, tally->exe);
	else if (process->no_time)
		summary_add_note(analysis->summary, "damaged", "%s: its record does not say when it ran", name);
	else if (process->end_source == SUMMARY_END_RUN)
		summary_add_note(analysis->summary, "end_unknown",
				 "%s: nobody saw it end: its times are those until the run's last sign of life",
				 name);
	else if (process->end_source == SUMMARY_END_LAST)
		summary_add_note(analysis->summary, "end_unknown",
				 "%s: nobody saw it end: its times are those until its last sign of life", name);
}

/* "in NAME for TIME": where a process hangs or was when it was killed */
static void note_open_calls(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	size_t i;

	for (i = 0; i < summary->open_calls; i++) {
		const struct summary_open_call *call = &summary->open_call[i];
		struct number number;

		if (!call->innermost || !call->reference)
			continue;
		if (call->rank >= 0)
			summary_add_note(summary, "open_call", "rank %d (pid %u): in %s for %s%s", call->rank,
					 call->pid, call->name, call->at_least ? "at least " : "",
					 number_time(&number, call->ns));
		else
			summary_add_note(summary, "open_call", "pid %u: in %s for %s%s", call->pid, call->name,
					 call->at_least ? "at least " : "", number_time(&number, call->ns));
	}
}

static bool rank_is_there(const struct recording *recording, int32_t rank)
{
	size_t i;

	for (i = 0; i < recording->launches; i++)
		if (recording->launch[i].raw.rank == rank)
			return true;
	for (i = 0; i < recording->tallies; i++)
		if (recording->tally[i].rank == rank)
			return true;
	return false;
}

/* "1, 3, 7-9" of the ranks below size that are not there; *count_out: how many */
static const char *missing_ranks(struct analysis *analysis, int32_t size, uint32_t *count_out)
{
	const char *text = "";
	int32_t rank, first = -1;
	uint32_t parts = 0;

	*count_out = 0;
	for (rank = 0; rank <= size; rank++) {
		bool missing = rank < size && !rank_is_there(analysis->recording, rank);

		*count_out += missing;
		if (missing && first < 0)
			first = rank;
		if (missing || first < 0)
			continue;
		if (parts++ < 16)
			text = first == rank - 1 ?
			       arena_printf(&analysis->scratch, "%s%s%d", text, *text ? ", " : "", first) :
			       arena_printf(&analysis->scratch, "%s%s%d-%d", text, *text ? ", " : "", first, rank - 1);
		first = -1;
	}
	return parts > 16 ? arena_printf(&analysis->scratch, "%s, ...", text) : text;
}

static void note_missing_ranks(struct analysis *analysis)
{
	const struct recording *recording = analysis->recording;
	int32_t size = 0, local = 0;
	uint32_t missing;
	const char *list;
	size_t i;

	for (i = 0; i < recording->launches; i++) {
		const struct fmt_launch *raw = &recording->launch[i].raw;

		if (raw->rank < 0)
			continue;
		if (raw->size > size)
			size = raw->size;
		if (raw->local_size > local)
			local = raw->local_size;
	}
	if (size <= 0 || size > RANKS_LISTED_MAX)
		return;
	/* on several nodes the ranks of the others are not expected here, and which those are is not known */
	if (local > 0 && local < size && recording->hosts == 1)
		return;
	list = missing_ranks(analysis, size, &missing);
	if (missing)
		summary_add_note(analysis->summary, "missing_ranks", "%u of %d ranks never came: %s", missing, size,
				 list);
}

static int number_order(const void *left, const void *right)
{
	int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;

	return a < b ? -1 : a > b;
}

/* A rank that was started more than once, or several programs without one: these are not the figures of one run. */
static void note_several_runs(struct analysis *analysis)
{
	const struct recording *recording = analysis->recording;
	int32_t *rank = arena_array(&analysis->scratch, recording->launches, sizeof(*rank));
	size_t i, same = 0, runs = 0;

	for (i = 0; i < recording->launches; i++)
		rank[i] = recording->launch[i].raw.rank;
	if (recording->launches)
		qsort(rank, recording->launches, sizeof(*rank), number_order);
	for (i = 0; i < recording->launches; i++) {
		same = i && rank[i] == rank[i - 1] ? same + 1 : 1;
		if (same > runs)
			runs = same;
	}
	if (runs > 1)
		summary_add_note(analysis->summary, "several_runs", "the figures of %zu runs are added up", runs);
}

static int tally_rank_order(const void *left, const void *right)
{
	const struct tally *a = *(const struct tally *const *)left, *b = *(const struct tally *const *)right;

	return number_order(&a->rank, &b->rank);
}

/* Does `other` show that the process is no further program of its rank: its parent, or what its program was before? */
static bool comes_from(const struct tally *tally, const struct tally *other)
{
	return other->host == tally->host && (other->raw.pid == tally->raw.ppid ||
		(other->raw.pid == tally->raw.pid && other->raw.birth_ticks < tally->raw.birth_ticks));
}

/* Did a launcher start it as one of several, and does its own runtime know of no other one? */
static bool is_alone(const struct recording *recording, const struct tally *tally)
{
	bool known = tally->raw.notes & FMT_NOTE_ALONE; /* where the launcher was below `sonde` */

	return known || (tally->launch != READ_NONE && tally->raw.size == 1 &&
			 recording->launch[tally->launch].raw.size > 1);
}

static void note_alone(struct analysis *analysis)
{
	const struct recording *recording = analysis->recording;
	size_t count = 0;

	for (size_t i = 0; i < recording->tallies; i++)
		count += is_alone(recording, &recording->tally[i]);
	if (count)
		summary_add_note(analysis->summary, "alone",
				 "%zu process%s found no other rank, though a launcher started several: it (mpirun, "
				 "srun) belongs to another library than the program uses, or cannot start programs "
				 "of that one", count, count == 1 ? "" : "es");
}

/* Jobs in a row below one `sonde` have the same ranks, of which each is one row here. */
static void note_several_programs(struct analysis *analysis)
{
	const struct recording *recording = analysis->recording;
	const struct tally **of_rank = arena_array(&analysis->scratch, recording->tallies, sizeof(*of_rank));
	size_t count = 0, first = 0, most = 0;

	for (size_t i = 0; i < recording->tallies; i++)
		if (recording->tally[i].rank >= 0 && !is_alone(recording, &recording->tally[i]))
			of_rank[count++] = &recording->tally[i];
	if (count)
		qsort(of_rank, count, sizeof(const struct tally *), tally_rank_order);
	for (size_t i = 0, programs = 0; i < count; i++) {
		bool further = true;

		if (of_rank[i]->rank != of_rank[first]->rank) {
			first = i;
			programs = 0;
		}
		for (size_t j = first; j < count && of_rank[j]->rank == of_rank[i]->rank && further; j++)
			further = !comes_from(of_rank[i], of_rank[j]);
		programs += further;
		most = programs > most ? programs : most;
	}
	if (most > 1)
		summary_add_note(analysis->summary, "several_programs",
				 "up to %zu programs were the same rank: of a rank their times are added up, and may "
				 "exceed the run's", most);
}

/* Of all hosts and ranks; *error_out: why, of one of them. */
static uint64_t unrecorded(const struct recording *recording, uint32_t *error_out)
{
	uint64_t processes = 0;
	size_t i;

	for (i = 0; i < recording->tallies + recording->launches; i++) {
		const struct fmt_unrecorded *one = i < recording->tallies ?
			&recording->tally[i].raw.unrecorded :
			&recording->launch[i - recording->tallies].raw.unrecorded;

		processes += one->processes;
		if (one->processes)
			*error_out = one->error;
	}
	return processes;
}

static void note_unrecorded(struct analysis *analysis)
{
	uint32_t error = 0;
	uint64_t processes = unrecorded(analysis->recording, &error);

	if (!processes)
		return;
	summary_add_note(analysis->summary, "unrecorded",
			 "%llu process%s made traced calls and could not be recorded: %s",
			 (unsigned long long)processes, processes == 1 ? "" : "es", strerror((int)error));
	analysis->summary->lower_bound = true;
}

static bool has_note(const struct recording *recording, const char *code)
{
	size_t i;

	for (i = 0; i < recording->notes; i++)
		if (!strcmp(recording->note[i].code, code))
			return true;
	return false;
}

/* Launched, but without a record: it made no traced call, or could not be traced, or its record cannot be read. */
static void note_silent_launches(struct analysis *analysis)
{
	const struct recording *recording = analysis->recording;
	bool *heard = arena_array(&analysis->scratch, recording->launches, sizeof(*heard));
	uint32_t error;
	bool unread = has_note(recording, "unreadable") || has_note(recording, "no_record") ||
		      unrecorded(recording, &error);
	size_t i;

	if (!recording->tallies)
		return; /* one note says so for all */
	for (i = 0; i < recording->tallies; i++)
		if (recording->tally[i].launch != READ_NONE)
			heard[recording->tally[i].launch] = true;
	for (i = 0; i < recording->launches; i++) {
		const struct read_launch *launch = &recording->launch[i];

		if (!heard[i] && launch->raw.rank >= 0 && rank_index(analysis, launch->raw.rank) == READ_NONE)
			summary_add_note(analysis->summary, "rank_silent", "%s %s",
					 who(analysis, launch->raw.rank, launch->raw.program_pid, launch->host),
					 unread ? "has no record that can be read" : "recorded no traced call");
	}
}

static void note_flags(struct analysis *analysis)
{
	static const struct {
		uint32_t flag;
		const char *code, *text;
	} flags[] = {
		{FMT_NOTE_CHILDREN_UNTRACED, "children_untraced", "started programs that were not traced"},
		{FMT_NOTE_NO_SPACE, "no_space", "found no room to record more (disk full, or a file size limit)"},
		{FMT_NOTE_DYNAMIC_FULL, "range_names",
		 "used more names of ranges, marks, calls of layers and places in the code than are kept (1,024): "
		 "the others are together in rows called (further names), and values of further counters are lost"},
		{FMT_NOTE_CONTEXTS_FULL, "range_nesting",
		 "nested ranges in more ways than are kept (4,096), or had more of the process open at once (64): "
		 "device time is told of the outer ones, and of 64, alone"},
		{FMT_NOTE_GRAPHS_FULL, "graphs",
		 "used more graphs, or nodes of graphs, than are kept: the others lack in Graphs"},
		{FMT_NOTE_LAUNCHES, "graph_launches",
		 "heard of operations of graphs thousands of launches late: launches in Graphs may be too few"},
		{FMT_NOTE_ROWS_FULL, "rows",
		 "had more kinds of copies or of memory (256 of each), built more (1,024 names) or had calls fail in "
		 "more ways (512) than is kept: the others lack in Transfers, Memory, Builds or Calls that failed"},
		{FMT_NOTE_PRIVATE, "private", "could not map its record, which is lost if it is killed"},
	};
	const struct recording *recording = analysis->recording;
	size_t i, j, count;

	for (j = 0; j < sizeof(flags) / sizeof(flags[0]); j++) {
		count = 0;
		for (i = 0; i < recording->tallies; i++)
			count += (recording->tally[i].raw.notes & flags[j].flag) != 0;
		if (!count)
			continue;
		summary_add_note(analysis->summary, flags[j].code, "%zu process%s %s", count, count == 1 ? "" : "es",
				 flags[j].text);
		analysis->summary->lower_bound |= (flags[j].flag & (FMT_NOTE_NO_SPACE | FMT_NOTE_ROWS_FULL)) != 0;
	}
}

/* The summary does not need streams, but whoever looks at a timeline has to know. */
static void note_streams(struct analysis *analysis)
{
	static const char *const reasons[] = {
		[FMT_STREAMS_NO_SPACE] = ": no room on the disk",
		[FMT_STREAMS_MAX_SIZE] = ": it reached the limit of its size (--max-size; without it a quarter of"
					 " the room there was)",
		[FMT_STREAMS_FILE_LIMIT] = ": files may not be larger (ulimit -f)",
		[FMT_STREAMS_NO_FILE] = ": its files could not be made (descriptors, memory, rights)",
		[FMT_STREAMS_UNMAPPED] = ": the file system of the recording cannot be mapped safely",
	};
	const struct recording *recording = analysis->recording;
	const char *why = "";
	uint64_t lost = 0, without = 0;
	size_t i;

	for (i = 0; i < recording->tallies; i++) {
		const struct fmt_process *raw = &recording->tally[i].raw;

		lost += raw->streams_lost;
		without += raw->streams == FMT_STREAMS_NONE && raw->streams_end != FMT_STREAMS_WHOLE;
		if (raw->streams_end > FMT_STREAMS_WHOLE && raw->streams_end < sizeof(reasons) / sizeof(reasons[0]))
			why = reasons[raw->streams_end];
	}
	if (lost)
		summary_add_note(analysis->summary, "timeline_lost", "%llu events are missing from the timeline%s%s",
				 (unsigned long long)lost, why,
				 analysis->summary->from_streams ? "" : "; no figure here is drawn from it");
	if (without)
		summary_add_note(analysis->summary, "timeline_none", "%llu process%s no timeline%s",
				 (unsigned long long)without, without == 1 ? " has" : "es have", why);
}

static void note_source(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	size_t without = 0;

	if (!summary->from_streams)
		return;
	for (size_t i = 0; i < analysis->recording->tallies; i++)
		without += !analysis->streams->process[i].present;
	summary_add_note(summary, "from_streams", "calls and device work are as the streams tell, not the tally%s",
			 analysis->streams->whole ? "" : "; events are missing there");
	if (without)
		summary_add_note(summary, "from_streams", "%zu process%s no streams and no figures here", without,
				 without == 1 ? " has" : "es have");
	summary->lower_bound |= !analysis->streams->whole || without;
}

#define CLOCK_LEAST_NS 2000000 /* what is less is no worse than what a busy machine does to any time */
#define CLOCK_SHARE 20         /* a part of the run that is seen in its shares */

/* How far an error of clocks can be seen: lengths of operations have none, what ran beside what has it all. */
static void note_clocks(struct summary *summary)
{
	struct number most;

	for (size_t i = 0; i < summary->devices; i++) {
		const struct summary_device *device = &summary->device[i];

		if (device->clock_error_ns > CLOCK_LEAST_NS && device->clock_error_ns > device->wall_ns / CLOCK_SHARE)
			summary_add_note(summary, "clock_error",
					 "%s: its operations may have run up to %s earlier or later than shown: what "
					 "overlapped is as uncertain, how long each took is not", device->label,
					 number_time(&most, (int64_t)device->clock_error_ns));
	}
}

static void note_losses(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	uint64_t lost = 0, threads = 0, bad = 0;
	size_t i;

	for (i = 0; i < summary->ledgers; i++)
		lost += summary->ledger[i].lost + summary->ledger[i].device_lost;
	for (i = 0; i < analysis->recording->tallies; i++) {
		threads += analysis->recording->tally[i].raw.lost_threads;
		bad += analysis->recording->tally[i].raw.bad_ticks;
	}
	for (i = 0; i < summary->ledgers; i++)
		if (summary->ledger[i].untimed)
			summary_add_note(summary, "untimed",
					 "%s: %llu device operations have no time: the runtime gave none, or "
					 "an impossible one",
					 summary->ledger[i].backend, (unsigned long long)summary->ledger[i].untimed);
	if (lost)
		summary_add_note(summary, "lost", "%llu calls or device operations were seen but not recorded",
				 (unsigned long long)lost);
	if (threads)
		summary_add_note(summary, "lost_threads", "%llu threads found no room to be recorded",
				 (unsigned long long)threads);
	if (bad)
		summary_add_note(summary, "bad_ticks",
				 "the counter ran backwards in %llu calls: they are counted, their time is not",
				 (unsigned long long)bad);
	summary->lower_bound |= threads || bad;
	for (i = 0; i < summary->devices; i++)
		if (summary->device[i].approximate)
			summary_add_note(summary, "approximate", "%s: its busy time is approximate",
					 summary->device[i].label);
	note_clocks(summary);
	if (summary->lower_bound)
		summary_add_note(summary, "lower_bound",
				 "something was lost or did not finish: all sums are lower bounds");
}

/* What is wrong with streams alone leaves the figures of the tally as they are. */
static bool is_of_streams(const struct analysis *analysis, size_t note)
{
	return !analysis->summary->from_streams && note >= analysis->stream_notes && note < analysis->stream_notes_end;
}

/* What the shares leave out. */
static void note_paused(struct analysis *analysis)
{
	struct summary_run *run = &analysis->summary->run;
	struct number paused, lived;
	uint64_t pauses = 0;
	int64_t life = 0;

	for (size_t i = 0; i < analysis->recording->tallies; i++) {
		const struct process_time *process = &analysis->process[i];

		run->paused_ns = number_add(run->paused_ns, process_paused(analysis, process, NULL));
		life = number_add(life, process_wall(process));
		pauses += process->tally->raw.pauses;
	}
	if (pauses)
		summary_add_note(analysis->summary, "paused", "recording was paused for %s of %s (%llu time%s): what "
				 "was called and started then is in no figure, and that time in no share",
				 number_time(&paused, run->paused_ns), number_time(&lived, life),
				 (unsigned long long)pauses, pauses == 1 ? "" : "s");
}

void notes_finish(struct analysis *analysis)
{
	const struct recording *recording = analysis->recording;
	struct summary *summary = analysis->summary;
	size_t i;

	for (i = 0; i < recording->notes; i++) {
		const struct read_note *note = &recording->note[i];

		summary_add_note(summary, note->code, "%s", note->text);
		if (is_of_streams(analysis, i))
			continue;
		summary->lower_bound |= !strcmp(note->code, "damaged") || !strcmp(note->code, "truncated") ||
					!strcmp(note->code, "unreadable") || !strcmp(note->code, "no_record");
	}
	if (!summary->calls && !summary->ranges)
		summary_add_note(summary, "nothing", "no call into a traced API was recorded");
	for (i = 0; i < recording->launches; i++)
		note_launch(analysis, &recording->launch[i]);
	for (i = 0; i < recording->tallies; i++)
		note_process(analysis, &analysis->process[i]);
	note_paused(analysis);
	note_open_calls(analysis);
	note_several_runs(analysis);
	note_alone(analysis);
	if (!summary_note(summary, "several_runs"))
		note_several_programs(analysis);
	note_missing_ranks(analysis);
	note_silent_launches(analysis);
	note_unrecorded(analysis);
	note_flags(analysis);
	note_streams(analysis);
	note_source(analysis);
	note_losses(analysis);
}
