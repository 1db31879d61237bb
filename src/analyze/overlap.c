/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The overlap matrix: what ran at the same time. Each moment of a process's wall time belongs to one class, by which of
 * its kernels, copies and communicating calls were going on, on any of its devices and threads. What is left of its
 * life is the host's; before its birth and after its end it is idle. So the classes sum to the wall time exactly, and
 * idle is what the breakdown calls not running. Like there, processes are added up.
 */
#include <string.h>

#include "analyze/streams.h"
#include "base/number.h"

#define WORTH_A_WORD 10000 /* ppm of the time: below, nothing is said of it */
#define NO_OVERLAP 100     /* one part in this many counts as none */

#define KERNEL (1u << ACTIVITY_KERNEL)
#define COPY (1u << ACTIVITY_COPY)
#define COMM (1u << ACTIVITY_COMM)
#define WAIT (1u << ACTIVITY_WAIT)

/* The kinds of activity that make a class; waiting belongs to none. */
static const uint32_t class_set[SUMMARY_OVERLAP_HOST] = {
	[SUMMARY_OVERLAP_KERNELS] = KERNEL, [SUMMARY_OVERLAP_COPIES] = COPY, [SUMMARY_OVERLAP_COMM] = COMM,
	[SUMMARY_OVERLAP_KERNELS_COPIES] = KERNEL | COPY, [SUMMARY_OVERLAP_KERNELS_COMM] = KERNEL | COMM,
	[SUMMARY_OVERLAP_COPIES_COMM] = COPY | COMM, [SUMMARY_OVERLAP_ALL] = KERNEL | COPY | COMM,
};

/* Calls that have not returned go on until the end of the process, which the summary knows better than the reader. */
static void activity_finish(const struct process_time *process, struct stream_process_use *use)
{
	int64_t end;

	if (!__builtin_add_overflow((int64_t)process->end_raw, use->zero, &end))
		activity_advance(&use->activity, end);
}

static void process_classes(const struct analysis *analysis, const struct process_time *process,
			    struct stream_process_use *use, int64_t *ns)
{
	int64_t life = process_wall(process), busy = 0, paused = process_paused(analysis, process, NULL), host;
	int i;

	activity_finish(process, use);
	for (i = 0; i < SUMMARY_OVERLAP_HOST; i++) {
		const uint64_t *sum = use->activity.ns;

		ns[i] = number_add((int64_t)sum[class_set[i]], (int64_t)sum[class_set[i] | WAIT]);
		busy = number_add(busy, ns[i]);
	}
	host = number_subtract(life, busy);
	/* a pause is in none, but for what was started before and went on */
	ns[SUMMARY_OVERLAP_HOST] = host > 0 ? number_subtract(host, paused < host ? paused : host) : host;
	/* a later image of a process: its window is counted already, and it ran in it */
	ns[SUMMARY_OVERLAP_IDLE] = number_subtract(process->image ? 0 : window_wall(analysis, process), life);
}

static void note_negative_host(struct analysis *analysis, const struct process_time *process, int64_t host)
{
	struct number number;

	if (host < 0)
		summary_add_note(analysis->summary, "negative", "error: pid %u: devices and communication were busy %s "
				 "longer than it lived: its timeline contradicts itself", process->tally->raw.pid,
				 number_time(&number, -host));
}

/* ---- in words ---- */

/* Time in all classes that contain all kinds of `set`. */
static int64_t time_with(const struct summary *summary, uint32_t set)
{
	int64_t sum = 0;

	for (int i = 0; i < SUMMARY_OVERLAP_HOST; i++)
		if ((class_set[i] & set) == set)
			sum = number_add(sum, summary->overlap[i].ns);
	return sum;
}

static bool is_worth_a_word(const struct summary *summary, int64_t ns)
{
	int64_t wall = 0;

	for (size_t i = 0; i < summary->overlaps; i++)
		wall = number_add(wall, summary->overlap[i].ns);
	return number_share(ns, wall) >= WORTH_A_WORD;
}

