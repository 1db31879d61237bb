/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that is freed all at once; see arena.h. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#define CHUNK_BYTES 32768
#define ALIGN 16

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	max_align_t data[];
};

int arena_exit_status = SONDE_EXIT_BAD;

static _Noreturn void arena_fail(void)
{
	static const char text[] = "sonde: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(arena_exit_status);
	_exit(arena_exit_status);
}

static struct arena_chunk *checked(struct arena_chunk *chunk, size_t size)
{
	if (!chunk)
		arena_fail();
	chunk->used = 0;
	chunk->size = size;
	return chunk;
}

/* A chunk of its own. It does not end the chunk that small items are taken from. */
static void *large_item(struct arena *arena, size_t bytes)
{
	struct arena_chunk *chunk = checked(calloc(1, sizeof(*chunk) + bytes), bytes);

	chunk->used = bytes;
	if (arena->chunk) {
		chunk->next = arena->chunk->next;
		arena->chunk->next = chunk;
	} else {
		chunk->next = NULL;
		arena->chunk = chunk;
	}
	return chunk->data;
}

void *arena_zalloc(struct arena *arena, size_t bytes)
{
	struct arena_chunk *chunk = arena->chunk;
	void *memory;

	if (bytes > SIZE_MAX / 2)
		arena_fail();
	bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (bytes > CHUNK_BYTES / 4)
		return large_item(arena, bytes);
	if (!chunk || chunk->size - chunk->used < bytes) {
		chunk = checked(malloc(sizeof(*chunk) + CHUNK_BYTES), CHUNK_BYTES);
		chunk->next = arena->chunk;
		arena->chunk = chunk;
	}
	memory = (char *)chunk->data + chunk->used;
	chunk->used += bytes;
	return memset(memory, 0, bytes); /* here, so that pages that nobody asks for are never touched */
}

void *arena_array(struct arena *arena, size_t items, size_t item_bytes)
{
	if (item_bytes && items > SIZE_MAX / 4 / item_bytes)
		arena_fail();
	return arena_zalloc(arena, items * item_bytes);
}

char *arena_strndup(struct arena *arena, const char *bytes, size_t length)
{
	char *copy = arena_zalloc(arena, length + 1);

	if (length)
		memcpy(copy, bytes, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
{
	va_list again;
	int length;
	char *text;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		return arena_strdup(arena, "");
	text = arena_zalloc(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = arena_vprintf(arena, format, arguments);
	va_end(arguments);
	return text;
}

void *arena_grow(struct arena *arena, void *array, size_t items, size_t *capacity, size_t item_bytes)
{
	void *grown;

	if (items < *capacity)
		return array;
	*capacity = *capacity ? *capacity * 2 : 8;
	grown = arena_array(arena, *capacity, item_bytes);
	if (items)
		memcpy(grown, array, items * item_bytes);
	return grown;
}

void arena_free(struct arena *arena)
{
	while (arena->chunk) {
		struct arena_chunk *chunk = arena->chunk;

		arena->chunk = chunk->next;
		free(chunk);
	}
}
