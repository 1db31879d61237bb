/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One operation on a stream: before the call an event of ours is put on the stream, and one after it. A call that fails
 * leaves nothing but its failure, and what becomes part of a graph gets no event.
 */
#include <stdio.h>
#include <string.h>

#include "hip.h"

#define COLLECT_FROM 64 /* pending operations of a stream */
#define COLLECT_EACH 16
#define FUNCTIONS 1024  /* more than the API has */
#define CONFIG_STREAM 4 /* word of a launch's structure, likewise in both */

enum user { USER_WORK, USER_STATE };
enum state { STATE_UNSEEN, STATE_CAPTURED, STATE_UNTIMED, STATE_TIMED };

/* ---- names --------------------------------------------------------------------------------------------------- */

struct name {
	uint64_t name;
	uint32_t generation;
	uint32_t reserved;
};

/* Copies and fills are known by the function that made them. */
static uint64_t function_name(uint32_t function)
{
	static struct name known[FUNCTIONS];
	const char *name = hip_backend.pool + hip_backend.function[function].name;

	if (function >= FUNCTIONS)
		return rec_name(name, strlen(name));
	if (__atomic_load_n(&known[function].generation, __ATOMIC_ACQUIRE) != hip_generation) {
		known[function].name = rec_name(name, strlen(name));
		__atomic_store_n(&known[function].generation, hip_generation, __ATOMIC_RELEASE);
	}
	return known[function].name;
}

struct graph {
	uint32_t number, kernels, others;
	uint32_t generation; /* of the name */
	uint64_t name;
};
static struct rec_map graphs = REC_MAP(struct graph); /* by handle of what is launched */
static uint32_t graphs_made;

#define GRAPH_NODES 4096
#define GRAPH_KERNEL 0 /* enum hipGraphNodeType */

/* What a graph is made of, when it is made ready to be launched. */
void hip_graph_leave(const struct hip_call *view, rec_word result)
{
	static hip_handle node[GRAPH_NODES];
	static uint32_t lock;
	int (*get)(hip_handle, hip_handle *, size_t *) = HIP_REAL(hipGraphGetNodes, hip_handle, hip_handle *, size_t *);
	int (*type_of)(hip_handle, unsigned *) = HIP_REAL(hipGraphNodeGetType, hip_handle, unsigned *);
	const hip_handle *made = (const hip_handle *)hip_arg(view, HIP_ARG_MADE);
	struct graph graph = { .number = __atomic_add_fetch(&graphs_made, 1, __ATOMIC_RELAXED) };
	size_t count = GRAPH_NODES;
	struct hip_ask ask;

	(void)result;
	if (view->call->failed || !made || !*made)
		return;
	rec_lock(&lock);
	if (hip_ask_begin(&ask)) {
		if (!get || !type_of || get(hip_arg(view, HIP_ARG_OBJECT), node, &count) != HIP_SUCCESS)
			count = 0;
		for (size_t i = 0; i < count && i < GRAPH_NODES; i++) {
			unsigned type = 0;

			if (type_of(node[i], &type) == HIP_SUCCESS && type == GRAPH_KERNEL)
				graph.kernels++;
			else
				graph.others++;
		}
		hip_ask_end(&ask);
	}
	rec_unlock(&lock);
	rec_map_put(&graphs, *made, &graph);
}

/* By number and contents: which of its nodes ran when nobody tells, so that it is no row of Graphs. */
uint64_t hip_graph_name(hip_handle exec)
{
	struct graph graph = { 0 };
	char text[96];

	if (!rec_map_get(&graphs, exec, &graph))
		graph.number = 0;
	if (graph.generation == hip_generation)
		return graph.name;
	snprintf(text, sizeof(text), "graph %u: %u kernel%s, %u other%s", graph.number, graph.kernels,
		 graph.kernels == 1 ? "" : "s", graph.others, graph.others == 1 ? "" : "s");
	graph.name = graph.number ? rec_name(text, strlen(text)) : rec_name("graph", 5);
	graph.generation = hip_generation;
	if (graph.number)
		rec_map_put(&graphs, exec, &graph);
	return graph.name;
}

