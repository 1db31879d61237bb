/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Body of a tally: backends, functions, rows of threads, things. Called for one process at a time.
 * Sections were held against the file's size by tally_open.c; here every index and name offset is
 * checked before it is used, and only what was written is kept. Devices: tally_device.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/place.h"
#include "read/tally_load.h"

#define CHUNK_BYTES 65536
#define FUNCTIONS_MAX 65535u           /* slots are 16 bits wide */
#define QUEUES_MAX (1u << 20)
#define DEPTH_MASK 0x7fffffffu

const char *loader_name(struct loader *loader, uint64_t offset)
{
	return strings_name(loader->body, loader->tally, offset);
}

/* Of a thing that may be known by its place in the code. */
static const char *loader_place(struct loader *loader, uint64_t offset)
{
	return place_name(loader_name(loader, offset), loader->tally->raw.open.real_ns);
}

/* ---- references ---- */

uint32_t loader_backend(struct loader *loader, uint32_t backend)
{
	if (backend < loader->backends)
		return backend;
	loader->damaged++;
	loader->body->backends = loader->backends + 1; /* the one that stands for unknown ones */
	return loader->backends;
}

uint32_t loader_device(struct loader *loader, uint32_t device)
{
	if (device < loader->body->devices)
		return device;
	loader->damaged += device != READ_NONE;
	return READ_NONE;
}

uint32_t loader_enum(struct loader *loader, uint32_t value, uint32_t count, uint32_t otherwise)
{
	if (value < count)
		return value;
	loader->damaged++;
	return otherwise;
}

/* ---- sections of equal items ---- */

void items_load(struct loader *loader, enum fmt_section_kind kind, uint64_t most,
		void (*take)(struct loader *loader, const void *item))
{
	const struct tally_section *section = &loader->tally->section[kind];
	uint32_t bytes = tally_struct_bytes(kind);
	uint64_t used = section->used < most ? section->used : most, index = 0, data, per_chunk, count, i;
	char *chunk = loader->chunk;

	if (!used)
		return; /* also a section that is not there: it has no stride */
	if (section->used > most)
		loader->damaged++;
	per_chunk = section->stride < CHUNK_BYTES ? CHUNK_BYTES / section->stride : 1;
	while (index < used) {
		data = file_next_data(loader->fd, section->offset + index * section->stride);
		if (data == UINT64_MAX)
			break;
		if (kind != FMT_SECTION_BACKENDS && kind != FMT_SECTION_FUNCTIONS &&
		    kind != FMT_SECTION_QUEUES) /* their index has a meaning */
			index = (data - section->offset) / section->stride;
		if (index >= used)
			break;
		count = used - index < per_chunk ? used - index : per_chunk;
		if (file_read_at(loader->fd, section->offset + index * section->stride, chunk,
				 (size_t)((count - 1) * section->stride + bytes)) < 0)
			break;
		for (i = 0; i < count; i++)
			take(loader, chunk + i * section->stride);
		index += count;
	}
}

static void backend_take(struct loader *loader, const void *item)
{
	struct tally_backend *backend = &loader->body->backend[loader->body->backends++];

	memcpy(&backend->raw, item, sizeof(backend->raw));
	backend->name = loader_name(loader, backend->raw.name);
	backend->attached_by = loader_name(loader, backend->raw.attached_by);
	backend->library = loader_name(loader, backend->raw.library);
	backend->second = loader_name(loader, backend->raw.second);
	backend->note = loader_name(loader, backend->raw.note);
	backend->serialised = loader_name(loader, backend->raw.serialised);
}

static void function_take(struct loader *loader, const void *item)
{
	struct tally_function *function = &loader->body->function[loader->body->functions++];
	struct fmt_function raw;

	memcpy(&raw, item, sizeof(raw));
	function->name = raw.flags & FMT_FUNCTION_DYNAMIC ? loader_place(loader, raw.name) :
							    loader_name(loader, raw.name);
	function->backend = loader_backend(loader, raw.backend);
	function->kind = loader_enum(loader, raw.kind, SONDE_KIND_COUNT, SONDE_KIND_other);
	function->counted = raw.flags & FMT_FUNCTION_COUNTED;
	function->layer = raw.layer;
	function->dynamic = raw.flags & FMT_FUNCTION_DYNAMIC;
	function->device_ns = raw.device_ns;
	function->members_least = raw.members_least;
	function->members_most = raw.members_most;
	function->team = raw.team;
	function->team_waited = raw.team_waited < raw.team ? raw.team_waited : raw.team;
	function->returns_nothing = function->dynamic;
}

uint64_t stats_calls(const struct fmt_stats *stats)
{
	uint64_t calls = 0;
	unsigned i;

	for (i = 0; i < FMT_BUCKETS; i++)
		calls += stats->hist[i];
	return calls;
}

