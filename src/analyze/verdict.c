/* SPDX-License-Identifier: BSD-3-Clause */
/* One sentence about what bounds the run, always with the figures that it is drawn from. */
#include <stdio.h>
#include <string.h>

#include "analyze/analysis.h"
#include "base/number.h"

#define DOMINATES 300000 /* ppm of the time below which nothing bounds the run by itself */

struct candidate {
	const char *bound;   /* "device kernels": what the run is bound by */
	const char *text;    /* "running %s %% of the time" */
	const char *brief;   /* as one of the other figures */
	int64_t ppm;
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

/* Waiting that kernels and copies do not explain: what they run for is a candidate of its own. */
static int64_t idle_wait(const struct summary *summary)
{
	int64_t ppm = summary->share[SONDE_CATEGORY_device_wait].ppm - device_mean(summary, false) -
		      device_mean(summary, true);

	return ppm > 0 ? ppm : 0;
}

/* "81" from 812345: a verdict needs no tenths, but what is small must not become 0 */
static const char *whole_percent(struct arena *arena, int64_t ppm)
{
	if (ppm > 0 && ppm < 5000)
		return "under 1";
	return arena_printf(arena, "%lld", (long long)(number_add(ppm, ppm < 0 ? -5000 : 5000) / 10000));
}

/* "other API calls" alone tells nobody anything: name the call that takes most of it. */
static const char *other_calls(struct analysis *analysis)
{
	const struct summary *summary = analysis->summary;
	const struct summary_call *most = NULL;

	for (size_t i = 0; i < summary->calls; i++) {
		const struct summary_call *call = &summary->call[i];

		if (kind_category(call->kind) == SONDE_CATEGORY_other_api &&
		    (!most || call->self_ns > most->self_ns))
			most = call;
	}
	return most ? arena_printf(analysis->arena, "other API calls, mostly %.80s", most->name) : "other API calls";
}

static size_t candidates_make(struct analysis *analysis, struct candidate *candidate)
{
	const struct summary *summary = analysis->summary;
	struct arena *arena = analysis->arena;
	const char *comm = analysis->comm_name ? analysis->comm_name : "communication";
	size_t count = 0, i;
	static const struct {
		enum sonde_category category;
		const char *bound, *text, *brief;
	} parts[] = {
		{SONDE_CATEGORY_host, "the host", "outside traced calls %s %% of the time", "host %s %%"},
		{SONDE_CATEGORY_memory, "allocation of memory", "%s %% of the time", "memory %s %%"},
		{SONDE_CATEGORY_copy, "copies", "calls that copy take %s %% of the time", "copy calls %s %%"},
		{SONDE_CATEGORY_launch, "launching", "launch calls take %s %% of the time", "launches %s %%"},
		{SONDE_CATEGORY_build, "building device code", "%s %% of the time", "builds %s %%"},
		{SONDE_CATEGORY_other_api, NULL, "%s %% of the time", "other API calls %s %%"},
		{SONDE_CATEGORY_not_running, "processes that do not run", "absent %s %% of the time",
		 "not running %s %%"},
	};

	if (summary->devices) {
		candidate[count++] = (struct candidate){"device kernels", "running %s %% of the time",
							"device kernels %s %%", device_mean(summary, false)};
		candidate[count++] = (struct candidate){"exposed copies", "copying without kernels %s %% of the time",
							"exposed copies %s %%", device_mean(summary, true)};
	}
	candidate[count++] = (struct candidate){"waiting for the device",
						summary->devices ? "%s %% of the time while it is idle"
								 : "%s %% of the time",
						summary->devices ? "idle device waits %s %%" : "device waits %s %%",
						idle_wait(summary)};
	candidate[count++] = (struct candidate){comm, "%s %% of the time",
						arena_printf(arena, "%s %%s %%%%", comm),
						summary->share[SONDE_CATEGORY_comm].ppm};
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		candidate[count++] = (struct candidate){parts[i].bound ? parts[i].bound : other_calls(analysis),
							parts[i].text, parts[i].brief,
							summary->share[parts[i].category].ppm};
	return count;
}

/* Puts the percentage where the pattern has %s; the patterns are ours, their %% are signs of per cent. */
static const char *fill_in(struct analysis *analysis, const char *pattern, int64_t ppm)
{
	const char *number = whole_percent(analysis->arena, ppm), *at = strstr(pattern, "%s");
	const char *percent = strstr(pattern, "%%");

	return arena_printf(analysis->arena, "%.*s%s%.*s%s", (int)(at - pattern), pattern, number,
			    (int)(percent - at - 2), at + 2, percent + 1);
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
		summary->verdict = "Nothing was recorded.";
		return;
	}
	count = candidates_make(analysis, candidate);
	for (i = 1; i < count; i++)
		if (candidate[i].ppm > candidate[best].ppm)
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
