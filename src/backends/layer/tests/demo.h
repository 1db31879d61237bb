/* SPDX-License-Identifier: BSD-3-Clause */
/* The API of the layers of the tests: LAYER_run() and so on, where LAYER is what SONDE_LAYER_PREFIX was. */
#ifndef DEMO_H
#define DEMO_H

#include <stdint.h>

struct sonde_layer_tool;

/* One table for each layer: LAYER_api. */
struct demo {
	void (*set_up)(uint32_t api);
	void (*run)(const char *kernel, long ms, unsigned flags);
	void (*run_parts)(const char *kernel, int parts, long ms);
	void (*run_around)(const char *kernel, void (*inside)(void *), void *context); /* what is called may throw */
	int (*fail)(const char *kernel);
	void (*copy)(uint16_t what, const char *name, uint64_t bytes);
	void (*allocate)(void *address, uint64_t bytes, unsigned flags);
	void (*release)(void *address);
	void (*pool)(void *address, uint64_t bytes); /* reserves and releases it inside of what was allocated */
	void (*build)(const char *kernel, int hit, int fails, long ms);
	void (*wait)(long ms);
	void (*push)(const char *name);
	void (*pop)(void);
	void (*mark)(const char *name);
	void (*async)(const char *kernel, uint64_t device, long ms); /* returns at once; runs until complete() */
	void (*complete)(uint32_t clock);
	void (*instant)(const char *kernel, uint64_t device, uint32_t clock); /* takes 100 ns by that clock */
	int (*add_tool)(const struct sonde_layer_tool *tool);
	void (*remove_tool)(const struct sonde_layer_tool *tool);
};
extern const struct demo demo_api, second_api;

#endif
