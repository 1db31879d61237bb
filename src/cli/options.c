/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of the command line; see options.h. */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define WORD 1        /* getopt value of what is no option */
#define LONG_BASE 256 /* getopt value of option_rows[i] is LONG_BASE + i */

struct parser {
	enum command command;
	struct option longs[OPTION_COUNT + 1];
	char shorts[2 * OPTION_COUNT + 3];
};

static void *option_value(struct options *options, const struct option_row *row)
{
	return (char *)options + row->offset;
}

static void parser_fill(struct parser *parser)
{
	size_t longs = 0, shorts = 0;

	/* stop at the program's name; directories and options of other commands may stand in any order */
	parser->shorts[shorts++] = parser->command == COMMAND_run ? '+' : '-';
	parser->shorts[shorts++] = ':'; /* tell a missing argument from an unknown option */
	for (int i = 0; option_rows[i].name; i++) {
		const struct option_row *row = &option_rows[i];
		int has_argument = row->type == OPTION_SWITCH ? no_argument :
				   row->optional ? optional_argument : required_argument;

		if (!(row->commands & 1u << parser->command))
			continue;
		parser->longs[longs++] = (struct option){ row->name, has_argument, NULL, LONG_BASE + i };
		if (!row->letter)
			continue;
		parser->shorts[shorts++] = row->letter;
		if (has_argument == required_argument)
			parser->shorts[shorts++] = ':';
	}
}

/* The option of the command that getopt found: another command may have one of the same name. */
static const struct option_row *row_of(enum command command, int code)
{
	if (code >= LONG_BASE)
		return &option_rows[code - LONG_BASE];
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->letter == code && row->commands & 1u << command)
			return row;
	return NULL;
}

static int set_number(const struct option_row *row, const char *text, long *number_out)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || end == text || *end || number < 0)
		return log_error(SONDE_EUSAGE, "--%s takes a number, not '%s'", row->name, text);
	*number_out = number;
	return 0;
}

static void append_to_list(const char **list, const char *text)
{
	char *joined;

	if (!*list) {
		*list = text;
		return;
	}
	if (asprintf(&joined, "%s,%s", *list, text) >= 0)
		*list = joined;
}

static int set_value(struct options *options, const struct option_row *row, const char *text)
{
	void *value = option_value(options, row);

	if (!text && row->optional) {
		*(const char **)value = "";
		return 0;
	}
	switch (row->type) {
	case OPTION_SWITCH:
		*(bool *)value = true;
		return 0;
	case OPTION_TEXT:
	case OPTION_LIST:
		if (!*text)
			return log_error(SONDE_EUSAGE, "the argument of --%s is empty", row->name);
		if (row->type == OPTION_LIST)
			append_to_list(value, text);
		else
			*(const char **)value = text;
		return 0;
	case OPTION_NUMBER:
		return set_number(row, text, value);
	}
	return 0;
}

/* The environment speaks only where the command line did not. */
static int set_from_environment(struct options *options, const bool *given, enum command command)
{
	for (int i = 0; option_rows[i].name; i++) {
		const struct option_row *row = &option_rows[i];
		const char *text = row->environment ? getenv(row->environment) : NULL;
		int err;

		if (given[i] || !text || !*text || !(row->commands & 1u << command))
			continue;
		if (row->type == OPTION_SWITCH && !strcmp(text, "0"))
			continue;
		err = set_value(options, row, text);
		if (err)
			return err;
	}
	return 0;
}

static int complain(const struct parser *parser, int code, char **argv, int word)
{
	const char *text = argv[word];
	int length = (int)strcspn(text, "=");
	char see[64] = "sonde --help";

	if (parser->command != COMMAND_run)
		snprintf(see, sizeof(see), "sonde %s --help", command_rows[parser->command].name);
	if (strncmp(text, "--", 2) != 0) {
		if (code == ':')
			return log_error(SONDE_EUSAGE, "option '-%c' needs an argument (see %s)", optopt, see);
		return log_error(SONDE_EUSAGE, "unknown option '-%c' (see %s)", optopt, see);
	}
	if (code == ':')
		return log_error(SONDE_EUSAGE, "option '%s' needs an argument (see %s)", text, see);
	if (code == '?' && optopt >= LONG_BASE)
		return log_error(SONDE_EUSAGE, "option '%.*s' takes no argument (see %s)", length, text, see);
	return log_error(SONDE_EUSAGE, "unknown option '%.*s' (see %s)", length, text, see);
}

/* getopt_long also takes unique beginnings; scripts that use them break with the next new option. */
static bool is_whole_name(enum command command, const char *word, int code)
{
	size_t length = strcspn(word, "=");

	return code < LONG_BASE || (length == strlen(row_of(command, code)->name) + 2 &&
				    !strncmp(word + 2, row_of(command, code)->name, length - 2));
}

int options_parse(enum command command, int argc, char **argv, struct options *options_out)
{
	struct parser parser = { .command = command };
	struct options options = { 0 };
	bool given[OPTION_COUNT] = { false };
	int code, word, words = 0, err;

	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->type == OPTION_NUMBER)
			*(long *)option_value(&options, row) = row->number;
	parser_fill(&parser);
	opterr = 0;
	optind = 1;
	for (;;) {
		word = optind;
		code = getopt_long(argc, argv, parser.shorts, parser.longs, NULL);
		if (code == -1)
			break;
		if (code == WORD) { /* words gather in front; what stood there has been parsed */
			argv[1 + words++] = optarg;
			continue;
		}
		if (code == '?' || code == ':' || !is_whole_name(command, argv[word], code))
			return complain(&parser, code, argv, word);
		err = set_value(&options, row_of(command, code), optarg);
		if (err)
			return err;
		given[row_of(command, code) - option_rows] = true;
	}
	err = set_from_environment(&options, given, command);
	if (err)
		return err;
	*options_out = options;
	while (words) /* ... and go to those behind "--" */
		argv[--optind] = argv[words--];
	return optind;
}
