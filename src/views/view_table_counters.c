/* SPDX-License-Identifier: BSD-3-Clause */
/* The sections of the table about counters: those that were sampled, and those that the program set itself. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "views/view_table.h"

#define SECOND_NS 1000000000u

enum counter_column {
	COUNTER_MIN, COUNTER_MEAN, COUNTER_MAX, COUNTER_SAMPLES, COUNTER_MISSED, COUNTER_HOST, COUNTER_NAME,
	COUNTER_DEVICE
};

static const char *figure(struct painter *painter, const struct summary_counter *counter, double value)
{
	bool is_whole = value >= 0 && value < (double)UINT64_MAX;
	struct number number;

	if (is_whole && !strcmp(counter->unit, "bytes"))
		return arena_strdup(&painter->arena, number_bytes(&number, (uint64_t)value));
	if (is_whole && !strcmp(counter->unit, "bytes/s"))
		return arena_strdup(&painter->arena, number_rate(&number, (uint64_t)value, SECOND_NS));
	if (!*counter->unit) /* of any size */
		return arena_printf(&painter->arena, fabs(value) < 1e15 && trunc(value) == value ? "%.0f" : "%.6g",
				    value);
	return arena_printf(&painter->arena, "%.1f %s", value, utf8_display(&painter->arena, counter->unit, 0));
}

static void paint_row(struct painter *painter, struct table *table, const struct summary_counter *counter)
{
	bool is_set = *counter->backend;

	table_row(table);
	table_cell(table, COUNTER_MIN, figure(painter, counter, counter->min));
	table_cell(table, COUNTER_MEAN, figure(painter, counter, counter->mean));
	table_cell(table, COUNTER_MAX, figure(painter, counter, counter->max));
	table_cell(table, COUNTER_SAMPLES, paint_count(painter, counter->samples));
	table_cell(table, COUNTER_MISSED, paint_count(painter, counter->missed));
	table_cell(table, COUNTER_HOST, painter->summary->run.hosts > 1 ?
		   utf8_display(&painter->arena, counter->host, 0) : NULL);
	table_cell(table, COUNTER_NAME, is_set ? paint_name(painter, counter->name) :
						   utf8_display(&painter->arena, counter->name, 0));
	table_cell(table, COUNTER_DEVICE, is_set ? utf8_display(&painter->arena, counter->backend, 0) :
						  paint_name(painter, counter->device));
}

/* Those of `counter`, all of one sort. */
static void paint_section(struct painter *painter, const struct summary_counter *counter, size_t count)
{
	size_t shown = paint_limit(painter, count), i;
	bool are_set = count && *counter->backend;
	struct number interval;
	struct table table;

	if (!count)
		return;
	if (are_set)
		paint_title(painter, "Counters of the program (mean: of the values set)");
	else
		paint_title(painter, "Counters, sampled every %s (mean: by time)",
			    number_time_u(&interval, counter->interval_ns));
	table_start(&table, &painter->arena);
	table_column(&table, "min", 0);
	table_column(&table, "mean", 0);
	table_column(&table, "max", 0);
	table_column(&table, are_set ? "set" : "samples", 1);
	table_column(&table, "missed", 2);
	table_column_left(&table, "host", 0);
	table_column_left(&table, "counter", 0);
	table_column_left(&table, are_set ? "by" : "device", 0);
	for (i = 0; i < shown; i++)
		paint_row(painter, &table, &counter[i]);
	paint_table(painter, &table, count, shown);
}

void paint_counters(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	size_t sampled = 0;

	while (sampled < summary->counters && !*summary->counter[sampled].backend)
		sampled++;
	paint_section(painter, summary->counter, sampled);
	paint_section(painter, summary->counter + sampled, summary->counters - sampled);
}
