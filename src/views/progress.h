/* SPDX-License-Identifier: BSD-3-Clause */
/* How far long work is: one line on a terminal that is wiped at the end; nothing elsewhere, nothing for short work. */
#ifndef SONDE_VIEWS_PROGRESS_H
#define SONDE_VIEWS_PROGRESS_H

#include "read/events.h"

#define PROGRESS_EVENTS 65536 /* between two looks at the clock */

struct progress {
	uint64_t events, begin_ns, shown_ns;
	bool off, shown;
};

void progress_look(struct progress *progress, const struct events *events);
void progress_end(struct progress *progress);

/* For every event. */
static inline void progress_step(struct progress *progress, const struct events *events)
{
	if (++progress->events % PROGRESS_EVENTS == 0)
		progress_look(progress, events);
}

#endif