static void loader_op_take(struct loader *loader, const void *item)
{
	struct tally_body *body = loader->body;
	struct fmt_op raw;
	struct tally_op *op;

	memcpy(&raw, item, sizeof(raw));
	if (!stats_calls(&raw.stats))
		return;
	body->op = arena_grow(&body->arena, body->op, body->ops, &loader->op_capacity, sizeof(*op));
	op = &body->op[body->ops++];
	op->name = loader_place(loader, raw.name);
	op->backend = loader_backend(loader, raw.backend);
	op->device = loader_device(loader, raw.device);
	op->kind = loader_enum(loader, raw.kind, SONDE_KIND_COUNT, SONDE_KIND_other);
	op->bytes = raw.bytes;
	op->stats = raw.stats;
	op->shape = raw.shape;
}

static void graph_take(struct loader *loader, const void *item)
{
	struct tally_body *body = loader->body;
	struct tally_graph *graph;

	body->graph = arena_grow(&body->arena, body->graph, body->graphs, &loader->graph_capacity, sizeof(*graph));
	graph = &body->graph[body->graphs];
	memcpy(&graph->raw, item, sizeof(graph->raw));
	if (!graph->raw.launches)
		return;
	graph->raw.backend = loader_backend(loader, graph->raw.backend);
	body->graphs++;
}

static void node_take(struct loader *loader, const void *item)
{
	struct tally_body *body = loader->body;
	struct tally_node *node;

	body->node = arena_grow(&body->arena, body->node, body->nodes, &loader->node_capacity, sizeof(*node));
	node = &body->node[body->nodes];
	memcpy(&node->raw, item, sizeof(node->raw));
	if (!node->raw.calls)
		return;
	node->name = loader_name(loader, node->raw.name);
	node->raw.backend = loader_backend(loader, node->raw.backend);
	node->raw.device = loader_device(loader, node->raw.device);
	node->raw.kind = loader_enum(loader, node->raw.kind, SONDE_KIND_COUNT, SONDE_KIND_other);
	body->nodes++;
}

static void transfer_take(struct loader *loader, const void *item)
{
	struct tally_body *body = loader->body;
	struct fmt_transfer raw;

	memcpy(&raw, item, sizeof(raw));
	if (!raw.calls)
		return;
	raw.backend = loader_backend(loader, raw.backend);
	raw.device = loader_device(loader, raw.device);
	raw.direction = loader_enum(loader, raw.direction, SONDE_DIRECTION_COUNT, SONDE_DIRECTION_h2h);
	raw.memory = loader_enum(loader, raw.memory, SONDE_MEMORY_COUNT, SONDE_MEMORY_unknown);
	body->transfer = arena_grow(&body->arena, body->transfer, body->transfers, &loader->transfer_capacity,
				    sizeof(*body->transfer));
	body->transfer[body->transfers++].raw = raw;
}

static void memory_take(struct loader *loader, const void *item)
{
	struct tally_body *body = loader->body;
	struct fmt_memory raw;

	memcpy(&raw, item, sizeof(raw));
	if (!raw.allocs && !raw.frees)
		return;
	raw.backend = loader_backend(loader, raw.backend);
	raw.device = loader_device(loader, raw.device);
	raw.memory = loader_enum(loader, raw.memory, SONDE_MEMORY_COUNT, SONDE_MEMORY_unknown);
	body->memory = arena_grow(&body->arena, body->memory, body->memories, &loader->memory_capacity,
				  sizeof(*body->memory));
	body->memory[body->memories++].raw = raw;
}

static void build_take(struct loader *loader, const void *item)
{
	struct tally_body *body = loader->body;
	struct fmt_build raw;

	memcpy(&raw, item, sizeof(raw));
	if (!raw.calls)
		return;
	raw.backend = loader_backend(loader, raw.backend);
	raw.source = loader_enum(loader, raw.source, SONDE_BUILD_COUNT, SONDE_BUILD_source);
	body->build = arena_grow(&body->arena, body->build, body->builds, &loader->build_capacity,
				 sizeof(*body->build));
	body->build[body->builds].raw = raw;
	body->build[body->builds++].name = loader_name(loader, raw.name);
}

static void failure_take(struct loader *loader, const void *item)
{
	struct tally_body *body = loader->body;
	struct fmt_failure raw;

	memcpy(&raw, item, sizeof(raw));
	if (!raw.calls || !raw.slot || raw.slot > body->functions)
		return;
	body->failure = arena_grow(&body->arena, body->failure, body->failures, &loader->failure_capacity,
				   sizeof(*body->failure));
	body->failure[body->failures].raw = raw;
	body->failure[body->failures++].name = loader_name(loader, raw.name);
}

