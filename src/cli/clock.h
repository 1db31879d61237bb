/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of a recording and the launcher's own readings of it. */
#ifndef SONDE_CLI_CLOCK_H
#define SONDE_CLI_CLOCK_H

#include <stdint.h>

#include "format/tally.h"

/* Which clock recorders on this machine use; the user's choice (SONDE_CLOCK) holds. */
enum fmt_clock clock_choose(void);
const char *clock_name(enum fmt_clock clock); /* as SONDE_CLOCK spells it */

/* All clocks at one moment. */
struct fmt_triple clock_triple(enum fmt_clock clock);

uint64_t clock_now_ns(void); /* CLOCK_MONOTONIC, for deadlines */

#endif
