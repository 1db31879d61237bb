/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of HSA's: linked with the library, or opening it as Julia does (OPEN). Says what it was answered.
 *   init            only asks whether there is HSA
 *   work N          N times: allocate, copy, wait, free
 *   keep            what it allocates stays
 *   inside          copies through the stand-in's own table
 *   fork            a child that does nothing of HSA, then work
 */
#include <dlfcn.h>
#include <stdint.h>
#include <sys/wait.h>

#include "app.h"

typedef uint64_t handle;
uint32_t hsa_init(void);
uint32_t hsa_shut_down(void);
uint32_t hsa_status_string(uint32_t status, const char **text);
uint32_t hsa_iterate_agents(uint32_t (*tell)(handle, void *), void *data);
uint32_t hsa_agent_get_info(handle agent, uint32_t what, void *value);
uint32_t hsa_amd_agent_iterate_memory_pools(handle agent, uint32_t (*tell)(handle, void *), void *data);
uint32_t hsa_amd_memory_pool_allocate(handle pool, size_t bytes, uint32_t flags, void **made);
uint32_t hsa_amd_memory_pool_free(void *address);
uint32_t hsa_memory_copy(void *to, const void *from, size_t bytes);
uint32_t hsa_amd_memory_async_copy(void *to, handle to_agent, const void *from, handle from_agent, size_t bytes,
				   uint32_t count, const handle *waits, handle signal);
uint32_t hsa_signal_create(int64_t value, uint32_t count, const handle *consumers, handle *made);
uint32_t hsa_signal_destroy(handle signal);
void hsa_signal_store_screlease(handle signal, int64_t value);
int64_t hsa_signal_wait_scacquire(handle signal, uint32_t condition, int64_t value, uint64_t limit, uint32_t hint);
uint32_t hsa_executable_load_agent_code_object(handle executable, handle agent, handle reader, const char *options,
					       handle *made);

static void *library;
#ifdef OPEN
#define HSA(name) ((__typeof__(name) *)dlsym(library, #name))
#else
#define HSA(name) name
#endif

static struct {
	handle agent[2], pool[2]; /* CPU, GPU */
} found;

static uint32_t take_pool(handle pool, void *at)
{
	*(handle *)at = pool;
	return 1; /* that will do */
}

static uint32_t take_agent(handle agent, void *count)
{
	uint32_t type = 0;

	++*(long *)count;
	HSA(hsa_agent_get_info)(agent, 17, &type);
	found.agent[type] = agent;
	HSA(hsa_amd_agent_iterate_memory_pools)(agent, take_pool, &found.pool[type]);
	return 0;
}

static void work(int times, int keep)
{
	static char host[4096];
	handle signal = 0, code = 0;
	void *device = NULL;

	HSA(hsa_signal_create)(1, 0, NULL, &signal);
	for (int i = 0; i < times; i++) {
		if (HSA(hsa_amd_memory_pool_allocate)(found.pool[1], sizeof(host), 0, &device))
			continue;
		HSA(hsa_signal_store_screlease)(signal, 1);
		HSA(hsa_amd_memory_async_copy)(device, found.agent[1], host, found.agent[0], sizeof(host), 0, NULL,
					       signal);
		HSA(hsa_signal_wait_scacquire)(signal, 2, 1, UINT64_MAX, 0);
		HSA(hsa_memory_copy)(host, device, sizeof(host) / 2);
		if (!keep)
			app_say("freed", !HSA(hsa_amd_memory_pool_free)(device));
	}
	HSA(hsa_amd_memory_pool_allocate)(found.pool[0], 100, 0, &device);
	HSA(hsa_signal_destroy)(signal);
	app_say("loaded", HSA(hsa_executable_load_agent_code_object)(1, found.agent[1], 1, NULL, &code) == 0);
}

static void open_library(void)
{
#ifdef OPEN
	library = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
	if (!library)
		app_die(dlerror(), 0);
#endif
}

static void inside(void)
{
	uint32_t (*copy)(void *, const void *, size_t) =
		(uint32_t (*)(void *, const void *, size_t))dlsym(library ? library : RTLD_DEFAULT, "sim_inside");
	char here[8], there[8] = "";

	app_say("inside", copy(here, there, sizeof(here)));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "init", *text = "";
	int times = argc > 2 ? atoi(argv[2]) : 1, *tools;
	long agents = 0;
	uint32_t status;

	open_library();
	status = HSA(hsa_init)();
	HSA(hsa_status_string)(status, &text);
	app_say("init", (long)status);
	printf("text=%s\n", text);
	app_say("iterate", HSA(hsa_iterate_agents)(take_agent, &agents));
	app_say("agents", agents);
	if (!strcmp(mode, "fork")) {
		if (fork() == 0)
			_exit(0);
		wait(NULL);
	}
	if (!strcmp(mode, "inside"))
		inside();
	else if (strcmp(mode, "init") != 0)
		work(times, !strcmp(mode, "keep"));
	app_say("shut_down", HSA(hsa_shut_down)());
	tools = dlsym(library ? library : RTLD_DEFAULT, "sim_tools");
	app_say("tools", tools ? *tools : -1);
	return 0;
}
