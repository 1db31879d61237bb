/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the table view: view_table.c has its frame, view_table_rows.c the sections of many rows. */
#ifndef SONDE_VIEWS_VIEW_TABLE_H
#define SONDE_VIEWS_VIEW_TABLE_H

#include "base/table.h"
#include "views/view_internal.h"

struct painter {
	const struct summary *summary;
	const struct view_options *options;
	FILE *file;
	struct arena arena;
	bool ranks;     /* several: columns with the spread over them */
	int64_t wall;   /* of all processes: what shares of calls are of */
	int64_t device_wall; /* of all devices: what shares of kernels are of */
};

/* Heading of a section. */
void paint_title(struct painter *painter, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends a section of which only `shown` of `count` rows were filled in. */
void paint_table(struct painter *painter, struct table *table, size_t count, size_t shown);
size_t paint_limit(const struct painter *painter, size_t count);
const char *paint_name(struct painter *painter, const char *name);
const char *paint_time(struct painter *painter, int64_t ns);
const char *paint_count(struct painter *painter, uint64_t count);     /* NULL for 0: an empty cell */
const char *paint_bytes(struct painter *painter, uint64_t bytes);     /* likewise */
const char *paint_percent(struct painter *painter, int64_t part, int64_t whole);
/* Minimum and maximum with their ranks, "1.234 s (3)", in this column and the next. */
void paint_ranks(struct painter *painter, struct table *table, size_t column, const struct summary_ranks *ranks);
/* A table of parts of the time: its columns, and a row. */
void paint_parts_start(struct painter *painter, struct table *table);
void paint_part(struct painter *painter, struct table *table, int64_t tenths, int64_t ns,
		const struct summary_ranks *ranks, const char *name);

/* view_table_overlap.c */
void paint_overlap(struct painter *painter);

/* view_table_ranges.c */
void paint_ranges(struct painter *painter);

/* view_table_counters.c */
void paint_counters(struct painter *painter);

void paint_kernels(struct painter *painter);
void paint_graphs(struct painter *painter); /* view_table_graphs.c */
void paint_transfers(struct painter *painter);
void paint_memory(struct painter *painter);
void paint_calls(struct painter *painter);
void paint_failures(struct painter *painter);
void paint_builds(struct painter *painter);
void paint_ledger(struct painter *painter);

#endif