static void queue_take(struct loader *loader, const void *item)
{
	struct tally_queue *queue = &loader->body->queue[loader->body->queues++];
	struct fmt_queue raw;

	memcpy(&raw, item, sizeof(raw));
	queue->name = loader_name(loader, raw.name);
	queue->backend = loader_backend(loader, raw.backend);
	queue->device = loader_device(loader, raw.device);
	queue->handle = raw.handle;
}

/* ---- threads ---- */

static bool row_is_used(const struct fmt_stats *stats)
{
	return stats->unfinished || stats->failed || stats->total || stats->child || stats_calls(stats);
}

static void rows_load(struct loader *loader, struct tally_thread *thread, uint64_t offset, uint64_t rows)
{
	struct fmt_stats *chunk = (struct fmt_stats *)loader->chunk;
	uint64_t per_chunk = CHUNK_BYTES / sizeof(*chunk), first, count, data, i;
	size_t capacity = 0;

	for (first = 0; first < rows; first += count) {
		data = file_next_data(loader->fd, offset + first * sizeof(*chunk));
		if (data == UINT64_MAX)
			break;
		first = (data - offset) / sizeof(*chunk);
		if (first >= rows)
			break;
		count = rows - first < per_chunk ? rows - first : per_chunk;
		if (file_read_at(loader->fd, offset + first * sizeof(*chunk), chunk, count * sizeof(*chunk)) <= 0)
			break;
		for (i = 0; i < count; i++) {
			if (!row_is_used(&chunk[i]))
				continue;
			thread->row = arena_grow(&loader->body->arena, thread->row, thread->rows, &capacity,
						 sizeof(*thread->row));
			thread->row[thread->rows].function = (uint32_t)(first + i);
			thread->row[thread->rows++].stats = chunk[i];
		}
	}
}

static void frames_take(struct loader *loader, struct tally_thread *thread, const struct fmt_thread *raw)
{
	uint32_t depth = raw->depth & DEPTH_MASK, i;

	if (depth > FMT_FRAMES) {
		loader->damaged++;
		depth = FMT_FRAMES;
	}
	if (!depth)
		return;
	thread->frame = arena_array(&loader->body->arena, depth, sizeof(*thread->frame));
	for (i = 1; i <= depth; i++) {
		const struct fmt_frame *frame = &raw->frame[i];

		/* a frame that is just being filled in has no slot or no time yet */
		if (!frame->begin || !frame->slot || frame->slot > loader->body->functions)
			continue;
		thread->frame[thread->frames++] = (struct tally_frame){frame->begin, frame->child, frame->slot - 1};
	}
}

static void ranges_take(struct loader *loader, struct tally_thread *thread, const struct fmt_thread *raw)
{
	uint32_t depth = raw->ranges, i;

	if (depth > FMT_RANGES) {
		loader->damaged++;
		depth = FMT_RANGES;
	}
	if (!depth)
		return;
	thread->range = arena_array(&loader->body->arena, depth, sizeof(*thread->range));
	for (i = 1; i <= depth; i++) {
		const struct fmt_range *range = &raw->range[i];

		/* one that is not recorded has no slot */
		if (!range->begin || !range->slot || range->slot > loader->body->functions)
			continue;
		thread->range[thread->ranges++] = (struct tally_frame){range->begin, range->child, range->slot - 1};
	}
}

static void thread_take(struct loader *loader, const struct fmt_thread *raw, uint32_t block, uint64_t offset)
{
	struct tally_body *body = loader->body;
	uint64_t room = (loader->tally->section[FMT_SECTION_THREADS].stride - FMT_THREAD_ROWS_OFFSET) /
			sizeof(struct fmt_stats);
	uint64_t rows = raw->rows < room ? raw->rows : room, since = loader->tally->raw.paused_since;
	struct tally_thread *thread;

	if (!raw->tid && !raw->rows && !raw->lost)
		return;
	body->thread = arena_grow(&body->arena, body->thread, body->threads, &loader->thread_capacity, sizeof(*thread));
	thread = &body->thread[body->threads++];
	thread->tid = raw->tid;
	thread->served = raw->served;
	thread->block = block;
	thread->first = raw->first;
	thread->last = raw->last;
	thread->lost = raw->lost;
	if (raw->rows > room)
		loader->damaged++;
	rows_load(loader, thread, offset + FMT_THREAD_ROWS_OFFSET, rows < body->functions ? rows : body->functions);
	frames_take(loader, thread, raw);
	ranges_take(loader, thread, raw);
	thread->covered = raw->covered;
	thread->arguments = raw->arguments;
	thread->covers_end = since && thread->frames;
	if (since && !thread->frames && raw->last > since)
		thread->covered += raw->last - since;
}

