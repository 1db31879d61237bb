/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations that go on when their call is over, where the layer tells later when they ran. What is known of one is
 * kept from its END to its COMPLETE, in memory that is used again and never given back.
 */
#include <time.h>

#include "layer.h"

#define READINGS 4        /* of two clocks, until they are ... */
#define READING_NS 2000u  /* ... this close */

struct pending {
	void *pool;
	uint64_t name, bytes, correlation, device;
	uint32_t kind, direction, context, generation;
};
static struct rec_pool pendings = REC_POOL(struct pending, 0);

bool layer_goes_on(const struct layer *layer, uint32_t event, const struct sonde_layer_op *op)
{
	return op->flags & SONDE_LAYER_ASYNC && layer->complete >> event & 1 && op->status >= 0;
}

uint64_t layer_correlation(const struct layer *layer, uint64_t id)
{
	return id ^ (uint64_t)(layer->index + 1) << 56;
}

void *layer_pending(struct layer *layer, uint32_t event, const struct sonde_layer_op *op)
{
	const char *name = op->name ? op->name : "unnamed";
	struct pending *pending;

	if (!rec_on() || rec_is_paused())
		return NULL;
	rec_device_seen(&layer->backend);
	pending = rec_pool_take(&pendings);
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

/*
 * The span in the host's CLOCK_MONOTONIC_RAW; false: the clock says nothing about that. One pair of readings for both
 * ends, lest what comes between two readings is added to its length.
 */
static bool to_raw(uint32_t clock, struct rec_span *span)
{
	uint64_t raw = rec_raw_ns(), now = raw, between = 0;
	struct timespec time;

	if (clock >= SONDE_LAYER_DEVICE_CLOCK)
		return false;
	for (int tries = 0; clock != SONDE_LAYER_MONOTONIC_RAW && tries < READINGS; tries++) {
		raw = rec_raw_ns();
		clock_gettime(clock == SONDE_LAYER_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME, &time);
		now = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
		between = rec_raw_ns() - raw;
		if (between < READING_NS)
			break;
	}
	if (span->end_ns < span->begin_ns || span->end_ns > now || now - span->begin_ns > raw)
		return false;
	if (clock != SONDE_LAYER_MONOTONIC_RAW)
		span->error_ns += between + (now - span->begin_ns) / 2000; /* the kernel slews by 500 ppm at most */
	span->begin_ns = raw - (now - span->begin_ns);
	span->end_ns = raw - (now - span->end_ns);
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

	if (span.device == UINT32_MAX || !to_raw(times->clock, &span))
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
	rec_pool_give(&pendings, pending);
}
