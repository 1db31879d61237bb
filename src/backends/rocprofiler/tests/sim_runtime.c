/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A little of libamdhip64, on the simulated devices: launches, copies, streams, memory, kernels by name. It registers
 * with rocprofiler-register at its first call, as the real one does.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rocprofiler.h"
#include "table.h"

#define EXPORT __attribute__((visibility("default")))
#define KERNELS 64u

int rocprofiler_register_library_api_table(const char *name, void *import, uint32_t version, void **tables,
					   uint64_t count, void *id_out);

static struct sim_table table;
static struct sim_queue *queue;
static char *kernel_name[KERNELS];
static unsigned kernels, streams;
static unsigned long outstanding;

static void start(void)
{
	void *tables[] = {&table};
	uint64_t id;

	queue = sim_queue_create(0, true);
	rocprofiler_register_library_api_table("hip", NULL, 60000, tables, 1, &id);
}

static void begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, start);
}

static void ended(void *user)
{
	struct sim_operation *operation = user;

	if (table.ended)
		table.ended(operation);
	free(operation);
	__atomic_sub_fetch(&outstanding, 1, __ATOMIC_RELEASE);
}

static void submit(struct sim_operation *operation, struct sim_work *work, uint64_t stream)
{
	operation->event = sim_event_create();
	operation->queue = 0xabc;
	if (table.stream)
		table.stream(stream, true);
	if (table.started)
		table.started(operation);
	work->signals = operation->event;
	work->done = ended;
	work->user = operation;
	__atomic_add_fetch(&outstanding, 1, __ATOMIC_RELEASE);
	sim_submit(queue, work);
	if (table.stream)
		table.stream(stream, false);
}

EXPORT int hipInit(unsigned flags)
{
	begin();
	return (int)flags;
}

EXPORT int hipModuleLoadData(void **module, const void *image)
{
	(void)image;
	begin();
	*module = &table;
	return 0;
}

/* A new kernel for each name. */
EXPORT int hipModuleGetFunction(void **function, void *module, const char *name)
{
	char *descriptor = malloc(strlen(name) + 4);

	(void)module;
	begin();
	strcpy(stpcpy(descriptor, name), ".kd");
	kernel_name[kernels] = strdup(name);
	if (table.loaded)
		table.loaded(kernels + 1, descriptor);
	free(descriptor);
	*function = (void *)(uintptr_t)++kernels;
	return 0;
}

EXPORT int hipStreamCreate(void **stream)
{
	begin();
	*stream = (void *)(uintptr_t)++streams;
	return 0;
}

EXPORT int hipModuleLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by,
				 unsigned bz, unsigned shared, void *stream, void **parameters, void **extra)
{
	struct sim_operation *operation = calloc(1, sizeof(*operation));
	struct sim_work work = {.kind = SIM_KERNEL, .name = kernel_name[(uintptr_t)function - 1],
				.kernel = sim_kernel_find("spin"), .items = 1};
	static const uint64_t spin = 200000;

	(void)shared;
	(void)parameters;
	(void)extra;
	begin();
	if (sim_fails("hipModuleLaunchKernel")) {
		free(operation);
		return 1;
	}
	work.argument[0] = &spin;
	work.argument_bytes[0] = sizeof(spin);
	operation->kernel = (uint64_t)(uintptr_t)function;
	memcpy(operation->group, (unsigned[]){bx, by, bz}, sizeof(operation->group));
	memcpy(operation->grid, (unsigned[]){x * bx, y * by, z * bz}, sizeof(operation->grid));
	submit(operation, &work, (uint64_t)(uintptr_t)stream);
	return 0;
}

EXPORT int hipMemcpyAsync(void *to, const void *from, size_t bytes, int way, void *stream)
{
	struct sim_operation *operation = calloc(1, sizeof(*operation));
	struct sim_work work = {.kind = SIM_COPY, .name = "copy", .to = to, .from = from, .bytes = bytes};

	begin();
	operation->copy = true;
	operation->direction = way + 1;
	operation->bytes = bytes;
	submit(operation, &work, (uint64_t)(uintptr_t)stream);
	return 0;
}

EXPORT int hipMalloc(void **made, size_t bytes)
{
	begin();
	*made = malloc(bytes);
	if (table.memory)
		table.memory((uint64_t)(uintptr_t)*made, bytes);
	if (table.scratch)
		table.scratch(1, 4096);
	return 0;
}

EXPORT int hipFree(void *address)
{
	if (table.memory)
		table.memory((uint64_t)(uintptr_t)address, 0);
	free(address);
	return 0;
}

EXPORT int hipDeviceSynchronize(void)
{
	const struct timespec nap = {0, 50000};

	begin();
	sim_queue_wait(queue, SIM_FOREVER);
	while (__atomic_load_n(&outstanding, __ATOMIC_ACQUIRE))
		nanosleep(&nap, NULL);
	return 0;
}
