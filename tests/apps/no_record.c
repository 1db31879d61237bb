/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * no_record descriptors: a traced call, then no descriptor is left, and a forked child makes traced calls, as do two
 * that the child forks, of which the second one closes descriptors first.
 * no_record environment: a traced call, then without an environment another one by a forked child.
 * no_record cleared: the same, without an environment from the beginning.
 * no_record ranks: two forked children that give themselves ranks make one call each.
 * no_record room N: a traced call, then files may no more be as large as a record, and N forked children make one each.
 * no_record inodes DIRECTORY: makes files there until there is no room for another one, then makes traced calls.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "app.h"
#include "fake_mpi.h"

static void use_descriptors(void)
{
	struct rlimit limit = {64, 64};

	setrlimit(RLIMIT_NOFILE, &limit);
	while (open("/dev/null", O_RDONLY) >= 0)
		;
}

static void run_forked(void (*what)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		what();
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		app_die("forked", status);
}

static void call(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void call_with_descriptors(void)
{
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	call();
}

static void call_and_fork(void)
{
	call();
	run_forked(call);
	run_forked(call_with_descriptors);
	call();
}

static void call_as_rank_0(void)
{
	setenv("OMPI_COMM_WORLD_RANK", "0", 1);
	setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
	call();
}

static void call_as_rank_1(void)
{
	setenv("OMPI_COMM_WORLD_RANK", "1", 1);
	setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
	call();
}

static void use_inodes(const char *directory)
{
	char path[4096];
	int fd = 0;

	for (int i = 0; fd >= 0 && i < 1000; i++) {
		snprintf(path, sizeof(path), "%s/file.%d", directory, i);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		if (fd >= 0)
			close(fd);
	}
	app_say("full", fd < 0);
}

static void fork_without_room(int children)
{
	struct rlimit limit = {4096, 4096};

	setrlimit(RLIMIT_FSIZE, &limit);
	while (children--)
		run_forked(call);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "room") == 0) {
		call();
		fork_without_room(atoi(argv[2]));
		return 0;
	}
	if (argc > 2) {
		use_inodes(argv[2]);
		call();
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "ranks") == 0) {
		run_forked(call_as_rank_0);
		run_forked(call_as_rank_1);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "cleared") == 0)
		clearenv();
	call();
	if (argc > 1 && strcmp(argv[1], "descriptors") != 0) {
		clearenv();
		run_forked(call);
		return 0;
	}
	use_descriptors();
	run_forked(call_and_fork);
	call();
	return 0;
}
