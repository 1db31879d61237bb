/* SPDX-License-Identifier: BSD-3-Clause */
/* The sub-commands. Each has its own file, cmd_<name>.c, and returns the exit status of sonde. */
#ifndef SONDE_CLI_COMMANDS_H
#define SONDE_CLI_COMMANDS_H

#include "cli/options.h"

/* words: what stands behind the options, NULL-terminated, may be empty. */
int cmd_run(const struct options *options, char **words);
int cmd_report(const struct options *options, char **words);
int cmd_print(const struct options *options, char **words);
int cmd_timeline(const struct options *options, char **words);
int cmd_export(const struct options *options, char **words);
int cmd_doctor(const struct options *options, char **words);

#endif
