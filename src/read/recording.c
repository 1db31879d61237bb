/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening of run directories: which files there are, and notes about those that cannot be read. */
#include "read/recording.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "read/read_internal.h"

/* Of one kind of trouble in thousands of files, the first few tell what there is to know. */
#define NOTES_PER_CODE 8

void recording_note(struct recording *recording, const char *code, const char *format, ...)
{
	size_t i, same = 0;
	struct read_note *note;
	va_list arguments;

	for (i = 0; i < recording->notes && same <= NOTES_PER_CODE; i++)
		same += !strcmp(recording->note[i].code, code);
	if (same > NOTES_PER_CODE)
		return;
	recording->note = arena_grow(&recording->arena, recording->note, recording->notes, &recording->note_capacity,
				     sizeof(*note));
	note = &recording->note[recording->notes++];
	note->code = code;
	if (same == NOTES_PER_CODE) {
		note->text = "more of the same kind is left out";
		return;
	}
	va_start(arguments, format);
	note->text = arena_vprintf(&recording->arena, format, arguments);
	va_end(arguments);
}

const char *recording_version(struct recording *recording, const char *path, uint16_t major, uint16_t minor)
{
	return arena_printf(&recording->arena, "%s: recorded in format %u.%u by %s sonde, this one reads format %u",
			    path, major, minor, major < FMT_MAJOR ? "an older" : "a newer", FMT_MAJOR);
}

static int name_order(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Entries of a directory in the order of their names, so that results do not depend on the file system. */
static char **directory_list(struct recording *recording, const char *path, size_t *count_out)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	char **names = NULL;
	size_t count = 0, capacity = 0;

	*count_out = 0;
	if (!directory)
		return NULL;
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		names = arena_grow(&recording->arena, names, count, &capacity, sizeof(*names));
		names[count++] = arena_strdup(&recording->arena, entry->d_name);
	}
	closedir(directory);
	if (count)
		qsort(names, count, sizeof(*names), name_order);
	*count_out = count;
	return names;
}

/* Files that have been read, whatever path led to them: nothing may be counted twice. */
struct taken {
	struct file_identity {
		dev_t device;
		ino_t inode;
	} *file;
	size_t files, capacity;
	size_t before; /* of them from the paths before this one */
	size_t again;  /* of this path: not read, because they had been */
};

/* Is it a file that has not been read yet? */
static bool take_file(struct recording *recording, struct taken *taken, const char *path)
{
	struct stat status;
	size_t i;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return false;
	for (i = 0; i < taken->before; i++)
		if (taken->file[i].inode == status.st_ino && taken->file[i].device == status.st_dev) {
			taken->again++;
			return false;
		}
	taken->file = arena_grow(&recording->arena, taken->file, taken->files, &taken->capacity, sizeof(*taken->file));
	taken->file[taken->files++] = (struct file_identity){status.st_dev, status.st_ino};
	return true;
}

static void directory_open(struct recording *recording, struct taken *taken, const char *path)
{
	size_t count, i;
	char **names = directory_list(recording, path, &count);
	const char *own = arena_printf(&recording->arena, "%s/tally", path);

	if (take_file(recording, taken, own))
		tally_open(recording, own);
	for (i = 0; i < count; i++) {
		const char *entry = arena_printf(&recording->arena, "%s/%s", path, names[i]);
		const char *tally = arena_printf(&recording->arena, "%s/tally", entry);

		if (!strncmp(names[i], "launch.", 7)) {
			if (take_file(recording, taken, entry))
				launch_open(recording, entry);
		} else if (!strncmp(names[i], FMT_SAMPLES_PREFIX, strlen(FMT_SAMPLES_PREFIX))) {
			if (take_file(recording, taken, entry))
				samples_open(recording, entry);
		} else if (take_file(recording, taken, tally)) {
			tally_open(recording, tally);
		}
	}
}

static int path_open(struct recording *recording, struct taken *taken, const char *path)
{
	size_t before = recording->tallies + recording->launches, notes = recording->notes;
	struct stat status;

	while (strlen(path) > 1 && path[strlen(path) - 1] == '/')
		path = arena_strndup(&recording->arena, path, strlen(path) - 1);
	if (stat(path, &status))
		return log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
	taken->again = 0;
	taken->before = taken->files;
	if (!S_ISDIR(status.st_mode)) {
		if (take_file(recording, taken, path) || !S_ISREG(status.st_mode))
			tally_open(recording, arena_strdup(&recording->arena, path));
	} else if (access(path, R_OK | X_OK)) {
		return log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
	} else {
		directory_open(recording, taken, path);
	}
	if (taken->again)
		recording_note(recording, "given_twice", "%s: given before, read once", path);
	if (taken->again || recording->tallies + recording->launches > before)
		return 0;
	/* the reason why its first file cannot be read says more than that there is none */
	if (recording->notes > notes)
		return log_error(SONDE_EFORMAT, "%s", recording->note[notes].text);
	return log_error(SONDE_EFORMAT, "%s: no recording (no launch.* and no */tally in it)", path);
}

int recording_open(const char *const *paths, size_t count, struct recording **recording_out)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	struct taken taken = {NULL};
	size_t i;
	int err = 0;

	if (!recording)
		return log_error(SONDE_EIO, "out of memory");
	if (!count)
		err = log_error(SONDE_EUSAGE, "no directory of a recording is given");
	for (i = 0; i < count && !err; i++)
		err = path_open(recording, &taken, paths[i]);
	if (err) {
		recording_close(recording);
		return err;
	}
	recording_fit_clocks(recording);
	recording_link(recording);
	*recording_out = recording;
	return 0;
}

void recording_close(struct recording *recording)
{
	size_t i;

	if (!recording)
		return;
	for (i = 0; i < recording->tallies; i++)
		tally_unload(&recording->tally[i]);
	arena_free(&recording->arena);
	free(recording);
}
