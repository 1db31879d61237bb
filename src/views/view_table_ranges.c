/* SPDX-License-Identifier: BSD-3-Clause */
/* The section of the table about ranges and marks: the program's own names for what it does. */
#include "base/number.h"
#include "base/utf8.h"
#include "views/view_table.h"

enum range_column {
	RANGE_TOTAL, RANGE_SELF, RANGE_WALL, RANGE_DEVICE, RANGE_COUNT, RANGE_AVERAGE, RANGE_MAX,
	RANGE_LEAST_RANK, RANGE_MOST_RANK, RANGE_BACKEND, RANGE_OF, RANGE_NAME
};

static void name_range_columns(struct table *table)
{
	table_column(table, "total", 0);
	table_column(table, "self", 1);
	table_column(table, "% wall", 2);
	table_column(table, "device", 0);
	table_column(table, "count", 0);
	table_column(table, "average", 3);
	table_column(table, "max", 4);
	table_column(table, "min (rank)", 6);
	table_column(table, "max (rank)", 5);
	table_column_left(table, "by", 7);
	table_column_left(table, "of", 0);
	table_column_left(table, "range", 0);
}

static const char *range_name(struct painter *painter, const struct summary_range *range)
{
	const char *name = paint_name(painter, range->name);

	if (range->kind == SONDE_KIND_mark)
		return arena_printf(&painter->arena, "%s (mark)", name);
	if (range->open_ns)
		return arena_printf(&painter->arena, "%s (not ended: %s)", name, paint_time(painter, range->open_ns));
	if (range->unfinished)
		return arena_printf(&painter->arena, "%s (%llu never ended)", name,
				    (unsigned long long)range->unfinished);
	return name;
}

static void times(struct painter *painter, struct table *table, const struct summary_range *range)
{
	table_cell(table, RANGE_TOTAL, paint_time(painter, (int64_t)range->times.total_ns));
	table_cell(table, RANGE_SELF, paint_time(painter, range->self_ns));
	table_cell(table, RANGE_WALL, paint_percent(painter, (int64_t)range->times.total_ns, painter->wall));
	if (range->device_ns)
		table_cell(table, RANGE_DEVICE, paint_time(painter, (int64_t)range->device_ns));
	if (!range->times.calls)
		return;
	table_cell(table, RANGE_AVERAGE,
		   paint_time(painter, (int64_t)(range->times.total_ns / range->times.calls)));
	table_cell(table, RANGE_MAX, paint_time(painter, (int64_t)range->times.max_ns));
	if (range->ranks.count > 1)
		paint_ranks(painter, table, RANGE_LEAST_RANK, &range->ranks);
}

void paint_ranges(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	size_t shown = paint_limit(painter, summary->ranges), i;
	struct number number;
	struct table table;

	if (!summary->ranges)
		return;
	paint_title(painter, "Ranges of the program (device: what was started inside, a plain sum)");
	table_start(&table, &painter->arena);
	name_range_columns(&table);
	for (i = 0; i < shown; i++) {
		const struct summary_range *range = &summary->range[i];

		table_row(&table);
		if (range->kind != SONDE_KIND_mark)
			times(painter, &table, range);
		table_copy(&table, RANGE_COUNT, number_count(&number, range->times.calls));
		table_cell(&table, RANGE_BACKEND, utf8_display(&painter->arena, range->backend, 0));
		table_cell(&table, RANGE_OF, *range->group ? utf8_display(&painter->arena, range->group, 0) : NULL);
		table_cell(&table, RANGE_NAME, range_name(painter, range));
	}
	paint_table(painter, &table, summary->ranges, shown);
}
