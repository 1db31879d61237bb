/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows found by key, in the order in which they first came. */
#include <string.h>

#include "analyze/analysis.h"

void rows_key(struct rows *rows)
{
	map_key_start(&rows->key);
}

void rows_key_text(struct analysis *analysis, struct rows *rows, const char *text)
{
	map_key_text(&rows->key, &analysis->scratch, text);
}

void rows_key_number(struct analysis *analysis, struct rows *rows, uint64_t number)
{
	map_key_number(&rows->key, &analysis->scratch, number);
}

void *rows_find(struct analysis *analysis, struct rows *rows, size_t row_bytes, bool *is_new_out)
{
	void **value;

	rows->map.arena = &analysis->scratch;
	value = map_value(&rows->map, rows->key.bytes, rows->key.length);
	*is_new_out = !*value;
	if (!*value) {
		*value = arena_zalloc(&analysis->scratch, row_bytes);
		rows->row = arena_grow(&analysis->scratch, rows->row, rows->count, &rows->capacity, sizeof(*rows->row));
		rows->row[rows->count++] = *value;
	}
	return *value;
}

const char *keep(struct analysis *analysis, const char *text)
{
	return *text ? arena_strdup(analysis->arena, text) : "";
}

int busiest_first(const struct busy *a, const struct busy *b)
{
	int names;

	if (a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	names = strcmp(a->backend, b->backend);
	if (!names)
		names = strcmp(a->name, b->name);
	return names ? names : strcmp(a->group, b->group);
}
