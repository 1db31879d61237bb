/* SPDX-License-Identifier: BSD-3-Clause */
/* The section of the table about what ran at the same time. */
#include "base/number.h"
#include "base/utf8.h"
#include "views/view_table.h"

static const char *class_text(struct painter *painter, enum summary_overlap_class class)
{
	const struct summary *summary = painter->summary;
	const char *comm = utf8_display(&painter->arena, summary->overlap_comm, 0);
	struct number number;

	switch (class) {
	case SUMMARY_OVERLAP_KERNELS: return "kernels only";
	case SUMMARY_OVERLAP_COPIES: return "copies only";
	case SUMMARY_OVERLAP_COMM: return arena_printf(&painter->arena, "%s only", comm);
	case SUMMARY_OVERLAP_KERNELS_COPIES: return "kernels and copies";
	case SUMMARY_OVERLAP_KERNELS_COMM: return arena_printf(&painter->arena, "kernels and %s", comm);
	case SUMMARY_OVERLAP_COPIES_COMM: return arena_printf(&painter->arena, "copies and %s", comm);
	case SUMMARY_OVERLAP_ALL: return arena_printf(&painter->arena, "kernels, copies and %s", comm);
	case SUMMARY_OVERLAP_IDLE: return "idle (not running)";
	default: break;
	}
	if (summary->overlap_waiting_ns <= 0)
		return "host only";
	return arena_printf(&painter->arena, "host only (%s of it in calls that wait for a device)",
			    number_time(&number, painter->ranks && summary->run.ranks ?
						 summary->overlap_waiting_ns / summary->run.ranks :
						 summary->overlap_waiting_ns));
}

/* Did all that make the class happen at all? Then its row tells something even where it is zero. */
static bool is_shown(const struct summary *summary, enum summary_overlap_class class)
{
	static const unsigned parts[SUMMARY_OVERLAP_HOST] = {1, 2, 4, 1 | 2, 1 | 4, 2 | 4, 1 | 2 | 4};
	unsigned there = 0;

	if (summary->overlap[class].ns || class >= SUMMARY_OVERLAP_HOST)
		return summary->overlap[class].ns;
	for (int i = 0; i < SUMMARY_OVERLAP_HOST; i++)
		there |= summary->overlap[i].ns ? parts[i] : 0;
	return (parts[class] & there) == parts[class];
}

static void paint_rows(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	int64_t ns[SUMMARY_OVERLAP_COUNT], tenths[SUMMARY_OVERLAP_COUNT];
	struct table table;
	size_t i;

	for (i = 0; i < summary->overlaps; i++)
		ns[i] = summary->overlap[i].ns;
	number_shares(ns, summary->overlaps, 1000, tenths);
	paint_parts_start(painter, &table);
	for (i = 0; i < summary->overlaps; i++) {
		const struct summary_overlap *row = &summary->overlap[i];

		if (!is_shown(summary, row->class))
			continue;
		paint_part(painter, &table, tenths[i], row->ns, &row->ranks, class_text(painter, row->class));
	}
	paint_table(painter, &table, 0, 0);
}

static void paint_partial(struct painter *painter)
{
	const struct summary *summary = painter->summary;

	if (summary->overlap_whole)
		return;
	fputs("  partial:", painter->file);
	if (summary->overlap_without)
		fprintf(painter->file, " %u of %u processes recorded no events and are left out%s",
			summary->overlap_without, summary->overlap_without + summary->overlap_processes,
			summary->overlap_lost ? ";" : "");
	if (summary->overlap_lost)
		fprintf(painter->file, " %llu events are missing, and what they would show is counted as host",
			(unsigned long long)summary->overlap_lost);
	else if (!summary->overlap_without)
		fputs(" events are missing, and what they would show is counted as host", painter->file);
	fputs("\n", painter->file);
}

void paint_overlap(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	int64_t busy = 0;

	if (summary->overlap_state == SUMMARY_OVERLAP_SKIPPED)
		fputs("\nOverlap: many events were recorded; `sonde report` tells it of a recording that was kept.\n",
		      painter->file);
	for (size_t i = 0; i < summary->overlaps && i < SUMMARY_OVERLAP_HOST; i++)
		busy = number_add(busy, summary->overlap[i].ns);
	if (!busy)
		return;
	paint_title(painter, "Overlap (what went on at the same time; the rows are exclusive%s)",
		    painter->ranks ? ", per rank" : "");
	paint_rows(painter);
	if (summary->overlap_finding)
		fprintf(painter->file, "  %s\n", utf8_display(&painter->arena, summary->overlap_finding, 0));
	paint_partial(painter);
}
