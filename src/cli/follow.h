/* SPDX-License-Identifier: BSD-3-Clause */
/* `sonde print --follow`: events of a recording that still grows. */
#ifndef SONDE_CLI_FOLLOW_H
#define SONDE_CLI_FOLLOW_H

#include <stddef.h>

#include "cli/options.h"

/* Returns when the run has ended or nobody reads any more. 0 or SONDE_E..., logged. */
int follow_recording(const struct options *options, char **words, size_t count);

#endif
