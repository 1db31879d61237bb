/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The figures of calls and operations from the streams of one process, counted as the recorder counts them
 * (record/rec_call.c, record/rec_device.c), in the form of a tally's. Times are ns where a tally has ticks, and points
 * in time CLOCK_MONOTONIC_RAW. Events round to whole ns, so that a call may differ by 1 ns from the tally's. Histograms
 * are of ticks as a tally's are: one of ns has its steps elsewhere.
 *
 * Not in the streams, and left as the tally has it: functions that are only counted, builds, the ledger, and which
 * receives are only posted. Ranges are left as well: what does not nest stands in the streams in pieces.
 */
#include <string.h>

#include "analyze/streams.h"

#define RECENT 4096u /* copies and calls that may still find each other; a power of 2 */

struct thread_frame {
	uint32_t function;
	int64_t begin;
	uint64_t child;
};

/* What the threads did that used one block of the recorder one after another. */
struct thread_sum {
	uint32_t tid, served, lane;
	struct fmt_stats **row;     /* by function; NULL until used */
	struct thread_frame frame[FMT_FRAMES + FMT_RANGES];
	bool is_range[FMT_FRAMES + FMT_RANGES]; /* frames that are no calls */
	uint32_t open;              /* frames of calls that have not returned, at the end */
	uint64_t last_raw;
	/* the call that has just ended */
	struct fmt_stats *ended;
	uint64_t ended_ns;
	bool ended_copies;
};

/*
 * A copy and the call that started it find each other, whichever comes first: the begin of an operation is converted
 * from another clock, and may lie behind the end of its call.
 */
struct recent {
	uint64_t correlation;
	struct fmt_stats *row; /* of the call, once it is known */
	uint64_t duration;     /* of the call */
	uint64_t device_ns;    /* of the copy, once it is known */
	bool waited;           /* the copy is known, and its call waited for it */
};

struct stream_tally {
	struct analysis *analysis;
	uint32_t functions, devices, threads; /* threads: highest block + 1 */
	struct thread_sum **thread; /* by block */
	size_t thread_capacity;
	struct rows ops, transfers, memories;
	uint64_t *kernels_sum, *copies_sum, *error; /* by device */
	struct recent *recent;
};

struct stream_tally *stream_tally_create(struct analysis *analysis, const struct events *events, uint32_t process)
{
	const struct tally_body *names = events_process(events, process)->names;
	struct arena *arena = &analysis->scratch;
	struct stream_tally *tally = arena_zalloc(arena, sizeof(*tally));

	tally->analysis = analysis;
	tally->functions = names->functions;
	tally->devices = names->devices;
	tally->kernels_sum = arena_array(arena, names->devices, sizeof(*tally->kernels_sum));
	tally->copies_sum = arena_array(arena, names->devices, sizeof(*tally->copies_sum));
	tally->error = arena_array(arena, names->devices, sizeof(*tally->error));
	tally->recent = arena_array(arena, RECENT, sizeof(*tally->recent));
	return tally;
}

static struct thread_sum *thread_of(struct stream_tally *tally, const struct events *events, uint32_t lane)
{
	const struct events_lane *known = events_lane(events, lane);
	struct arena *arena = &tally->analysis->scratch;
	struct thread_sum *sum;

	while (tally->threads <= known->stream) {
		tally->thread = arena_grow(arena, tally->thread, tally->threads, &tally->thread_capacity,
					   sizeof(*tally->thread));
		tally->thread[tally->threads++] = NULL;
	}
	sum = tally->thread[known->stream];
	if (!sum) {
		sum = tally->thread[known->stream] = arena_zalloc(arena, sizeof(*sum));
		sum->row = arena_array(arena, tally->functions, sizeof(*sum->row));
		sum->lane = READ_NONE;
	}
	if (sum->lane != lane) {
		sum->lane = lane;
		sum->tid = known->tid;
		sum->served++;
		sum->ended = NULL;
	}
	return sum;
}

static struct fmt_stats *stats_row_of(struct stream_tally *tally, struct thread_sum *sum, uint32_t function)
{
	if (!sum->row[function])
		sum->row[function] = arena_zalloc(&tally->analysis->scratch, sizeof(*sum->row[function]));
	return sum->row[function];
}

/* `counted`: the duration in the unit of the histogram. */
static void stats_add(struct fmt_stats *stats, uint64_t duration, uint64_t counted, uint64_t child, bool failed)
{
	stats->total += duration;
	stats->child += child;
	stats->hist[fmt_bucket(counted)]++;
	if (~duration > stats->nmin)
		stats->nmin = ~duration;
	if (duration > stats->max)
		stats->max = duration;
	stats->failed += failed;
}

