/* SPDX-License-Identifier: BSD-3-Clause */
/* What layers find: one symbol, which gives each of them a tool of its own, and a backend of its own in the record. */
#include <stdio.h>
#include <string.h>

#include "layer.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* Stands for all layers in the launcher's list; has no calls itself. */
static struct rec_backend all_layers = {
	.size = sizeof(struct rec_backend), .name = "layer", .pool = "", .front = "", .runtimes = "", .layer = 7
};

static struct layer layers[LAYERS_MAX];
static uint32_t used, lock;

__attribute__((constructor)) static void start_up(void)
{
	rec_backend_register(&all_layers, __ehdr_start, _end);
}

static void take(uint32_t event, uint32_t phase, const struct sonde_layer_op *op, union sonde_layer_word *word,
		 void *data)
{
	struct layer *layer = data;

	if (phase == SONDE_LAYER_BEGIN)
		layer_begin(layer, event, op, word);
	else if (phase == SONDE_LAYER_END)
		layer_end(layer, event, op, word);
	else if (phase == SONDE_LAYER_POINT)
		layer_point(layer, event, op);
	else if (phase == SONDE_LAYER_COMPLETE)
		layer_complete(layer, (const struct sonde_layer_times *)op, word->pointer);
}

/* The layer's name as a backend has one: it stands in lists, file names and keys. */
static void plain_name(char *plain, const char *name)
{
	size_t length = 0;

	for (; name[length] && length + 1 < LAYER_NAME_MAX - sizeof("-layer"); length++) {
		char c = name[length];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '.')
			c = '_';
		plain[length] = c;
	}
	plain[length] = '\0';
	if (!length)
		strcpy(plain, "unnamed");
}

static struct layer *find(const char *name)
{
	for (uint32_t i = 0; i < used; i++)
		if (!strcmp(layers[i].name, name))
			return &layers[i];
	return NULL;
}

/* Under the lock. NULL: there are too many, or one has both names. */
static struct layer *add(const char *name, const struct sonde_layer *described)
{
	const char *release = SONDE_LAYER_HAS(described, sonde_layer, release) ? described->release : NULL;
	struct layer *layer = &layers[used];

	if (used == LAYERS_MAX)
		return NULL;
	strcpy(layer->name, name);
	snprintf(layer->library, sizeof(layer->library), "%s%s%.31s", name, release ? " " : "", release ? release : "");
	layer->index = used;
	layer->complete = described->complete;
	layer->backend = all_layers;
	layer->backend.name = layer->name;
	layer->backend.next = NULL;
	layer->backend.state = 0;
	if (!rec_backend_add(&layer->backend, &all_layers)) {
		strcat(layer->name, "-layer"); /* it wraps an API whose calls are seen by themselves */
		if (!rec_backend_add(&layer->backend, &all_layers))
			return NULL;
	}
	rec_attached(&layer->backend, "sonde_layer.h", layer->library);
	layer->tool = (struct sonde_layer_tool){
		.size = sizeof(layer->tool), .version = SONDE_LAYER_VERSION, .name = "sonde", .data = layer,
		.events = ((uint64_t)1 << SONDE_LAYER_EVENTS) - 1, .callback = take
	};
	used++;
	return layer;
}

/* Said where any layer is recorded. The first that found no place is named. */
static void tell_refused(const char *name)
{
	static char note[128];
	static uint32_t told;
	struct rec_backend *in = rec_backend_wanted(&all_layers) ? &all_layers : NULL;

	for (uint32_t i = 0; i < LAYERS_MAX && !in; i++)
		if (rec_backend_wanted(&layers[i].backend))
			in = &layers[i].backend;
	if (!in || __atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
		return;
	snprintf(note, sizeof(note), "there are more than %u layers: nothing of %s, and of layers that came after it, "
		 "was recorded", LAYERS_MAX, name);
	rec_backend_note(in, note);
}

const struct sonde_layer_tool *sonde_layer_attach(const struct sonde_layer *described)
{
	char name[LAYER_NAME_MAX], second[LAYER_NAME_MAX + 8];
	struct layer *layer;
	bool full;

	if (!described || !SONDE_LAYER_HAS(described, sonde_layer, complete) ||
	    described->version != SONDE_LAYER_VERSION || !described->name)
		return NULL;
	plain_name(name, described->name);
	snprintf(second, sizeof(second), "%s-layer", name);
	rec_lock(&lock);
	layer = find(name);
	if (!layer)
		layer = find(second);
	if (!layer)
		layer = add(name, described);
	full = used == LAYERS_MAX;
	rec_unlock(&lock);
	if (!layer && full)
		tell_refused(name);
	return layer && rec_backend_wanted(&layer->backend) ? &layer->tool : NULL;
}
