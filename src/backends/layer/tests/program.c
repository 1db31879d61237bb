/* SPDX-License-Identifier: BSD-3-Clause */
/* program WHAT: uses the layers of the tests, and says what it did. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>

#include <sonde/sonde_layer.h>

#include "app.h"
#include "demo.h"

static void one_of_each(void)
{
	static char big[2], small[2];

	demo_api.set_up(SONDE_LAYER_API_CUDA);
	demo_api.push("step");
	demo_api.run("on device", 3, 0);
	demo_api.run("on host", 5, SONDE_LAYER_ON_HOST);
	demo_api.run_parts("split", 3, 2);
	demo_api.copy(SONDE_LAYER_H2D, "copyFrom", 1000);
	demo_api.copy(SONDE_LAYER_D2H, NULL, 70);
	demo_api.copy(SONDE_LAYER_FILL, NULL, 8);
	demo_api.allocate(&big[0], 4096, 0);
	demo_api.allocate(&small[0], 512, SONDE_LAYER_PINNED);
	demo_api.pool(&big[1], 1024);
	demo_api.release(&big[0]);
	demo_api.build("saxpy", 0, 0, 4);
	demo_api.build("saxpy", 1, 0, 1);
	demo_api.build("broken", 0, 1, 1);
	demo_api.fail("on device");
	demo_api.wait(4);
	demo_api.mark("here");
	demo_api.pop();
}

static void *many(void *context)
{
	(void)context;
	for (int i = 0; i < 2000; i++) {
		demo_api.run("outer", 0, 0);
		demo_api.run_parts("split", 2, 0);
	}
	return NULL;
}

/* The layer's first use comes from all of them at once. */
static void threads(int count)
{
	pthread_t thread[64];

	for (int i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, many, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
}

static const struct sonde_layer_tool *late_tool(void)
{
	void *handle = dlopen(getenv("LATE_TOOL"), RTLD_NOW | RTLD_LOCAL);
	void *symbol = handle ? dlsym(handle, "tool_late") : NULL;

	if (!symbol)
		app_die("no late tool", 0);
	return ((const struct sonde_layer_tool *(*)(void))symbol)();
}

static void add_inside(void *context)
{
	if (demo_api.add_tool(context) != 0)
		app_die("not added", 0);
	demo_api.run("inside", 0, 0);
}

/* Comes inside of an operation, whose end is not its; is taken away and comes again. */
static void late(void)
{
	const struct sonde_layer_tool *tool = late_tool();

	demo_api.run("before", 0, 0);
	demo_api.run_around("around", add_inside, (void *)tool);
	demo_api.run("after", 0, 0);
	demo_api.remove_tool(tool);
	demo_api.run("without", 0, 0);
	demo_api.add_tool(tool);
	demo_api.run("again", 0, 0);
}

static void detach(void)
{
	const struct sonde_layer_tool *tool = late_tool();
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, many, NULL);
	for (int i = 0; i < 500; i++) {
		demo_api.add_tool(tool);
		demo_api.remove_tool(tool);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	demo_api.add_tool(tool);
}

static jmp_buf back;

static void jump(void *context)
{
	(void)context;
	app_pause_ms(1);
	longjmp(back, 1);
}

static void jumps(void)
{
	if (!setjmp(back))
		demo_api.run_around("left", jump, NULL);
	demo_api.run("next", 2, 0);
}

static void names(void)
{
	static char long_name[8192], same_start[8192];

	memset(long_name, 'x', 5000);
	memset(same_start, 'x', 5001);
	demo_api.run("say \"hello\", {world} \\ $(rm) %s", 0, 0);
	demo_api.run("bad \xff\xfe utf-8 \xc3", 0, 0);
	demo_api.run("line\nbreak\tand\x1b[31m", 0, 0);
	demo_api.run("", 0, 0);
	demo_api.run(long_name, 0, 0);
	demo_api.run(same_start, 0, 0);
}

static void in_child(void *context)
{
	pid_t child = fork();

	(void)context;
	if (child == 0) {
		demo_api.run("child", 1, 0);
		exit(0);
	}
	waitpid(child, NULL, 0);
}

static void forks(void)
{
	static char block[2];
	pid_t child;

	demo_api.allocate(block, 100, 0);
	demo_api.run_around("parent", in_child, NULL);
	child = fork();
	if (child == 0) {
		demo_api.release(block); /* of the parent's record */
		demo_api.run("second child", 1, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void later(void)
{
	demo_api.set_up(SONDE_LAYER_API_METAL);
	demo_api.push("region");
	for (uint32_t clock = 0; clock < 4; clock++) {
		demo_api.async(clock < 3 ? "timed" : "untimed", 1, 10);
		demo_api.complete(clock);
	}
	demo_api.async("never", 1, 0);
	demo_api.pop();
}

/* More threads than processors, so that some are interrupted between any two readings of clocks. */
static void *many_short(void *context)
{
	for (int i = 0; i < 20000; i++)
		demo_api.instant("short", 1, *(const uint32_t *)context);
	return NULL;
}

static void shorts(void)
{
	static const uint32_t clocks[2] = {SONDE_LAYER_MONOTONIC, SONDE_LAYER_REALTIME};
	pthread_t thread[8];

	demo_api.set_up(SONDE_LAYER_API_METAL);
	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, many_short, (void *)&clocks[i % 2]);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
}

static void opened(void)
{
	void *handle = dlopen(getenv("LAYER"), RTLD_NOW | RTLD_LOCAL);
	const struct demo *api = handle ? dlsym(handle, "second_api") : NULL;

	if (!api)
		app_die(dlerror(), 0);
	api->run("opened late", 1, 0);
	dlclose(handle);
	demo_api.run("still", 1, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "each"))
		one_of_each();
	else if (!strcmp(what, "two")) {
		demo_api.run("of demo", 1, 0);
		opened();
	} else if (!strcmp(what, "threads"))
		threads(16);
	else if (!strcmp(what, "late"))
		late();
	else if (!strcmp(what, "detach"))
		detach();
	else if (!strcmp(what, "jump"))
		jumps();
	else if (!strcmp(what, "names"))
		names();
	else if (!strcmp(what, "fork"))
		forks();
	else if (!strcmp(what, "later"))
		later();
	else if (!strcmp(what, "short"))
		shorts();
	else
		app_die("what", 0);
	return 0;
}
