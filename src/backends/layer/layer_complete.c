/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations that go on when their call is over, where the layer tells later when they ran. What is known of one is
 * kept from its END to its COMPLETE, in memory that is used again and never given back.
 */
#include <time.h>

#include "layer.h"

#define BLOCK 64u

struct pending {
	struct pending *next;
	uint64_t name, bytes, correlation, device;
	uint32_t kind, direction, context, generation;
};
static struct pending *unused;
static uint32_t lock;

bool layer_goes_on(const struct layer *layer, uint32_t event, const struct sonde_layer_op *op)
{
	return op->flags & SONDE_LAYER_ASYNC && layer->complete >> event & 1 && op->status >= 0;
}

uint64_t layer_correlation(const struct layer *layer, uint64_t id)
{
	return id ^ (uint64_t)(layer->index + 1) << 56;
}

static struct pending *get(void)
{
	struct pending *found, *block;

	rec_lock(&lock);
	if (!unused) {
		block = rec_keep(NULL, BLOCK * sizeof(*block));
		for (uint32_t i = 0; block && i < BLOCK; i++) {
			block[i].next = unused;
			unused = &block[i];
		}
	}
	found = unused;
	if (found)
		unused = found->next;
	rec_unlock(&lock);
	return found;
}

static void put(struct pending *pending)
{
	rec_lock(&lock);
	pending->next = unused;
	unused = pending;
	rec_unlock(&lock);
}

void *layer_pending(struct layer *layer, uint32_t event, const struct sonde_layer_op *op)
{
	const char *name = op->name ? op->name : "unnamed";
	struct pending *pending;

	if (!rec_on())
		return NULL;
	rec_device_seen(&layer->backend);
	pending = get();
	if (!pending) {
		rec_device_lost(&layer->backend);
		return NULL;
	}
	*pending = (struct pending){
		.name = rec_name(name, __builtin_strlen(name)), .correlation = layer_correlation(layer, op->id),
		.device = op->device, .kind = layer_kind(event, op), .direction = layer_direction(op),
		.context = rec_context(&layer->backend), .generation = rec_generation()
	};
	if (event == SONDE_LAYER_COPY && SONDE_LAYER_HAS(op, sonde_layer_copy, bytes))
		pending->bytes = ((const struct sonde_layer_copy *)op)->bytes;
	return pending;
}

/* The host's CLOCK_MONOTONIC_RAW at that time; false: the clock says nothing about that. */
static bool to_raw(uint32_t clock, uint64_t *time_ns, uint64_t *error_ns)
{
	uint64_t raw = rec_raw_ns(), now, age;
	struct timespec time;

	if (clock == SONDE_LAYER_MONOTONIC_RAW)
		return *time_ns <= raw;
	if (clock != SONDE_LAYER_MONOTONIC && clock != SONDE_LAYER_REALTIME)
		return false;
	clock_gettime(clock == SONDE_LAYER_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME, &time);
	now = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
	age = now - *time_ns;
	if (now < *time_ns || age > raw)
		return false;
	*time_ns = raw - age;
	*error_ns += age / 2000; /* the kernel slews by 500 ppm at most */
	return true;
}

static void record(struct layer *layer, const struct sonde_layer_times *times, const struct pending *pending)
{
	struct rec_span span = {
		.begin_ns = times->begin_ns, .end_ns = times->end_ns, .error_ns = times->error_ns,
		.name = pending->name, .bytes = pending->bytes, .correlation = pending->correlation,
		.device = layer_device(layer, pending->device), .queue = UINT32_MAX, .kind = pending->kind,
		.direction = pending->direction, .context = pending->context
	};
	uint64_t unused_error = 0;

	if (span.end_ns < span.begin_ns || !to_raw(times->clock, &span.begin_ns, &span.error_ns) ||
	    !to_raw(times->clock, &span.end_ns, &unused_error) || span.device == UINT32_MAX)
		rec_device_untimed(&layer->backend);
	else
		rec_device_span(&layer->backend, &span);
}

void layer_complete(struct layer *layer, const struct sonde_layer_times *times, void *word)
{
	struct pending *pending = word;
	const char *below;

	if (!pending)
		return;
	below = layer_device_api(layer, pending->device);
	if (pending->generation == rec_generation()) {
		if (below && rec_backend_seen(below))
			rec_device_unseen(&layer->backend); /* seen below, and counted there */
		else
			record(layer, times, pending);
	}
	put(pending);
}
