/* SPDX-License-Identifier: BSD-3-Clause */
/* `sonde export --to FORMAT DIR...`: calls and device operations for other programs. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/place.h"
#include "cli/select.h"
#include "views/view_export.h"

static int find_format(const char *name, const struct export_format **format_out)
{
	struct arena arena = {NULL};
	const char *list = "";
	size_t i;

	for (i = 0; export_formats[i]; i++) {
		if (name && !strcmp(export_formats[i]->name, name)) {
			*format_out = export_formats[i];
			arena_free(&arena);
			return 0;
		}
		list = arena_printf(&arena, "%s%s%s", list, i ? ", " : "", export_formats[i]->name);
	}
	if (name)
		log_error(SONDE_EUSAGE, "--to takes one of %s, not '%s'", list, name);
	else
		log_error(SONDE_EUSAGE, "say by --to what to export to: %s", list);
	arena_free(&arena);
	return SONDE_EUSAGE;
}

static int parse_export(const struct options *options, const struct export_format **format_out,
			 struct export_options *export_out)
{
	int err = find_format(options->format, format_out);

	if (!err)
		err = select_events(options, &export_out->filter);
	if (!err && options->html && !(*format_out)->is_html)
		err = log_error(SONDE_EUSAGE, "--html is for --to speedscope");
	export_out->speedscope = options->html;
	return err;
}

int cmd_export(const struct options *options, char **words)
{
	const struct export_format *format;
	struct export_options export;
	struct recording *recording;
	struct arena arena = {NULL};
	const char *path;
	uint64_t rows;
	int err = parse_export(options, &format, &export);

	if (!err)
		err = place_open(options, words, "export", &recording);
	if (err)
		return SONDE_EXIT_BAD;
	err = place_output(options, words, options->html ? "speedscope.html" : format->file, &arena, &path);
	if (!err)
		err = export_write(recording, format, &export, path, &rows);
	if (!err && strcmp(path, "-") != 0)
		printf("%s\n", path);
	place_close(recording, err);
	arena_free(&arena);
	return err ? SONDE_EXIT_BAD : 0;
}
