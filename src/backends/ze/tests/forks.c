/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes and ends: forks before|after|late. */
#include "app.h"

static void spin(int count)
{
	ze_kernel_handle_t kernel = spinning(100000);
	ze_command_list_handle_t list = immediate_of(device, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);

	for (int i = 0; i < count; i++)
		launch(list, kernel, NULL, NULL);
}

static bool late;

static void __attribute__((destructor(101))) at_the_very_end(void)
{
	if (late)
		spin(1);
}

int main(int argc, char **argv)
{
	const char *when = argc > 1 ? argv[1] : "";
	pid_t child = -1;
	int status = 0;

	if (strcmp(when, "before") == 0)
		child = fork();
	start();
	spin(child == 0 ? 5 : strcmp(when, "late") == 0 ? 1 : 3);
	late = strcmp(when, "late") == 0;
	if (strcmp(when, "after") == 0)
		child = fork();
	if (child == 0) {
		fflush(stdout);
		exit(0);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	return status != 0;
}
