/* SPDX-License-Identifier: BSD-3-Clause */
/* A second tool: counts what layers tell, and says so at their ends. tool_late() is for programs that add it. */
#include <sonde/sonde_layer.h>

#include "app.h"

static unsigned long begun, ended, failed, points, completed, strangers;
static unsigned long layers, finished;

static void take(uint32_t event, uint32_t phase, const struct sonde_layer_op *op, union sonde_layer_word *word,
		 void *data)
{
	(void)event;
	(void)data;
	if (phase == SONDE_LAYER_COMPLETE) {
		__atomic_fetch_add(&completed, 1, __ATOMIC_RELAXED);
		return;
	}
	if (phase == SONDE_LAYER_POINT) {
		__atomic_fetch_add(&points, 1, __ATOMIC_RELAXED);
		return;
	}
	if (phase == SONDE_LAYER_BEGIN) {
		__atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
		word->value = op->id;
		return;
	}
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&failed, op->status < 0, __ATOMIC_RELAXED);
	if (word->value != op->id) /* not the word of its beginning */
		__atomic_fetch_add(&strangers, 1, __ATOMIC_RELAXED);
}

static void finalize(const struct sonde_layer *layer, void *data)
{
	(void)data;
	if (!layer || !layer->name)
		abort();
	if (++finished < layers)
		return;
	app_say("tool_layers", (long)layers);
	app_say("tool_begun", (long)begun);
	app_say("tool_ended", (long)ended);
	app_say("tool_failed", (long)failed);
	app_say("tool_points", (long)points);
	app_say("tool_completed", (long)completed);
	app_say("tool_strangers", (long)strangers);
}

static const struct sonde_layer_tool tool = {
	.size = sizeof(tool), .version = SONDE_LAYER_VERSION, .name = "counter",
	.events = (1u << SONDE_LAYER_EVENTS) - 1, .callback = take, .finalize = finalize
};

const struct sonde_layer_tool *sonde_layer_attach(const struct sonde_layer *layer)
{
	if (!layer->add || !layer->remove)
		abort();
	layers += layer->version == SONDE_LAYER_VERSION;
	return &tool;
}

__attribute__((visibility("default"))) const struct sonde_layer_tool *tool_late(void)
{
	layers++;
	return &tool;
}
