/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The streams of all processes as one directory of CTF traces: they are valid as they lie, and are copied. A
 * trace per process, because each has its own clock, names and metadata.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "views/view_export.h"

#define COPY_BYTES (1u << 20)

/* Whole processes are copied: other filters than that of ranks have no meaning. */
static bool has_other_filter(const struct events_filter *filter)
{
	return filter->threads || filter->backends || filter->include || filter->exclude || filter->has_from ||
	       filter->has_to || filter->min_duration;
}

static int bytes_copy(int from, int to, const char *path, char *buffer)
{
	ssize_t got, done, part;

	while ((got = read(from, buffer, COPY_BYTES)) > 0)
		for (done = 0; done < got; done += part) {
			part = write(to, buffer + done, (size_t)(got - done));
			if (part < 0)
				return log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
		}
	return got < 0 ? log_error(SONDE_EIO, "%s: %s", path, strerror(errno)) : 0;
}

static int file_copy(const char *source, const char *target)
{
	char *buffer = malloc(COPY_BYTES);
	int from = open(source, O_RDONLY | O_CLOEXEC), to, err;

	if (from < 0 || !buffer) {
		err = log_error(SONDE_EIO, "%s: %s", source, buffer ? strerror(errno) : "no memory");
		goto out;
	}
	to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (to < 0) {
		err = log_error(SONDE_EIO, "%s: %s", target, strerror(errno));
		goto out;
	}
	err = bytes_copy(from, to, target, buffer);
	if (close(to) && !err)
		err = log_error(SONDE_EIO, "%s: %s", target, strerror(errno));
out:
	if (from >= 0)
		close(from);
	free(buffer);
	return err;
}

/* metadata last: of a running process it then describes all that the copied streams hold. */
static int folder_copy(struct arena *arena, const char *source, const char *target)
{
	DIR *directory = opendir(source);
	struct dirent *entry;
	int err = 0, metadata;

	if (!directory)
		return log_error(SONDE_EIO, "%s: %s", source, strerror(errno));
	if (mkdir(target, 0777))
		err = log_error(SONDE_EIO, "%s: %s", target, strerror(errno));
	for (metadata = 0; metadata < 2 && !err; metadata++) {
		rewinddir(directory);
		while (!err && (entry = readdir(directory)))
			if (entry->d_name[0] != '.' && metadata == !strcmp(entry->d_name, "metadata"))
				err = file_copy(arena_printf(arena, "%s/%s", source, entry->d_name),
						arena_printf(arena, "%s/%s", target, entry->d_name));
	}
	closedir(directory);
	return err;
}

/* Takes away what has been copied; nothing else lies there. */
static void folder_remove(struct arena *arena, const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			const char *inner = arena_printf(arena, "%s/%s", path, entry->d_name);

			if (unlink(inner))
				folder_remove(arena, inner);
		}
	if (directory)
		closedir(directory);
	rmdir(path);
}

static int process_copy(struct export *export, const struct tally *tally, const char *target)
{
	const char *slash = strrchr(tally->path, '/');
	const char *folder = slash ? arena_strndup(&export->arena, tally->path, (size_t)(slash - tally->path)) : ".";
	const char *name = strrchr(folder, '/');

	export->rows++;
	return folder_copy(&export->arena, arena_printf(&export->arena, "%s/" FMT_STREAM_DIRECTORY, folder),
			   arena_printf(&export->arena, "%s/%s", target, name ? name + 1 : folder));
}

static int ctf_write(struct export *export)
{
	const char *partial = arena_printf(&export->arena, "%s.partial", export->path);
	uint32_t i;
	int err = 0;

	if (has_other_filter(&export->options->filter))
		return log_error(SONDE_EUSAGE, "ctf takes whole processes: of the filters --ranks alone");
	if (!strcmp(export->path, "-"))
		return log_error(SONDE_EUSAGE, "ctf is a directory, and cannot go to standard output");
	if (access(export->path, F_OK) == 0 && rmdir(export->path)) /* an empty one may be there */
		return log_error(SONDE_EIO,
				 "%s: exists, and is not an empty directory: remove it, or name another one by -o",
				 export->path);
	if (mkdir(partial, 0777))
		return log_error(SONDE_EIO, "%s: %s", partial, strerror(errno));
	for (i = 0; i < export->recording->tallies && !err; i++)
		if (export_has_process(export, i))
			err = process_copy(export, &export->recording->tally[i], partial);
	if (!err && rename(partial, export->path))
		err = log_error(SONDE_EIO, "%s: %s", export->path, strerror(errno));
	if (err)
		folder_remove(&export->arena, partial);
	return err;
}

const struct export_format export_ctf = {.name = "ctf", .file = ".ctf", .write = ctf_write};
