/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device work, folded as it is delivered: per device the disjoint intervals of kernels and of copies
 * (their unions and overlap are exact), plain sums, and a row per operation name. Called from any
 * thread, often a runtime's own; one lock, no allocation.
 */
#include <string.h>

#include "record/rec_state.h"
#include "record/rec_stream.h"

struct index {
	uint32_t value;
};
static struct rec_map devices = REC_MAP(struct index); /* key name -> device */
static struct rec_map ops = REC_MAP(struct index);     /* name, device, kind -> op */
static struct rec_map streamed = REC_MAP(struct index); /* names that stand in the stream */
static struct rec_writer writer;                       /* of the device stream */
static uint32_t writer_generation;                     /* of the record that it belongs to */
static uint32_t lock;

void rec_device_forget(void)
{
	rec_map_clear(&devices);
	rec_map_clear(&ops);
	rec_map_clear(&streamed);
}

static struct fmt_backend *ledger(const struct rec_backend *backend)
{
	if (!rec_ready() || !(backend->state & REC_BACKEND_OPENED))
		return NULL;
	return rec_area_item(FMT_SECTION_BACKENDS, backend->index);
}

static void count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

void rec_device_seen(struct rec_backend *backend)
{
	struct fmt_backend *item = ledger(backend);

	if (item)
		count(&item->device_seen);
}

void rec_device_unseen(struct rec_backend *backend)
{
	struct fmt_backend *item = ledger(backend);

	if (item)
		__atomic_fetch_sub(&item->device_seen, 1, __ATOMIC_RELAXED);
}

uint64_t rec_device_left(const struct rec_backend *backend)
{
	const struct fmt_backend *item = ledger(backend);
	uint64_t told = item ? item->device_recorded + item->untimed + item->device_lost : 0;

	return item && item->device_seen > told ? item->device_seen - told : 0;
}

void rec_device_untimed(struct rec_backend *backend)
{
	struct fmt_backend *item = ledger(backend);

	if (item)
		count(&item->untimed);
}

void rec_device_lost(struct rec_backend *backend)
{
	struct fmt_backend *item = ledger(backend);

	if (item)
		count(&item->device_lost);
}

void rec_lost(struct rec_backend *backend)
{
	struct fmt_backend *item = ledger(backend);

	if (item)
		count(&item->lost);
}

static uint32_t add_device(struct rec_backend *backend, const char *key, const char *name, uint32_t ordinal)
{
	struct fmt_device *device;
	uint64_t index;

	device = rec_area_add(FMT_SECTION_DEVICES, &index);
	if (!device)
		return UINT32_MAX;
	device->key = rec_name(key, strlen(key));
	device->name = rec_name(name, strlen(name));
	device->backend = backend->index;
	device->ordinal = ordinal;
	rec_area_publish(FMT_SECTION_DEVICES);
	return (uint32_t)index;
}

uint32_t rec_device(struct rec_backend *backend, const char *key, const char *name, uint32_t ordinal)
{
	struct index index = {UINT32_MAX};
	uint64_t id;
	uint32_t token;

	if (!ledger(backend))
		return UINT32_MAX;
	token = rec_guard_enter();
	rec_lock(&lock);
	id = rec_name(key, strlen(key));
	if (id && !rec_map_get(&devices, id << 8 | backend->index, &index)) {
		index.value = add_device(backend, key, name, ordinal);
		if (index.value != UINT32_MAX)
			rec_map_put(&devices, id << 8 | backend->index, &index);
	}
	rec_unlock(&lock);
	rec_guard_leave(token);
	return index.value;
}

static uint32_t add_queue(struct rec_backend *backend, uint32_t device, rec_word handle, const char *name)
{
	struct fmt_queue *queue;
	uint64_t index;

	queue = rec_area_add(FMT_SECTION_QUEUES, &index);
	if (!queue)
		return UINT32_MAX;
	queue->name = rec_name(name, strlen(name));
	queue->backend = backend->index;
	queue->device = device;
	queue->handle = handle;
	rec_area_publish(FMT_SECTION_QUEUES);
	return (uint32_t)index;
}

uint32_t rec_queue(struct rec_backend *backend, uint32_t device, rec_word handle, const char *name)
{
	uint32_t index, token;

	if (!ledger(backend))
		return UINT32_MAX;
	token = rec_guard_enter();
	rec_lock(&lock);
	index = add_queue(backend, device, handle, name);
	rec_unlock(&lock);
	rec_guard_leave(token);
	return index;
}

/* Length of the part of the track before `line`. */
static uint64_t length_before(const struct fmt_track *track, uint64_t line)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < track->used && track->interval[i].begin < line; i++) {
		uint64_t end = track->interval[i].end < line ? track->interval[i].end : line;

		sum += end - track->interval[i].begin;
	}
	return sum;
}

