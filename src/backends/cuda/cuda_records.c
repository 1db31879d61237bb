/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What devices did: CUPTI fills buffers with records and hands full ones back on a thread of its own. Small buffers:
 * what is in the one that is not full when the program is killed has no times.
 */
#include <string.h>
#include <sys/mman.h>

#include "cupti.h"

#define BUFFER_BYTES (128u << 10)
#define BUFFERS 256u

static uint32_t lock, free_count;
static uint8_t *free_buffer[BUFFERS];
static uint64_t oldest[2]; /* earliest begin in each of the last two buffers */

void cuda_buffer_wanted(uint8_t **buffer, size_t *bytes, size_t *records_most)
{
	uint8_t *found = NULL;

	*records_most = 0; /* as many as there is room for */
	rec_lock(&lock);
	if (free_count)
		found = free_buffer[--free_count];
	rec_unlock(&lock);
	if (!found) {
		void *fresh = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		found = fresh == MAP_FAILED ? NULL : fresh;
	}
	*buffer = found;
	*bytes = found ? BUFFER_BYTES : 0;
}

static void give_buffer(uint8_t *buffer)
{
	bool kept;

	rec_lock(&lock);
	kept = free_count < BUFFERS;
	if (kept)
		free_buffer[free_count++] = buffer;
	rec_unlock(&lock);
	if (!kept)
		munmap(buffer, BUFFER_BYTES);
}

/*
 * An operation: into the ledger, if the call that started it did not put it there, and into the sums. launch: its call
 * is that of one kernel.
 */
static void add(struct rec_span *span, uint32_t correlation, bool launch)
{
	struct cuda_start start = cuda_start_of(correlation);

	if (start.paused)
		return;
	if (!launch || !start.seen)
		rec_device_seen(&cuda_backend);
	if (!span->begin_ns || span->end_ns < span->begin_ns) {
		rec_device_untimed(&cuda_backend);
		return;
	}
	if (span->begin_ns < oldest[0] || !oldest[0])
		oldest[0] = span->begin_ns;
	span->correlation = correlation;
	span->context = start.context;
	rec_device_span(&cuda_backend, span);
	if (span->kind == SONDE_KIND_copy)
		cuda_blocking_ran(correlation, span->waited, span->end_ns - span->begin_ns);
}

static struct fmt_details details_of(const struct cupti_kernel *kernel)
{
	struct fmt_details details = {.shape = {
		.known = FMT_SHAPE_GRID | FMT_SHAPE_BLOCK | FMT_SHAPE_REGISTERS | FMT_SHAPE_STATIC | FMT_SHAPE_DYNAMIC,
		.registers = kernel->registers, .static_shared = (uint32_t)kernel->static_shared,
		.dynamic_shared = (uint32_t)kernel->dynamic_shared,
	}, .graph = kernel->graph, .node = kernel->graph_node};

	memcpy(details.shape.grid, kernel->grid, sizeof(details.shape.grid));
	memcpy(details.shape.block, kernel->block, sizeof(details.shape.block));
	return details;
}

static void add_kernel(const struct cupti_kernel *kernel)
{
	struct rec_span span = {
		.begin_ns = kernel->begin, .end_ns = kernel->end,
		.name = kernel->name ? rec_name(kernel->name, strlen(kernel->name)) : 0,
		.device = cuda_device(kernel->device),
		.queue = cuda_queue(kernel->device, kernel->context, kernel->stream),
		.kind = SONDE_KIND_launch, .details = details_of(kernel),
	};

	add(&span, kernel->correlation, !kernel->graph_node);
}

static enum sonde_direction direction_of(uint8_t copy)
{
	switch (copy) {
	case CUPTI_COPY_HTOD:
	case CUPTI_COPY_HTOA:
		return SONDE_DIRECTION_h2d;
	case CUPTI_COPY_DTOH:
	case CUPTI_COPY_ATOH:
		return SONDE_DIRECTION_d2h;
	case CUPTI_COPY_HTOH:
		return SONDE_DIRECTION_h2h;
	case CUPTI_COPY_PTOP:
		return SONDE_DIRECTION_p2p;
	default:
		return SONDE_DIRECTION_d2d;
	}
}

static enum sonde_memory_kind memory_of(uint32_t kind)
{
	switch (kind) {
	case CUPTI_PAGEABLE:
		return SONDE_MEMORY_pageable;
	case CUPTI_PINNED:
		return SONDE_MEMORY_pinned;
	case CUPTI_DEVICE:
	case CUPTI_ARRAY:
	case CUPTI_DEVICE_STATIC:
		return SONDE_MEMORY_device;
	case CUPTI_MANAGED:
	case CUPTI_MANAGED_STATIC:
		return SONDE_MEMORY_managed;
	default:
		return SONDE_MEMORY_unknown;
	}
}

