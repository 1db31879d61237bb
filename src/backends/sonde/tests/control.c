/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control MODE [PAUSED]: calls of a stand-in MPI around, in and between pauses. PAUSED: the program pauses at its very
 * beginning; without it that is left to the command. Prints what it did in its region.
 */
#include <pthread.h>
#include <sys/wait.h>

#include SONDE_HEADER
#include "app.h"
#include "fake_mpi.h"

static void test(int calls)
{
	MPI_Request request = MPI_REQUEST_NULL;
	int flag;

	for (int i = 0; i < calls; i++)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void receive(int ms)
{
	MPI_Recv(NULL, 0, MPI_BYTE, 0, ms, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void region(void)
{
	sonde_push("before");
	test(10);
	receive(60);
	sonde_pop();
	sonde_resume();
	sonde_push("region");
	test(7);
	receive(30);
	sonde_pause();
	sonde_push("paused");
	sonde_mark("paused too");
	test(5);
	sonde_pause();
	test(5);
	sonde_resume();
	test(5);
	sonde_pop();
	sonde_resume();
	test(3);
	sonde_pop();
	sonde_pause();
	test(9);
	receive(60);
}

static void *other(void *wait)
{
	(void)wait;
	app_pause_ms(50);
	sonde_pause();
	app_pause_ms(100);
	sonde_resume();
	return NULL;
}

/* A call is open in the whole of a pause that another thread makes, and in the beginning of one. */
static void open_call(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, other, NULL);
	receive(200);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, other, NULL);
	receive(100);
	test(4);
	pthread_join(thread, NULL);
}

static int stop;

static void *caller(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		test(100);
	return NULL;
}

static void often(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, caller, NULL);
	for (int i = 0; i < 2000; i++) {
		sonde_pause();
		sonde_resume();
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

static void forked(void)
{
	sonde_pause();
	if (fork() == 0) {
		test(2);
		app_pause_ms(40);
		sonde_resume();
		test(11);
		_exit(0);
	}
	wait(NULL);
	test(2);
	sonde_resume();
	test(6);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "region";
	double begin;

	if (argc > 2)
		sonde_pause();
	app_say("tool", sonde_active());
	MPI_Init(&argc, &argv);
	begin = app_now();
	if (!strcmp(mode, "region"))
		region();
	if (!strcmp(mode, "open"))
		open_call();
	if (!strcmp(mode, "often"))
		often();
	if (!strcmp(mode, "fork"))
		forked();
	if (!strcmp(mode, "kill")) {
		test(1);
		sonde_pause();
		app_pause_ms(150);
		app_end("kill");
	}
	app_say("took", (long)((app_now() - begin) * 1e9));
	return 0;
}
