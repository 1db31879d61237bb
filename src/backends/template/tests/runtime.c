/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A runtime with behaviour, for tests: these definitions take the place of the generated weak ones.
 * It keeps what arrived, so that the program can compare.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "shapes.h"

struct template_seen template_seen;

int template_launch(void *queue, const char *name, struct template_grid grid, float weight, double speed)
{
	template_seen.queue = queue;
	template_seen.name = name;
	template_seen.grid = grid;
	template_seen.weight = weight;
	template_seen.speed = speed;
	return 0;
}

int template_log(int level, ...)
{
	va_list list;

	va_start(list, level);
	template_seen.level = level;
	for (unsigned i = 0; i < LOG_PAIRS; i++) {
		template_seen.number[i] = va_arg(list, double);
		template_seen.word[i] = va_arg(list, long);
	}
	va_end(list);
	return 7;
}

double template_time(void)
{
	return 1.25;
}

void *template_alloc(size_t bytes)
{
	return malloc(bytes);
}

void template_free(void *memory)
{
	free(memory);
}

int template_wait(void *queue)
{
	return queue ? 0 : -5;
}
