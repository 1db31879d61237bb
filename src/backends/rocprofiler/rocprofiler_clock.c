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

bool rocp_clock_convert(uint64_t time, uint64_t *raw_out, uint64_t *error_out)
{
	return rec_foreign_convert(&theirs, time, raw_out, error_out);
}
