/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of devices are recorded when they are reported, which may be long after they ran. A file is
 * sorted by begin before anything of it is delivered: in runs, of which those that do not fit into memory go to a
 * scratch file without a name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/place.h"
#include "read/stream.h"

#define RUN_OPS 262144u  /* sorted at once, at most */
#define RUN_OPS_LEAST 1024u
#define BUFFER_OPS 128u  /* read back from the scratch file at once */

static int op_order(const void *left, const void *right)
{
	const struct fmt_event_operation *a = &((const struct fmt_event_detailed *)left)->operation;
	const struct fmt_event_operation *b = &((const struct fmt_event_detailed *)right)->operation;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

/* ---- the scratch file ---- */

static int scratch_open(struct device_scratch *scratch)
{
	const char *directory = getenv("TMPDIR");
	char path[4096];

	if (scratch->fd >= 0)
		return 0;
	if (!directory || !*directory)
		directory = "/tmp";
	snprintf(path, sizeof(path), "%s/sonde-sort-XXXXXX", directory);
	scratch->fd = mkostemp(path, O_CLOEXEC);
	if (scratch->fd < 0)
		return log_error(SONDE_EIO, "%s: operations cannot be sorted there: %s", directory, strerror(errno));
	unlink(path);
	return 0;
}

static int scratch_write(struct device_scratch *scratch, const void *data, size_t bytes)
{
	const char *at = data;
	ssize_t done;
	int err = scratch_open(scratch);

	while (!err && bytes) {
		done = pwrite(scratch->fd, at, bytes, (off_t)scratch->bytes);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return log_error(SONDE_EIO, "operations cannot be sorted on disk ($TMPDIR): %s",
					 strerror(errno));
		at += done;
		bytes -= (size_t)done;
		scratch->bytes += (uint64_t)done;
	}
	return err;
}

/* ---- runs ---- */

/* Takes over `op`, sorted already, unless it fails. */
static int run_add(struct stream_device *device, struct fmt_event_detailed *op, size_t ops)
{
	struct device_scratch *scratch = device->scratch;
	struct device_run *run;
	size_t bytes = ops * sizeof(*op);
	int err;

	if (device->runs == device->run_capacity) {
		uint32_t capacity = device->run_capacity ? 2 * device->run_capacity : 4;

		run = realloc(device->run, capacity * sizeof(*run));
		if (!run)
			return log_error(SONDE_EIO, "out of memory");
		device->run = run;
		device->run_capacity = capacity;
	}
	run = &device->run[device->runs];
	*run = (struct device_run){.op = op, .ops = ops};
	if (bytes <= scratch->memory_left) {
		struct fmt_event_detailed *exact = realloc(op, bytes);

		scratch->memory_left -= bytes;
		if (exact)
			run->op = exact;
	} else {
		*run = (struct device_run){.file_left = ops};
		err = scratch_write(scratch, op, bytes);
		if (err)
			return err;
		run->file_at = scratch->bytes - bytes;
		free(op);
	}
	device->runs++;
	return 0;
}

/* Is there one at run->op[run->at]? */
static bool run_fill(struct stream_device *device, struct device_run *run)
{
	size_t want = run->file_left < BUFFER_OPS ? (size_t)run->file_left : BUFFER_OPS;
	int64_t got;

	if (run->at < run->ops)
		return true;
	if (!want)
		return false;
	if (!run->op)
		run->op = malloc(BUFFER_OPS * sizeof(*run->op));
	got = run->op ? file_read_at(device->scratch->fd, run->file_at, run->op, want * sizeof(*run->op)) : -1;
	if (got != (int64_t)(want * sizeof(*run->op))) {
		run->file_left = 0;
		log_error(SONDE_EIO, "sorted operations cannot be read back ($TMPDIR)");
		return false;
	}
	run->at = 0;
	run->ops = want;
	run->file_at += want * sizeof(*run->op);
	run->file_left -= want;
	return true;
}

static int64_t run_key(const struct device_run *run)
{
	return (int64_t)run->op[run->at].operation.begin_ns;
}

/* ---- reading ---- */

/* A damaged or untimed operation has no place in time. */
static bool op_is_sound(const struct fmt_event_operation *op)
{
	return op->begin_ns && op->begin_ns <= op->end_ns && op->end_ns < INT64_MAX;
}

/* ordinal: of the operation in its process; it stands where the file has nothing. */
static void op_take(struct fmt_event_detailed *op, const struct stream_cursor *cursor, uint64_t ordinal)
{
	if (cursor->id == FMT_EVENT_DETAILED) {
		memcpy(op, cursor->payload, sizeof(*op));
	} else {
		memcpy(&op->operation, cursor->payload, sizeof(op->operation));
		op->details = (struct fmt_details){.node = 0};
	}
	memcpy(op->operation.reserved, &ordinal, sizeof(op->operation.reserved));
}

static int device_read(struct stream_device *device, struct stream_cursor *cursor, size_t most)
{
	struct fmt_event_detailed *op = NULL;
	size_t ops = 0, capacity = 0;
	enum stream_step step;
	int err = 0;

	do {
		step = stream_cursor_next(cursor);
		if (ops && (ops == most || step == STREAM_END)) {
			qsort(op, ops, sizeof(*op), op_order);
			err = run_add(device, op, ops);
			op = err ? op : NULL;
			ops = capacity = 0;
		}
		if (step == STREAM_GAP) {
			device->counts->gaps++;
			device->counts->lost += cursor->lost;
			cursor->lost = 0;
		}
		if (err || step != STREAM_EVENT ||
		    (cursor->id != FMT_EVENT_OPERATION && cursor->id != FMT_EVENT_DETAILED))
			continue;
		if (ops == capacity) {
			void *larger;

			capacity = capacity ? 2 * capacity : RUN_OPS_LEAST;
			capacity = capacity < most ? capacity : most;
			larger = realloc(op, capacity * sizeof(*op));
			if (!larger) {
				err = log_error(SONDE_EIO, "out of memory");
				continue;
			}
			op = larger;
		}
		op_take(&op[ops], cursor, device->process->process.operations++);
		if (op_is_sound(&op[ops].operation))
			ops++;
		else {
			device->counts->skewed++;
			stream_trouble(cursor->trouble, "damaged",
				       "an operation ended before it began; it is left out");
		}
	} while (!err && step != STREAM_END);
	free(op);
	return err;
}

int stream_device_open(struct stream_device *device, struct stream_cursor *cursor)
{
	size_t most = device->scratch->memory_left / 4 / sizeof(struct fmt_event_detailed);
	uint32_t i;
	int err;

	most = most < RUN_OPS_LEAST ? RUN_OPS_LEAST : most < RUN_OPS ? most : RUN_OPS;
	err = device_read(device, cursor, most);
	if (err || !device->runs)
		return err;
	device->heap = calloc(device->runs, sizeof(*device->heap));
	if (!device->heap)
		return log_error(SONDE_EIO, "out of memory");
	for (i = 0; i < device->runs; i++)
		if (run_fill(device, &device->run[i]))
			heap_push(device->heap, &device->heap_used,
				  (struct heap_item){run_key(&device->run[i]), i});
	return 0;
}

void stream_device_close(struct stream_device *device)
{
	uint32_t i;

	for (i = 0; i < device->runs; i++)
		free(device->run[i].op);
	free(device->run);
	free(device->heap);
}

/* ---- delivery ---- */

/* device->op: valid until the next one. */
static struct event *device_event(struct stream_device *device)
{
	const struct fmt_event_operation *op = &device->op.operation;
	struct tally_body *names = device->process->body;
	struct event *event = &device->event;

	event->type = EVENT_OPERATION;
	event->process = device->process->index;
	event->lane = event->function = READ_NONE;
	event->begin = event->time = stream_process_time(device->process, op->begin_ns);
	event->end = stream_process_time(device->process, op->end_ns);
	event->ordinal = 0;
	memcpy(&event->ordinal, op->reserved, sizeof(op->reserved)); /* op_take() has put it there */
	event->operation = (struct event_operation){
		.name = place_name(strings_name(names, device->process->process.tally, op->name),
				   device->process->process.tally->raw.open.real_ns),
		.correlation = op->correlation,
		.bytes = op->bytes,
		.error_ns = op->error_ns,
		.backend = op->backend < names->backends ? op->backend : names->backends,
		.device = op->device < names->devices ? op->device : READ_NONE,
		.queue = op->queue < names->queues ? op->queue : READ_NONE,
		.kind = op->kind < SONDE_KIND_COUNT ? (enum sonde_kind)op->kind : SONDE_KIND_other,
		.direction = op->direction < SONDE_DIRECTION_COUNT ? (enum sonde_direction)op->direction :
								     SONDE_DIRECTION_h2h,
		.memory = op->memory < SONDE_MEMORY_COUNT ? (enum sonde_memory_kind)op->memory : SONDE_MEMORY_unknown,
		.waited = op->waited == 1,
		.details = &device->op.details,
	};
	device->counts->operations++;
	return event;
}

struct event *stream_device_next(struct stream_device *device)
{
	struct device_run *run;

	if (!device->heap_used)
		return NULL;
	run = &device->run[device->heap[0].index];
	device->op = run->op[run->at++];
	if (run_fill(device, run)) {
		device->heap[0].key = run_key(run);
		heap_sink(device->heap, device->heap_used);
	} else {
		heap_pop(device->heap, &device->heap_used);
	}
	return device_event(device);
}
