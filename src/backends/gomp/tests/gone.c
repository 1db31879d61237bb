/* SPDX-License-Identifier: BSD-3-Clause */
/* Removes its own file, then has constructs of which each is new: what they leave of errno is printed. */
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	omp_lock_t lock;
	int taken, shared;

	(void)argc;
	if (unlink(argv[0]))
		return 1;
	omp_init_lock(&lock);
	errno = 0;
	omp_set_lock(&lock);
	taken = errno;
	omp_unset_lock(&lock);
	errno = 0;
#pragma omp taskwait
	shared = errno;
	printf("lock=%d\ntaskwait=%d\n", taken, shared);
	return 0;
}
