/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry of the command `sonde`: finds the sub-command, parses its options, calls it. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/commands.h"

static int (*const command_functions[COMMAND_COUNT])(const struct options *options, char **words) = {
	[COMMAND_run] = cmd_run,
	[COMMAND_report] = cmd_report,
	[COMMAND_print] = cmd_print,
	[COMMAND_timeline] = cmd_timeline,
	[COMMAND_export] = cmd_export,
	[COMMAND_doctor] = cmd_doctor,
};

/* `run` is the default and has no word of its own: `sonde ./report` and `sonde -- report` run programs. */
static enum command find_command(int argc, char **argv)
{
	for (int i = 0; i < COMMAND_COUNT && argc > 1; i++)
		if (i != COMMAND_run && !strcmp(argv[1], command_rows[i].name))
			return (enum command)i;
	return COMMAND_run;
}

static int print(const char *text)
{
	if (fputs(text, stdout) == EOF || fflush(stdout) == EOF)
		return SONDE_EXIT_BAD;
	return 0;
}

int main(int argc, char **argv)
{
	enum command command = find_command(argc, argv);
	struct options options;
	int words;

	if (command != COMMAND_run) {
		argc--;
		argv++;
	}
	words = options_parse(command, argc, argv, &options);
	if (words < 0)
		return SONDE_EXIT_BAD;
	if (options.help)
		return print(command_rows[command].help);
	if (options.version)
		return print("sonde " SONDE_VERSION "\n");
	return command_functions[command](&options, argv + words);
}
