/* SPDX-License-Identifier: BSD-3-Clause */
/* See rundir.h. */
#include "cli/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "base/log.h"
#include "format/mappable.h"

#define FTW_DESCRIPTORS 8

bool rundir_can_map(const char *directory)
{
	struct statfs fs;

	return statfs(directory, &fs) == 0 && fmt_is_mappable((uint64_t)fs.f_type);
}

static bool is_writable_directory(const char *path)
{
	struct stat status;

	return path && path[0] == '/' && strlen(path) < RUNDIR_PATH_MAX / 2 && stat(path, &status) == 0 &&
	       S_ISDIR(status.st_mode) && faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
}

bool rundir_find_base(char base_out[PATH_MAX])
{
	const char *const places[] = { getenv("SONDE_TMPDIR"), getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm" };
	const char *second = NULL;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!is_writable_directory(places[i]))
			continue;
		if (rundir_can_map(places[i])) {
			snprintf(base_out, PATH_MAX, "%s", places[i]);
			return true;
		}
		if (!second)
			second = places[i];
	}
	if (second)
		snprintf(base_out, PATH_MAX, "%s", second);
	return second != NULL;
}

int rundir_create_temporary(char path_out[PATH_MAX])
{
	char base[PATH_MAX];

	if (!rundir_find_base(base))
		return log_error(SONDE_EIO, "no place for a recording: /tmp, /var/tmp, /dev/shm cannot be written to");
	if (snprintf(path_out, PATH_MAX, "%s/sonde-%u-XXXXXX", base, (unsigned)geteuid()) >= PATH_MAX)
		return log_error(SONDE_EIO, "%s: path is too long", base);
	if (!mkdtemp(path_out))
		return log_error(SONDE_EIO, "%s: %s", path_out, strerror(errno));
	return 0;
}

int rundir_absolute(const char *path, char absolute_out[PATH_MAX])
{
	char here[PATH_MAX] = "";

	if (path[0] != '/' && !getcwd(here, sizeof(here)))
		return log_error(SONDE_EIO, "%s: current directory: %s", path, strerror(errno));
	if (snprintf(absolute_out, PATH_MAX, "%s%s%s", here, here[0] ? "/" : "", path) >= PATH_MAX)
		return log_error(SONDE_EIO, "%s: path is too long", path);
	return 0;
}

/* mkdir -p. *created_out: the last one was not there before. */
static int make_directories(const char *path, bool *created_out)
{
	char part[PATH_MAX];

	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(part, 0777) != 0 && errno != EEXIST)
			return log_error(SONDE_EIO, "%s: %s", part, strerror(errno));
		*slash = '/';
	}
	*created_out = mkdir(path, 0700) == 0;
	if (!*created_out && errno != EEXIST)
		return log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
	return 0;
}

int rundir_create_output(const char *path, bool *created_out)
{
	struct dirent *entry;
	DIR *directory;
	int err = make_directories(path, created_out);

	if (err)
		return err;
	directory = opendir(path);
	if (!directory)
		return log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
	while (!err && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			err = log_error(SONDE_EUSAGE, "%s: is not empty; choose another directory for the recording",
					path);
	closedir(directory);
	if (!err && faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0)
		err = log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
	return err;
}

static const char *copy_target; /* nftw() passes no context */
static size_t copy_prefix;

/* Data only, so that room a recorder reserved and never used stays a hole. */
static int copy_data(int in, int out)
{
	static char buffer[1 << 16];
	off_t data = 0, end = lseek(in, 0, SEEK_END);

	while (data < end && (data = lseek(in, data, SEEK_DATA)) >= 0) {
		off_t hole = lseek(in, data, SEEK_HOLE);

		while (data < hole) {
			size_t want = hole - data < (off_t)sizeof(buffer) ? (size_t)(hole - data) : sizeof(buffer);
			ssize_t got = pread(in, buffer, want, data);

			if (got <= 0 || pwrite(out, buffer, (size_t)got, data) != got)
				return -1;
			data += got;
		}
	}
	return ftruncate(out, end);
}

static int copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int result = out < 0 ? -1 : copy_data(in, out);

	if (in >= 0)
		close(in);
	if (out >= 0 && close(out) != 0)
		result = -1;
	return result;
}

static int copy_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	char to[PATH_MAX];

	(void)status;
	if (walk->level == 0)
		return 0;
	errno = ENAMETOOLONG;
	if (snprintf(to, sizeof(to), "%s%s", copy_target, path + copy_prefix) < (int)sizeof(to) &&
	    (type == FTW_D ? mkdir(to, 0700) == 0 || errno == EEXIST : copy_file(path, to) == 0))
		return 0;
	return log_error(SONDE_EIO, "%s: %s", to, strerror(errno));
}

int rundir_copy(const char *from, const char *to)
{
	copy_target = to;
	copy_prefix = strlen(from);
	return nftw(from, copy_entry, FTW_DESCRIPTORS, FTW_PHYS) ? SONDE_EIO : 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	remove(path);
	return 0;
}

void rundir_remove(const char *path)
{
	nftw(path, remove_entry, FTW_DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}