/* "Copies never ran while a kernel did (...)."; NULL: they did, or there is too little of either. */
static const char *never_both(struct analysis *analysis, uint32_t set, const char *what)
{
	const struct summary *summary = analysis->summary;
	int64_t kernels = time_with(summary, KERNEL), other = time_with(summary, set), both;
	struct number one, two, three;

	both = time_with(summary, KERNEL | set);
	if (!is_worth_a_word(summary, kernels) || !is_worth_a_word(summary, other) || both > other / NO_OVERLAP)
		return NULL;
	if (!both)
		return arena_printf(analysis->arena, "%s never ran while a kernel did: %s, and %s of kernels.", what,
				    number_time(&one, other), number_time(&two, kernels));
	return arena_printf(analysis->arena, "%s hardly ever ran while a kernel did: %s of %s, and %s of kernels.",
			    what, number_time(&three, both), number_time(&one, other), number_time(&two, kernels));
}

static const char *finding(struct analysis *analysis)
{
	const char *copies, *comm, *name = analysis->comm_name ? analysis->comm_name : "Communication";

	if (!analysis->summary->overlap_whole)
		return NULL;
	copies = never_both(analysis, COPY, "Copies");
	comm = never_both(analysis, COMM, name);
	if (copies && comm)
		return arena_printf(analysis->arena, "%s %s", copies, comm);
	return copies ? copies : comm;
}

/* ---- all processes ---- */

static void rows_fill(struct analysis *analysis, const int64_t *ns, int64_t *const *per_rank)
{
	struct summary *summary = analysis->summary;
	int64_t ppm[SUMMARY_OVERLAP_COUNT];
	int i;

	number_shares(ns, SUMMARY_OVERLAP_COUNT, 1000000, ppm);
	summary->overlap = arena_array(analysis->arena, SUMMARY_OVERLAP_COUNT, sizeof(*summary->overlap));
	for (i = 0; i < SUMMARY_OVERLAP_COUNT; i++)
		summary->overlap[summary->overlaps++] = (struct summary_overlap){
			.class = (enum summary_overlap_class)i, .ns = ns[i], .ppm = ppm[i],
			.ranks = rank_spread(analysis, per_rank[i])};
	summary->overlap_comm = analysis->comm_name ? analysis->comm_name : "communication";
	summary->overlap_state = SUMMARY_OVERLAP_THERE;
}

void overlap_finish(struct analysis *analysis)
{
	int64_t ns[SUMMARY_OVERLAP_COUNT] = {0}, own[SUMMARY_OVERLAP_COUNT];
	int64_t *per_rank[SUMMARY_OVERLAP_COUNT] = {NULL};
	struct summary *summary = analysis->summary;
	int class;

	if (!analysis->streams)
		return;
	for (size_t i = 0; i < analysis->recording->tallies; i++) {
		const struct process_time *process = &analysis->process[i];
		struct stream_process_use *use = &analysis->streams->process[i];

		if (process->no_time || !use->present || !analysis->streams->process[process->first_image].present) {
			summary->overlap_without++;
			continue;
		}
		process_classes(analysis, process, use, own);
		note_negative_host(analysis, process, own[SUMMARY_OVERLAP_HOST]);
		for (class = 0; class < SUMMARY_OVERLAP_COUNT; class++) {
			ns[class] = number_add(ns[class], own[class]);
			rank_add(analysis, &per_rank[class], process->rank, own[class]);
		}
		summary->overlap_waiting_ns = number_add(summary->overlap_waiting_ns,
							 (int64_t)use->activity.ns[WAIT]);
		summary->overlap_processes++;
	}
	if (!summary->overlap_processes)
		return;
	summary->overlap_lost = analysis->streams->lost;
	summary->overlap_whole = analysis->streams->whole && !summary->overlap_without;
	rows_fill(analysis, ns, per_rank);
	summary->overlap_finding = finding(analysis);
}
