/* SPDX-License-Identifier: BSD-3-Clause */
/* What devices did: the library fills buffers with records and hands them over on a thread of its own. */
#include <string.h>

#include "rocprofiler.h"

/* Into the ledger, and with host times. False: it is not to be recorded, or has no times that can be right. */
static bool timed(struct rec_span *span, const struct rocp_start *start, uint64_t begin, uint64_t end)
{
	if (start->paused)
		return false;
	if (!start->seen)
		rec_device_seen(&rocprofiler_backend);
	if (!rocp_clock_convert(begin, end, start, span)) {
		rec_device_untimed(&rocprofiler_backend);
		return false;
	}
	span->context = start->context;
	return true;
}

static void add_kernel(const struct rocp_kernel *kernel)
{
	const struct rocp_dispatch *dispatch = &kernel->dispatch;
	struct rocp_start start = rocp_start_of(kernel->correlation.external);
	struct rec_span span = {
		.kind = SONDE_KIND_launch, .correlation = kernel->correlation.external,
		.details = {.shape = {.known = FMT_SHAPE_GRID | FMT_SHAPE_BLOCK}},
	};

	for (int i = 0; i < 3; i++) {
		uint32_t group = dispatch->group[i] ? dispatch->group[i] : 1;

		span.details.shape.block[i] = group;
		span.details.shape.grid[i] = dispatch->grid[i] / group + (dispatch->grid[i] % group != 0);
	}
	if (!timed(&span, &start, kernel->begin, kernel->end))
		return;
	span.name = rocp_kernel_name(dispatch->kernel);
	span.device = rocp_device(dispatch->agent);
	span.queue = rocp_queue(span.device, &start, dispatch->queue);
	rec_device_span(&rocprofiler_backend, &span);
}

static enum sonde_direction direction_of(const struct rocp_memory_copy *copy)
{
	switch (copy->operation) {
	case ROCP_H2D:
		return SONDE_DIRECTION_h2d;
	case ROCP_D2H:
		return SONDE_DIRECTION_d2h;
	case ROCP_H2H:
		return SONDE_DIRECTION_h2h;
	default:
		return copy->to == copy->from ? SONDE_DIRECTION_d2d : SONDE_DIRECTION_p2p;
	}
}

static void add_copy(const struct rocp_memory_copy *copy)
{
	struct rocp_start start = rocp_start_of(copy->correlation.external);
	struct rec_span span = {
		.kind = SONDE_KIND_copy, .correlation = copy->correlation.external, .bytes = copy->bytes,
		.direction = direction_of(copy), .queue = UINT32_MAX,
	};

	if (!timed(&span, &start, copy->begin, copy->end))
		return;
	span.device = rocp_device(span.direction == SONDE_DIRECTION_h2d ? copy->to : copy->from);
	if (start.has_stream)
		span.queue = rocp_queue(span.device, &start, 0);
	rec_device_span(&rocprofiler_backend, &span);
}

/* ---- memory ---- */

struct block {
	uint64_t bytes;
	uint32_t device, memory;
};
static struct rec_map blocks = REC_MAP(struct block);  /* by address */
static struct rec_map scratch = REC_MAP(struct block); /* by queue */

static void replace(struct rec_map *map, rec_word key, const struct block *block)
{
	struct block old;

	if (rec_map_take(map, key, &old))
		rec_memory(&rocprofiler_backend, old.device, (enum sonde_memory_kind)old.memory, -(int64_t)old.bytes);
	if (block && rec_map_put(map, key, block))
		rec_memory(&rocprofiler_backend, block->device, (enum sonde_memory_kind)block->memory,
			   (int64_t)block->bytes);
}

static void add_memory(const struct rocp_memory *memory)
{
	struct block block = {.bytes = memory->bytes, .device = rocp_device(memory->agent)};
	bool made = memory->operation == ROCP_ALLOCATE || memory->operation == ROCP_VMEM_ALLOCATE;

	block.memory = block.device == UINT32_MAX ? SONDE_MEMORY_pinned : SONDE_MEMORY_device;
	if (memory->address)
		replace(&blocks, (rec_word)memory->address, made && memory->bytes ? &block : NULL);
}

/* What kernels spill to: the runtime keeps it per queue. */
static void add_scratch(const struct rocp_scratch_memory *memory)
{
	struct block block = {.bytes = memory->bytes, .device = rocp_device(memory->agent),
			      .memory = SONDE_MEMORY_device};

	replace(&scratch, (rec_word)memory->queue + 1,
		memory->operation == ROCP_SCRATCH_ALLOC && memory->bytes ? &block : NULL);
}

void rocp_buffer_take(rocp_handle context, rocp_handle buffer, struct rocp_header **headers, size_t count, void *data,
		      uint64_t dropped)
{
	uint32_t token;

	(void)context;
	(void)buffer;
	(void)data;
	if (!rocp_live() || !(count || dropped))
		return;
	token = rec_guard_enter();
	rocp_used();
	rocp_clock_read();
	for (size_t i = 0; i < count; i++) {
		if (!headers[i] || headers[i]->category != ROCP_CATEGORY_TRACING || !headers[i]->record)
			continue;
		switch (headers[i]->kind) {
		case ROCP_KERNEL:
			add_kernel(headers[i]->record);
			break;
		case ROCP_COPY:
			add_copy(headers[i]->record);
			break;
		case ROCP_ALLOCATION:
			add_memory(headers[i]->record);
			break;
		case ROCP_SCRATCH:
			add_scratch(headers[i]->record);
			break;
		default:
			break;
		}
	}
	for (; dropped; dropped--) /* they were seen when they were started */
		rec_device_lost(&rocprofiler_backend);
	rec_guard_leave(token);
}
