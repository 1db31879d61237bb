/* SPDX-License-Identifier: BSD-3-Clause */
/* See program.h. */
#include "cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/log.h"

static volatile pid_t child;        /* receives what is passed on; 0: none */
static sigset_t original_mask;
static struct sigaction original[NSIG];
static bool changed[NSIG];
static bool holding;                /* original_mask is valid */
static volatile sig_atomic_t ended; /* the program has */

/*
 * Not passed on: what cannot be caught, what tells of a fault of the launcher's own, what has to stop it,
 * and the C library's own signals.
 */
static bool is_passed_on(int signal)
{
	switch (signal) {
	case SIGKILL: case SIGSTOP: case SIGCHLD:
	case SIGSEGV: case SIGBUS: case SIGILL: case SIGFPE: case SIGTRAP: case SIGSYS:
	case SIGTTIN: case SIGTTOU:
		return false;
	default:
		return signal < 32 || signal >= SIGRTMIN;
	}
}

/*
 * A terminal sends to the whole process group: the program has the signal already. Only a hang-up
 * goes to the session's leader alone. Our own writes raise SIGPIPE and SIGXFSZ.
 */
static bool is_ours_to_pass(const siginfo_t *info)
{
	if (info->si_code > 0)
		return info->si_signo == SIGHUP && getsid(0) == getpid();
	return info->si_pid != getpid();
}

/*
 * After the program's end what is left is the user's result. One signal leaves it alone, since a launcher that ends a
 * job tells sonde as well as the program; the second one ends sonde, which may wait for whoever reads its output.
 */
static void too_late(int signal, const siginfo_t *info)
{
	static volatile sig_atomic_t before;
	struct sigaction plain = { .sa_handler = SIG_DFL };

	if (!ended || info->si_pid == getpid() ||
	    (signal != SIGINT && signal != SIGTERM && signal != SIGHUP && signal != SIGQUIT))
		return;
	if (before++) {
		sigaction(signal, &plain, NULL);
		kill(getpid(), signal);
	}
}

static void pass_on(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	too_late(signal, info);
	if (child > 0 && is_ours_to_pass(info)) {
		if (info->si_code == SI_QUEUE)
			sigqueue(child, signal, info->si_value);
		else
			kill(child, signal);
	}
	errno = saved;
}

static void change(int signal, const struct sigaction *action)
{
	if (sigaction(signal, action, &original[signal]) == 0)
		changed[signal] = true;
}

void program_hold_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &original_mask);
	holding = true;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction plain = { .sa_handler = SIG_DFL };

	sigfillset(&action.sa_mask);
	for (int signal = 1; signal < NSIG; signal++)
		if (is_passed_on(signal))
			change(signal, &action);
	change(SIGCHLD, &plain); /* where it is ignored, waitpid() does not see the program's end */
}

/* Signals that came before there was a program to receive them. */
static void pass_on_held(const sigset_t *held)
{
	struct timespec now = { 0, 0 };
	siginfo_t info;
	sigset_t one;

	for (int signal = 1; signal < NSIG; signal++) {
		if (!sigismember(held, signal) || !is_passed_on(signal))
			continue;
		sigemptyset(&one);
		sigaddset(&one, signal);
		if (sigtimedwait(&one, &info, &now) == signal && info.si_pid != getpid())
			kill(child, signal);
	}
}

static void restore_signals(void)
{
	for (int signal = 1; signal < NSIG; signal++)
		if (changed[signal])
			sigaction(signal, &original[signal], NULL);
	if (holding)
		sigprocmask(SIG_SETMASK, &original_mask, NULL);
}

/* Puts what `prepare` makes of the environment in its place, and leaves that as it is. */
static void change_environment(void (*prepare)(void *context), void *context)
{
	static struct arena arena;
	size_t count = 0;
	char **copy;

	while (environ[count])
		count++;
	copy = arena_array(&arena, count + 1, sizeof(*copy));
	memcpy(copy, environ, count * sizeof(*copy));
	environ = copy; /* one that setenv() does not know, so that it copies it instead of changing the one it made */
	prepare(context);
}

