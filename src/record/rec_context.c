/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a device operation was started in: ranges, and calls of other backends (a collective that launches kernels). A
 * context is two numbers of chains: of the ranges that the thread had pushed with the calls that it was in, and of the
 * ranges of the process that were open. A chain is a node of a tree that only grows; it is looked for only when an
 * operation is started, once per range. Nodes are read without a lock.
 */
#include <string.h>

#include "record/rec_state.h"

#define NODES 4096u
#define STARTED_MOST 64u /* ranges of the process in one context */

struct node {
	uint16_t parent, slot; /* of the range or call, within the chain `parent` */
	uint16_t child, sibling; /* first child, next one of the same parent */
	uint16_t hint; /* the child that was found last */
};
static struct node node[NODES]; /* 0: the empty chain */
static uint32_t nodes = 1;
static uint32_t lock;
static uint64_t started; /* version of the process's ranges, and above 32 bits the chain that they make */
static uint32_t stamp[REC_ROWS_MAX + 1], stamps;

void rec_context_forget(void)
{
	memset(node, 0, sizeof(node));
	nodes = 1;
	lock = 0;
	started = 0;
}

static uint32_t find(uint32_t parent, uint32_t slot)
{
	uint32_t at = __atomic_load_n(&node[parent].hint, __ATOMIC_ACQUIRE);

	if (at && node[at].slot == slot)
		return at;
	at = __atomic_load_n(&node[parent].child, __ATOMIC_ACQUIRE);
	while (at && node[at].slot != slot)
		at = node[at].sibling;
	if (at)
		__atomic_store_n(&node[parent].hint, (uint16_t)at, __ATOMIC_RELEASE);
	return at;
}

/* The chain with this range at its end; where there is no room the one without. */
static uint32_t chain(uint32_t parent, uint32_t slot)
{
	uint32_t at = find(parent, slot);
	uint64_t signals;

	if (likely(at))
		return at;
	rec_signals_block(&signals);
	rec_lock(&lock);
	at = find(parent, slot);
	if (!at && nodes < NODES) {
		at = nodes++;
		node[at] = (struct node){.parent = (uint16_t)parent, .slot = (uint16_t)slot,
					 .sibling = node[parent].child};
		__atomic_store_n(&node[parent].child, (uint16_t)at, __ATOMIC_RELEASE);
	} else if (!at) {
		rec_state.process->notes |= FMT_NOTE_CONTEXTS_FULL;
		at = parent;
	}
	rec_unlock(&lock);
	rec_signals_restore(&signals);
	return at;
}

static uint32_t thread_chain(struct fmt_thread *thread)
{
	uint32_t depth = thread->ranges, known = depth, at;

	while (known && !thread->range[known].context)
		known--;
	at = known ? thread->range[known].context : 0;
	while (known++ < depth) {
		if (thread->range[known].slot)
			at = chain(at, thread->range[known].slot);
		thread->range[known].context = (uint16_t)at;
	}
	return at;
}

/* In order of slot, so that the same ranges make the same chain. */
static uint32_t started_chain(void)
{
	uint64_t known = __atomic_load_n(&started, __ATOMIC_RELAXED);
	uint32_t version = __atomic_load_n(&rec_range_version, __ATOMIC_ACQUIRE), count, at = 0;
	uint16_t slots[STARTED_MOST + 1];

	if ((uint32_t)known == version)
		return (uint32_t)(known >> 32);
	count = rec_range_started(slots, STARTED_MOST + 1);
	if (unlikely(count > STARTED_MOST)) {
		rec_state.process->notes |= FMT_NOTE_CONTEXTS_FULL;
		count = STARTED_MOST;
	}
	for (uint32_t i = 1; i < count; i++)
		for (uint32_t j = i; j && slots[j - 1] > slots[j]; j--) {
			uint16_t slot = slots[j];

			slots[j] = slots[j - 1];
			slots[j - 1] = slot;
		}
	for (uint32_t i = 0; i < count; i++)
		if (!i || slots[i] != slots[i - 1])
			at = chain(at, slots[i]);
	__atomic_store_n(&started, (uint64_t)at << 32 | version, __ATOMIC_RELAXED);
	return at;
}

/* With the open calls of other backends: the layers above, which asked for the operation. */
static uint32_t calls_chain(const struct fmt_thread *thread, uint32_t at, uint32_t backend)
{
	for (uint32_t i = 1; i <= thread->depth; i++) {
		const struct fmt_function *function =
			rec_area_item(FMT_SECTION_FUNCTIONS, thread->frame[i].slot - 1);

		if (function->backend != backend)
			at = chain(at, thread->frame[i].slot);
	}
	return at;
}

uint32_t rec_context(const struct rec_backend *backend)
{
	struct fmt_thread *thread = rec_tls.thread;
	uint32_t context = 0;

	if (!rec_wiped->open)
		return 0;
	if (thread && rec_tls.generation == rec_state.generation) {
		if (thread->ranges)
			context = thread_chain(thread);
		context = calls_chain(thread, context, backend->index);
	}
	if (rec_range_version)
		context |= started_chain() << 16;
	return context;
}

static void add(uint32_t at, uint64_t device_ns)
{
	for (; at && at < NODES; at = node[at].parent) {
		struct fmt_function *function = rec_area_item(FMT_SECTION_FUNCTIONS, node[at].slot - 1);

		if (stamp[node[at].slot] != stamps) /* what is within itself counts once */
			function->device_ns += device_ns;
		stamp[node[at].slot] = stamps;
	}
}

void rec_context_add(uint32_t context, uint64_t device_ns)
{
	stamps++;
	add(context & 0xffff, device_ns);
	add(context >> 16, device_ns);
}