/* ---- calls ---- */

static bool is_recursive(const struct thread_sum *sum, uint32_t depth, uint32_t function)
{
	for (uint32_t i = 0; i < depth; i++)
		if (sum->frame[i].function == function)
			return true;
	return false;
}

static void call_returns(struct thread_sum *sum, struct fmt_stats *row, const struct event *event)
{
	uint64_t duration = event->end > event->begin ? (uint64_t)event->end - (uint64_t)event->begin : 0;
	uint64_t child = sum->frame[event->depth].child;

	if (is_recursive(sum, event->depth, event->function)) {
		row->hist[fmt_bucket(event->ticks)]++;
		row->child += child - duration;
		row->failed += event->failed;
	} else {
		stats_add(row, duration, event->ticks, child, event->failed);
	}
	for (uint32_t i = event->depth; i--;)
		if (!sum->is_range[i]) {
			sum->frame[i].child += duration;
			break;
		}
	sum->ended = row;
	sum->ended_ns = duration;
}

static void call_ends(struct stream_tally *tally, struct thread_sum *sum, const struct events *events,
		      const struct event *event)
{
	struct fmt_stats *row;

	sum->ended = NULL;
	if (!event->has_begin || event->depth >= FMT_FRAMES + FMT_RANGES || sum->is_range[event->depth])
		return;
	row = stats_row_of(tally, sum, event->function);
	switch (event->ended) {
	case EVENT_RETURNED:
		call_returns(sum, row, event);
		sum->ended_copies = kind_category(events_function(events, event)->kind) == SONDE_CATEGORY_copy;
		break;
	case EVENT_OPEN: /* the innermost comes first; the frames stay as they are */
		if (event->depth >= sum->open)
			sum->open = event->depth + 1;
		break;
	default:
		row->unfinished++;
		break;
	}
}

static void call_begins(struct thread_sum *sum, const struct events *events, const struct event *event)
{
	if (event->depth < FMT_FRAMES + FMT_RANGES) {
		sum->frame[event->depth] = (struct thread_frame){event->function, event->begin, 0};
		sum->is_range[event->depth] = function_is_range(events_function(events, event));
	}
	sum->ended = NULL;
}

static struct recent *recent_of(struct stream_tally *tally, uint64_t correlation)
{
	struct recent *recent = &tally->recent[correlation & (RECENT - 1)];

	if (recent->correlation != correlation)
		*recent = (struct recent){.correlation = correlation};
	return recent;
}

/* A blocking copy: only the time of its device span is transfer, the rest is waiting. */
static void recent_settle(struct recent *recent)
{
	if (!recent->row || !recent->waited)
		return;
	recent->row->blocked += recent->duration;
	recent->row->device_ns += recent->device_ns < recent->duration ? recent->device_ns : recent->duration;
	recent->correlation = 0;
}

static void call_started(struct stream_tally *tally, struct thread_sum *sum, uint64_t correlation)
{
	struct recent *recent;

	if (!sum->ended || !sum->ended_copies || !correlation)
		return;
	recent = recent_of(tally, correlation);
	recent->row = sum->ended;
	recent->duration = sum->ended_ns;
	recent_settle(recent);
}

static void copy_began(struct stream_tally *tally, uint64_t correlation, uint64_t duration)
{
	struct recent *recent = recent_of(tally, correlation);

	recent->device_ns = duration;
	recent->waited = true;
	recent_settle(recent);
}

/* ---- operations and memory ---- */

static struct tally_op *op_of(struct stream_tally *tally, const struct event_operation *operation)
{
	struct rows *rows = &tally->ops;
	struct tally_op *op;
	bool is_new;

	rows_key(rows);
	rows_key_text(tally->analysis, rows, operation->name);
	rows_key_number(tally->analysis, rows, (uint64_t)operation->device << 32 | operation->backend);
	rows_key_number(tally->analysis, rows, operation->kind);
	op = rows_find(tally->analysis, rows, sizeof(*op), &is_new);
	if (is_new) {
		op->name = arena_strdup(&tally->analysis->scratch, operation->name);
		op->backend = operation->backend;
		op->device = operation->device;
		op->kind = operation->kind;
		op->shape = operation->details->shape;
	}
	op->shape.known = fmt_shape_common(&op->shape, &operation->details->shape);
	return op;
}

