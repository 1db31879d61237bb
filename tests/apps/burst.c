/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * burst CALLS [END]: MPI_Init, CALLS calls of MPI_Test in a tight loop, then the end. Prints when the loop
 * ended (us since 1970), so that a test can tell how long after it the summary was there.
 */
#include "app.h"
#include "fake_mpi.h"

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000000;
	MPI_Request request = MPI_REQUEST_NULL;
	struct timespec now;
	int flag = 0;

	MPI_Init(&argc, &argv);
	for (long i = 0; i < calls; i++)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	app_say("calls", calls);
	clock_gettime(CLOCK_REALTIME, &now);
	app_say("ended_us", now.tv_sec * 1000000 + now.tv_nsec / 1000);
	app_end(argc > 2 ? argv[2] : "return");
	return 0;
}