/* In the child, with its parent's memory. The pipe closes by itself when exec succeeds. */
static void become(char **words, int report)
{
	int error;

	restore_signals();
	execvp(words[0], words);
	error = errno;
	if (report >= 0 && write(report, &error, sizeof(error)) == sizeof(error))
		_exit(127);
	_exit(program_cannot_run(words[0], error));
}

void program_start(struct program *program, char **words, void (*prepare)(void *context), void *context)
{
	int report[2] = { -1, -1 };
	char **own = environ;
	sigset_t held;

	program->error = 0;
	if (pipe2(report, O_CLOEXEC) != 0)
		report[0] = report[1] = -1; /* no descriptor left: the child tells the user itself */
	catch_signals();
	sigpending(&held);
	change_environment(prepare, context);
	/* not fork(): copies of the pages that either touches are a tenth of what `sonde` costs a short program */
	program->pid = vfork();
	if (program->pid == 0)
		become(words, report[1]);
	if (program->pid < 0)
		program->error = errno;
	environ = own;
	child = program->pid > 0 ? program->pid : 0;
	if (report[1] >= 0)
		close(report[1]);
	if (child)
		pass_on_held(&held);
	sigemptyset(&held); /* what this process blocks is of no use to the program */
	sigprocmask(SIG_SETMASK, &held, NULL);
	if (report[0] < 0)
		return;
	if (child && read(report[0], &program->error, sizeof(program->error)) != sizeof(program->error))
		program->error = 0;
	close(report[0]);
}

/* Stops this process as the program was stopped, for the shell to see. */
static void stop_like(int signal)
{
	struct sigaction plain = { .sa_handler = SIG_DFL }, before;
	sigset_t one, mask;

	if (signal == SIGSTOP) {
		/* without a terminal there is no shell that would continue us when the program goes on */
		if (tcgetpgrp(STDIN_FILENO) >= 0 || tcgetpgrp(STDERR_FILENO) >= 0)
			raise(SIGSTOP);
		return;
	}
	sigemptyset(&one);
	sigaddset(&one, signal);
	sigaction(signal, &plain, &before);
	sigprocmask(SIG_UNBLOCK, &one, &mask);
	raise(signal);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(signal, &before, NULL);
}

void program_wait(struct program *program)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(program->pid, &status, WUNTRACED);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid == program->pid && WIFSTOPPED(status)) {
			stop_like(WSTOPSIG(status));
			continue;
		}
		program->wait_status = pid == program->pid ? status : 0;
		child = 0;
		ended = 1;
		return;
	}
}

int program_become(char **words)
{
	restore_signals();
	execvp(words[0], words);
	return program_cannot_run(words[0], errno);
}

static const char *why_not(const char *name, int error)
{
	struct stat status;

	if (!strchr(name, '/')) /* of those in PATH it is not known which one */
		return error == ENOENT ? "command not found" : strerror(error);
	if (stat(name, &status) != 0)
		return strerror(error);
	if (S_ISDIR(status.st_mode))
		return "is a directory";
	if (error == EACCES && S_ISREG(status.st_mode) && access(name, X_OK) != 0)
		return "is not executable";
	return error == ENOENT ? "is there, but not the interpreter or loader that it names" : strerror(error);
}

int program_cannot_run(const char *name, int error)
{
	log_error(SONDE_EUSAGE, "%s: %s", name, why_not(name, error));
	return error == ENOENT ? 127 : 126;
}

void program_exit_like(int wait_status)
{
	struct rlimit none = { 0, 0 };
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t one;
	int signal;

	if (!WIFSIGNALED(wait_status))
		exit(WEXITSTATUS(wait_status));
	/* the program has dumped its core already; ours would overwrite or hide it */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	signal = WTERMSIG(wait_status);
	sigaction(signal, &plain, NULL);
	sigemptyset(&one);
	sigaddset(&one, signal);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(signal);
	exit(128 + signal);
}
