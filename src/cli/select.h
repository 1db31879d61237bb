/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events the options of print and its kin ask for. */
#ifndef SONDE_CLI_SELECT_H
#define SONDE_CLI_SELECT_H

#include "cli/options.h"
#include "read/events.h"

/* Names of all backends of this build: "a, b, c". */
const char *select_backends(void);
/* 0 or SONDE_EUSAGE, logged. */
int select_events(const struct options *options, struct events_filter *filter_out);

#endif