static void threads_load(struct loader *loader)
{
	const struct tally_section *section = &loader->tally->section[FMT_SECTION_THREADS];
	struct fmt_thread raw;
	uint64_t i, offset, data;

	for (i = 0; i < section->used; i++) {
		offset = section->offset + i * section->stride;
		data = file_next_data(loader->fd, offset);
		if (data == UINT64_MAX)
			break;
		if (data >= offset + section->stride) { /* a block that was never written */
			i = (data - section->offset) / section->stride - 1;
			continue;
		}
		if (file_read_at(loader->fd, offset, &raw, sizeof(raw)) <= 0)
			break;
		thread_take(loader, &raw, (uint32_t)i, offset);
	}
}

/* ---- all of it ---- */

static void names_load(struct loader *loader)
{
	struct tally_body *body = loader->body;
	const struct tally_section *section = loader->tally->section;
	uint64_t functions = section[FMT_SECTION_FUNCTIONS].used, backends = section[FMT_SECTION_BACKENDS].used;
	uint64_t queues = section[FMT_SECTION_QUEUES].used;

	strings_load(body, loader->tally, loader->fd);
	if (backends > FMT_BACKENDS_MAX)
		backends = FMT_BACKENDS_MAX;
	if (functions > FUNCTIONS_MAX)
		functions = FUNCTIONS_MAX;
	if (queues > QUEUES_MAX)
		queues = QUEUES_MAX;
	body->backend = arena_array(&body->arena, backends + 2, sizeof(*body->backend));
	body->function = arena_array(&body->arena, functions + 1, sizeof(*body->function));
	body->queue = arena_array(&body->arena, queues + 1, sizeof(*body->queue));
	items_load(loader, FMT_SECTION_BACKENDS, FMT_BACKENDS_MAX, backend_take);
	loader->backends = body->backends;
	/* whatever names no backend: one behind the last, also when it has become one itself */
	for (uint32_t i = 0; i < 2; i++)
		body->backend[body->backends + i] = (struct tally_backend){
			.name = "?", .attached_by = "", .library = "", .second = "", .note = "", .serialised = ""};
	items_load(loader, FMT_SECTION_FUNCTIONS, FUNCTIONS_MAX, function_take);
	args_load(loader);
	devices_load(loader);
	items_load(loader, FMT_SECTION_QUEUES, QUEUES_MAX, queue_take);
	named_load(loader);
}

static void body_load(struct loader *loader)
{
	names_load(loader);
	if (loader->names_only)
		return;
	threads_load(loader);
	items_load(loader, FMT_SECTION_OPS, UINT32_MAX, loader_op_take);
	items_load(loader, FMT_SECTION_GRAPHS, UINT32_MAX, graph_take);
	items_load(loader, FMT_SECTION_NODES, UINT32_MAX, node_take);
	items_load(loader, FMT_SECTION_TRANSFERS, UINT32_MAX, transfer_take);
	items_load(loader, FMT_SECTION_MEMORY, UINT32_MAX, memory_take);
	items_load(loader, FMT_SECTION_BUILDS, UINT32_MAX, build_take);
	items_load(loader, FMT_SECTION_FAILURES, UINT32_MAX, failure_take);
	loader->body->read_raw_ns = read_clock_now();
}

static struct tally_body *loader_run(struct loader *loader)
{
	const struct tally *tally = loader->tally;
	struct tally_body *body = calloc(1, sizeof(*body));
	struct arena scratch = {NULL};
	uint64_t bytes;

	if (!body) {
		recording_note(loader->recording, "unreadable", "%s: out of memory", tally->path);
		return NULL;
	}
	loader->fd = file_open(tally->path, &bytes);
	if (loader->fd < 0) {
		recording_note(loader->recording, "unreadable", "%s: %s", tally->path, strerror(errno));
		free(body);
		return NULL;
	}
	loader->body = body;
	loader->chunk = arena_zalloc(&scratch, CHUNK_BYTES + (loader->names_only ? 0 : sizeof(struct fmt_device)));
	body_load(loader);
	close(loader->fd);
	arena_free(&scratch);
	if (loader->damaged)
		recording_note(loader->recording, "damaged", "%s: %lu entries refer to what is not there", tally->path,
			       (unsigned long)loader->damaged);
	return body;
}

int tally_load(struct recording *recording, struct tally *tally)
{
	struct loader loader = {.recording = recording, .tally = tally};

	tally_unload(tally);
	tally->body = loader_run(&loader);
	return tally->body ? 0 : SONDE_EIO;
}

struct tally_body *tally_names_load(struct recording *recording, const struct tally *tally)
{
	struct loader loader = {.recording = recording, .tally = tally, .names_only = true};

	return loader_run(&loader);
}

void tally_body_destroy(struct tally_body *body)
{
	if (!body)
		return;
	arena_free(&body->arena);
	free(body);
}

void tally_unload(struct tally *tally)
{
	tally_body_destroy(tally->body);
	tally->body = NULL;
}
