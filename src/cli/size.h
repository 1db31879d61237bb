/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes as options take them: "512M", with the binary units that dd and head take. */
#ifndef SONDE_CLI_SIZE_H
#define SONDE_CLI_SIZE_H

#include <stdint.h>

/* option: its name, for the message. 0 or SONDE_EUSAGE, logged; 0 is no size. */
int size_parse(const char *option, const char *text, uint64_t *bytes_out);

#endif