/* ---- sizes of a launch --------------------------------------------------------------------------------------- */

/* Three numbers: a structure by value, or three words of the call. False: the function does not say. */
static bool read_dim(const struct hip_call *view, enum hip_argument argument, uint32_t *dim_out)
{
	const uint32_t *whole = (const uint32_t *)hip_arg(view, argument);

	if (!hip_has(view, argument))
		return false;
	for (int i = 0; i < 3; i++)
		dim_out[i] = view->role->what == HIP_WHAT_HOST ? whole[i]
							      : (uint32_t)view->args[view->role->arg[argument] + i];
	return true;
}

static void shape_of(const struct hip_call *view, struct fmt_shape *shape)
{
	const uint32_t *config = (const uint32_t *)hip_arg(view, HIP_ARG_PARAMS);

	if (config) {
		memcpy(shape->grid, config, sizeof(shape->grid));
		memcpy(shape->block, config + 3, sizeof(shape->block));
		shape->dynamic_shared = config[6];
		shape->known = FMT_SHAPE_GRID | FMT_SHAPE_BLOCK | FMT_SHAPE_DYNAMIC;
		return;
	}
	if (read_dim(view, HIP_ARG_GRID, shape->grid))
		shape->known |= FMT_SHAPE_GRID;
	if (read_dim(view, HIP_ARG_BLOCK, shape->block))
		shape->known |= FMT_SHAPE_BLOCK;
	shape->dynamic_shared = (uint32_t)hip_arg(view, HIP_ARG_SHARED);
	shape->known |= FMT_SHAPE_DYNAMIC;
}

/* ---- hooks --------------------------------------------------------------------------------------------------- */

static hip_handle stream_of(const struct hip_call *view)
{
	const rec_word *config = (const rec_word *)hip_arg(view, HIP_ARG_PARAMS);

	if (hip_kind(view) == SONDE_KIND_launch && config)
		return config[CONFIG_STREAM];
	return hip_arg(view, HIP_ARG_STREAM);
}

static bool record(hip_handle event, const struct hip_stream *stream)
{
	int (*call)(hip_handle, hip_handle) = HIP_REAL(hipEventRecord, hip_handle, hip_handle);

	return call && call(event, stream->handle) == HIP_SUCCESS;
}

/* Between hip_ask_begin() and hip_ask_end(). */
static enum state put_start(const struct hip_call *view)
{
	enum hip_captured captured = hip_stream_captured(stream_of(view));
	struct hip_stream *stream;
	struct hip_pending *work;

	if (captured == HIP_CAPTURED)
		return STATE_CAPTURED;
	stream = captured == HIP_RUNS && hip_injects() ? hip_stream(stream_of(view), view->thread) : NULL;
	work = stream ? hip_pending_take(stream) : NULL;
	if (!work)
		return STATE_UNTIMED;
	work->host_begin = rec_raw_ns();
	if (!record(work->pair.start, stream)) {
		hip_pending_give(work);
		return STATE_UNTIMED;
	}
	work->host_call = rec_raw_ns();
	view->call->user[USER_WORK] = (uint64_t)work;
	return STATE_TIMED;
}

void hip_work_enter(const struct hip_call *view)
{
	struct hip_ask ask;

	view->call->user[USER_STATE] = STATE_UNSEEN;
	if (!view->call->slot)
		return;
	view->call->user[USER_STATE] = STATE_UNTIMED;
	if (!hip_ask_begin(&ask))
		return;
	view->call->user[USER_STATE] = put_start(view);
	hip_ask_end(&ask);
}

/* True: the second event follows the operation. */
static bool put_stop(struct hip_pending *work)
{
	struct hip_ask ask;
	bool put;

	if (!hip_ask_begin(&ask))
		return false;
	put = record(work->pair.stop, work->stream);
	hip_ask_end(&ask);
	return put;
}

