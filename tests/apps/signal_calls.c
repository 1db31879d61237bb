/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signal_calls MS: a handler driven by a 2 kHz timer calls the API while the main thread does so in a
 * tight loop, for MS milliseconds; then prints how often each was called.
 */
#include <sys/time.h>

#include "app.h"
#include "fake_mpi.h"

static volatile sig_atomic_t handled;

static void on_alarm(int number)
{
	(void)number;
	MPI_Barrier(MPI_COMM_WORLD);
	handled++;
}

int main(int argc, char **argv)
{
	struct itimerval every = { { 0, 500 }, { 0, 500 } }, off = { { 0, 0 }, { 0, 0 } };
	double until = app_now() + 1e-3 * (argc > 1 ? atof(argv[1]) : 300);
	MPI_Request request = MPI_REQUEST_NULL;
	long tests = 0;
	int flag;

	MPI_Init(&argc, &argv);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	while (app_now() < until)
		for (int i = 0; i < 1000; i++, tests++)
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	setitimer(ITIMER_REAL, &off, NULL);
	app_say("handled", handled);
	app_say("tests", tests);
	return 0;
}
