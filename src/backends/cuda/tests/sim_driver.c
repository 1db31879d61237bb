/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated driver: see sim.h. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

#define NOT_INITIALISED 3
#define NOT_FOUND 500

static __thread struct sim_operation operation;
static __thread uint32_t open_call; /* number of the call that the thread is in */
static uint32_t numbers, capturing;
static pid_t owner;
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct sim_operation *thread_operation(void)
{
	return &operation;
}

/* As the real one: whatever goes wrong with the tool, CUDA starts. */
static void load_tool(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *object = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*initialize)(void) = object ? (int (*)(void))(uintptr_t)dlsym(object, "InitializeInjection") : NULL;

	if (initialize)
		initialize();
}

SIM_EXPORT int cuInit(unsigned flags)
{
	(void)flags;
	pthread_mutex_lock(&starting);
	if (!owner) {
		owner = getpid();
		load_tool();
	}
	pthread_mutex_unlock(&starting);
	return owner == getpid() ? 0 : NOT_INITIALISED;
}

/* ---- calls ---- */

static void enter(struct sim_call *call, int domain, uint32_t id)
{
	call->outer = open_call;
	if (!open_call || domain == CUPTI_RUNTIME)
		open_call = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	call->kept = 0;
	call->result = 0;
	call->report = (struct cupti_call){.site = CUPTI_ENTER, .kept = &call->kept, .correlation = open_call};
	if (sim_driver()->tools)
		sim_driver()->tools->call(domain, id, &call->report);
}

static int leave(struct sim_call *call, int domain, uint32_t id, int result)
{
	call->result = result;
	call->report.site = CUPTI_EXIT;
	call->report.result = &call->result;
	if (sim_driver()->tools)
		sim_driver()->tools->call(domain, id, &call->report);
	open_call = call->outer;
	return result;
}

static void enter_runtime(struct sim_call *call, uint32_t id)
{
	enter(call, CUPTI_RUNTIME, id);
}

static int leave_runtime(struct sim_call *call, uint32_t id, int result)
{
	return leave(call, CUPTI_RUNTIME, id, result);
}

SIM_EXPORT struct sim_driver *sim_driver(void)
{
	static struct sim_driver driver = {NULL, enter_runtime, leave_runtime, thread_operation};

	return &driver;
}

/* ---- what they start ---- */

static void times(uint64_t *begin, uint64_t *end)
{
	*begin = operation.begin;
	*end = operation.end;
	if (!*begin && !*end) {
		*begin = sim_driver()->tools->now();
		*end = sim_driver()->tools->now();
	}
	if (operation.untimed)
		*begin = *end = 0;
}

static void add_kernels(uint64_t count, bool graph)
{
	struct cupti_kernel kernel = {
		.kind = CUPTI_KERNEL, .device = operation.device, .context = operation.context,
		.stream = operation.stream, .correlation = open_call, .name = operation.name,
		.registers = (uint16_t)operation.registers, .static_shared = (int32_t)operation.static_shared,
		.dynamic_shared = (int32_t)operation.dynamic_shared, .graph = graph ? operation.graph : 0,
	};

	memcpy(kernel.grid, &operation.grid, sizeof(kernel.grid));
	memcpy(kernel.block, &operation.block, sizeof(kernel.block));
	for (uint64_t i = 0; i < count; i++) {
		times(&kernel.begin, &kernel.end);
		kernel.graph_node = graph ? i + 1 : 0;
		sim_driver()->tools->record((const struct cupti_record *)&kernel, sizeof(kernel));
	}
}

static void add_copy(void)
{
	struct cupti_memcpy copy = {
		.kind = CUPTI_MEMCPY, .copy = operation.copy, .from = operation.from, .to = operation.to,
		.flags = operation.asynchronous ? CUPTI_ASYNC : 0, .bytes = operation.bytes,
		.device = operation.device, .context = operation.context, .stream = operation.stream,
		.correlation = open_call,
	};

	times(&copy.begin, &copy.end);
	sim_driver()->tools->record((const struct cupti_record *)&copy, sizeof(copy));
}

static void add_peer_copy(void)
{
	struct cupti_memcpy_peer copy = {
		.kind = CUPTI_MEMCPY_PEER, .copy = CUPTI_COPY_PTOP, .from = CUPTI_DEVICE, .to = CUPTI_DEVICE,
		.flags = CUPTI_ASYNC, .bytes = operation.bytes, .device = operation.device,
		.context = operation.context, .stream = operation.stream, .from_device = operation.device,
		.to_device = operation.device + 1, .correlation = open_call,
	};

	times(&copy.begin, &copy.end);
	sim_driver()->tools->record((const struct cupti_record *)&copy, sizeof(copy));
}

