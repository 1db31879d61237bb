/* SPDX-License-Identifier: BSD-3-Clause */
/* An operation of a layer as a call, between its BEGIN and its END, with a name that the layer gives. HOT. */
#include "layer.h"

#define STACK 0x4c590000u /* ranges of a layer nest by themselves */

/* Of what nobody has named, and of builds and devices, whose name is none of a call. */
static const struct {
	const char *text;
	uint8_t kind;
} known[SONDE_LAYER_SECTION + 1] = {
	[SONDE_LAYER_ALLOCATE] = {"allocate", SONDE_KIND_alloc},
	[SONDE_LAYER_FREE] = {"free", SONDE_KIND_free},
	[SONDE_LAYER_POOL_RESERVE] = {"reserve in pool", SONDE_KIND_alloc},
	[SONDE_LAYER_POOL_RELEASE] = {"release to pool", SONDE_KIND_free},
	[SONDE_LAYER_H2D] = {" H2D", SONDE_KIND_copy},
	[SONDE_LAYER_D2H] = {" D2H", SONDE_KIND_copy},
	[SONDE_LAYER_D2D] = {" D2D", SONDE_KIND_copy},
	[SONDE_LAYER_H2H] = {" H2H", SONDE_KIND_copy},
	[SONDE_LAYER_P2P] = {" P2P", SONDE_KIND_copy},
	[SONDE_LAYER_FILL] = {"fill", SONDE_KIND_fill},
	[SONDE_LAYER_BUILD_ALL] = {"build", SONDE_KIND_build},
	[SONDE_LAYER_PARSE] = {"parse", SONDE_KIND_build},
	[SONDE_LAYER_COMPILE] = {"compile", SONDE_KIND_build},
	[SONDE_LAYER_LOAD] = {"load", SONDE_KIND_load},
	[SONDE_LAYER_RUN] = {"kernel", SONDE_KIND_launch},
	[SONDE_LAYER_FOR] = {"for", SONDE_KIND_launch},
	[SONDE_LAYER_REDUCE] = {"reduce", SONDE_KIND_launch},
	[SONDE_LAYER_SCAN] = {"scan", SONDE_KIND_launch},
	[SONDE_LAYER_WAIT_DEVICE] = {"wait for device", SONDE_KIND_wait},
	[SONDE_LAYER_WAIT_STREAM] = {"wait for stream", SONDE_KIND_wait},
	[SONDE_LAYER_WAIT_EVENT] = {"wait for event", SONDE_KIND_wait},
	[SONDE_LAYER_RECORD_EVENT] = {"record event", SONDE_KIND_other},
};
static const char *const objects[][SONDE_LAYER_SET_CURRENT + 1] = {
	[SONDE_LAYER_DEVICE] = {"device", "set up device", "release device", "wrap device", "set device"},
	[SONDE_LAYER_STREAM] = {"stream", "create stream", "destroy stream", "wrap stream", "set stream"},
};
static const uint8_t kind_of_event[SONDE_LAYER_EVENTS] = { /* of operations that this version does not know */
	[SONDE_LAYER_DEVICE] = SONDE_KIND_setup, [SONDE_LAYER_STREAM] = SONDE_KIND_setup,
	[SONDE_LAYER_MEMORY] = SONDE_KIND_alloc, [SONDE_LAYER_COPY] = SONDE_KIND_copy,
	[SONDE_LAYER_BUILD] = SONDE_KIND_build,  [SONDE_LAYER_LAUNCH] = SONDE_KIND_launch,
	[SONDE_LAYER_SYNC] = SONDE_KIND_wait,
};

enum sonde_kind layer_kind(uint32_t event, const struct sonde_layer_op *op)
{
	uint32_t kind = SONDE_KIND_other;

	if (op->what < sizeof(known) / sizeof(known[0]) && known[op->what].text)
		kind = known[op->what].kind;
	else if (event < SONDE_LAYER_EVENTS && op->what != SONDE_LAYER_SET_CURRENT)
		kind = kind_of_event[event];
	if (op->flags & SONDE_LAYER_ON_HOST && kind == SONDE_KIND_launch)
		kind = SONDE_KIND_compute;
	if (op->flags & SONDE_LAYER_ON_HOST && kind == SONDE_KIND_wait)
		kind = SONDE_KIND_sync;
	return kind;
}

uint32_t layer_direction(const struct sonde_layer_op *op)
{
	switch (op->what) {
	case SONDE_LAYER_H2D:
		return SONDE_DIRECTION_h2d;
	case SONDE_LAYER_D2H:
		return SONDE_DIRECTION_d2h;
	case SONDE_LAYER_H2H:
		return SONDE_DIRECTION_h2h;
	case SONDE_LAYER_P2P:
		return SONDE_DIRECTION_p2p;
	case SONDE_LAYER_FILL:
		return SONDE_DIRECTION_fill;
	default:
		return SONDE_DIRECTION_d2d;
	}
}

static const char *text_of(uint32_t event, const struct sonde_layer_op *op)
{
	if (op->what < sizeof(known) / sizeof(known[0]) && known[op->what].text)
		return known[op->what].text;
	if (event <= SONDE_LAYER_STREAM && op->what <= SONDE_LAYER_SET_CURRENT)
		return objects[event][op->what];
	return op->what == SONDE_LAYER_WRAP ? "wrap memory" : "other";
}

static struct rec_label label_of(uint32_t event, const struct sonde_layer_op *op)
{
	struct rec_label label;

