/* SPDX-License-Identifier: BSD-3-Clause */
/* One sentence about what bounds the run, always with the figures that it is drawn from. */
#include <stdio.h>
#include <string.h>

#include "analyze/analysis.h"
#include "base/number.h"

#define DOMINATES 300000 /* ppm of the time below which nothing bounds the run by itself */
#define NAME_LONG 64     /* characters; longer names of functions do not make a sentence */

struct candidate {
	const char *bound;   /* "device kernels": what the run is bound by */
	const char *text;    /* "running @ of the time"; @: the figure */
	const char *brief;   /* as one of the other figures: "launches @" */
	int64_t ppm;
	bool aside;          /* worth a mention, but nothing that a program is bound by */
};

static int64_t device_mean(const struct summary *summary, bool exposed)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < summary->devices; i++) {
		const struct summary_device *device = &summary->device[i];
		uint64_t ns = exposed ? device->copies_ns - device->overlap_ns : device->kernels_ns;

		sum = number_add(sum, number_share((int64_t)ns, (int64_t)device->wall_ns));
	}
	return summary->devices ? sum / (int64_t)summary->devices : 0;
}

/*
 * Waiting that no device of the process explains. What kernels and copies run for is a candidate of its own. Where the
 * times of several devices are not kept, they are taken to have run at once: *certain_out is false then.
 */
static int64_t idle_wait(const struct analysis *analysis, bool *certain_out)
{
	const struct summary *summary = analysis->summary;
	int64_t idle = 0, whole = 0;
	size_t i;

	*certain_out = true;
	for (i = 0; i < summary->processes; i++) {
		const struct process_time *process = &analysis->process[i];
		uint64_t busy = interval_length(&process->devices_busy) + process->devices_folded_ns;
		int64_t ns = number_subtract(summary->process[i].category[SONDE_CATEGORY_device_wait], (int64_t)busy);

		*certain_out &= process->devices_folded < 2;
		idle = number_add(idle, ns > 0 ? ns : 0);
	}
	for (i = 0; i < summary->shares; i++)
		whole = number_add(whole, summary->share[i].ns);
	return number_share(idle, whole);
}

/* "81" from 812345: a verdict needs no tenths, but what is small must not become 0 */
static const char *whole_percent(struct arena *arena, int64_t ppm)
{
	if (ppm > 0 && ppm < 5000)
		return "under 1";
	return arena_printf(arena, "%lld", (long long)(number_add(ppm, ppm < 0 ? -5000 : 5000) / 10000));
}

struct function_sum {
	const char *name;
	int64_t self_ns;
};

/*
 * The function with most of the time in a category, where it has more than half of it; or NULL. In all groups. Of the
 * host's own work few calls are told of (loops, regions): the rest belongs to none.
 */
static const char *dominant_call(struct analysis *analysis, enum sonde_category category)
{
	const struct summary *summary = analysis->summary;
	const struct function_sum *most = NULL;
	struct rows functions = {0};
	int64_t sum = 0;
	int64_t whole = category == SONDE_CATEGORY_host ? summary->share[category].ns : 0;
	size_t i;

	for (i = 0; i < summary->calls; i++) {
		const struct summary_call *call = &summary->call[i];
		struct function_sum *function;
		bool is_new;

		if (kind_category(call->kind) != category)
			continue;
		rows_key(&functions);
		rows_key_text(analysis, &functions, call->backend);
		rows_key_text(analysis, &functions, call->name);
		function = rows_find(analysis, &functions, sizeof(*function), &is_new);
		function->name = call->name;
		function->self_ns = number_add(function->self_ns, number_add(call->self_ns, call->open_ns));
		sum = number_add(sum, number_add(call->self_ns, call->open_ns));
		if (!most || function->self_ns > most->self_ns)
			most = function;
	}
	if (whole < sum)
		whole = sum;
	return most && most->self_ns > whole / 2 ? most->name : NULL;
}

/* "other API calls, mostly init": who it is, where that is one function */
static const char *with_dominant(struct analysis *analysis, const char *bound, enum sonde_category category)
{
	const char *name = dominant_call(analysis, category);

	return name && strlen(name) < NAME_LONG ? arena_printf(analysis->arena, "%s, mostly %s", bound, name) : bound;
}

static bool waits_in_copies(const struct analysis *analysis)
{
	int64_t ns = 0;
	size_t i;

	for (i = 0; i < analysis->summary->processes; i++)
		if (analysis->process[i].reference)
			ns = number_add(ns, analysis->process[i].reference->copies_wait_ns);
	return ns > analysis->summary->share[SONDE_CATEGORY_device_wait].ns / 2;
}

static struct candidate waiting(const struct analysis *analysis)
{
	const struct summary *summary = analysis->summary;
	struct candidate candidate = {"waiting for the device", "@ of the time", "device waits @", 0, false};
	bool certain;

