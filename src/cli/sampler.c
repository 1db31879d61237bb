/* SPDX-License-Identifier: BSD-3-Clause */
/* See sampler.h. */
#include "cli/sampler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/clock.h"
#include "cli/proc.h"
#include "format/samples.h"

#define PROGRAM_PREFIX "sonde-sample-"
#define INTERVAL_DEFAULT_NS 100000000ll
#define INTERVAL_MIN_NS 10000000ll         /* what is sampled is renewed by its owners every 10 to 100 ms at best */
#define INTERVAL_MAX_NS 3600000000000ll
#define DEATH_STEP_US 500
#define DEATH_STEPS 100                    /* one that hangs in a driver is left to die alone */

/* Of "WHAT[:TIME]": a number without a unit is in ms. False: no time. */
static bool parse_interval(const char *text, size_t length, int64_t *interval_out)
{
	char word[64];

	if (length >= sizeof(word) - 2 || !length)
		return false;
	snprintf(word, sizeof(word), "%.*s%s", (int)length, text, text[length - 1] >= '0' && text[length - 1] <= '9' ?
		 "ms" : "");
	return number_parse_time(word, interval_out);
}

/* Names of all samplers there are, for a complaint. */
static const char *all_samplers(struct arena *arena, const char *directory)
{
	DIR *programs = directory ? opendir(directory) : NULL;
	const char *names = "";
	struct dirent *entry;

	while (programs && (entry = readdir(programs)))
		if (!strncmp(entry->d_name, PROGRAM_PREFIX, strlen(PROGRAM_PREFIX)))
			names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "",
					     entry->d_name + strlen(PROGRAM_PREFIX));
	if (programs)
		closedir(programs);
	return *names ? names : "none";
}

/* The next one of a list; false: it is at its end, or *error_out says what is wrong, logged. */
static bool next_wish(const char **list, struct sampler *sampler, int64_t *interval_out, int *error_out)
{
	size_t length = *list ? strcspn(*list, ",") : 0, name;
	const char *wish = *list;

	*error_out = 0;
	if (!wish || !*wish)
		return false;
	*list += length + (wish[length] == ',');
	name = strcspn(wish, ":,");
	*interval_out = INTERVAL_DEFAULT_NS;
	if (name < length && !parse_interval(wish + name + 1, length - name - 1, interval_out))
		*error_out = log_error(SONDE_EUSAGE, "--sample takes WHAT or WHAT:TIME, a time like 100ms, not '%.*s'",
				       (int)length, wish);
	else if (*interval_out < INTERVAL_MIN_NS || *interval_out > INTERVAL_MAX_NS)
		*error_out = log_error(SONDE_EUSAGE, "--sample %.*s: an interval is 10ms (counters are hardly renewed"
				       " more often) to 1h", (int)length, wish);
	snprintf(sampler->what, sizeof(sampler->what), "%.*s", (int)name, wish);
	return !*error_out;
}

int samplers_check(const struct options *options)
{
	const char *list = options->sample, *directory;
	struct arena arena = { NULL };
	struct sampler sampler;
	int64_t interval;
	const char *names[SAMPLERS_MAX];
	unsigned count = 0, i;
	int err;

	if (!list)
		return 0;
	directory = preload_directory(&arena);
	while (next_wish(&list, &sampler, &interval, &err)) {
		if (!*sampler.what || strchr(sampler.what, '/') || !directory ||
		    access(arena_printf(&arena, "%s/" PROGRAM_PREFIX "%s", directory, sampler.what), X_OK) != 0)
			err = log_error(SONDE_EUSAGE, "--sample: nothing called '%s' can be sampled (there is: %s)",
					sampler.what, all_samplers(&arena, directory));
		else if (count == SAMPLERS_MAX)
			err = log_error(SONDE_EUSAGE, "--sample: more than %d samplers", SAMPLERS_MAX);
		else
			names[count++] = arena_strdup(&arena, sampler.what);
		for (i = 0; !err && i + 1 < count; i++)
			if (!strcmp(names[i], sampler.what))
				err = log_error(SONDE_EUSAGE, "--sample names %s twice", sampler.what);
		if (err)
			break;
	}
	arena_free(&arena);
	return err;
}

