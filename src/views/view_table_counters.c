/* SPDX-License-Identifier: BSD-3-Clause */
/* The section of the table about sampled counters. */
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "views/view_table.h"

#define MILLION 1000000
#define SECOND_NS 1000000000u

enum column {
	COLUMN_MIN, COLUMN_MEAN, COLUMN_MAX, COLUMN_SAMPLES, COLUMN_MISSED, COLUMN_HOST, COLUMN_COUNTER, COLUMN_DEVICE
};

static const char *figure(struct painter *painter, const struct summary_counter *counter, int64_t millionths)
{
	int64_t whole = millionths / MILLION, tenths = millionths / (MILLION / 10);
	struct number number;

	if (whole >= 0 && !strcmp(counter->unit, "bytes"))
		return arena_strdup(&painter->arena, number_bytes(&number, (uint64_t)whole));
	if (whole >= 0 && !strcmp(counter->unit, "bytes/s"))
		return arena_strdup(&painter->arena, number_rate(&number, (uint64_t)whole, SECOND_NS));
	return arena_printf(&painter->arena, "%s %s", number_tenths(&number, tenths),
			    utf8_display(&painter->arena, counter->unit, 0));
}

void paint_counters(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	size_t shown = paint_limit(painter, summary->counters), i;
	struct number interval;
	struct table table;

	if (!summary->counters)
		return;
	paint_title(painter, "Counters, sampled every %s (mean: by time)",
		    number_time_u(&interval, summary->counter[0].interval_ns));
	table_start(&table, &painter->arena);
	table_column(&table, "min", 0);
	table_column(&table, "mean", 0);
	table_column(&table, "max", 0);
	table_column(&table, "samples", 1);
	table_column(&table, "missed", 2);
	table_column_left(&table, "host", 0);
	table_column_left(&table, "counter", 0);
	table_column_left(&table, "device", 0);
	for (i = 0; i < shown; i++) {
		const struct summary_counter *counter = &summary->counter[i];

		table_row(&table);
		table_cell(&table, COLUMN_MIN, figure(painter, counter, counter->min));
		table_cell(&table, COLUMN_MEAN, figure(painter, counter, counter->mean));
		table_cell(&table, COLUMN_MAX, figure(painter, counter, counter->max));
		table_cell(&table, COLUMN_SAMPLES, paint_count(painter, counter->samples));
		table_cell(&table, COLUMN_MISSED, paint_count(painter, counter->missed));
		table_cell(&table, COLUMN_HOST, summary->run.hosts > 1 ?
			   utf8_display(&painter->arena, counter->host, 0) : NULL);
		table_cell(&table, COLUMN_COUNTER, utf8_display(&painter->arena, counter->name, 0));
		table_cell(&table, COLUMN_DEVICE, paint_name(painter, counter->device));
	}
	paint_table(painter, &table, summary->counters, shown);
}
