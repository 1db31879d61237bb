/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Aligned text tables. Numbers stand right-aligned, the last column is left-aligned and never padded.
 * Where a terminal is narrower than the table, columns of low rank are left out; the last never is.
 */
#ifndef SONDE_BASE_TABLE_H
#define SONDE_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"

#define TABLE_COLUMNS 20

struct table_column {
	const char *title;
	bool left;     /* left-aligned */
	unsigned rank; /* 0: always there; the greatest is left out first */
};

struct table {
	struct arena *arena;
	struct table_column column[TABLE_COLUMNS];
	size_t columns;
	const char **cell; /* rows x TABLE_COLUMNS; NULL: empty */
	size_t rows, capacity;
};

void table_start(struct table *table, struct arena *arena);
void table_column(struct table *table, const char *title, unsigned rank);
void table_column_left(struct table *table, const char *title, unsigned rank);
/* Adds a row and fills it from the left; text is not copied, except by table_number(). */
void table_row(struct table *table);
void table_cell(struct table *table, size_t column, const char *text);
void table_copy(struct table *table, size_t column, const char *text);
/* width 0: unlimited; bold titles where `colour` is set; empty columns are left out. */
void table_print(const struct table *table, FILE *file, size_t width, bool colour);

#endif
