/* SPDX-License-Identifier: BSD-3-Clause */
/* See job.h. */
#include "cli/job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/log.h"
#include "cli/clock.h"
#include "cli/keeper.h"
#include "cli/proc.h"
#include "cli/rundir.h"

#define NAMES_TRIED 10              /* names of the job's directory, where strangers hold the first ones */
#define ENDED "ended\n"
#define LEAVE_DEADLINE_NS (30 * 1000000000ull)
#define LEAVE_POLL_US 2000

/* Path of an entry of a directory; false: it is too long. */
static bool entry_path(char out[PATH_MAX], const char *directory, const char *name)
{
	return snprintf(out, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

static bool exists(const char *directory, const char *name)
{
	char path[PATH_MAX];

	return entry_path(path, directory, name) && access(path, F_OK) == 0;
}

static int open_in(const char *directory, const char *name, int flags)
{
	char path[PATH_MAX];

	return entry_path(path, directory, name) ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
}

/* /tmp is everybody's: somebody else's directory of that name is not used. */
static bool is_own_directory(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
	       (status.st_mode & 077) == 0;
}

static int open_control(struct job *job)
{
	char base[PATH_MAX], host[65] = "";

	if (!rundir_find_base(base))
		return log_error(SONDE_EIO, "no place for temporary files: the job gets no summary");
	gethostname(host, sizeof(host) - 1);
	for (int i = 0; i < NAMES_TRIED; i++) {
		/* deterministic: every launcher of the job comes to the same name */
		if (snprintf(job->control, sizeof(job->control), "%s/sonde-%u-job-%s-%s%.*d", base,
			     (unsigned)geteuid(), host, job->ranks.key, i > 0, i) >= PATH_MAX - 64)
			break;
		if ((mkdir(job->control, 0700) == 0 || errno == EEXIST) && is_own_directory(job->control))
			return 0;
	}
	return log_error(SONDE_EIO, "%s: cannot be used: %s", job->control, strerror(errno));
}

int job_lock(const struct job *job)
{
	for (;;) {
		struct stat opened, named;
		char path[PATH_MAX];
		int lock = open_in(job->control, "lock", O_RDWR | O_CREAT);

		if (lock < 0)
			return -1;
		while (flock(lock, LOCK_EX) != 0)
			if (errno != EINTR)
				break;
		/* a keeper may have removed the directory while we waited */
		if (entry_path(path, job->control, "lock") && fstat(lock, &opened) == 0 &&
		    stat(path, &named) == 0 && opened.st_ino == named.st_ino)
			return lock;
		close(lock);
		if (access(job->control, F_OK) != 0)
			return -1;
	}
}

void job_unlock(int lock)
{
	close(lock);
}

/* The directory with the lock held; both may vanish in between. */
static int open_and_lock(struct job *job)
{
	int lock = -1;

	for (int tries = 0; lock < 0 && tries < 100; tries++) {
		int err = open_control(job);

		if (err)
			return err;
		lock = job_lock(job);
	}
	return lock >= 0 ? lock : log_error(SONDE_EIO, "%s: %s", job->control, strerror(errno));
}

static bool generation_path(struct job *job, long number)
{
	char name[24];

	snprintf(name, sizeof(name), "%ld", number);
	return entry_path(job->generation, job->control, name);
}

/* The earliest generation in which this rank has not been, else a new one behind all others. */
static int choose_generation(struct job *job, const char *launcher, const char *skipped)
{
	long joined = -1, last = -1, number;
	DIR *directory = opendir(job->control);
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		number = strtol(entry->d_name, NULL, 10);
		if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name) || !generation_path(job, number))
			continue;
		last = number > last ? number : last;
		if ((joined < 0 || number < joined) && !exists(job->generation, launcher) &&
		    !exists(job->generation, skipped) && !exists(job->generation, "closed"))
			joined = number;
	}
	if (directory)
		closedir(directory);
	job->first = joined < 0;
	if (!generation_path(job, job->first ? last + 1 : joined) ||
	    (job->first && mkdir(job->generation, 0700) != 0))
		return log_error(SONDE_EIO, "%s: %s", job->control, strerror(errno));
	return 0;
}

/* The launcher that makes the generation decides for all where the recording goes. */
static int begin(struct job *job, struct result *result, const struct options *options)
{
	char link[PATH_MAX];
	int err = result_prepare(result, options);

	job->keeper = open_in(job->generation, "keeper", O_RDWR | O_CREAT);
	if (job->keeper < 0 || flock(job->keeper, LOCK_EX | LOCK_NB) != 0)
		return log_error(SONDE_EIO, "%s: %s", job->generation, strerror(errno));
	if (err) {
		close(open_in(job->generation, "failed", O_WRONLY | O_CREAT));
		job->failed = true;
		return 0;
	}
	if (!result->run[0] || !entry_path(link, job->generation, "run") || symlink(result->run, link) != 0)
		return SONDE_EIO;
	if (result->keep[0] && (!entry_path(link, job->generation, "keep") || symlink(result->keep, link) != 0))
		return SONDE_EIO;
	return 0;
}

/* Where a symbolic link of the generation leads; "" where it is not there. */
static bool read_link(const struct job *job, const char *name, char target_out[PATH_MAX])
{
	char link[PATH_MAX];
	ssize_t length;

	target_out[0] = '\0';
	if (!entry_path(link, job->generation, name))
		return false;
	length = readlink(link, target_out, PATH_MAX - 1);
	if (length >= 0)
		target_out[length] = '\0';
	return length >= 0 || errno == ENOENT;
}