static void add_fill(void)
{
	struct cupti_memset fill = {
		.kind = CUPTI_MEMSET, .bytes = operation.bytes, .device = operation.device,
		.context = operation.context, .stream = operation.stream, .correlation = open_call,
		.memory = (uint16_t)operation.memory,
	};

	times(&fill.begin, &fill.end);
	sim_driver()->tools->record((const struct cupti_record *)&fill, sizeof(fill));
}

static void add_memory(uint32_t what)
{
	struct cupti_memory memory = {
		.kind = CUPTI_MEMORY, .operation = what, .memory = operation.memory, .correlation = open_call,
		.bytes = operation.bytes, .time = sim_driver()->tools->now(), .device = operation.device,
	};

	sim_driver()->tools->record((const struct cupti_record *)&memory, sizeof(memory));
}

static void add_jit(void)
{
	struct cupti_jit_record jit = {
		.kind = CUPTI_JIT, .entry = 1, .operation = operation.jit, .device = operation.device,
		.correlation = open_call, .cache_path = operation.name,
	};

	if (!operation.jit)
		return;
	times(&jit.begin, &jit.end);
	sim_driver()->tools->record((const struct cupti_record *)&jit, sizeof(jit));
}

static void run(enum sim_action action)
{
	if (action == SIM_CAPTURE)
		capturing++;
	if (action == SIM_CAPTURED)
		capturing--;
	/* what is captured does not run */
	if (!sim_driver()->tools || operation.silent || (capturing && action != SIM_ALLOCATE && action != SIM_RELEASE))
		return;
	switch (action) {
	case SIM_KERNEL:
		add_kernels(1, false);
		break;
	case SIM_GRAPH:
		add_kernels(operation.nodes, true);
		break;
	case SIM_COPY:
		add_copy();
		break;
	case SIM_PEER:
		add_peer_copy();
		break;
	case SIM_FILL:
		add_fill();
		break;
	case SIM_ALLOCATE:
		add_memory(CUPTI_ALLOCATED);
		break;
	case SIM_RELEASE:
		add_memory(CUPTI_RELEASED);
		break;
	case SIM_LOAD:
		add_jit();
		break;
	default:
		break;
	}
}

static void spend(uint64_t ns)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + ns;

	while (ns && clock_ns(CLOCK_MONOTONIC) < until)
		;
}

static int call(uint32_t id, enum sim_action action)
{
	struct sim_call call;
	int answer = operation.answer;

	if (owner != getpid())
		return NOT_INITIALISED;
	enter(&call, CUPTI_DRIVER, id);
	if (!answer)
		run(action);
	spend(operation.took);
	return leave(&call, CUPTI_DRIVER, id, answer);
}

#pragma GCC diagnostic ignored "-Wunused-parameter" /* what is started stands in the thread's operation */
#define DEFINE(name, arguments, action)                       \
	SIM_EXPORT int name arguments                         \
	{                                                     \
		return call(SIM_NUMBER_##name, SIM_##action); \
	}
SIM_DRIVER(DEFINE)

/* ---- questions ---- */

SIM_EXPORT int cuDriverGetVersion(int *version)
{
	const char *wanted = getenv("SIM_DRIVER_VERSION");

	*version = wanted ? atoi(wanted) : 13000;
	return 0;
}

SIM_EXPORT int cuDeviceGetName(char *name, int size, int device)
{
	snprintf(name, (size_t)size, "Simulated GPU %d", device);
	return 0;
}

SIM_EXPORT int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
	memset(uuid, 0x51, 16);
	uuid[15] = (unsigned char)device;
	return 0;
}

SIM_EXPORT int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *found)
{
#define ENTRY(name, arguments, action) {#name, (void *)(uintptr_t)name},
	static const struct {
		const char *name;
		void *function;
	} known[] = {
		SIM_DRIVER(ENTRY) {"cuInit", (void *)(uintptr_t)cuInit},
		{"sim_driver", (void *)(uintptr_t)sim_driver},
	};

	*function = NULL;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && !*function; i++)
		if (!strcmp(known[i].name, name))
			*function = known[i].function;
	if (found)
		*found = *function ? 0 : 1;
	return *function ? 0 : NOT_FOUND;
}
