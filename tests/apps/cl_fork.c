/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_fork HOW: parent and child run kernels, 3 and 5 of them. The process is copied before the
 * first OpenCL call, as the runtime demands. HOW: fork, clone (raw system call), daemon (only the
 * child runs), double (parent 3, grandchild 5), sleeper (the parent runs 3, then forks a child that
 * sleeps and is ended by SIGTERM).
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "cl_app.h"

static void run(int kernels)
{
	struct cl_app app;

	cl_app_open(&app, 0);
	cl_app_run(&app, kernels);
	cl_app_close(&app);
}

static pid_t copy(const char *how)
{
	pid_t child;

	if (!strcmp(how, "clone"))
		child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	else
		child = fork();
	if (child < 0)
		app_die("fork", errno);
	return child;
}

static int sleeper(void)
{
	int status;
	pid_t child;

	run(3);
	child = copy("fork");
	if (!child)
		app_end("hang");
	app_pause_ms(50);
	kill(child, SIGTERM);
	waitpid(child, &status, 0);
	app_say("child_signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "fork";
	int status;
	pid_t child;

	if (!strcmp(how, "sleeper"))
		return sleeper();
	if (!strcmp(how, "daemon")) {
		if (daemon(1, 1))
			app_die("daemon", errno);
		run(5);
		app_say("daemon", getpid());
		return 0;
	}
	child = copy(how);
	if (!child) {
		if (!strcmp(how, "double") && copy(how))
			_exit(0);
		run(5);
		app_say("child", getpid());
		return 0;
	}
	waitpid(child, &status, 0);
	run(3);
	app_say("parent", getpid());
	app_say("status", status);
	return 0;
}
