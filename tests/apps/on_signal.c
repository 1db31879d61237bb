/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints `ready`, then a line per SIGUSR1, SIGHUP or SIGCONT that arrives; SIGINT makes it end with status 42.
 */
#include "app.h"

int main(void)
{
	sigset_t wanted;
	int number;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	sigaddset(&wanted, SIGHUP);
	sigaddset(&wanted, SIGCONT);
	sigaddset(&wanted, SIGINT);
	sigprocmask(SIG_BLOCK, &wanted, NULL);
	puts("ready");
	for (;;) {
		fflush(stdout);
		if (sigwait(&wanted, &number))
			return 1;
		if (number == SIGINT)
			return 42;
		puts(number == SIGUSR1 ? "usr1" : number == SIGHUP ? "hup" : "cont");
	}
}