static int follow(struct job *job, struct result *result, const struct options *options)
{
	result->options = *options;
	job->keeper = open_in(job->generation, "keeper", O_RDWR);
	job->failed = exists(job->generation, "failed");
	if (job->failed)
		return 0;
	if (!read_link(job, "keep", result->keep) || !read_link(job, "run", result->run) || !result->run[0])
		return log_error(SONDE_EIO, "%s: %s", job->generation, strerror(errno));
	return 0;
}

/* Under a name that nobody looks for until the lock is held. */
static int become_member(struct job *job, bool traced)
{
	char fresh[PATH_MAX], member[PATH_MAX], name[32];
	int fd = open_in(job->generation, "new", O_RDWR | O_CREAT | O_TRUNC);

	snprintf(name, sizeof(name), "%c.%d", traced ? 'l' : 's', job->ranks.numbers.rank);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0 || !entry_path(fresh, job->generation, "new") ||
	    !entry_path(member, job->generation, name) || rename(fresh, member) != 0)
		return log_error(SONDE_EIO, "%s: %s", job->generation, strerror(errno));
	if (traced)
		job->own = fd;
	else
		close(fd);
	return 0;
}

int job_join(struct job *job, const struct ranks *ranks, struct result *result, const struct options *options,
	     bool traced)
{
	char launcher[32], skipped[32];
	int lock, err;

	*job = (struct job){ .ranks = *ranks, .own = -1, .keeper = -1 };
	snprintf(launcher, sizeof(launcher), "l.%d", ranks->numbers.rank);
	snprintf(skipped, sizeof(skipped), "s.%d", ranks->numbers.rank);
	lock = open_and_lock(job);
	if (lock < 0)
		return lock;
	err = choose_generation(job, launcher, skipped);
	if (!err)
		err = job->first ? begin(job, result, options) : follow(job, result, options);
	if (!err)
		err = become_member(job, traced);
	if (err && job->first) {
		result_cancel(result);
		job_remove(job);
	}
	job_unlock(lock);
	return err;
}

void job_hand_over(struct job *job)
{
	close(job->keeper);
	job->keeper = open_in(job->generation, "keeper", O_RDWR);
}

void job_started(struct job *job, pid_t program, const char *launch_file)
{
	struct process proc = { 0 };

	process_read(program, &proc);
	if (job->own >= 0)
		dprintf(job->own, "%d %llu %s\n", (int)program, proc.start, launch_file);
}

static void read_member(int fd, struct job_member *member)
{
	char text[PATH_MAX + 64], *line_end;
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);
	int program, path = 0;

	if (length <= 0)
		return;
	text[length] = '\0';
	line_end = strchr(text, '\n');
	if (!line_end || line_end - text >= PATH_MAX)
		return;
	*line_end = '\0';
	if (sscanf(text, "%d %llu %n", &program, &member->start, &path) == 2 && path) {
		member->program = program;
		strcpy(member->launch_file, text + path);
	}
	member->ended = strcmp(line_end + 1, ENDED) == 0;
}

int job_each(const struct job *job, void (*visit)(const struct job_member *member, int fd, void *context),
	     void *context)
{
	DIR *directory = opendir(job->generation);
	struct dirent *entry;
	int count = 0;

	if (!directory)
		return -1;
	while ((entry = readdir(directory))) {
		struct job_member member = { .traced = entry->d_name[0] == 'l' };
		int fd = -1;

		if (strncmp(entry->d_name, "l.", 2) != 0 && strncmp(entry->d_name, "s.", 2) != 0)
			continue;
		member.rank = (int)strtol(entry->d_name + 2, NULL, 10);
		count++;
		if (member.traced)
			fd = openat(dirfd(directory), entry->d_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0)
			read_member(fd, &member);
		visit(&member, fd, context);
		if (fd >= 0)
			close(fd);
	}
	closedir(directory);
	return count;
}

void job_close(const struct job *job)
{
	int fd = open_in(job->generation, "closed", O_WRONLY | O_CREAT);

	if (fd >= 0)
		close(fd);
}

void job_remove(const struct job *job)
{
	char lock[PATH_MAX];

	rundir_remove(job->generation);
	/* the lock's file goes only with its directory: others may be waiting for it */
	if (entry_path(lock, job->control, "lock")) {
		DIR *directory = opendir(job->control);
		struct dirent *entry;
		int others = 0;

		while (directory && (entry = readdir(directory)))
			others += entry->d_name[0] != '.' && strcmp(entry->d_name, "lock") != 0;
		if (directory)
			closedir(directory);
		if (!others && unlink(lock) == 0)
			rmdir(job->control);
	}
}

static void count_alive(const struct job_member *member, int fd, void *context)
{
	(void)member;
	if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0)
		++*(int *)context;
}

void job_leave(struct job *job, struct result *result)
{
	uint64_t deadline = clock_now_ns() + LEAVE_DEADLINE_NS;

	if (write(job->own, ENDED, strlen(ENDED)) < 0)
		log_warning("%s: %s", job->generation, strerror(errno));
	close(job->own); /* unlocks: the keeper sees that this launcher is through */
	/* a timeline takes as long as it takes; a keeper that dies lets go of its lock */
	for (; result->options.timeline || clock_now_ns() < deadline; usleep(LEAVE_POLL_US)) {
		int alive = 0;

		if (job_each(job, count_alive, &alive) < 0 || alive)
			return; /* done, or another launcher is the last one */
		if (job->keeper < 0 || flock(job->keeper, LOCK_EX | LOCK_NB) != 0)
			continue;
		if (exists(job->generation, "keeper"))
			keeper_finish(job, result);
		return;
	}
}
