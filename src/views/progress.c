/* SPDX-License-Identifier: BSD-3-Clause */
/* See progress.h. */
#include "views/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_NS 1000000000u /* work of a second needs no line */
#define STEP_NS 200000000u

void progress_look(struct progress *progress, const struct events *events)
{
	uint64_t now, done, total;

	if (!progress->begin_ns) {
		progress->off = !isatty(STDERR_FILENO);
		progress->begin_ns = progress->shown_ns = read_clock_now();
	}
	if (progress->off)
		return;
	now = read_clock_now();
	if (now - progress->begin_ns < PATIENCE_NS || now - progress->shown_ns < STEP_NS)
		return;
	done = events_progress(events, &total);
	progress->shown = true;
	progress->shown_ns = now;
	fprintf(stderr, "\r%3u %%", total ? (unsigned)(100.0 * (double)done / (double)total) : 0);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r     \r", stderr);
	memset(progress, 0, sizeof(*progress));
}
