/* SPDX-License-Identifier: BSD-3-Clause */
/* many COUNT: that many layers, ly0 and so on: each tells of an operation, and of one that it has no room for. */
#include <sonde/sonde_layer.h>

#include "app.h"

#define LAYERS 32

static struct sonde_layer layers[LAYERS];
static char names[LAYERS][8];

static void work(const struct sonde_layer_tool *tool, uint64_t id)
{
	struct sonde_layer_launch info = {.op = {.size = sizeof(info), .what = SONDE_LAYER_RUN, .id = id, .name = "k"}};
	union sonde_layer_word word = {0};

	tool->callback(SONDE_LAYER_LAUNCH, SONDE_LAYER_BEGIN, &info.op, &word, tool->data);
	tool->callback(SONDE_LAYER_LAUNCH, SONDE_LAYER_END, &info.op, &word, tool->data);
	info.op.flags = SONDE_LAYER_LOST;
	info.op.id += LAYERS;
	tool->callback(SONDE_LAYER_LAUNCH, SONDE_LAYER_POINT, &info.op, &word, tool->data);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0, taken = 0;

	for (int i = 0; i < count && i < LAYERS && sonde_layer_attach; i++) {
		const struct sonde_layer_tool *tool;

		snprintf(names[i], sizeof(names[i]), "ly%d", i);
		layers[i] = (struct sonde_layer){
			.size = sizeof(layers[i]), .version = SONDE_LAYER_VERSION, .name = names[i],
			.events = 1u << SONDE_LAYER_LAUNCH
		};
		tool = sonde_layer_attach(&layers[i]);
		taken += tool != NULL;
		if (tool)
			work(tool, (uint64_t)i + 1);
	}
	app_say("taken", taken);
	return 0;
}