	if (event == SONDE_LAYER_BUILD || event == SONDE_LAYER_DEVICE)
		return rec_label(NULL, text_of(event, op)); /* the name is the kernel's, the mode's */
	if (event == SONDE_LAYER_COPY && op->what != SONDE_LAYER_FILL) {
		label = rec_label(NULL, op->name ? op->name : "copy");
		return rec_label(&label, op->what == SONDE_LAYER_OTHER ? "" : text_of(event, op));
	}
	return rec_label(NULL, op->name ? op->name : text_of(event, op));
}

void layer_begin(struct layer *layer, uint32_t event, const struct sonde_layer_op *op, union sonde_layer_word *word)
{
	struct rec_label label;
	struct rec_call call;

	if (event == SONDE_LAYER_LAUNCH && op->flags & SONDE_LAYER_PART)
		return; /* its time is that of the launch around it */
	label = label_of(event, op);
	if (event == SONDE_LAYER_REGION) {
		word->value = 1;
		if (op->what == SONDE_LAYER_SECTION)
			rec_range_start(&layer->backend, &label, op->id);
		else
			rec_range_push(&layer->backend, &label, STACK + layer->index);
		return;
	}
	if (event == SONDE_LAYER_MEMORY && op->what == SONDE_LAYER_FREE)
		layer_memory_gone(layer, op); /* afterwards the address may be another thread's already */
	rec_enter_dynamic(&call, &layer->backend, &label, layer_kind(event, op), (uintptr_t)op->frame);
	word->value = rec_call_token(&call);
}

static void end_region(struct layer *layer, const struct sonde_layer_op *op, const union sonde_layer_word *word)
{
	if (!word->value) /* begun before we listened */
		return;
	if (op->what == SONDE_LAYER_SECTION)
		rec_range_end(&layer->backend, op->id);
	else
		rec_range_pop(&layer->backend, STACK + layer->index);
}

/* What the row of the call has besides times. */
static void add_bytes(const struct rec_call *call, uint32_t event, const struct sonde_layer_op *op)
{
	const struct sonde_layer_copy *copy = (const struct sonde_layer_copy *)op;
	const struct sonde_layer_memory *memory = (const struct sonde_layer_memory *)op;

	if (event == SONDE_LAYER_COPY && SONDE_LAYER_HAS(op, sonde_layer_copy, bytes)) {
		if (op->what == SONDE_LAYER_D2H)
			rec_call_bytes(call, 0, copy->bytes, false);
		else
			rec_call_bytes(call, copy->bytes, 0, false);
	}
	if (event == SONDE_LAYER_MEMORY && op->what != SONDE_LAYER_FREE && op->what != SONDE_LAYER_POOL_RELEASE &&
	    SONDE_LAYER_HAS(op, sonde_layer_memory, bytes))
		rec_call_bytes(call, memory->bytes, 0, false);
}

static void add_build(struct layer *layer, const struct sonde_layer_op *op, uint64_t ticks)
{
	const struct sonde_layer_build *build = (const struct sonde_layer_build *)op;
	const char *text = op->name ? op->name : "unnamed";
	enum sonde_build_source source = op->flags & SONDE_LAYER_CACHE_HIT ? SONDE_BUILD_cache : SONDE_BUILD_source;
	uint64_t name = rec_name(text, __builtin_strlen(text));

	rec_build(&layer->backend, name, source, ticks, op->status < 0);
	if (SONDE_LAYER_HAS(op, sonde_layer_build, processes) && build->processes)
		rec_build_processes(&layer->backend, name, source, build->processes);
}

void layer_end(struct layer *layer, uint32_t event, const struct sonde_layer_op *op, union sonde_layer_word *word)
{
	struct rec_call call;

	if (event == SONDE_LAYER_REGION) {
		end_region(layer, op, word);
		return;
	}
	if (op->flags & SONDE_LAYER_LEFT) {
		if (rec_call_resume(&call, &layer->backend, word->value))
			rec_call_left(&call);
		return;
	}
	if (rec_call_resume(&call, &layer->backend, word->value)) {
		call.failed = op->status < 0;
		call.result = (rec_word)op->status;
		rec_leave(&call);
		if (op->status >= 0)
			add_bytes(&call, event, op);
		if (event == SONDE_LAYER_BUILD && op->what == SONDE_LAYER_BUILD_ALL)
			add_build(layer, op, call.duration);
		if (layer_goes_on(layer, event, op))
			rec_call_link(&call, layer_correlation(layer, op->id));
	}
	if (event == SONDE_LAYER_DEVICE)
		layer_device_known(layer, op);
	if (event == SONDE_LAYER_MEMORY && op->what == SONDE_LAYER_ALLOCATE)
		layer_memory_come(layer, op);
	if (layer_goes_on(layer, event, op))
		word->pointer = layer_pending(layer, event, op);
}

static void lose(struct layer *layer)
{
	if (rec_is_paused())
		return;
	rec_backend_used(&layer->backend);
	rec_lost(&layer->backend);
}

void layer_point(struct layer *layer, uint32_t event, const struct sonde_layer_op *op)
{
	struct rec_label label;

	if (op->flags & SONDE_LAYER_LOST) {
		lose(layer);
	} else if (event == SONDE_LAYER_REGION) {
		label = rec_label(NULL, op->name);
		rec_mark(&layer->backend, &label);
	} else if (event == SONDE_LAYER_DEVICE) {
		layer_device_known(layer, op);
	} else if (event == SONDE_LAYER_MEMORY && op->what == SONDE_LAYER_ALLOCATE) {
		layer_memory_come(layer, op); /* how long it took is not known */
	} else if (event == SONDE_LAYER_MEMORY && op->what == SONDE_LAYER_FREE) {
		layer_memory_gone(layer, op);
	}
}
