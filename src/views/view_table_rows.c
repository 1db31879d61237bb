/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections of many rows of the table view: kernels, transfers, memory, calls, failures, builds, ledger. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "base/demangle.h"
#include "views/view_details.h"
#include "views/view_table.h"

static const char *clean(struct painter *painter, const char *text)
{
	return utf8_display(&painter->arena, text, 0);
}

static const char *average(struct painter *painter, const struct summary_times *times)
{
	return times->calls ? paint_time(painter, (int64_t)(times->total_ns / times->calls)) : NULL;
}

/* What stands between figures and name: group of --by, host where there are several, device. */
static void place_columns(struct table *table)
{
	table_column_left(table, "of", 0);
	table_column_left(table, "host", 2);
	table_column_left(table, "device", 1);
}

static void place_cells(struct painter *painter, struct table *table, size_t column, const char *group,
			const char *host, const char *device)
{
	table_cell(table, column, *group ? clean(painter, group) : NULL);
	table_cell(table, column + 1, painter->summary->run.hosts > 1 && *host ? clean(painter, host) : NULL);
	table_cell(table, column + 2, *device ? clean(painter, device) : NULL);
}

/* How kernels were launched: with all rows only, where it was always the same. */
#define SHAPE_COLUMNS 4
static void shape_columns(struct table *table)
{
	table_column(table, "grid", 8);
	table_column(table, "block", 8);
	table_column(table, "registers", 9);
	table_column(table, "shared", 9);
}

static void shape_cells(struct painter *painter, struct table *table, size_t column, const struct fmt_shape *shape)
{
	char extent[VIEW_EXTENT_BYTES];

	if (!painter->options->all)
		return;
	if (shape->known & FMT_SHAPE_GRID)
		table_copy(table, column, view_extent(shape->grid, extent));
	if (shape->known & FMT_SHAPE_BLOCK)
		table_copy(table, column + 1, view_extent(shape->block, extent));
	if (shape->known & FMT_SHAPE_REGISTERS)
		table_cell(table, column + 2, paint_count(painter, shape->registers));
	if ((shape->known & FMT_SHAPE_STATIC) && (shape->known & FMT_SHAPE_DYNAMIC))
		table_cell(table, column + 3, paint_bytes(painter, (uint64_t)shape->static_shared +
							  shape->dynamic_shared));
}

void paint_kernels(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	bool by_device = summary->by == SUMMARY_BY_DEVICE;
	const struct summary_kernel *kernel = by_device ? summary->kernel : summary->kernel_all;
	size_t count = by_device ? summary->kernels : summary->kernels_all, shown = paint_limit(painter, count), i;
	int64_t wall = by_device && summary->devices ? painter->device_wall / (int64_t)summary->devices :
						       painter->device_wall;
	struct table table;

	if (!count)
		return;
	paint_title(painter, "Kernels (time on the device)");
	table_start(&table, &painter->arena);
	table_column(&table, "time", 0);
	table_column(&table, "% wall", 1);
	table_column(&table, "calls", 0);
	table_column(&table, "average", 2);
	table_column(&table, "min", 4);
	table_column(&table, "p99", 5);
	table_column(&table, "max", 3);
	table_column(&table, "min (rank)", 7);
	table_column(&table, "max (rank)", 6);
	place_columns(&table);
	shape_columns(&table);
	table_column_left(&table, "kernel", 0);
	for (i = 0; i < shown; i++, kernel++) {
		table_row(&table);
		table_cell(&table, 0, paint_time(painter, (int64_t)kernel->times.total_ns));
		table_cell(&table, 1, paint_percent(painter, (int64_t)kernel->times.total_ns, wall));
		table_cell(&table, 2, paint_count(painter, kernel->times.calls));
		table_cell(&table, 3, average(painter, &kernel->times));
		table_cell(&table, 4, paint_time(painter, (int64_t)kernel->times.min_ns));
		table_cell(&table, 5, paint_time(painter, (int64_t)kernel->times.p99_ns));
		table_cell(&table, 6, paint_time(painter, (int64_t)kernel->times.max_ns));
		if (kernel->ranks.count > 1)
			paint_ranks(painter, &table, 7, &kernel->ranks);
		place_cells(painter, &table, 9, kernel->group, by_device ? kernel->host : "",
			    by_device ? kernel->device : "");
		shape_cells(painter, &table, 12, &kernel->shape);
		table_cell(&table, 12 + SHAPE_COLUMNS, paint_name(painter, demangle(&painter->arena, kernel->name)));
	}
	paint_table(painter, &table, count, shown);
}

