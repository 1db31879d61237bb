/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what a program can see of its surroundings: terminals, process group, descriptors, limits. */
#include <dirent.h>
#include <sys/resource.h>

#include "app.h"

int main(void)
{
	struct dirent *entry;
	struct rlimit limit;
	DIR *descriptors;

	for (int fd = 0; fd < 3; fd++)
		printf("isatty %d %d\n", fd, isatty(fd));
	printf("session leader %d\n", getsid(0) == getpid());
	printf("foreground %d\n", tcgetpgrp(0) == getpgrp());
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("files %ld\n", (long)limit.rlim_cur);
	descriptors = opendir("/proc/self/fd");
	while ((entry = readdir(descriptors)))
		if (atoi(entry->d_name) > 2 && atoi(entry->d_name) != dirfd(descriptors))
			printf("descriptor %s\n", entry->d_name);
	closedir(descriptors);
	return 0;
}