static void add_copy(const struct cupti_memcpy *copy)
{
	enum sonde_direction direction = direction_of(copy->copy);
	bool from_host = direction == SONDE_DIRECTION_h2d || direction == SONDE_DIRECTION_h2h;
	struct rec_span span = {
		.begin_ns = copy->begin, .end_ns = copy->end, .bytes = copy->bytes,
		.device = cuda_device(copy->device),
		.queue = cuda_queue(copy->device, copy->context, copy->stream),
		.kind = SONDE_KIND_copy, .direction = direction, .memory = memory_of(from_host ? copy->from : copy->to),
		.details = {.graph = copy->graph, .node = copy->graph_node},
		/* between a device's own places the call returns before the copy has begun */
		.waited = !(copy->flags & CUPTI_ASYNC) && direction != SONDE_DIRECTION_d2d,
	};

	add(&span, copy->correlation, false);
}

static void add_peer_copy(const struct cupti_memcpy_peer *copy)
{
	struct rec_span span = {
		.begin_ns = copy->begin, .end_ns = copy->end, .bytes = copy->bytes,
		.device = cuda_device(copy->device),
		.queue = cuda_queue(copy->device, copy->context, copy->stream),
		.kind = SONDE_KIND_copy, .direction = SONDE_DIRECTION_p2p, .memory = SONDE_MEMORY_device,
		.details = {.graph = copy->graph, .node = copy->graph_node},
	};

	add(&span, copy->correlation, false);
}

static void add_fill(const struct cupti_memset *fill)
{
	struct rec_span span = {
		.begin_ns = fill->begin, .end_ns = fill->end, .bytes = fill->bytes,
		.device = cuda_device(fill->device),
		.queue = cuda_queue(fill->device, fill->context, fill->stream),
		.kind = SONDE_KIND_fill, .direction = SONDE_DIRECTION_fill, .memory = memory_of(fill->memory),
		.details = {.graph = fill->graph, .node = fill->graph_node},
	};

	add(&span, fill->correlation, false);
}

static void add_memory(const struct cupti_memory *memory)
{
	/* variables of the code that is loaded: PyTorch has a thousand */
	enum sonde_memory_kind kind =
		memory->memory == CUPTI_DEVICE_STATIC ? SONDE_MEMORY_statics : memory_of(memory->memory);
	bool host = kind == SONDE_MEMORY_pinned || kind == SONDE_MEMORY_pageable;
	int64_t bytes = (int64_t)memory->bytes;

	if (memory->operation != CUPTI_ALLOCATED && memory->operation != CUPTI_RELEASED)
		return;
	rec_memory(&cuda_backend, host ? UINT32_MAX : cuda_device(memory->device), kind,
		   memory->operation == CUPTI_ALLOCATED ? bytes : -bytes);
}

static void add_record(const struct cupti_record *record)
{
	switch (record->kind) {
	case CUPTI_KERNEL:
		add_kernel((const struct cupti_kernel *)record);
		break;
	case CUPTI_MEMCPY:
		add_copy((const struct cupti_memcpy *)record);
		break;
	case CUPTI_MEMCPY_PEER:
		add_peer_copy((const struct cupti_memcpy_peer *)record);
		break;
	case CUPTI_MEMSET:
		add_fill((const struct cupti_memset *)record);
		break;
	case CUPTI_MEMORY:
		add_memory((const struct cupti_memory *)record);
		break;
	case CUPTI_JIT:
		cuda_jit((const struct cupti_jit_record *)record);
		break;
	default:
		break;
	}
}

void cuda_buffer_done(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t filled)
{
	struct cupti_record *record = NULL;
	size_t dropped = 0;

	(void)bytes;
	if (!buffer)
		return;
	if (filled && rec_on()) {
		oldest[1] = oldest[0];
		oldest[0] = 0;
		while (cupti.ActivityGetNextRecord(buffer, filled, &record) == 0)
			add_record(record);
		if (cupti.ActivityGetNumDroppedRecords(context, stream, &dropped) == 0)
			for (; dropped; dropped--) /* those of launches were seen when they were made */
				rec_device_lost(&cuda_backend);
	}
	give_buffer(buffer);
}

/* Buffers come in the order in which their last records ended, about: the last but one is a bound. */
uint64_t cuda_oldest_open(void)
{
	uint64_t bound = oldest[1];

	return bound ? bound : UINT64_MAX;
}
