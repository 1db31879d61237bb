/* SPDX-License-Identifier: BSD-3-Clause */
/* See place.h. */
#include "cli/place.h"

#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/number.h"

static size_t words_count(char **words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return count;
}

int place_open(const struct options *options, char **words, const char *command, struct recording **recording_out)
{
	size_t count = words_count(words);

	if (!count)
		return log_error(SONDE_EUSAGE, "no recording is given (see sonde %s --help)", command);
	if (count > 1 && !options->output)
		return log_error(SONDE_EUSAGE, "several recordings give one output: say where it goes by --output");
	return recording_open((const char *const *)words, count, recording_out);
}

/* The directory that a word names: words may be files in it, too. */
static const char *place_directory(struct arena *arena, const char *word)
{
	size_t length = strlen(word);
	const char *slash;
	struct stat info;

	while (length > 1 && word[length - 1] == '/')
		length--;
	word = arena_strndup(arena, word, length);
	if (stat(word, &info) || S_ISDIR(info.st_mode))
		return word;
	slash = strrchr(word, '/');
	return slash ? arena_strndup(arena, word, (size_t)(slash - word)) : ".";
}

int place_output(const struct options *options, char **words, const char *name, struct arena *arena,
		 const char **path_out)
{
	const char *directory;

	if (options->output) {
		*path_out = options->output;
		return 0;
	}
	directory = place_directory(arena, words[0]);
	/* what begins with a dot is an ending: it stands beside the directory, not in it */
	*path_out = arena_printf(arena, *name == '.' ? "%s%s" : "%s/%s", directory, name);
	return 0;
}

const char *place_counts(struct arena *arena, const struct timeline_result *result)
{
	struct number calls, ranges, operations, bytes;
	const char *ranged = "";

	if (result->ranges)
		ranged = arena_printf(arena, "%s ranges and marks, ", number_count(&ranges, result->ranges));
	return arena_printf(arena, "%s calls, %s%s device operations, %s", number_count(&calls, result->calls), ranged,
			    number_count(&operations, result->operations), number_bytes(&bytes, result->bytes));
}

const char *place_left_out(struct arena *arena, const struct timeline_result *result)
{
	struct number number;

	return !result->left_out ? NULL :
	       arena_printf(arena, "%s of the calls, ranges and operations have no place in time, and are not in the "
			    "timeline", number_count(&number, result->left_out));
}

void place_close(struct recording *recording, int err)
{
	size_t i;

	for (i = 0; !err && i < recording->notes; i++)
		log_warning("%s", recording->note[i].text);
	recording_close(recording);
}
