/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory in use, builds of device code, rank: small tables of the record, filled from hooks. */
#include <errno.h>
#include <pthread.h>

#include "record/rec_state.h"
#include "record/rec_stream.h"

#define RETRY_EVENTS 1000 /* after a failure the search for a block is not repeated for every event */

static uint32_t lock;

void rec_things_forget(void)
{
	lock = 0;
}

static bool is_listed(const struct rec_backend *backend)
{
	return rec_ready() && (backend->state & REC_BACKEND_OPENED);
}

static struct fmt_memory *find_memory(uint32_t backend, uint32_t device, uint32_t kind)
{
	uint64_t used = rec_state.area[FMT_SECTION_MEMORY].section->used;
	struct fmt_memory *row;

	for (uint64_t i = 0; i < used; i++) {
		row = rec_area_item(FMT_SECTION_MEMORY, i);
		if (row->backend == backend && row->device == device && row->memory == kind)
			return row;
	}
	row = rec_area_add_sums(FMT_SECTION_MEMORY, NULL);
	if (!row)
		return NULL;
	row->backend = backend;
	row->device = device;
	row->memory = kind;
	rec_area_publish(FMT_SECTION_MEMORY);
	return row;
}

static bool has_stream(void)
{
	return rec_tls.thread && rec_tls.generation == rec_state.generation;
}

/* A runtime's own thread, which frees memory and makes no call: it gets a stream like others. */
static REC_COLD void open_stream(void)
{
	int saved = errno, cancel_state;
	uint64_t signals;

	if (rec_tls.retry) {
		rec_tls.retry--;
		return;
	}
	rec_signals_block(&signals);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	rec_tls.guard++;
	rec_lock(&rec_state.lock);
	if (!rec_is_off() && !rec_thread_open(&rec_tls))
		rec_tls.retry = RETRY_EVENTS;
	rec_unlock(&rec_state.lock);
	rec_tls.guard--;
	pthread_setcancelstate(cancel_state, NULL);
	rec_signals_restore(&signals);
	errno = saved;
}

static void stream_memory(const struct fmt_memory *row, int64_t change)
{
	struct fmt_event_memory event = {
		.live_bytes = row->live_bytes, .change = change, .backend = row->backend, .device = row->device,
		.memory = row->memory,
	};

	if (!rec_state.process->streams)
		return;
	if (has_stream())
		rec_stream_event(&rec_tls.writer, FMT_EVENT_MEMORY, &event, sizeof(event));
	else
		rec_stream_lost(1);
}

void rec_memory(struct rec_backend *backend, uint32_t device, enum sonde_memory_kind kind, int64_t bytes)
{
	struct fmt_memory *row;

	if (!is_listed(backend))
		return;
	if (rec_state.process->streams && !has_stream())
		open_stream();
	rec_lock(&lock);
	row = find_memory(backend->index, device, kind);
	if (row && bytes >= 0) {
		row->allocs++;
		row->alloc_bytes += (uint64_t)bytes;
		row->live_bytes += (uint64_t)bytes;
		if (row->live_bytes > row->peak_bytes)
			row->peak_bytes = row->live_bytes;
	} else if (row) {
		row->frees++;
		row->live_bytes -= (uint64_t)-bytes;
	}
	if (row)
		stream_memory(row, bytes);
	rec_unlock(&lock);
}

/* NULL: no room. The lock is held. */
static struct fmt_build *find_build(const struct rec_backend *backend, uint64_t name, enum sonde_build_source source)
{
	uint64_t used = rec_state.area[FMT_SECTION_BUILDS].section->used;
	struct fmt_build *row;

	for (uint64_t i = 0; i < used; i++) {
		row = rec_area_item(FMT_SECTION_BUILDS, i);
		if (row->name == name && row->backend == backend->index && row->source == source)
			return row;
	}
	row = rec_area_add_sums(FMT_SECTION_BUILDS, NULL);
	if (!row)
		return NULL;
	row->name = name;
	row->backend = backend->index;
	row->source = source;
	rec_area_publish(FMT_SECTION_BUILDS);
	return row;
}

void rec_build(struct rec_backend *backend, uint64_t name, enum sonde_build_source source, uint64_t ticks,
	       bool failed)
{
	struct fmt_build *row;

	if (!is_listed(backend))
		return;
	rec_lock(&lock);
	row = find_build(backend, name, source);
	if (row) {
		row->calls++;
		row->failed += failed;
		row->total += ticks;
	}
	rec_unlock(&lock);
}

void rec_build_processes(struct rec_backend *backend, uint64_t name, enum sonde_build_source source,
			 uint32_t processes)
{
	struct fmt_build *row;

	if (!is_listed(backend))
		return;
	rec_lock(&lock);
	row = find_build(backend, name, source);
	if (row)
		row->processes += processes;
	rec_unlock(&lock);
}

void rec_rank(int rank, int size)
{
	if (!rec_ready())
		return;
	if (size == 1 && rec_state.process->size > 1 && !rec_proc_is_single())
		rec_state.process->notes |= FMT_NOTE_ALONE;
	rec_state.process->rank = rank;
	rec_state.process->size = size;
}
