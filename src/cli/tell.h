/* SPDX-License-Identifier: BSD-3-Clause */
/* What the user has to know although nothing is wrong with it: one line, as of errors. */
#ifndef SONDE_CLI_TELL_H
#define SONDE_CLI_TELL_H

#include "base/log.h"

#define tell(...) ((void)log_error(SONDE_OK, __VA_ARGS__))

#endif
