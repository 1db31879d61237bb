/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for libhsa-runtime64: agents, pools, signals, queues and copies on the simulated devices of tests/sim,
 * called through tables that tools may change, as the real one does. The rest of its functions is generated and answers
 * success. See sim_hsa_queue.c as well.
 *
 *   SIM_TABLE_MAJOR=N    major version of the tables (2)
 *   HSA_TOOLS_LIB        tools, words; a backslash takes the next character as it is
 *   sim_tools            exported: how many of them were loaded
 *   sim_inside()         calls hsa_memory_copy() as a program does that holds the runtime itself: not by its name
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim_hsa.h"

int sim_tools;
uint32_t sim_inside(void *to, const void *from, size_t bytes);

int sim_users;
bool sim_closing;

static uint32_t sim_hsa_iterate_agents(uint32_t (*tell)(rec_word, void *), void *data)
{
	uint32_t status = sim_users ? SUCCESS : NOT_INITIALIZED;

	for (rec_word agent = CPU; agent <= CPU + sim_devices() && status == SUCCESS; agent++)
		status = tell(agent, data);
	return status;
}

static uint32_t sim_hsa_agent_get_info(rec_word agent, uint32_t what, void *value)
{
	switch (what) {
	case 0:
		memset(value, 0, 64);
		memcpy(value, agent == CPU ? "Simulated CPU" : "gfx0000", 8);
		return SUCCESS;
	case 17:
		*(uint32_t *)value = agent != CPU;
		return SUCCESS;
	case 0xa006:
		*(uint32_t *)value = (uint32_t)agent << 8;
		return SUCCESS;
	default:
		return INVALID_ARGUMENT;
	}
}

static uint32_t sim_hsa_amd_agent_iterate_memory_pools(rec_word agent, uint32_t (*tell)(rec_word, void *), void *data)
{
	return tell(agent + POOL, data);
}

static uint32_t sim_hsa_amd_memory_pool_allocate(rec_word pool, size_t bytes, uint32_t flags, void **made)
{
	(void)pool;
	(void)flags;
	if (!sim_users || sim_fails("hsa_amd_memory_pool_allocate"))
		return OUT_OF_RESOURCES;
	*made = malloc(bytes);
	return SUCCESS;
}

static uint32_t sim_hsa_amd_memory_pool_free(void *address)
{
	if (sim_fails("hsa_amd_memory_pool_free"))
		return INVALID_ARGUMENT;
	free(address);
	return SUCCESS;
}

static uint32_t sim_hsa_memory_copy(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
	return SUCCESS;
}

static uint32_t sim_hsa_init(void);

static uint32_t sim_hsa_shut_down(void)
{
	if (!sim_users)
		return NOT_INITIALIZED;
	sim_closing = getenv("SIM_HSA_SLOW_SHUT_DOWN");
	sim_late("SIM_HSA_SLOW_SHUT_DOWN");
	sim_closing = false;
	sim_users--;
	return SUCCESS;
}

/* ---- the tables ---- */

#define FUNCTIONS(X)                                         \
	X(core, hsa_init)                                    \
	X(core, hsa_shut_down)                               \
	X(core, hsa_iterate_agents)                          \
	X(core, hsa_agent_get_info)                          \
	X(core, hsa_memory_copy)                             \
	X(core, hsa_system_get_info)                         \
	X(core, hsa_queue_create)                            \
	X(core, hsa_queue_destroy)                           \
	X(core, hsa_executable_symbol_get_info)              \
	X(amd, hsa_amd_signal_wait_any)                      \
	X(amd, hsa_amd_profiling_set_profiler_enabled)       \
	X(amd, hsa_amd_profiling_async_copy_enable)          \
	X(amd, hsa_amd_profiling_get_dispatch_time)          \
	X(amd, hsa_amd_profiling_get_async_copy_time)        \
	X(core, hsa_signal_create)                           \
	X(core, hsa_signal_destroy)                          \
	X(core, hsa_signal_wait_scacquire)                   \
	X(amd, hsa_amd_agent_iterate_memory_pools)           \
	X(amd, hsa_amd_memory_pool_allocate)                 \
	X(amd, hsa_amd_memory_pool_free)                     \
	X(amd, hsa_amd_memory_async_copy)

enum { core_first = hsa_dispatch_hsa_init, amd_first = hsa_dispatch_hsa_amd_coherency_get_type,
       end = hsa_dispatch_hsa_ext_program_create };

struct table {
	uint32_t major, bytes, step, reserved;
	void *function[end];
};
static struct table core, amd;
static struct {
	uint32_t major, bytes, step, reserved;
	struct table *table[4];
} root = {.table = {&core, &amd, NULL, NULL}};

#define FILL(table, name) table.function[hsa_dispatch_##name - table##_first] = (void *)sim_##name;
__attribute__((constructor)) static void fill(void)
{
	const char *major = getenv("SIM_TABLE_MAJOR");

	FUNCTIONS(FILL)
	core.major = amd.major = root.major = major ? (uint32_t)atoi(major) : 2;
	core.bytes = 16 + 8 * (amd_first - core_first);
	amd.bytes = 16 + 8 * (end - amd_first);
	root.bytes = sizeof(root);
}

#define CALL(table, name) ((__typeof__(sim_##name) *)table.function[hsa_dispatch_##name - table##_first])