static uint64_t overlap_before(const struct fmt_track *a, const struct fmt_track *b, uint64_t line)
{
	uint64_t sum = 0;
	uint32_t i = 0, j = 0;

	while (i < a->used && j < b->used) {
		const struct fmt_interval *x = &a->interval[i], *y = &b->interval[j];
		uint64_t begin = x->begin > y->begin ? x->begin : y->begin;
		uint64_t end = x->end < y->end ? x->end : y->end;

		if (end > line)
			end = line;
		if (begin < end)
			sum += end - begin;
		if (x->end < y->end)
			i++;
		else
			j++;
	}
	return sum;
}

static void cut_before(struct fmt_track *track, uint64_t line)
{
	uint32_t gone = 0;

	track->folded_ns += length_before(track, line);
	while (gone < track->used && track->interval[gone].end <= line)
		gone++;
	memmove(track->interval, track->interval + gone, (track->used - gone) * sizeof(track->interval[0]));
	track->used -= gone;
	if (track->used && track->interval[0].begin < line)
		track->interval[0].begin = line;
}

/* Marks a device's tracks as being changed; a reader of a killed process then sorts and merges again. */
static void mark(struct fmt_device *device)
{
	__atomic_fetch_add(&device->kernels.busy, 1, __ATOMIC_ACQ_REL);
	__atomic_fetch_add(&device->copies.busy, 1, __ATOMIC_ACQ_REL);
}

/*
 * A full track: its older half becomes sums, but nothing that an undelivered operation could still
 * touch. Where that leaves no room, the narrowest gaps are closed and the figure is marked.
 */
static void make_room(struct rec_backend *backend, struct fmt_device *device, struct fmt_track *track)
{
	uint64_t line = track->interval[FMT_INTERVALS / 2].begin;
	uint64_t open = backend->oldest_open ? backend->oldest_open() : UINT64_MAX;

	if (open < line)
		line = open;
	if (line > track->interval[0].begin && line > device->fold_line) {
		device->overlap_folded_ns += overlap_before(&device->kernels, &device->copies, line);
		cut_before(&device->kernels, line);
		cut_before(&device->copies, line);
		device->fold_line = line;
	}
	if (track->used < FMT_INTERVALS)
		return;
	rec_state.process->notes |= FMT_NOTE_APPROXIMATE;
	for (uint32_t i = 0; i < FMT_INTERVALS / 2; i++) {
		track->interval[i].begin = track->interval[2 * i].begin;
		track->interval[i].end = track->interval[2 * i + 1].end;
	}
	track->used = FMT_INTERVALS / 2;
}

