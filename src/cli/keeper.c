/* SPDX-License-Identifier: BSD-3-Clause */
/* See keeper.h. */
#include "cli/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/clock.h"
#include "cli/proc.h"
#include "cli/sampler.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

#define GRACE_NS 1000000000ull /* for ranks that have not come when all others have gone */
#define GRACE_POLL_US 10000
#define ORPHAN_GRACE_MS 100    /* for a program that is about to end by itself */
#define ORPHAN_NS 3000000000ull /* for all programs whose launchers were killed */

static bool is_null_device(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

/*
 * Standard error of another process: the very same open file where the kernel lets us have it, else
 * the file opened once more, for appending.
 */
static int borrow_stderr(pid_t pid)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0);
	char path[64];
	int fd = -1;

	if (process >= 0) {
		fd = (int)syscall(SYS_pidfd_getfd, process, STDERR_FILENO, 0);
		close(process);
	}
	if (fd < 0) {
		snprintf(path, sizeof(path), "/proc/%d/fd/2", (int)pid);
		fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd >= 0)
			fcntl(fd, F_SETFL, O_APPEND);
	}
	if (fd >= 0 && is_null_device(fd) && !is_null_device(STDERR_FILENO)) {
		close(fd); /* a daemon's: nobody reads it */
		fd = -1;
	}
	return fd;
}

static void become_keeper(const struct job *job)
{
	pid_t launcher = ranks_launcher(job->ranks.ancestor);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int error = launcher ? borrow_stderr(launcher) : -1;
	sigset_t none;

	prctl(PR_SET_NAME, "sonde-keeper");
	for (int signal = 1; signal < NSIG; signal++)
		if (signal != SIGCHLD)
			sigaction(signal, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	if (error >= 0)
		dup2(error, STDERR_FILENO);
	proc_close_above_stderr(job->keeper); /* nothing that was inherited but the lock */
	if (chdir("/") != 0)
		log_warning("/: %s", strerror(errno));
}

/* Blocks until the launcher is gone, however it went: the kernel frees its lock. */
static void wait_for(const struct job_member *member, int fd, void *context)
{
	(void)member;
	(void)context;
	while (fd >= 0 && flock(fd, LOCK_SH) != 0 && errno == EINTR)
		;
}

struct counted {
	int came, traced, alive, started;
};

static void count(const struct job_member *member, int fd, void *context)
{
	struct counted *counted = context;

	counted->came++;
	counted->traced += member->traced;
	counted->started += member->program != 0;
	if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0)
		counted->alive++;
}

static int ms_until(uint64_t deadline)
{
	uint64_t now = clock_now_ns();

	return deadline > now ? (int)((deadline - now) / 1000000) : 0;
}

/*
 * What nobody can catch hits the launcher alone, though it was meant for the rank: a parallel
 * launcher that kills its job would leave the program running. So it is passed on here.
 */
static void end_orphan(const struct job_member *member, int fd, void *context)
{
	uint64_t deadline = *(const uint64_t *)context;

	int signal = 0;

	(void)fd;
	if (!member->program || member->ended)
		return;
	if (!proc_wait(member->program, member->start, ORPHAN_GRACE_MS)) {
		signal = SIGKILL;
		kill(member->program, signal);
		if (!proc_wait(member->program, member->start, ms_until(deadline)))
			return;
	}
	launch_file_ended_later(member->launch_file, signal);
}

/* A rank that is busy in an earlier generation may still come to this one. */
static bool has_predecessor(const struct job *job)
{
	const char *own = strrchr(job->generation, '/') + 1;
	DIR *directory = opendir(job->control);
	struct dirent *entry;
	bool found = false;

	while (directory && !found && (entry = readdir(directory)))
		found = strspn(entry->d_name, "0123456789") == strlen(entry->d_name) &&
			strtol(entry->d_name, NULL, 10) < strtol(own, NULL, 10);
	if (directory)
		closedir(directory);
	return found;
}

static int expected(const struct job *job)
{
	const struct launch_ranks *numbers = &job->ranks.numbers;

	return numbers->local_size > 0 ? numbers->local_size : numbers->size;
}

/* One look with the lock held. True: nobody lives, and all have come or had their chance. */
static bool is_complete(const struct job *job, bool grace_over)
{
	struct counted counted = { 0 };
	int lock = job_lock(job);
	bool complete;

	if (lock < 0)
		return true;
	complete = job_each(job, count, &counted) < 0 ||
		   (!counted.alive && (counted.came >= expected(job) || grace_over));
	if (complete)
		job_close(job);
	job_unlock(lock);
	return complete;
}

static void wait_for_job(const struct job *job)
{
	uint64_t alone_since = 0, deadline;

	for (;;) {
		uint64_t before = clock_now_ns(), now;

		job_each(job, wait_for, NULL);
		now = clock_now_ns();
		/* waiting took time: there was somebody until now */
		if (!alone_since || now - before > GRACE_NS / 10 || has_predecessor(job))
			alone_since = now;
		if (is_complete(job, now - alone_since >= GRACE_NS))
			break;
		usleep(GRACE_POLL_US);
	}
	deadline = clock_now_ns() + ORPHAN_NS;
	job_each(job, end_orphan, &deadline);
}

/*
 * Said of ranks that should have come to this machine. Where all of a job's ranks are here and all are
 * to be traced, the recording itself tells which are missing.
 */
static void describe_missing(const struct job *job, struct result *result)
{
	struct counted counted = { 0 };
	int want = expected(job);

	if (!result->options.ranks && want >= job->ranks.numbers.size)
		return;
	job_each(job, count, &counted);
	if (want > counted.came)
		snprintf(result->missing_ranks, sizeof(result->missing_ranks),
			 "%d of %d ranks on this machine were not started under sonde", want - counted.came, want);
}

static void find_first(const struct job_member *member, int fd, void *context)
{
	(void)fd;
	*(bool *)context |= member->rank == 0;
}

/* Ranks that other machines may have are nothing to talk about; such as nobody has, where the first rank is. */
static void describe_nobody(const struct job *job, const char *ranks)
{
	int size = job->ranks.numbers.size, rank = 0;
	bool here = false;

	if (!ranks || size <= 0)
		return;
	while (rank < size && !number_in_list(ranks, rank))
		rank++;
	job_each(job, find_first, &here);
	if (rank == size && here)
		log_warning("--ranks %s: the job has ranks 0 to %d: nothing was recorded", ranks, size - 1);
}

void keeper_finish(const struct job *job, struct result *result)
{
	struct counted counted = { 0 };
	int lock;

	job_each(job, count, &counted);
	if (counted.traced && !job->failed) {
		describe_missing(job, result);
		result_show(result, 0);
	} else if (!job->failed) {
		describe_nobody(job, result->options.ranks);
		result_cancel(result);
	}
	lock = job_lock(job);
	if (lock < 0)
		return;
	job_remove(job);
	job_unlock(lock);
}

void keeper_start(struct job *job, struct result *result)
{
	static struct samplers samplers;
	struct counted counted = { 0 };
	pid_t middle = fork();

	if (middle < 0) {
		log_warning("fork: %s; the last launcher of the job prints its summary", strerror(errno));
		return;
	}
	if (middle > 0) {
		waitpid(middle, NULL, 0);
		job_hand_over(job);
		return;
	}
	setsid();
	if (fork() != 0)
		_exit(0);
	close(job->own);
	become_keeper(job);
	samplers_start(&samplers, result, false);
	wait_for_job(job);
	job_each(job, count, &counted);
	samplers_stop(&samplers, counted.started);
	keeper_finish(job, result);
	_exit(0);
}
