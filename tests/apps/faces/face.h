/* SPDX-License-Identifier: BSD-3-Clause */
/* One program with a face for each device API: what main.c needs of an API. Whatever fails ends the program. */
#ifndef FACE_H
#define FACE_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct face {
	int computes; /* 0: the device is simulated without its memory */
	void (*start)(void);
	void *(*allocate)(size_t bytes); /* on the device */
	void (*release)(void *memory);
	void (*to_device)(void *to, const void *from, size_t bytes);
	void (*from_device)(void *to, void *from, size_t bytes);
	void (*clear)(void *memory, size_t bytes);
	void (*add_one)(void *memory, size_t items); /* a kernel of that name: one more in each int */
	void (*finish)(void);
};
extern const struct face face;

#define FACE_OK(call)                                                             \
	do {                                                                      \
		long code_ = (long)(call);                                        \
		if (code_) {                                                      \
			fprintf(stderr, "%s: %s: %ld\n", __FILE__, #call, code_); \
			exit(3);                                                  \
		}                                                                 \
	} while (0)

#endif