static int create_file(struct sampler *sampler, const struct result *result)
{
	struct process self = { 0 };
	char host[65] = "";
	int fd;

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, "./")] = '\0'; /* as all names of files end the host's */
	process_read(getpid(), &self);
	if (snprintf(sampler->path, sizeof(sampler->path), "%s/" FMT_SAMPLES_PREFIX "%s.%s.%d.%llu", result->run,
		     sampler->what, host, (int)getpid(), self.start) >= (int)sizeof(sampler->path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = open(sampler->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd;
}

/* Above standard error, so that dup2() into its place is never onto itself. */
static int move_up(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	close(fd);
	return moved;
}

/* In the child: nothing of this process's may stay open in it, or somebody waits for its end. */
static void become_sampler(char **words, int stop_program, int file)
{
	int null = move_up(open("/dev/null", O_RDWR));
	sigset_t none;

	setsid(); /* Ctrl-C is for the program, which may go on */
	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(stop_program, STDIN_FILENO) < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
	    chdir("/") != 0)
		_exit(127);
	proc_close_above_stderr(-1);
	execv(words[0], words);
	_exit(127);
}

/* A file without a head would be called damaged. Returns errno as it was. */
static int give_up_start(const struct sampler *sampler, int file)
{
	int error = errno;

	unlink(sampler->path);
	if (file >= 0)
		close(file);
	return error;
}

/* 0 or errno. */
static int start(struct sampler *sampler, const struct result *result, char *program, int64_t interval,
		 bool alone)
{
	char interval_text[24], start_text[24], how[8];
	char *words[] = { program, interval_text, start_text, how, NULL };
	int stop_program[2], file = create_file(sampler, result), error;
	struct timespec now;

	if (file < 0)
		return errno;
	file = move_up(file);
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	snprintf(interval_text, sizeof(interval_text), "%lld", (long long)interval);
	snprintf(start_text, sizeof(start_text), "%lld", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
	snprintf(how, sizeof(how), "%s", alone ? "alone" : "shared");
	if (file < 0 || pipe2(stop_program, O_CLOEXEC) != 0)
		return give_up_start(sampler, file);
	stop_program[0] = move_up(stop_program[0]);
	stop_program[1] = move_up(stop_program[1]);
	sampler->pid = fork();
	if (sampler->pid == 0)
		become_sampler(words, stop_program[0], file);
	if (sampler->pid < 0) {
		error = give_up_start(sampler, file);
		close(stop_program[0]);
		close(stop_program[1]);
		return error;
	}
	sampler->pipe = stop_program[1];
	close(stop_program[0]);
	close(file);
	return 0;
}

void samplers_start(struct samplers *samplers, const struct result *result, bool alone)
{
	const char *list = result->options.sample;
	struct arena arena = { NULL };
	const char *directory;
	char *program;
	int64_t interval;
	int error;

	samplers->count = 0;
	if (!list || !result->run[0])
		return;
	directory = preload_directory(&arena);
	while (samplers->count < SAMPLERS_MAX &&
	       next_wish(&list, &samplers->sampler[samplers->count], &interval, &error)) {
		struct sampler *sampler = &samplers->sampler[samplers->count];

		program = arena_printf(&arena, "%s/" PROGRAM_PREFIX "%s", directory ? directory : "", sampler->what);
		error = start(sampler, result, program, interval, alone);
		if (error)
			log_warning("--sample %s: %s; there will be none of its counters", sampler->what,
				    strerror(error));
		else
			samplers->count++;
	}
	arena_free(&arena);
}

static bool has_samples(const char *run)
{
	DIR *directory = opendir(run);
	struct dirent *entry;
	bool found = false;

	while (directory && !found && (entry = readdir(directory)))
		found = !strncmp(entry->d_name, FMT_SAMPLES_PREFIX, strlen(FMT_SAMPLES_PREFIX));
	if (directory)
		closedir(directory);
	return found;
}

void samplers_left_out(const struct options *options, const char *run)
{
	if (options->sample && !has_samples(run))
		log_warning("--sample %s: the program runs under another sonde already, which has to be given"
			    " this option", options->sample);
}

static void tell_end(const struct sampler *sampler, int status)
{
	if (WIFSIGNALED(status))
		log_warning("--sample %s: the sampler was ended by signal %d (%s)", sampler->what, WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == FMT_SAMPLES_NOT_WRITTEN)
		log_warning("--sample %s: no room for its counters (disk full, or a limit on files)", sampler->what);
	else if (WEXITSTATUS(status))
		log_warning("--sample %s: the sampler could not be run (exit status %d)", sampler->what,
			    WEXITSTATUS(status));
}

static void stop_program(const struct sampler *sampler, bool started)
{
	struct stat file;
	int status, steps = 0;
	bool ended = waitpid(sampler->pid, &status, WNOHANG) == sampler->pid;

	if (ended && started)
		tell_end(sampler, status);
	if (!ended) {
		kill(sampler->pid, SIGKILL); /* what it has written is whole: format/samples.h */
		while (waitpid(sampler->pid, &status, WNOHANG) == 0 && steps++ < DEATH_STEPS)
			usleep(DEATH_STEP_US);
	}
	close(sampler->pipe);
	if (stat(sampler->path, &file) != 0 || file.st_size)
		return;
	unlink(sampler->path); /* a reader would call it damaged */
	if (!ended && started)
		log_warning("--sample %s: the program ended before there was a sample", sampler->what);
}

void samplers_stop(struct samplers *samplers, bool started)
{
	for (unsigned i = 0; i < samplers->count; i++)
		stop_program(&samplers->sampler[i], started);
	samplers->count = 0;
}
