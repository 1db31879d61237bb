/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that is freed all at once. Zero-initialised; never NULL: a machine without memory ends the
 * program with one line, because nothing offline can go on without it.
 */
#ifndef SONDE_BASE_ARENA_H
#define SONDE_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena {
	struct arena_chunk *chunk;
};

/*
 * Exit status where memory runs out. The launcher sets it to the status of the traced program,
 * which must not change because a summary could not be made.
 */
extern int arena_exit_status;

void *arena_zalloc(struct arena *arena, size_t bytes);
void *arena_array(struct arena *arena, size_t items, size_t item_bytes);
char *arena_strndup(struct arena *arena, const char *bytes, size_t length);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list arguments);
/*
 * Room for one more item in a growing array of `items`; returns the array, moved when it was full.
 * *capacity starts as 0 with a NULL array.
 */
void *arena_grow(struct arena *arena, void *array, size_t items, size_t *capacity, size_t item_bytes);
void arena_free(struct arena *arena);

#endif
