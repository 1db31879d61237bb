/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_closeall FILE: runs a kernel, closes every descriptor it did not open itself, opens FILE (which
 * therefore gets the lowest free number) and writes to it between further traced calls and from a
 * second thread. FILE must hold exactly the 100 lines written here.
 */
#include <fcntl.h>
#include <pthread.h>

#include "cl_app.h"

static struct cl_app app;
static int file;

static void write_lines(int count)
{
	for (int i = 0; i < count; i++) {
		cl_int rounds = i;

		CL_OK(clSetKernelArg(app.spin, 1, sizeof(rounds), &rounds));
		if (write(file, "0123456789\n", 11) != 11)
			app_die("write", errno);
	}
}

static void *second(void *unused)
{
	write_lines(50);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 1;
	cl_app_open(&app, 0);
	cl_app_run(&app, 1);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	file = open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (file < 0)
		app_die("open", errno);
	app_say("descriptor", file);
	write_lines(50);
	pthread_create(&thread, NULL, second, NULL);
	pthread_join(thread, NULL);
	cl_app_run(&app, 1);
	app_say("set_arg", 100);
	app_say("kernels", 2);
	fflush(stdout);
	_exit(0);
}
