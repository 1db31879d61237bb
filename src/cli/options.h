/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of the command line. struct options and the tables are made from options.def by
 * tools/optgen.py; the parser here knows no option by name.
 */
#ifndef SONDE_CLI_OPTIONS_H
#define SONDE_CLI_OPTIONS_H

#include <stddef.h>

#include "options_gen.h"

enum option_type {
	OPTION_SWITCH, /* bool */
	OPTION_TEXT,   /* const char *, NULL: not given */
	OPTION_LIST,   /* const char *, repeated ones joined with commas */
	OPTION_NUMBER  /* long */
};

struct option_row {
	const char *name;        /* long form; NULL ends the table */
	char letter;             /* short form or 0 */
	const char *environment; /* gives the value where the option is absent; or NULL */
	enum option_type type;
	bool optional;           /* the argument stands behind "=" or is left out; then the value is "" */
	long number;             /* default */
	size_t offset;           /* of the value in struct options */
	unsigned commands;       /* bit per enum command */
};

struct command_row {
	const char *name;
	const char *help;
};

extern const struct option_row option_rows[];
extern const struct command_row command_rows[COMMAND_COUNT];

/*
 * Parses argv[1..], for `run` up to the first word that is not an option. Returns the index of the first
 * such word (of others: they are moved to the end of argv), or SONDE_EUSAGE after one line on stderr.
 * Values point into argv, the environment, or memory that lives as long as the process.
 */
int options_parse(enum command command, int argc, char **argv, struct options *options_out);

#endif