	candidate.ppm = idle_wait(analysis, &certain);
	if (waits_in_copies(analysis))
		candidate.bound = "waiting for the device in blocking copies";
	if (summary->devices && summary_lacks_device_work(summary->ledger, summary->ledgers)) {
		candidate.text = "@ of the time, in part for work that has not told its times";
	} else if (summary->devices && !certain) {
		candidate.text = "@ of the time, beyond what any device ran";
	} else if (summary->devices) {
		candidate.text = "@ of the time while it is idle";
		candidate.brief = "idle device waits @";
	}
	return candidate;
}

static size_t candidates_make(struct analysis *analysis, struct candidate *candidate)
{
	static const struct {
		enum sonde_category category;
		const char *bound, *text, *brief;
	} parts[] = {
		{SONDE_CATEGORY_host, "the host", "the program's own work @ of the time", "host @"},
		{SONDE_CATEGORY_memory, "allocating memory", "@ of the time", "memory @"},
		{SONDE_CATEGORY_copy, "copies", "calls that copy take @ of the time", "copy calls @"},
		{SONDE_CATEGORY_launch, "launching", "launch calls take @ of the time", "launches @"},
		{SONDE_CATEGORY_thread_wait, "threads that wait for each other", "@ of the time",
		 "waiting for threads @"},
		{SONDE_CATEGORY_build, "building device code", "@ of the time", "builds @"},
		{SONDE_CATEGORY_other_api, "other API calls", "@ of the time", "other API calls @"},
		{SONDE_CATEGORY_not_running, "", "", "not running @"},
	};
	const struct summary *summary = analysis->summary;
	const char *comm = analysis->comm_name ? analysis->comm_name : "communication";
	size_t count = 0, i;

	if (summary->devices) {
		candidate[count++] = (struct candidate){
			"device kernels",
			summary->devices == 1 ? "running @ of the time" :
			arena_printf(analysis->arena, "running @ of the time (mean of %zu devices)", summary->devices),
			"device kernels @", device_mean(summary, false), false};
		candidate[count++] = (struct candidate){"exposed copies", "copying without kernels @ of the time",
							"exposed copies @", device_mean(summary, true), false};
	}
	candidate[count++] = waiting(analysis);
	candidate[count++] = (struct candidate){with_dominant(analysis, comm, SONDE_CATEGORY_comm), "@ of the time",
						arena_printf(analysis->arena, "%s @", comm),
						summary->share[SONDE_CATEGORY_comm].ppm, false};
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int64_t ppm = summary->share[parts[i].category].ppm;

		/* the same copies from the host's side: once is enough */
		if (parts[i].category == SONDE_CATEGORY_copy && summary->devices && ppm <= device_mean(summary, true))
			continue;
		candidate[count++] = (struct candidate){with_dominant(analysis, parts[i].bound, parts[i].category),
							parts[i].text, parts[i].brief, ppm,
							parts[i].category == SONDE_CATEGORY_not_running};
	}
	return count;
}

/* Puts "81 %" where the pattern has its last '@'. */
static const char *fill_in(struct analysis *analysis, const char *pattern, int64_t ppm)
{
	const char *at = strrchr(pattern, '@');

	return arena_printf(analysis->arena, "%.*s%s %%%s", (int)(at - pattern), pattern,
			    whole_percent(analysis->arena, ppm), at + 1);
}

static const char *others(struct analysis *analysis, const struct candidate *candidate, size_t count, size_t best)
{
	const char *text = "";
	size_t taken = 0, i, next = 0;
	bool used[16] = {false};

	used[best] = true;
	while (taken < 3) {
		next = count;
		for (i = 0; i < count; i++)
			if (!used[i] && candidate[i].ppm > (next == count ? 0 : candidate[next].ppm))
				next = i;
		if (next == count)
			break;
		used[next] = true;
		text = arena_printf(analysis->arena, "%s%s%s", text, taken ? ", " : "; ",
				    fill_in(analysis, candidate[next].brief, candidate[next].ppm));
		taken++;
	}
	return text;
}

void verdict_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	struct candidate candidate[16];
	size_t count, best = 0, i;

	if (!summary->shares || !summary->calls) {
		summary->verdict = summary->ranges ? "Nothing but ranges was recorded: no call into a traced API." :
						     "Nothing was recorded.";
		return;
	}
	count = candidates_make(analysis, candidate);
	for (i = 1; i < count; i++)
		if (candidate[i].ppm > candidate[best].ppm && !candidate[i].aside)
			best = i;
	if (candidate[best].ppm < DOMINATES)
		summary->verdict = arena_printf(analysis->arena, "Nothing dominates: %s%s.",
						fill_in(analysis, candidate[best].brief, candidate[best].ppm),
						others(analysis, candidate, count, best));
	else
		summary->verdict = arena_printf(analysis->arena, "Bound by %s: %s%s.", candidate[best].bound,
						fill_in(analysis, candidate[best].text, candidate[best].ppm),
						others(analysis, candidate, count, best));
}
