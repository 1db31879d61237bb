/* SPDX-License-Identifier: BSD-3-Clause */
/* A SIGABRT handler that restores the default and raises again: the end must be signal 6, at once. */
#include "app.h"

static void on_abort(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

int main(void)
{
	signal(SIGABRT, on_abort);
	abort();
}
