/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tool's side of <sonde/sonde_layer.h>: what portability layers report becomes calls of a backend that has the
 * layer's name. All of it runs in callbacks, in the program's threads.
 */
#ifndef SONDE_LAYER_BACKEND_H
#define SONDE_LAYER_BACKEND_H

#include "record/rec_tools.h"
#include "sonde/sonde_layer.h"

#define LAYERS_MAX 8u
#define LAYER_NAME_MAX 32u

struct layer {
	struct rec_backend backend;
	struct sonde_layer_tool tool;
	uint64_t complete; /* bit e: ASYNC operations of event e get their times */
	uint32_t index;
	char name[LAYER_NAME_MAX], library[2 * LAYER_NAME_MAX];
};

/* layer_call.c: an operation as a call */
void layer_begin(struct layer *layer, uint32_t event, const struct sonde_layer_op *op, union sonde_layer_word *word);
void layer_end(struct layer *layer, uint32_t event, const struct sonde_layer_op *op, union sonde_layer_word *word);
void layer_point(struct layer *layer, uint32_t event, const struct sonde_layer_op *op);
enum sonde_kind layer_kind(uint32_t event, const struct sonde_layer_op *op);
uint32_t layer_direction(const struct sonde_layer_op *op);

/* layer_memory.c: devices of the layer, and memory in use */
void layer_device_known(struct layer *layer, const struct sonde_layer_op *op);
uint32_t layer_device(struct layer *layer, uint64_t device); /* as it is recorded */
const char *layer_device_api(struct layer *layer, uint64_t device); /* name of the backend below; NULL: none */
uint32_t layer_memory_kind(const struct sonde_layer_op *op);
void layer_memory_gone(struct layer *layer, const struct sonde_layer_op *op);
void layer_memory_come(struct layer *layer, const struct sonde_layer_op *op);

/* layer_complete.c: operations that go on when their call is over */
bool layer_goes_on(const struct layer *layer, uint32_t event, const struct sonde_layer_op *op);
/* For the word of its COMPLETE; NULL: no memory. */
void *layer_pending(struct layer *layer, uint32_t event, const struct sonde_layer_op *op);
void layer_complete(struct layer *layer, const struct sonde_layer_times *times, void *pending);
uint64_t layer_correlation(const struct layer *layer, uint64_t id);

#endif