static void transfer_add(struct stream_tally *tally, const struct event_operation *operation, uint64_t duration)
{
	struct rows *rows = &tally->transfers;
	struct fmt_transfer *row;
	bool is_new;

	rows_key(rows);
	rows_key_number(tally->analysis, rows, (uint64_t)operation->device << 32 | operation->backend);
	rows_key_number(tally->analysis, rows, (uint64_t)operation->direction << 32 | operation->memory);
	row = rows_find(tally->analysis, rows, sizeof(*row), &is_new);
	row->backend = operation->backend;
	row->device = operation->device;
	row->direction = operation->direction;
	row->memory = operation->memory;
	row->calls++;
	row->bytes += operation->bytes;
	row->total_ns += duration;
}

static void operation_add(struct stream_tally *tally, const struct event *event)
{
	const struct event_operation *operation = &event->operation;
	uint64_t duration = event->end > event->begin ? (uint64_t)event->end - (uint64_t)event->begin : 0;
	enum sonde_category category = kind_category(operation->kind);
	struct tally_op *op = op_of(tally, operation);

	stats_add(&op->stats, duration, duration, 0, false);
	op->bytes += operation->bytes;
	if (operation->device != READ_NONE) {
		if (category == SONDE_CATEGORY_launch)
			tally->kernels_sum[operation->device] += duration;
		if (category == SONDE_CATEGORY_copy)
			tally->copies_sum[operation->device] += duration;
		if (operation->error_ns > tally->error[operation->device])
			tally->error[operation->device] = operation->error_ns;
	}
	if (category != SONDE_CATEGORY_copy)
		return;
	transfer_add(tally, operation, duration);
	if (operation->waited && operation->correlation)
		copy_began(tally, operation->correlation, duration);
}

static void memory_add_change(struct stream_tally *tally, const struct event_memory *memory)
{
	struct rows *rows = &tally->memories;
	struct fmt_memory *row;
	bool is_new;

	if (memory->backend == READ_NONE)
		return;
	rows_key(rows);
	rows_key_number(tally->analysis, rows, (uint64_t)memory->device << 32 | memory->backend);
	rows_key_number(tally->analysis, rows, memory->memory);
	row = rows_find(tally->analysis, rows, sizeof(*row), &is_new);
	row->backend = memory->backend;
	row->device = memory->device;
	row->memory = memory->memory;
	if (memory->change >= 0) {
		row->allocs++;
		row->alloc_bytes += (uint64_t)memory->change;
	} else {
		row->frees++;
	}
	row->live_bytes = memory->live_bytes;
	if (memory->live_bytes > row->peak_bytes)
		row->peak_bytes = memory->live_bytes;
}

void stream_tally_event(struct stream_tally *tally, const struct events *events, const struct event *event)
{
	struct thread_sum *sum;

	if (event->type == EVENT_OPERATION) {
		operation_add(tally, event);
		return;
	}
	sum = thread_of(tally, events, event->lane);
	if (event->type != EVENT_GAP)
		sum->last_raw = events_raw(events, event->process, event->time);
	switch (event->type) {
	case EVENT_ENTRY:
		call_begins(sum, events, event);
		break;
	case EVENT_EXIT:
		call_ends(tally, sum, events, event);
		break;
	case EVENT_LINK:
		call_started(tally, sum, event->link[0]);
		break;
	case EVENT_BYTES:
		if (sum->ended) {
			sum->ended->bytes_out += event->bytes_out;
			sum->ended->bytes_in += event->bytes_in;
		}
		break;
	case EVENT_MEMORY:
		memory_add_change(tally, &event->memory);
		break;
	default:
		break;
	}
}

/* ---- in the place of the tally's ---- */

static void frames_write(struct analysis *analysis, const struct stream_process_use *use,
			 const struct thread_sum *sum, struct tally_thread *thread)
{
	thread->frame = arena_array(&analysis->scratch, sum->open, sizeof(*thread->frame));
	thread->frames = 0;
	for (uint32_t i = 0; i < sum->open; i++)
		if (!sum->is_range[i])
			thread->frame[thread->frames++] =
				(struct tally_frame){(uint64_t)sum->frame[i].begin - (uint64_t)use->zero,
						     sum->frame[i].child, sum->frame[i].function};
}

static bool is_of_tally(const struct tally_function *function)
{
	return function->counted || function_is_range(function);
}