static void load_tool(const char *name)
{
	void *library = dlopen(name, RTLD_LAZY);
	bool (*load)(void *, uint64_t, uint64_t, const char *const *) = library ? dlsym(library, "OnLoad") : NULL;

	if (load && load(&root, root.major, 0, NULL))
		sim_tools++;
}

static void load_tools(void)
{
	const char *list = getenv("HSA_TOOLS_LIB");
	char name[4096];
	size_t used = 0;

	for (; list && used < sizeof(name) - 1; list++) {
		if (*list == '\\' && list[1])
			name[used++] = *++list;
		else if (*list && *list != ' ')
			name[used++] = *list;
		if (used && (!*list || *list == ' ')) {
			name[used] = '\0';
			load_tool(name);
			used = 0;
		}
		if (!*list)
			break;
	}
}

static uint32_t sim_hsa_init(void)
{
	if (sim_fails("hsa_init"))
		return ERROR;
	if (sim_users++ == 0)
		load_tools();
	return SUCCESS;
}

uint32_t sim_inside(void *to, const void *from, size_t bytes)
{
	return CALL(core, hsa_memory_copy)(to, from, bytes);
}

/* ---- what is exported ---- */

uint32_t hsa_init(void) { return CALL(core, hsa_init)(); }
uint32_t hsa_shut_down(void) { return CALL(core, hsa_shut_down)(); }

uint32_t hsa_iterate_agents(uint32_t (*tell)(rec_word, void *), void *data)
{
	return CALL(core, hsa_iterate_agents)(tell, data);
}

uint32_t hsa_agent_get_info(rec_word agent, uint32_t what, void *value)
{
	return CALL(core, hsa_agent_get_info)(agent, what, value);
}

uint32_t hsa_amd_agent_iterate_memory_pools(rec_word agent, uint32_t (*tell)(rec_word, void *), void *data)
{
	return CALL(amd, hsa_amd_agent_iterate_memory_pools)(agent, tell, data);
}

uint32_t hsa_amd_memory_pool_allocate(rec_word pool, size_t bytes, uint32_t flags, void **made)
{
	return CALL(amd, hsa_amd_memory_pool_allocate)(pool, bytes, flags, made);
}

uint32_t hsa_amd_memory_pool_free(void *address)
{
	return CALL(amd, hsa_amd_memory_pool_free)(address);
}

uint32_t hsa_memory_copy(void *to, const void *from, size_t bytes)
{
	return CALL(core, hsa_memory_copy)(to, from, bytes);
}

uint32_t hsa_signal_create(int64_t value, uint32_t count, const rec_word *consumers, rec_word *made)
{
	return CALL(core, hsa_signal_create)(value, count, consumers, made);
}

uint32_t hsa_signal_destroy(rec_word signal)
{
	return CALL(core, hsa_signal_destroy)(signal);
}

int64_t hsa_signal_wait_scacquire(rec_word signal, uint32_t condition, int64_t value, uint64_t limit, uint32_t hint)
{
	return CALL(core, hsa_signal_wait_scacquire)(signal, condition, value, limit, hint);
}

uint32_t hsa_amd_memory_async_copy(void *to, rec_word to_agent, const void *from, rec_word from_agent, size_t bytes,
				   uint32_t count, const rec_word *waits, rec_word signal)
{
	return CALL(amd, hsa_amd_memory_async_copy)(to, to_agent, from, from_agent, bytes, count, waits, signal);
}

uint32_t hsa_system_get_info(uint32_t what, void *value)
{
	return CALL(core, hsa_system_get_info)(what, value);
}

uint32_t hsa_queue_create(rec_word agent, uint32_t size, uint32_t type, void *callback, void *data,
			  uint32_t private_bytes, uint32_t group_bytes, void **made)
{
	return CALL(core, hsa_queue_create)(agent, size, type, callback, data, private_bytes, group_bytes, made);
}

uint32_t hsa_queue_destroy(void *queue)
{
	return CALL(core, hsa_queue_destroy)(queue);
}

uint32_t hsa_executable_symbol_get_info(rec_word symbol, uint32_t what, void *value)
{
	return CALL(core, hsa_executable_symbol_get_info)(symbol, what, value);
}

uint32_t hsa_amd_signal_wait_any(uint32_t count, const rec_word *signals, const uint32_t *conditions,
				 const int64_t *values, uint64_t limit, uint32_t hint, int64_t *value_out)
{
	return CALL(amd, hsa_amd_signal_wait_any)(count, signals, conditions, values, limit, hint, value_out);
}

uint32_t hsa_amd_profiling_set_profiler_enabled(void *queue, int enable)
{
	return CALL(amd, hsa_amd_profiling_set_profiler_enabled)(queue, enable);
}

uint32_t hsa_amd_profiling_async_copy_enable(bool enable)
{
	return CALL(amd, hsa_amd_profiling_async_copy_enable)(enable);
}

uint32_t hsa_amd_profiling_get_dispatch_time(rec_word agent, rec_word signal, uint64_t *times)
{
	return CALL(amd, hsa_amd_profiling_get_dispatch_time)(agent, signal, times);
}

uint32_t hsa_amd_profiling_get_async_copy_time(rec_word signal, uint64_t *times)
{
	return CALL(amd, hsa_amd_profiling_get_async_copy_time)(signal, times);
}