void paint_transfers(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	size_t shown = paint_limit(painter, summary->transfers), i;
	struct number number;
	struct table table;

	if (!summary->transfers)
		return;
	paint_title(painter, "Transfers (time on the device)");
	table_start(&table, &painter->arena);
	table_column(&table, "time", 0);
	table_column(&table, "calls", 0);
	table_column(&table, "bytes", 0);
	table_column(&table, "rate", 0);
	table_column_left(&table, "direction", 0);
	table_column_left(&table, "memory", 1);
	place_columns(&table);
	table_column_left(&table, "", 1);
	for (i = 0; i < shown; i++) {
		const struct summary_transfer *transfer = &summary->transfer[i];

		table_row(&table);
		table_cell(&table, 0, paint_time(painter, (int64_t)transfer->total_ns));
		table_cell(&table, 1, paint_count(painter, transfer->calls));
		table_copy(&table, 2, number_bytes(&number, transfer->bytes));
		table_copy(&table, 3, number_rate(&number, transfer->bytes, transfer->total_ns));
		table_cell(&table, 4, view_direction[transfer->direction]);
		table_cell(&table, 5, view_memory[transfer->memory]);
		place_cells(painter, &table, 6, transfer->group, transfer->host, transfer->device);
		table_cell(&table, 9, clean(painter, transfer->backend));
	}
	paint_table(painter, &table, summary->transfers, shown);
}

void paint_memory(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	size_t shown = paint_limit(painter, summary->memories), i;
	struct number number;
	struct table table;

	if (!summary->memories)
		return;
	paint_title(painter, "Memory");
	table_start(&table, &painter->arena);
	table_column(&table, "peak", 0);
	table_column(&table, "at the end", 0);
	table_column(&table, "allocated", 2);
	table_column(&table, "allocs", 0);
	table_column(&table, "frees", 0);
	table_column_left(&table, "memory", 0);
	place_columns(&table);
	table_column_left(&table, "", 1);
	for (i = 0; i < shown; i++) {
		const struct summary_memory *memory = &summary->memory[i];

		table_row(&table);
		table_cell(&table, 0, arena_printf(&painter->arena, "%s%s", memory->peak_is_bound ? "<= " : "",
						   number_bytes(&number, memory->peak_bytes)));
		table_copy(&table, 1, number_bytes(&number, memory->live_bytes));
		table_copy(&table, 2, number_bytes(&number, memory->alloc_bytes));
		table_copy(&table, 3, number_count(&number, memory->allocs));
		table_copy(&table, 4, number_count(&number, memory->frees));
		table_cell(&table, 5, view_memory[memory->memory]);
		place_cells(painter, &table, 6, memory->group, memory->host, memory->device);
		table_cell(&table, 9, clean(painter, memory->backend));
	}
	paint_table(painter, &table, summary->memories, shown);
}

/* ---- calls ---- */

struct call_section {
	const char *backend;
	size_t count, shown;
	uint64_t calls;
	int64_t self_ns;
	bool nested; /* some row's self time is not its total */
};

static struct call_section section_measure(struct painter *painter, const char *backend)
{
	const struct summary *summary = painter->summary;
	struct call_section section = {.backend = backend};
	size_t i;

	for (i = 0; i < summary->calls; i++) {
		const struct summary_call *call = &summary->call[i];

		if (strcmp(call->backend, backend) != 0)
			continue;
		section.count++;
		section.calls += call->times.calls;
		section.self_ns = number_add(section.self_ns, call->self_ns);
		section.nested |= call->self_ns != (int64_t)call->times.total_ns;
	}
	section.shown = paint_limit(painter, section.count);
	return section;
}

enum call_column {
	CALL_TOTAL, CALL_SELF, CALL_WALL, CALL_DEVICE, CALL_COUNT, CALL_FAILED, CALL_AVERAGE, CALL_MIN, CALL_P99,
	CALL_MAX, CALL_OUT, CALL_IN, CALL_MEMBERS, CALL_THREADS, CALL_WAITED, CALL_LEAST_RANK, CALL_MOST_RANK, CALL_OF,
	CALL_NAME
};

static void name_call_columns(struct table *table, bool nested)
{
	table_column(table, nested ? "total" : "time", 0);
	table_column(table, nested ? "self" : "", 1);
	table_column(table, "% wall", 1);
	table_column(table, "device", 1); /* of what was started inside by the layers beneath */
	table_column(table, "calls", 0);
	table_column(table, "failed", 1);
	table_column(table, "average", 2);
	table_column(table, "min", 6);
	table_column(table, "p99", 7);
	table_column(table, "max", 3);
	table_column(table, "out", 5);
	table_column(table, "in", 5);
	table_column(table, "comm size", 4);
	table_column(table, "threads", 4);
	table_column(table, "imbalance", 4); /* share of its threads' time that was spent waiting for each other */
	table_column(table, "min (rank)", 8);
	table_column(table, "max (rank)", 4);
	table_column_left(table, "of", 0);
	table_column_left(table, "function", 0);
}