/* Rows of the streams, and of the tally those that the streams do not have. */
static void stats_rows_write(struct stream_tally *tally, const struct thread_sum *sum, struct tally_thread *thread,
		       const struct tally_function *function)
{
	const struct tally_row *old = thread->row;
	uint32_t olds = thread->rows, i;

	thread->row = arena_array(&tally->analysis->scratch, (size_t)tally->functions + olds, sizeof(*thread->row));
	thread->rows = 0;
	for (i = 0; i < tally->functions; i++)
		if (sum && sum->row[i])
			thread->row[thread->rows++] = (struct tally_row){i, *sum->row[i]};
	for (i = 0; i < olds; i++) {
		if (is_of_tally(&function[old[i].function]))
			thread->row[thread->rows++] = old[i];
		else if (sum && old[i].function < tally->functions && sum->row[old[i].function])
			sum->row[old[i].function]->posted = old[i].stats.posted;
	}
	for (i = 0; i < thread->rows; i++)
		if (sum && !is_of_tally(&function[thread->row[i].function]))
			thread->row[i].stats.posted = sum->row[thread->row[i].function]->posted;
}

static void thread_write(struct stream_tally *tally, const struct stream_process_use *use,
			 const struct thread_sum *sum, struct tally_thread *thread, struct tally_body *body)
{
	stats_rows_write(tally, sum, thread, body->function);
	thread->frames = 0;
	thread->lost = 0;
	thread->last = 0;
	if (!sum)
		return;
	thread->tid = sum->tid;
	thread->served = sum->served;
	thread->last = sum->last_raw;
	frames_write(tally->analysis, use, sum, thread);
}

static void threads_write(struct stream_tally *tally, const struct stream_process_use *use, struct tally_body *body)
{
	struct tally_thread *all = arena_array(&tally->analysis->scratch, (size_t)tally->threads + body->threads,
					       sizeof(*all));
	bool *taken = arena_array(&tally->analysis->scratch, tally->threads, sizeof(*taken));
	uint32_t count = 0, i;

	for (i = 0; i < body->threads; i++) {
		const uint32_t block = body->thread[i].block;
		const struct thread_sum *sum = block < tally->threads ? tally->thread[block] : NULL;

		all[count] = body->thread[i];
		thread_write(tally, use, sum, &all[count++], body);
		if (sum)
			taken[block] = true;
	}
	for (i = 0; i < tally->threads; i++)
		if (tally->thread[i] && !taken[i])
			thread_write(tally, use, tally->thread[i], &all[count++], body);
	body->thread = all;
	body->threads = count;
}

static void devices_write(const struct stream_tally *tally, const struct stream_process_use *use,
			  struct tally_body *body)
{
	static const struct activity nothing;

	for (uint32_t i = 0; i < body->devices; i++) {
		const struct activity *own = use->own && i < tally->devices ? &use->own[i] : &nothing;
		struct tally_device *device = &body->device[i];

		device->fold_line = 0;
		device->torn = false;
		device->kernels.used = device->copies.used = 0;
		device->kernels.folded_ns = activity_sum(own, 1u << ACTIVITY_KERNEL);
		device->copies.folded_ns = activity_sum(own, 1u << ACTIVITY_COPY);
		device->overlap_folded_ns = activity_sum(own, 1u << ACTIVITY_KERNEL | 1u << ACTIVITY_COPY);
		device->kernels_sum_ns = i < tally->devices ? tally->kernels_sum[i] : 0;
		device->copies_sum_ns = i < tally->devices ? tally->copies_sum[i] : 0;
		device->clock_error_ns = i < tally->devices ? tally->error[i] : 0;
	}
}

void stream_tally_replace(struct stream_tally *tally, const struct stream_process_use *use, struct tally_body *body)
{
	struct arena *arena = &tally->analysis->scratch;
	uint32_t i;

	threads_write(tally, use, body);
	devices_write(tally, use, body);
	body->ops = body->transfers = body->memories = 0;
	body->op = arena_array(arena, tally->ops.count, sizeof(*body->op));
	for (i = 0; i < tally->ops.count; i++)
		body->op[body->ops++] = *(const struct tally_op *)tally->ops.row[i];
	body->transfer = arena_array(arena, tally->transfers.count, sizeof(*body->transfer));
	for (i = 0; i < tally->transfers.count; i++)
		body->transfer[body->transfers++].raw = *(const struct fmt_transfer *)tally->transfers.row[i];
	body->memory = arena_array(arena, tally->memories.count, sizeof(*body->memory));
	for (i = 0; i < tally->memories.count; i++)
		body->memory[body->memories++].raw = *(const struct fmt_memory *)tally->memories.row[i];
}
