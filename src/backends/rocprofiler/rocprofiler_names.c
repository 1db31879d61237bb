/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels by the library's numbers, which it tells once, when code is loaded; its agents, and their queues. */
#include <stdio.h>
#include <string.h>

#include "rocprofiler.h"

#define AGENTS 128u
#define NAME_BYTES 4096u

struct text {
	const char *bytes; /* for the rest of the process */
	size_t length;
};
static struct rec_map kernels = REC_MAP(struct text);

static struct agent {
	rocp_handle id;
	uint32_t type, ordinal;
	uint32_t index, generation; /* rec_device(), in that record */
	char key[32];
	char name[256];
} agents[AGENTS];
static uint32_t agent_count;

/* ---- kernels ---- */

/* The linker's name of a kernel's descriptor: "name.kd". */
static void kernel_loaded(const struct rocp_kernel_symbol *symbol)
{
	struct text text = {.length = symbol->name ? strlen(symbol->name) : 0};

	if (text.length > 3 && strcmp(symbol->name + text.length - 3, ".kd") == 0)
		text.length -= 3;
	if (!text.length)
		return;
	if (text.length > 2 * NAME_BYTES) /* rec_name() would cut it further */
		text.length = 2 * NAME_BYTES;
	text.bytes = rec_keep(symbol->name, text.length);
	if (text.bytes)
		rec_map_put(&kernels, symbol->kernel, &text);
}

/* That of a code object ends in its file, or says that it lies in memory: "memory://pid#offset=..&size=..". */
static void code_loaded(const struct rocp_code *code)
{
	const char *uri = code->uri ? code->uri : "", *file = strrchr(uri, '/');
	size_t length;

	if (!rec_on() || rec_is_paused() || strncmp(uri, "file:", 5) != 0 || rec_backend_there("hip"))
		return;
	file = file ? file + 1 : uri;
	length = strcspn(file, "#");
	rec_build(&rocprofiler_backend, rec_name(file, length), SONDE_BUILD_binary, 0, false);
}

static void code_told(int32_t operation, uint32_t phase, const void *payload)
{
	uint32_t token;

	if (phase != ROCP_LOAD)
		return;
	token = rec_guard_enter();
	if (operation == ROCP_CODE_OBJECT_KERNEL)
		kernel_loaded(payload);
	else if (operation == ROCP_CODE_OBJECT_LOAD)
		code_loaded(payload);
	rec_guard_leave(token);
}

void rocp_code_call_0(struct rocp_call_0 call, uint64_t *user, void *data)
{
	(void)user;
	(void)data;
	code_told(call.operation, call.phase, call.payload);
}

void rocp_code_call_1(struct rocp_call_1 call, uint64_t *user, void *data)
{
	(void)user;
	(void)data;
	code_told(call.operation, call.phase, call.payload);
}

uint64_t rocp_kernel_name(rocp_handle kernel)
{
	struct text text;
	char number[32];

	if (rec_map_get(&kernels, (rec_word)kernel, &text))
		return rec_name(text.bytes, text.length);
	snprintf(number, sizeof(number), "kernel %llu", (unsigned long long)kernel);
	return rec_name(number, strlen(number));
}

/* ---- agents ---- */

int rocp_agents_take(int version, const void **list, size_t count, void *data)
{
	uint32_t gpus = 0;

	(void)version;
	(void)data;
	agent_count = 0;
	for (size_t i = 0; i < count && agent_count < AGENTS; i++) {
		const struct rocp_agent *theirs = list[i];
		struct agent *agent = &agents[agent_count++];
		const char *name = theirs->product && *theirs->product ? theirs->product : theirs->name;

		agent->id = theirs->id;
		agent->type = theirs->type;
		agent->generation = 0;
		agent->ordinal = theirs->type == ROCP_AGENT_GPU ? gpus++ : 0;
		/* as all of AMD's runtimes tell it, in all processes */
		snprintf(agent->key, sizeof(agent->key), "pci %04x:%02x:%02x.%x", theirs->domain,
			 theirs->location >> 8 & 0xff, theirs->location >> 3 & 0x1f, theirs->location & 7);
		snprintf(agent->name, sizeof(agent->name), "%s", name ? name : "GPU");
	}
	return ROCP_SUCCESS;
}

static struct agent *agent_of(rocp_handle id)
{
	for (uint32_t i = 0; i < agent_count; i++)
		if (agents[i].id == id)
			return &agents[i];
	return NULL;
}

uint32_t rocp_device(rocp_handle id)
{
	struct agent *agent = agent_of(id);

	if (!agent || agent->type != ROCP_AGENT_GPU)
		return UINT32_MAX;
	if (agent->generation != rec_generation()) {
		agent->index = rec_device(&rocprofiler_backend, agent->key, agent->name, agent->ordinal);
		agent->generation = rec_generation();
	}
	return agent->index;
}

/* ---- queues: HIP's streams where they are told, else the runtime's queues ---- */

struct queue {
	uint32_t index;
};
static struct rec_map queues = REC_MAP(struct queue);

uint32_t rocp_queue(uint32_t device, const struct rocp_start *start, rocp_handle id)
{
	rec_word key = ((rec_word)device << 33 | (rec_word)start->has_stream << 32) +
		       (start->has_stream ? start->stream : id) + 1;
	struct queue queue;
	char name[40];

	if (rec_map_get(&queues, key, &queue))
		return queue.index;
	snprintf(name, sizeof(name), start->has_stream ? "stream %llu" : "queue %llu",
		 (unsigned long long)(start->has_stream ? start->stream : id));
	queue.index = rec_queue(&rocprofiler_backend, device, key, name);
	if (queue.index != UINT32_MAX)
		rec_map_put(&queues, key, &queue);
	return queue.index;
}

void rocp_devices_forget(void)
{
	queues = (struct rec_map)REC_MAP(struct queue);
}
