/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * no_record descriptors: a traced call, then no descriptor is left, and a forked child makes traced calls.
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

int main(int argc, char **argv)
{
	int status = 0;

	if (argc > 2) {
		use_inodes(argv[2]);
		MPI_Barrier(MPI_COMM_WORLD);
		return 0;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	use_descriptors();
	if (fork() == 0) {
		MPI_Barrier(MPI_COMM_WORLD);
		exit(0);
	}
	wait(&status);
	MPI_Barrier(MPI_COMM_WORLD);
	return status != 0;
}
