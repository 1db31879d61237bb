/* SPDX-License-Identifier: BSD-3-Clause */
/* The header that the vendor of the imaginary runtime would ship, and what its test keeps. */
#ifndef SHAPES_H
#define SHAPES_H

#include <stddef.h>

#define LOG_PAIRS 12 /* more than the registers of any architecture hold */

struct template_grid {
	unsigned x, y;
	double scale;
	void *name;
};

int template_open(unsigned flags);
int template_launch(void *queue, const char *name, struct template_grid grid, float weight, double speed);
int template_log(int level, ...);
double template_time(void);
void *template_alloc(size_t bytes);
void template_free(void *memory);
int template_wait(void *queue);
int template_copy(void *queue, void *to, const void *from, size_t bytes);

extern struct template_seen {
	void *queue;
	const char *name;
	struct template_grid grid;
	float weight;
	double speed;
	int level;
	double number[LOG_PAIRS];
	long word[LOG_PAIRS];
} template_seen;

#endif