/* Index of the first interval that ends at or after `begin`: nearly always the last one. */
static uint32_t find_place(const struct fmt_track *track, uint64_t begin)
{
	uint32_t low = 0, high = track->used;

	if (high && track->interval[high - 1].end < begin)
		return high;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (track->interval[middle].end < begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct fmt_track *track, uint64_t begin, uint64_t end)
{
	uint32_t at = find_place(track, begin), last = at;

	while (last < track->used && track->interval[last].begin <= end)
		last++;
	if (last == at) {
		memmove(track->interval + at + 1, track->interval + at,
			(track->used - at) * sizeof(track->interval[0]));
		track->interval[at] = (struct fmt_interval){begin, end};
		track->used++;
		return;
	}
	if (track->interval[at].begin < begin)
		begin = track->interval[at].begin;
	if (track->interval[last - 1].end > end)
		end = track->interval[last - 1].end;
	track->interval[at] = (struct fmt_interval){begin, end};
	memmove(track->interval + at + 1, track->interval + last, (track->used - last) * sizeof(track->interval[0]));
	track->used -= last - at - 1;
}

static void fold(struct rec_backend *backend, struct fmt_device *device, struct fmt_track *track, uint64_t begin,
		 uint64_t end)
{
	mark(device);
	if (track->used == FMT_INTERVALS)
		make_room(backend, device, track);
	if (begin < device->fold_line) {
		count(&ledger(backend)->late);
		rec_state.process->notes |= FMT_NOTE_APPROXIMATE;
		begin = device->fold_line;
	}
	if (begin < end)
		insert(track, begin, end);
	mark(device);
}

static struct fmt_op *find_op(struct rec_backend *backend, const struct rec_span *span)
{
	rec_word key = (rec_word)span->name << 20 | span->device << 8 | span->kind;
	struct index index;
	struct fmt_op *op;
	uint64_t added;

	if (rec_map_get(&ops, key, &index))
		return rec_area_item(FMT_SECTION_OPS, index.value);
	op = rec_area_add(FMT_SECTION_OPS, &added);
	if (!op)
		return NULL;
	op->name = span->name;
	op->backend = backend->index;
	op->device = span->device;
	op->kind = span->kind;
	op->shape = span->details.shape;
	rec_area_publish(FMT_SECTION_OPS);
	index.value = (uint32_t)added;
	rec_map_put(&ops, key, &index);
	return op;
}

static bool is_copy(uint32_t kind)
{
	return kind == SONDE_KIND_copy || kind == SONDE_KIND_fill || kind == SONDE_KIND_map;
}

static void add_transfer(struct rec_backend *backend, const struct rec_span *span)
{
	uint64_t used = rec_state.area[FMT_SECTION_TRANSFERS].section->used;
	struct fmt_transfer *row = NULL;

	for (uint64_t i = 0; i < used; i++) {
		row = rec_area_item(FMT_SECTION_TRANSFERS, i);
		if (row->backend == backend->index && row->device == span->device &&
		    row->direction == span->direction && row->memory == span->memory)
			break;
		row = NULL;
	}
	if (!row) {
		row = rec_area_add_sums(FMT_SECTION_TRANSFERS, NULL);
		if (!row)
			return;
		row->backend = backend->index;
		row->device = span->device;
		row->direction = span->direction;
		row->memory = span->memory;
		rec_area_publish(FMT_SECTION_TRANSFERS);
	}
	row->calls++;
	row->bytes += span->bytes;
	row->total_ns += span->end_ns - span->begin_ns;
}

/* Readers that do not know the tally find the name in the stream, before its first use. */
static void stream_name(uint64_t name)
{
	const char *text = rec_state.area[FMT_SECTION_STRINGS].base + name;
	uint32_t length = (uint32_t)strlen(text) + 1;
	struct index index = {0};
	uint64_t ticks;
	char *at;

	if (!name || rec_map_get(&streamed, name, &index))
		return;
	at = rec_stream_take(&writer, 16 + length, false, &ticks);
	rec_stream_head(at, FMT_EVENT_NAME, ticks);
	rec_stream_put(at + 8, name);
	memcpy(at + 16, text, length);
	rec_stream_publish(&writer, at + 16 + length, ticks);
	if (at != rec_stream_unread)
		rec_map_put(&streamed, name, &index);
}

static void stream_span(const struct rec_backend *backend, const struct rec_span *span)
{
	bool detailed = span->details.shape.known || span->details.node;
	struct fmt_event_detailed event = {.operation = {
		.begin_ns = span->begin_ns, .end_ns = span->end_ns, .correlation = span->correlation,
		.name = span->name, .bytes = span->bytes, .device = span->device, .queue = span->queue,
		.error_ns = span->error_ns < UINT32_MAX ? (uint32_t)span->error_ns : UINT32_MAX,
		.backend = backend->index, .kind = (uint8_t)span->kind, .direction = (uint8_t)span->direction,
		.memory = (uint8_t)span->memory, .waited = span->waited,
	}, .details = span->details};

	if (!rec_state.process->streams)
		return;
	if (writer_generation != rec_state.generation) {
		writer_generation = rec_state.generation;
		rec_stream_open(&writer, REC_STREAM_DEVICE);
	}
	stream_name(span->name);
	rec_stream_event(&writer, detailed ? FMT_EVENT_DETAILED : FMT_EVENT_OPERATION, &event,
			 detailed ? sizeof(event) : sizeof(event.operation));
}

static void record_span(struct rec_backend *backend, const struct rec_span *span)
{
	struct fmt_device *device = rec_area_item(FMT_SECTION_DEVICES, span->device);
	uint64_t duration = span->end_ns - span->begin_ns;
	struct fmt_op *op = find_op(backend, span);

	if (!op) {
		rec_device_lost(backend);
		return;
	}
	rec_row_add(&op->stats, duration, 0, false);
	op->bytes += span->bytes;
	if (op->shape.known && memcmp(&op->shape, &span->details.shape, sizeof(op->shape)) != 0)
		op->shape.known = fmt_shape_common(&op->shape, &span->details.shape);
	if (span->error_ns > device->clock_error_ns)
		device->clock_error_ns = span->error_ns;
	if (span->kind == SONDE_KIND_launch || span->kind == SONDE_KIND_graph_launch) {
		rec_context_add(span->context, duration);
		device->kernels_sum_ns += duration;
		fold(backend, device, &device->kernels, span->begin_ns, span->end_ns);
	} else if (is_copy(span->kind)) {
		rec_context_add(span->context, duration);
		device->copies_sum_ns += duration;
		fold(backend, device, &device->copies, span->begin_ns, span->end_ns);
		add_transfer(backend, span);
	}
	if (span->details.node)
		rec_graph_add(backend, span);
	count(&ledger(backend)->device_recorded);
	stream_span(backend, span);
}

void rec_device_span(struct rec_backend *backend, const struct rec_span *span)
{
	uint32_t token;

	if (!ledger(backend))
		return;
	if (span->device >= rec_state.area[FMT_SECTION_DEVICES].section->used) {
		rec_device_lost(backend);
		return;
	}
	if (span->end_ns < span->begin_ns) {
		rec_device_untimed(backend);
		return;
	}
	token = rec_guard_enter();
	rec_lock(&lock);
	record_span(backend, span);
	rec_refresh(false);
	rec_unlock(&lock);
	rec_guard_leave(token);
}
