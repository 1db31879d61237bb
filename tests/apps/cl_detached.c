/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A detached thread blocks in clFinish behind a user event that nobody signals; main runs one kernel on
 * another queue and leaves by _exit.
 */
#include <pthread.h>

#include "cl_app.h"

static struct cl_app app;
static cl_command_queue blocked;
static volatile int inside;

static void *wait_for_ever(void *unused)
{
	(void)unused;
	inside = 1;
	clFinish(blocked);
	inside = 2;
	return NULL;
}

int main(void)
{
	size_t items = CL_APP_ITEMS;
	pthread_t thread;
	cl_event never;
	cl_int code;

	cl_app_open(&app, 0);
	blocked = clCreateCommandQueue(app.context, app.device, 0, &code);
	CL_OK(code);
	never = clCreateUserEvent(app.context, &code);
	CL_OK(code);
	CL_OK(clEnqueueNDRangeKernel(blocked, app.add_one, 1, NULL, &items, NULL, 1, &never, NULL));
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	pthread_detach(thread);
	cl_app_run(&app, 1);
	app_pause_ms(200);
	app_say("inside", inside);
	fflush(stdout);
	_exit(0);
}
