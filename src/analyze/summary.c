/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From run directories to a summary. Each process is loaded once, shown to every question and
 * dropped; what needs all of them (ends, unions over processes, spreads over ranks) comes after.
 */
#include "analyze/summary.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/streams.h"
#include "base/log.h"

#define NOTES_PER_CODE 8

const char *summary_note(const struct summary *summary, const char *code)
{
	size_t i;

	for (i = 0; i < summary->notes; i++)
		if (!strcmp(summary->note[i].code, code))
			return summary->note[i].text;
	return NULL;
}

/* Notes of one code that say the same, as those of many processes do, are one. */
void summary_add_note(struct summary *summary, const char *code, const char *format, ...)
{
	struct summary_note *note;
	size_t same = 0, i;
	const char *text;
	va_list arguments;

	va_start(arguments, format);
	text = arena_vprintf(&summary->arena, format, arguments);
	va_end(arguments);
	for (i = 0; i < summary->notes && same <= NOTES_PER_CODE; i++) {
		if (strcmp(summary->note[i].code, code) != 0)
			continue;
		if (!strcmp(summary->note[i].text, text))
			return;
		same++;
	}
	if (same > NOTES_PER_CODE)
		return;
	summary->note = arena_grow(&summary->arena, summary->note, summary->notes, &summary->note_capacity,
				   sizeof(*note));
	note = &summary->note[summary->notes++];
	note->code = arena_strdup(&summary->arena, code);
	note->text = same == NOTES_PER_CODE ? "more of the same kind is left out" : text;
}

static void process_add(struct analysis *analysis, struct process_time *process)
{
	const struct stream_process_use *use = streams_of(analysis, process);

	if (tally_load(analysis->recording, process->tally))
		return; /* noted */
	if (use)
		stream_tally_replace(use->tally, use, process->tally->body);
	breakdown_add(analysis, process);
	calls_add(analysis, process);
	devices_add(analysis, process);
	kernels_add(analysis, process);
	transfers_add(analysis, process);
	memory_add(analysis, process);
	graphs_add(analysis, process);
	builds_add(analysis, process);
	failures_add(analysis, process);
	ranges_add(analysis, process);
	ledger_add(analysis, process);
	tally_unload(process->tally);
}

static int analyse(struct analysis *analysis, const struct summary_options *options)
{
	size_t i;
	int err;

	ranks_collect(analysis);
	times_collect(analysis);
	err = streams_read(analysis, options);
	if (err)
		return err;
	for (i = 0; i < analysis->recording->tallies; i++)
		process_add(analysis, &analysis->process[i]);
	times_resolve(analysis);
	times_fill_run(analysis);
	breakdown_finish(analysis);
	calls_finish(analysis);
	devices_finish(analysis);
	kernels_finish(analysis);
	transfers_finish(analysis);
	memory_finish(analysis);
	graphs_finish(analysis);
	builds_finish(analysis);
	failures_finish(analysis);
	ranges_finish(analysis);
	counters_finish(analysis);
	values_finish(analysis);
	ledger_finish(analysis);
	overlap_finish(analysis);
	overhead_finish(analysis);
	notes_finish(analysis);
	verdict_finish(analysis);
	return 0;
}

int summary_of_directories(const char *const *directories, size_t count, const struct summary_options *options,
			   struct summary **summary_out)
{
	static const struct summary_options none = {.by = SUMMARY_BY_NONE};
	struct analysis analysis = {0};
	struct summary *summary;
	int err = recording_open(directories, count, &analysis.recording);

	if (err)
		return err;
	if (!options)
		options = &none;
	summary = calloc(1, sizeof(*summary));
	if (!summary) {
		recording_close(analysis.recording);
		return log_error(SONDE_EIO, "out of memory");
	}
	summary->tool = arena_strdup(&summary->arena, options->tool ? options->tool : "sonde");
	summary->by = options->by;
	analysis.summary = summary;
	analysis.arena = &summary->arena;
	analysis.by = options->by;
	err = analyse(&analysis, options);
	arena_free(&analysis.scratch);
	recording_close(analysis.recording);
	if (err)
		summary_destroy(summary);
	else
		*summary_out = summary;
	return err;
}

void summary_destroy(struct summary *summary)
{
	if (!summary)
		return;
	arena_free(&summary->arena);
	free(summary);
}
