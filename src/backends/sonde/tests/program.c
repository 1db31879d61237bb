/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses all of sonde's header, in its present or its frozen form; prints what its ranges took. */
#include SONDE_HEADER

#include "app.h"

static void scoped(void)
{
	SONDE_SCOPE("scope");

	app_pause_ms(2);
}

int main(int argc, char **argv)
{
	uint64_t id;
	double at;

	sonde_mark("mark");
	if (argc > 2)
		sonde_rank(atoi(argv[1]), atoi(argv[2]));
	at = app_now();
	id = sonde_start("started");
	sonde_push("outer");
	sonde_push("inner");
	app_pause_ms(5);
	sonde_pop();
	scoped();
	sonde_pop();
	sonde_end(id);
	app_say("took", (long)((app_now() - at) * 1e9));
	app_say("tool", sonde_tool() != NULL);
	return 0;
}
