/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses all functions of ROCTX, linked with its library or opening it; prints its answers, what its ranges took. */
#include <dlfcn.h>
#include <stdint.h>

#include "app.h"

#ifdef OPEN
#define ROCTX(name, ...) ((__typeof__(name) *)dlsym(library, #name))(__VA_ARGS__)
#else
#define ROCTX(name, ...) name(__VA_ARGS__)
#endif

void roctxMarkA(const char *name);
int roctxRangePushA(const char *name);
int roctxRangePop(void);
uint64_t roctxRangeStartA(const char *name);
void roctxRangeStop(uint64_t id);
int roctxNameOsThread(const char *name);
int roctxProfilerPause(uint64_t thread);
int roctxProfilerResume(uint64_t thread);

#ifdef OPEN
static void *library;
#endif

static void one_range(const char *name)
{
	ROCTX(roctxRangePushA, name);
	ROCTX(roctxRangePop);
}

static void control(void)
{
	one_range("before");
	app_say("resumed", ROCTX(roctxProfilerResume, 0));
	one_range("recorded");
	app_say("paused", ROCTX(roctxProfilerPause, 0));
	ROCTX(roctxProfilerPause, 0);
	one_range("paused");
	app_pause_ms(30);
	ROCTX(roctxProfilerResume, 0);
	one_range("still paused");
}

int main(int argc, char **argv)
{
	double at;
	uint64_t id;
#ifdef OPEN
	const char *name = OPEN ? OPEN : getenv("NAME");

	library = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
	if (!library)
		app_die(name, 0);
	dlerror();
	if (!dlsym(library, "roctxMarkA") || dlerror())
		app_die("dlsym", 0);
#endif
	if (argc > 1 && !strcmp(argv[1], "control")) {
		control();
		return 0;
	}
	app_say("named", ROCTX(roctxNameOsThread, "the only \"one\""));
	ROCTX(roctxMarkA, "mark");
	at = app_now();
	id = ROCTX(roctxRangeStartA, "started");
	app_say("level_outer", ROCTX(roctxRangePushA, "outer"));
	app_say("level_inner", ROCTX(roctxRangePushA, "inner"));
	app_pause_ms(5);
	app_say("level_popped", ROCTX(roctxRangePop));
	app_say("level_last", ROCTX(roctxRangePop));
	app_say("level_none", ROCTX(roctxRangePop));
	ROCTX(roctxRangeStop, id);
	app_say("took", (long)((app_now() - at) * 1e9));
	app_say("id", (long)id);
	return 0;
}
