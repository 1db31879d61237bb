/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library tells times by a clock of its own (CLOCK_BOOTTIME, today), which it can be asked for: read when it starts
 * and with each buffer that it hands over, so that what lies between is interpolated.
 */
#include "rocprofiler.h"

static struct rec_foreign_clock theirs;

static bool ask(uint64_t *theirs_out)
{
	return rocp.get_timestamp(theirs_out) == ROCP_SUCCESS;
}

void rocp_clock_read(void)
{
	rec_foreign_read(&theirs, ask, 0);
}

bool rocp_clock_convert(uint64_t begin, uint64_t end, const struct rocp_start *start, struct rec_span *span)
{
	return rec_foreign_span(&theirs, begin, end, start->raw_ns, span);
}
