/* SPDX-License-Identifier: BSD-3-Clause */
/* Aligned text tables; see table.h. */
#include "base/table.h"

#include <string.h>

#include "base/utf8.h"

#define INDENT 2
#define GAP 2
#define NAME_MIN 16 /* columns that a name needs to be of use */

void table_start(struct table *table, struct arena *arena)
{
	memset(table, 0, sizeof(*table));
	table->arena = arena;
}

static void table_add_column(struct table *table, const char *title, unsigned rank, bool left)
{
	if (table->columns < TABLE_COLUMNS)
		table->column[table->columns++] = (struct table_column){title, left, rank};
}

void table_column(struct table *table, const char *title, unsigned rank)
{
	table_add_column(table, title, rank, false);
}

void table_column_left(struct table *table, const char *title, unsigned rank)
{
	table_add_column(table, title, rank, true);
}

void table_row(struct table *table)
{
	table->cell = arena_grow(table->arena, table->cell, table->rows, &table->capacity,
				 TABLE_COLUMNS * sizeof(*table->cell));
	table->rows++;
}

void table_cell(struct table *table, size_t column, const char *text)
{
	if (column < table->columns)
		table->cell[(table->rows - 1) * TABLE_COLUMNS + column] = text;
}

void table_copy(struct table *table, size_t column, const char *text)
{
	table_cell(table, column, arena_strdup(table->arena, text));
}

static const char *table_text(const struct table *table, size_t row, size_t column)
{
	const char *text = table->cell[row * TABLE_COLUMNS + column];

	return text ? text : "";
}

static void table_measure(const struct table *table, size_t *width)
{
	size_t row, column, cell;

	for (column = 0; column < table->columns; column++) {
		width[column] = 0;
		for (row = 0; row < table->rows; row++) {
			cell = utf8_width(table_text(table, row, column));
			if (cell > width[column])
				width[column] = cell;
		}
		/* a column without any content is not shown; one with content is as wide as its title */
		cell = utf8_width(table->column[column].title);
		if (width[column] && cell > width[column])
			width[column] = cell;
	}
}

/* Sets the width of columns that do not fit to 0. */
static void table_fit(const struct table *table, size_t *width, size_t limit)
{
	size_t column, total, worst;
	size_t last = table->columns - 1;

	while (limit) {
		total = INDENT + (width[last] < NAME_MIN ? width[last] : NAME_MIN);
		worst = last;
		for (column = 0; column < last; column++) {
			if (!width[column])
				continue;
			total += width[column] + GAP;
			if (table->column[column].rank &&
			    (worst == last || table->column[column].rank >= table->column[worst].rank))
				worst = column;
		}
		if (total <= limit || worst == last)
			return;
		width[worst] = 0;
	}
}

static void table_line(const struct table *table, FILE *file, const size_t *width, const char *const *text)
{
	size_t last = table->columns - 1, column, pad, end = last;
	bool first = true;

	/* nothing is written behind the last cell that has text */
	while (end > 0 && (!width[end] || !text[end] || !text[end][0]))
		end--;
	for (column = 0; column <= end; column++) {
		const char *cell = text[column] ? text[column] : "";

		if (!width[column])
			continue;
		fprintf(file, "%*s", first ? INDENT : GAP, "");
		first = false;
		pad = width[column] - utf8_width(cell);
		if (table->column[column].left)
			fprintf(file, "%s%*s", cell, column == end ? 0 : (int)pad, "");
		else
			fprintf(file, "%*s%s", (int)pad, "", cell);
	}
}

void table_print(const struct table *table, FILE *file, size_t limit, bool colour)
{
	size_t width[TABLE_COLUMNS], row, column;
	const char *titles[TABLE_COLUMNS];

	if (!table->columns || !table->rows)
		return;
	table_measure(table, width);
	table_fit(table, width, limit);
	for (column = 0; column < table->columns; column++)
		titles[column] = table->column[column].title;
	if (colour)
		fputs("\033[2m", file);
	table_line(table, file, width, titles);
	fputs(colour ? "\033[0m\n" : "\n", file);
	for (row = 0; row < table->rows; row++) {
		table_line(table, file, width, &table->cell[row * TABLE_COLUMNS]);
		putc('\n', file);
	}
}