static void describe(const struct hip_call *view, const struct hip_transfer *transfer, struct rec_span *span)
{
	uint8_t kind = hip_kind(view);

	*span = (struct rec_span){ .bytes = transfer->bytes, .direction = transfer->direction,
				   .memory = transfer->memory, .kind = kind,
				   .context = rec_context(&hip_backend) };
	if (kind == SONDE_KIND_launch) {
		span->name = hip_kernel_name(view->role->what, hip_arg(view, HIP_ARG_FUNCTION));
		shape_of(view, &span->details.shape);
	} else if (kind == SONDE_KIND_graph_launch) {
		span->name = hip_graph_name(hip_arg(view, HIP_ARG_OBJECT));
		span->kind = SONDE_KIND_launch;
	} else {
		span->name = function_name(view->function);
	}
}

static uint64_t correlations; /* operations of this process that were given a number */

uint64_t hip_ns(uint64_t ticks)
{
	return (uint64_t)((double)ticks * 1e9 / (double)rec_ticks_in(1000000000));
}

/* Raw ns. What sonde does after a call is none of it. */
static uint64_t returned_at(const struct rec_call *call)
{
	return rec_raw_ns() - hip_ns(rec_now_ticks() - call->begin - call->duration);
}

static void follow(const struct hip_call *view, struct hip_pending *work, const struct hip_transfer *transfer)
{
	struct hip_stream *stream = work->stream;
	uint32_t count;

	describe(view, transfer, &work->span);
	work->span.device = stream->device->recorded;
	work->span.queue = stream->recorded;
	work->span.correlation = __atomic_add_fetch(&correlations, 1, __ATOMIC_RELAXED);
	work->span.waited = view->role->blocking;
	work->host_return = work->span.waited ? returned_at(view->call) : 0;
	work->row = work->span.waited ? rec_call_row(view->call) : NULL;
	work->ticks = view->call->duration;
	if (!put_stop(work)) {
		hip_pending_give(work);
		rec_device_untimed(&hip_backend);
		return;
	}
	rec_call_link(view->call, work->span.correlation);
	hip_pending_add(work);
	count = __atomic_load_n(&stream->count, __ATOMIC_RELAXED);
	if (work->span.waited || (count >= COLLECT_FROM && count % COLLECT_EACH == 0))
		hip_pending_collect(stream);
}

void hip_work_leave(const struct hip_call *view, rec_word result)
{
	struct rec_call *call = view->call;
	struct hip_pending *work = (struct hip_pending *)call->user[USER_WORK];
	enum state state = (enum state)call->user[USER_STATE];
	struct hip_transfer transfer = { 0 };

	(void)result;
	if (state == STATE_TIMED && call->failed)
		hip_pending_give(work);
	if (state == STATE_UNSEEN || state == STATE_CAPTURED || call->failed)
		return;
	hip_transfer_of(view, &transfer);
	if (transfer.bytes && transfer.direction == SONDE_DIRECTION_d2h)
		rec_call_bytes(call, 0, transfer.bytes, false);
	else if (transfer.bytes)
		rec_call_bytes(call, transfer.bytes, 0, false);
	if (!hip_injects()) {
		uint64_t correlation = sonde_rocprofiler_started ? sonde_rocprofiler_started() : 0;

		if (correlation)
			rec_call_link(call, correlation);
		return;
	}
	rec_device_seen(&hip_backend);
	if (state == STATE_TIMED)
		follow(view, work, &transfer);
	else
		rec_device_untimed(&hip_backend);
}

/* Kernels on several devices: launched together, not timed one by one. */
void hip_many_leave(const struct hip_call *view, rec_word result)
{
	(void)result;
	if (!view->call->slot || view->call->failed || !hip_injects())
		return;
	rec_device_seen(&hip_backend);
	rec_device_untimed(&hip_backend);
}

/* The program has waited: what it waited for is over, and times can be had. */
void hip_waited_leave(const struct hip_call *view, rec_word result)
{
	(void)result;
	if (!view->call->failed)
		hip_pending_collect(NULL);
}