static const char *call_name(struct painter *painter, const struct summary_call *call)
{
	const char *name = paint_name(painter, demangle(&painter->arena, call->name));

	if (call->open_ns)
		return arena_printf(&painter->arena, "%s (not returned: %s)", name, paint_time(painter, call->open_ns));
	if (call->unfinished)
		return arena_printf(&painter->arena, "%s (%llu never returned)", name,
				    (unsigned long long)call->unfinished);
	return name;
}

static const char *call_members(struct painter *painter, const struct summary_call *call)
{
	if (call->members_least == call->members_most)
		return arena_printf(&painter->arena, "%u", call->members_most);
	return arena_printf(&painter->arena, "%u to %u", call->members_least, call->members_most);
}

static void call_times(struct painter *painter, struct table *table, const struct summary_call *call, bool nested)
{
	table_cell(table, CALL_TOTAL, paint_time(painter, (int64_t)call->times.total_ns));
	if (nested)
		table_cell(table, CALL_SELF, paint_time(painter, call->self_ns));
	table_cell(table, CALL_WALL, paint_percent(painter, (int64_t)call->times.total_ns, painter->wall));
	table_cell(table, CALL_AVERAGE, average(painter, &call->times));
	if (!call->times.calls)
		return;
	table_cell(table, CALL_MIN, paint_time(painter, (int64_t)call->times.min_ns));
	table_cell(table, CALL_P99, paint_time(painter, (int64_t)call->times.p99_ns));
	table_cell(table, CALL_MAX, paint_time(painter, (int64_t)call->times.max_ns));
}

static void call_row(struct painter *painter, struct table *table, const struct summary_call *call, bool nested)
{
	struct number number;

	table_row(table);
	if (call->timed)
		call_times(painter, table, call, nested);
	else
		table_cell(table, CALL_TOTAL, "-");
	table_copy(table, CALL_COUNT, number_count(&number, call->times.calls));
	table_cell(table, CALL_FAILED, paint_count(painter, call->failed));
	if (call->device_ns)
		table_cell(table, CALL_DEVICE, paint_time(painter, (int64_t)call->device_ns));
	table_cell(table, CALL_OUT, paint_bytes(painter, call->bytes_out));
	if (call->bytes_in)
		table_cell(table, CALL_IN, arena_printf(&painter->arena, "%s%s", call->posted ? "<= " : "",
							number_bytes(&number, call->bytes_in)));
	if (call->members_most)
		table_cell(table, call->team_ns ? CALL_THREADS : CALL_MEMBERS, call_members(painter, call));
	if (call->team_ns)
		table_cell(table, CALL_WAITED, paint_percent(painter, (int64_t)call->team_waited_ns,
							     (int64_t)call->team_ns));
	if (call->ranks.count > 1 && call->timed)
		paint_ranks(painter, table, CALL_LEAST_RANK, &call->ranks);
	table_cell(table, CALL_OF, *call->group ? clean(painter, call->group) : NULL);
	table_cell(table, CALL_NAME, call_name(painter, call));
}

static void section_paint(struct painter *painter, const struct call_section *section)
{
	const struct summary *summary = painter->summary;
	size_t filled = 0, i;
	struct table table;

	paint_title(painter, "Calls of %s: %llu, %s%s", clean(painter, section->backend),
		    (unsigned long long)section->calls, paint_time(painter, section->self_ns),
		    section->nested ? " without what other calls took inside them" : "");
	table_start(&table, &painter->arena);
	name_call_columns(&table, section->nested);
	for (i = 0; i < summary->calls && filled < section->shown; i++) {
		if (strcmp(summary->call[i].backend, section->backend) != 0)
			continue;
		call_row(painter, &table, &summary->call[i], section->nested);
		filled++;
	}
	paint_table(painter, &table, section->count, section->shown);
}

static bool is_first_of_backend(const struct summary *summary, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (!strcmp(summary->call[i].backend, summary->call[index].backend))
			return false;
	return true;
}

