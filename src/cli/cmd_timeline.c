/* SPDX-License-Identifier: BSD-3-Clause */
/* `sonde timeline DIR...`: a timeline of a recording, for Perfetto. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/place.h"
#include "cli/select.h"
#include "cli/size.h"
#include "views/timeline.h"

static int parse_timeline(const struct options *options, struct timeline_options *timeline_out)
{
	int err = select_events(options, &timeline_out->filter);

	timeline_out->split_bytes = TIMELINE_SPLIT_DEFAULT;
	if (!err && options->split_size) {
		if (!strcmp(options->split_size, "0"))
			timeline_out->split_bytes = 0;
		else
			err = size_parse("split-size", options->split_size, &timeline_out->split_bytes);
		if (!err && timeline_out->split_bytes && timeline_out->split_bytes < TIMELINE_SPLIT_LEAST)
			err = log_error(SONDE_EUSAGE, "--split-size takes 1M or more, not '%s'", options->split_size);
	}
	if (!err && options->gpu_rows) {
		timeline_out->gpu_tracks = !strcmp(options->gpu_rows, "tracks");
		if (!timeline_out->gpu_tracks && strcmp(options->gpu_rows, "typed") != 0)
			err = log_error(SONDE_EUSAGE, "--gpu-rows takes typed or tracks, not '%s'", options->gpu_rows);
	}
	return err;
}

static void say_result(const char *path, const struct timeline_result *result, struct arena *arena)
{
	const char *left_out = place_left_out(arena, result);

	if (left_out)
		log_warning("%s", left_out);
	if (!strcmp(path, "-"))
		return;
	printf("%s: %s", path, place_counts(arena, result));
	if (result->files > 1)
		printf(", in %u files beside this overview of them", result->files);
	putchar('\n');
}

int cmd_timeline(const struct options *options, char **words)
{
	struct timeline_result result = {0};
	struct timeline_options timeline = {.result = &result};
	struct recording *recording;
	struct arena arena = {NULL};
	const char *path;
	int err = parse_timeline(options, &timeline);

	if (!err)
		err = place_open(options, words, "timeline", &recording);
	if (err)
		return SONDE_EXIT_BAD;
	err = place_output(options, words, "timeline.pftrace", &arena, &path);
	if (!err)
		err = timeline_write(recording, &timeline, path);
	if (!err)
		say_result(path, &result, &arena);
	place_close(recording, err);
	arena_free(&arena);
	return err ? SONDE_EXIT_BAD : 0;
}