/* Backends in the order of their heaviest call: rows are sorted by time. */
void paint_calls(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	struct call_section section;
	size_t i, backends = 0;

	for (i = 0; i < summary->calls && backends < summary->ledgers + 1; i++) {
		if (!is_first_of_backend(summary, i))
			continue;
		section = section_measure(painter, summary->call[i].backend);
		section_paint(painter, &section);
		backends++;
	}
}

/* ---- failures, builds, ledger ---- */

void paint_failures(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	size_t shown = paint_limit(painter, summary->failures), i;
	struct table table;
	char answer[24];

	if (!summary->failures)
		return;
	paint_title(painter, "Calls that failed");
	table_start(&table, &painter->arena);
	table_column(&table, "calls", 0);
	table_column(&table, "answer", 0);
	table_column_left(&table, "", 0);
	table_column_left(&table, "of", 0);
	table_column_left(&table, "function", 0);
	for (i = 0; i < shown; i++) {
		const struct summary_failure *failure = &summary->failure[i];

		table_row(&table);
		table_cell(&table, 0, paint_count(painter, failure->calls));
		snprintf(answer, sizeof(answer), "%" PRId64, failure->answer);
		table_copy(&table, 1, failure->answer ? answer : "-");
		table_cell(&table, 2, *failure->answer_name ? paint_name(painter, failure->answer_name) : NULL);
		table_cell(&table, 3, *failure->group ? clean(painter, failure->group) : NULL);
		table_cell(&table, 4, paint_name(painter, failure->name));
	}
	paint_table(painter, &table, summary->failures, shown);
}

void paint_builds(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	size_t shown = paint_limit(painter, summary->builds), i;
	struct table table;

	if (!summary->builds)
		return;
	paint_title(painter, "Builds of device code");
	table_start(&table, &painter->arena);
	table_column(&table, "time", 0);
	table_column(&table, "calls", 0);
	table_column(&table, "failed", 0);
	table_column(&table, "processes", 1);
	table_column_left(&table, "from", 0);
	table_column_left(&table, "of", 0);
	table_column_left(&table, "program", 0);
	for (i = 0; i < shown; i++) {
		const struct summary_build *build = &summary->build[i];

		table_row(&table);
		table_cell(&table, 0, paint_time(painter, (int64_t)build->total_ns));
		table_cell(&table, 1, paint_count(painter, build->calls));
		table_cell(&table, 2, paint_count(painter, build->failed));
		table_cell(&table, 3, paint_count(painter, build->processes));
		table_cell(&table, 4, view_source[build->source]);
		table_cell(&table, 5, *build->group ? clean(painter, build->group) : NULL);
		table_cell(&table, 6, paint_name(painter, build->name));
	}
	paint_table(painter, &table, summary->builds, shown);
}

static void ledger_row(struct painter *painter, struct table *table, const struct summary_ledger *ledger)
{
	struct number number;

	table_row(table);
	table_copy(table, 0, number_count(&number, ledger->hooked));
	table_copy(table, 1, number_count(&number, ledger->seen));
	table_copy(table, 2, number_count(&number, ledger->recorded));
	table_copy(table, 3, number_count(&number, ledger->lost));
	table_cell(table, 4, paint_count(painter, ledger->calls_unfinished));
	table_cell(table, 5, paint_count(painter, ledger->device_seen));
	table_cell(table, 6, paint_count(painter, ledger->device_recorded));
	table_cell(table, 7, paint_count(painter, ledger->device_lost));
	table_cell(table, 8, paint_count(painter, ledger->untimed));
	table_cell(table, 9, paint_count(painter, ledger->late));
	if (ledger->unfinished)
		table_cell(table, 10, arena_printf(&painter->arena, "%lld", (long long)ledger->unfinished));
	table_cell(table, 11, arena_printf(&painter->arena, "%s%s%s", clean(painter, ledger->backend),
					   *ledger->attached_by ? ", attached by " : "",
					   clean(painter, ledger->attached_by)));
}

void paint_ledger(struct painter *painter)
{
	static const char *const titles[] = {"hooked", "seen", "recorded", "lost", "never left", "on device",
					     "recorded", "lost", "untimed", "late", "unfinished"};
	const struct summary *summary = painter->summary;
	struct table table;
	size_t i;

	table_start(&table, &painter->arena);
	for (i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		table_column(&table, titles[i], 0);
	table_column_left(&table, "backend", 0);
	for (i = 0; i < summary->ledgers; i++)
		if (summary->ledger[i].off || painter->options->ledger)
			ledger_row(painter, &table, &summary->ledger[i]);
	if (!table.rows)
		return;
	paint_title(painter, "Ledger (calls, then device operations)");
	paint_table(painter, &table, 0, 0);
}
