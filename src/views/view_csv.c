/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of the summary as CSV, one file per section in a directory. Columns bear the names of
 * the JSON keys; ns and bytes. A section is a table of columns, so that heading and values cannot part.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/log.h"
#include "base/number.h"
#include "views/view_details.h"
#include "views/view_internal.h"

enum column_type {
	COLUMN_TEXT,    /* const char *; NULL: empty */
	COLUMN_U64,
	COLUMN_U32,
	COLUMN_I64,
	COLUMN_RANK,    /* int32_t; empty when negative */
	COLUMN_PPM,     /* int64_t */
	COLUMN_DOUBLE,
	COLUMN_BOOL,
	COLUMN_CATEGORY, COLUMN_OVERLAP, COLUMN_KIND, COLUMN_DIRECTION, COLUMN_MEMORY, COLUMN_SOURCE,
	COLUMN_RANKS,   /* struct summary_ranks: four columns */
	COLUMN_SHAPE    /* struct fmt_shape: five columns */
};

struct column {
	const char *name; /* NULL: end */
	enum column_type type;
	size_t offset;
};

struct section {
	const char *file;
	size_t row_bytes;
	const struct column *column;
	size_t rows_offset, count_offset; /* in struct summary */
};

#define COLUMN(type, name, column_type, member) {name, column_type, offsetof(struct type, member)}

static const struct column note_columns[] = {
	COLUMN(summary_note, "code", COLUMN_TEXT, code), COLUMN(summary_note, "text", COLUMN_TEXT, text),
	{NULL, COLUMN_TEXT, 0}};

static const struct column process_columns[] = {
	COLUMN(summary_process, "host", COLUMN_TEXT, host), COLUMN(summary_process, "pid", COLUMN_U32, pid),
	COLUMN(summary_process, "exe", COLUMN_TEXT, exe), COLUMN(summary_process, "rank", COLUMN_RANK, rank),
	COLUMN(summary_process, "start_ns", COLUMN_I64, start_ns),
	COLUMN(summary_process, "end_ns", COLUMN_I64, end_ns),
	COLUMN(summary_process, "end", COLUMN_TEXT, end),
	COLUMN(summary_process, "reference_tid", COLUMN_U32, reference_tid),
	COLUMN(summary_process, "calls", COLUMN_U64, calls),
	COLUMN(summary_process, "paused_ns", COLUMN_I64, paused_ns),
#define CATEGORY_COLUMN(name) COLUMN(summary_process, #name "_ns", COLUMN_I64, category[SONDE_CATEGORY_##name]),
	SONDE_CATEGORIES(CATEGORY_COLUMN)
	{NULL, COLUMN_TEXT, 0}};

static const struct column rank_device_columns[] = {
	COLUMN(summary_rank_device, "rank", COLUMN_RANK, rank),
	COLUMN(summary_rank_device, "device", COLUMN_TEXT, device),
	COLUMN(summary_rank_device, "host", COLUMN_TEXT, host), {NULL, COLUMN_TEXT, 0}};

static const struct column share_columns[] = {
	COLUMN(summary_share, "category", COLUMN_CATEGORY, category), COLUMN(summary_share, "ns", COLUMN_I64, ns),
	COLUMN(summary_share, "share", COLUMN_PPM, ppm), COLUMN(summary_share, "", COLUMN_RANKS, ranks),
	{NULL, COLUMN_TEXT, 0}};

static const struct column overlap_columns[] = {
	COLUMN(summary_overlap, "class", COLUMN_OVERLAP, class), COLUMN(summary_overlap, "ns", COLUMN_I64, ns),
	COLUMN(summary_overlap, "share", COLUMN_PPM, ppm), COLUMN(summary_overlap, "", COLUMN_RANKS, ranks),
	{NULL, COLUMN_TEXT, 0}};

static const struct column device_columns[] = {
	COLUMN(summary_device, "device", COLUMN_TEXT, label), COLUMN(summary_device, "host", COLUMN_TEXT, host),
	COLUMN(summary_device, "backend", COLUMN_TEXT, backend), COLUMN(summary_device, "key", COLUMN_TEXT, key),
	COLUMN(summary_device, "wall_ns", COLUMN_U64, wall_ns),
	COLUMN(summary_device, "kernels_ns", COLUMN_U64, kernels_ns),
	COLUMN(summary_device, "kernels_sum_ns", COLUMN_U64, kernels_sum_ns),
	COLUMN(summary_device, "copies_ns", COLUMN_U64, copies_ns),
	COLUMN(summary_device, "copies_sum_ns", COLUMN_U64, copies_sum_ns),
	COLUMN(summary_device, "overlap_ns", COLUMN_U64, overlap_ns),
	COLUMN(summary_device, "idle_ns", COLUMN_I64, idle_ns),
	COLUMN(summary_device, "clock_error_ns", COLUMN_U64, clock_error_ns),
	COLUMN(summary_device, "approximate", COLUMN_BOOL, approximate),
	COLUMN(summary_device, "", COLUMN_RANKS, ranks), {NULL, COLUMN_TEXT, 0}};

#define TIMES_COLUMNS(type)                                                                                            \
	COLUMN(type, "total_ns", COLUMN_U64, times.total_ns), COLUMN(type, "min_ns", COLUMN_U64, times.min_ns),        \
		COLUMN(type, "max_ns", COLUMN_U64, times.max_ns), COLUMN(type, "p50_ns", COLUMN_U64, times.p50_ns),    \
		COLUMN(type, "p99_ns", COLUMN_U64, times.p99_ns)

static const struct column counter_columns[] = {
	COLUMN(summary_counter, "name", COLUMN_TEXT, name), COLUMN(summary_counter, "device", COLUMN_TEXT, device),
	COLUMN(summary_counter, "key", COLUMN_TEXT, key), COLUMN(summary_counter, "host", COLUMN_TEXT, host),
	COLUMN(summary_counter, "unit", COLUMN_TEXT, unit), COLUMN(summary_counter, "min", COLUMN_DOUBLE, min),
	COLUMN(summary_counter, "mean", COLUMN_DOUBLE, mean), COLUMN(summary_counter, "max", COLUMN_DOUBLE, max),
	COLUMN(summary_counter, "samples", COLUMN_U64, samples), COLUMN(summary_counter, "missed", COLUMN_U64, missed),
	COLUMN(summary_counter, "interval_ns", COLUMN_U64, interval_ns),
	COLUMN(summary_counter, "backend", COLUMN_TEXT, backend), {NULL, COLUMN_TEXT, 0}};

static const struct column kernel_columns[] = {
	COLUMN(summary_kernel, "group", COLUMN_TEXT, group), COLUMN(summary_kernel, "name", COLUMN_TEXT, name),
	COLUMN(summary_kernel, "backend", COLUMN_TEXT, backend), COLUMN(summary_kernel, "device", COLUMN_TEXT, device),
	COLUMN(summary_kernel, "host", COLUMN_TEXT, host), COLUMN(summary_kernel, "calls", COLUMN_U64, times.calls),
	TIMES_COLUMNS(summary_kernel), COLUMN(summary_kernel, "", COLUMN_RANKS, ranks),
	COLUMN(summary_kernel, "", COLUMN_SHAPE, shape), {NULL, COLUMN_TEXT, 0}};

static const struct column transfer_columns[] = {
	COLUMN(summary_transfer, "group", COLUMN_TEXT, group),
	COLUMN(summary_transfer, "backend", COLUMN_TEXT, backend),
	COLUMN(summary_transfer, "device", COLUMN_TEXT, device), COLUMN(summary_transfer, "host", COLUMN_TEXT, host),
	COLUMN(summary_transfer, "direction", COLUMN_DIRECTION, direction),
	COLUMN(summary_transfer, "kind", COLUMN_MEMORY, memory), COLUMN(summary_transfer, "calls", COLUMN_U64, calls),
	COLUMN(summary_transfer, "bytes", COLUMN_U64, bytes),
	COLUMN(summary_transfer, "total_ns", COLUMN_U64, total_ns), {NULL, COLUMN_TEXT, 0}};

static const struct column memory_columns[] = {
	COLUMN(summary_memory, "group", COLUMN_TEXT, group), COLUMN(summary_memory, "backend", COLUMN_TEXT, backend),
	COLUMN(summary_memory, "device", COLUMN_TEXT, device), COLUMN(summary_memory, "host", COLUMN_TEXT, host),
	COLUMN(summary_memory, "kind", COLUMN_MEMORY, memory), COLUMN(summary_memory, "allocs", COLUMN_U64, allocs),
	COLUMN(summary_memory, "frees", COLUMN_U64, frees),
	COLUMN(summary_memory, "alloc_bytes", COLUMN_U64, alloc_bytes),
	COLUMN(summary_memory, "peak_bytes", COLUMN_U64, peak_bytes),
	COLUMN(summary_memory, "peak_is_bound", COLUMN_BOOL, peak_is_bound),
	COLUMN(summary_memory, "live_bytes", COLUMN_U64, live_bytes), {NULL, COLUMN_TEXT, 0}};

static const struct column call_columns[] = {
	COLUMN(summary_call, "group", COLUMN_TEXT, group), COLUMN(summary_call, "backend", COLUMN_TEXT, backend),
	COLUMN(summary_call, "layer", COLUMN_U32, layer), COLUMN(summary_call, "name", COLUMN_TEXT, name),
	COLUMN(summary_call, "kind", COLUMN_KIND, kind), COLUMN(summary_call, "timed", COLUMN_BOOL, timed),
	COLUMN(summary_call, "calls", COLUMN_U64, times.calls), COLUMN(summary_call, "failed", COLUMN_U64, failed),
	COLUMN(summary_call, "self_ns", COLUMN_I64, self_ns), TIMES_COLUMNS(summary_call),
	COLUMN(summary_call, "bytes_out", COLUMN_U64, bytes_out),
	COLUMN(summary_call, "bytes_in", COLUMN_U64, bytes_in),
	COLUMN(summary_call, "posted", COLUMN_U64, posted), COLUMN(summary_call, "device_ns", COLUMN_U64, device_ns),
	COLUMN(summary_call, "comm_size_min", COLUMN_U32, members_least),
	COLUMN(summary_call, "comm_size_max", COLUMN_U32, members_most),
	COLUMN(summary_call, "team_ns", COLUMN_U64, team_ns),
	COLUMN(summary_call, "team_waited_ns", COLUMN_U64, team_waited_ns),
	COLUMN(summary_call, "unfinished", COLUMN_U64, unfinished),
	COLUMN(summary_call, "open_ns", COLUMN_I64, open_ns), COLUMN(summary_call, "", COLUMN_RANKS, ranks),
	{NULL, COLUMN_TEXT, 0}};

static const struct column range_columns[] = {
	COLUMN(summary_range, "group", COLUMN_TEXT, group), COLUMN(summary_range, "backend", COLUMN_TEXT, backend),
	COLUMN(summary_range, "name", COLUMN_TEXT, name), COLUMN(summary_range, "kind", COLUMN_KIND, kind),
	COLUMN(summary_range, "calls", COLUMN_U64, times.calls),
	COLUMN(summary_range, "total_ns", COLUMN_U64, times.total_ns),
	COLUMN(summary_range, "self_ns", COLUMN_I64, self_ns),
	COLUMN(summary_range, "device_ns", COLUMN_U64, device_ns),
	COLUMN(summary_range, "min_ns", COLUMN_U64, times.min_ns),
	COLUMN(summary_range, "max_ns", COLUMN_U64, times.max_ns),
	COLUMN(summary_range, "unfinished", COLUMN_U64, unfinished),
	COLUMN(summary_range, "open_ns", COLUMN_I64, open_ns),
	COLUMN(summary_range, "", COLUMN_RANKS, ranks), {NULL, COLUMN_TEXT, 0}};

static const struct column graph_columns[] = {
	COLUMN(summary_graph, "backend", COLUMN_TEXT, backend), COLUMN(summary_graph, "host", COLUMN_TEXT, host),
	COLUMN(summary_graph, "pid", COLUMN_U32, pid), COLUMN(summary_graph, "rank", COLUMN_RANK, rank),
	COLUMN(summary_graph, "graph", COLUMN_U32, graph), COLUMN(summary_graph, "launches", COLUMN_U64, launches),
	COLUMN(summary_graph, "kernels", COLUMN_U64, kernels),
	COLUMN(summary_graph, "operations", COLUMN_U64, operations),
	COLUMN(summary_graph, "total_ns", COLUMN_U64, total_ns), {NULL, COLUMN_TEXT, 0}};

static const struct column node_columns[] = {
	COLUMN(summary_node, "backend", COLUMN_TEXT, backend), COLUMN(summary_node, "pid", COLUMN_U32, pid),
	COLUMN(summary_node, "graph", COLUMN_U32, graph), COLUMN(summary_node, "node", COLUMN_U64, node),
	COLUMN(summary_node, "name", COLUMN_TEXT, name), COLUMN(summary_node, "kind", COLUMN_KIND, kind),
	COLUMN(summary_node, "device", COLUMN_TEXT, device), COLUMN(summary_node, "calls", COLUMN_U64, calls),
	COLUMN(summary_node, "total_ns", COLUMN_U64, total_ns), COLUMN(summary_node, "max_ns", COLUMN_U64, max_ns),
	{NULL, COLUMN_TEXT, 0}};

static const struct column failure_columns[] = {
	COLUMN(summary_failure, "group", COLUMN_TEXT, group), COLUMN(summary_failure, "backend", COLUMN_TEXT, backend),
	COLUMN(summary_failure, "name", COLUMN_TEXT, name), COLUMN(summary_failure, "answer", COLUMN_I64, answer),
	COLUMN(summary_failure, "answer_name", COLUMN_TEXT, answer_name),
	COLUMN(summary_failure, "calls", COLUMN_U64, calls),
	{NULL, COLUMN_TEXT, 0}};
static const struct column build_columns[] = {
	COLUMN(summary_build, "group", COLUMN_TEXT, group), COLUMN(summary_build, "backend", COLUMN_TEXT, backend),
	COLUMN(summary_build, "name", COLUMN_TEXT, name), COLUMN(summary_build, "source", COLUMN_SOURCE, source),
	COLUMN(summary_build, "calls", COLUMN_U64, calls), COLUMN(summary_build, "failed", COLUMN_U64, failed),
	COLUMN(summary_build, "total_ns", COLUMN_U64, total_ns),
	COLUMN(summary_build, "processes", COLUMN_U64, processes), {NULL, COLUMN_TEXT, 0}};

static const struct column ledger_columns[] = {
	COLUMN(summary_ledger, "backend", COLUMN_TEXT, backend),
	COLUMN(summary_ledger, "attached_by", COLUMN_TEXT, attached_by),
	COLUMN(summary_ledger, "library", COLUMN_TEXT, library),
	COLUMN(summary_ledger, "tested_on", COLUMN_TEXT, tested_on),
	COLUMN(summary_ledger, "hooked", COLUMN_U64, hooked), COLUMN(summary_ledger, "seen", COLUMN_U64, seen),
	COLUMN(summary_ledger, "recorded", COLUMN_U64, recorded), COLUMN(summary_ledger, "lost", COLUMN_U64, lost),
	COLUMN(summary_ledger, "calls_unfinished", COLUMN_U64, calls_unfinished),
	COLUMN(summary_ledger, "device_seen", COLUMN_U64, device_seen),
	COLUMN(summary_ledger, "device_recorded", COLUMN_U64, device_recorded),
	COLUMN(summary_ledger, "device_lost", COLUMN_U64, device_lost),
	COLUMN(summary_ledger, "late", COLUMN_U64, late),
	COLUMN(summary_ledger, "untimed", COLUMN_U64, untimed),
	COLUMN(summary_ledger, "unfinished", COLUMN_I64, unfinished), {NULL, COLUMN_TEXT, 0}};

#define SECTION(file, type, columns, rows, count) \
	{file, sizeof(struct type), columns, offsetof(struct summary, rows), offsetof(struct summary, count)}

static const struct section sections[] = {
	SECTION("notes.csv", summary_note, note_columns, note, notes),
	SECTION("processes.csv", summary_process, process_columns, process, processes),
	SECTION("rank_device.csv", summary_rank_device, rank_device_columns, rank_device, rank_devices),
	SECTION("breakdown.csv", summary_share, share_columns, share, shares),
	SECTION("overlap.csv", summary_overlap, overlap_columns, overlap, overlaps),
	SECTION("devices.csv", summary_device, device_columns, device, devices),
	SECTION("kernels.csv", summary_kernel, kernel_columns, kernel, kernels),
	SECTION("graphs.csv", summary_graph, graph_columns, graph, graphs),
	SECTION("graph_nodes.csv", summary_node, node_columns, node, nodes),
	SECTION("transfers.csv", summary_transfer, transfer_columns, transfer, transfers),
	SECTION("memory.csv", summary_memory, memory_columns, memory, memories),
	SECTION("calls.csv", summary_call, call_columns, call, calls),
	SECTION("ranges.csv", summary_range, range_columns, range, ranges),
	SECTION("counters.csv", summary_counter, counter_columns, counter, counters),
	SECTION("builds.csv", summary_build, build_columns, build, builds),
	SECTION("failures.csv", summary_failure, failure_columns, failure, failures),
	SECTION("ledger.csv", summary_ledger, ledger_columns, ledger, ledgers),
};

static void header_write(struct csv *csv, const struct column *column)
{
	for (; column->name; column++) {
		for (int kind = 0; column->type == COLUMN_SHAPE && kind < VIEW_SHAPE_DETAILS; kind++)
			csv_text(csv, view_detail[kind]);
		if (column->type == COLUMN_SHAPE)
			continue;
		if (column->type != COLUMN_RANKS) {
			csv_text(csv, column->name);
			continue;
		}
		csv_text(csv, "rank_mean");
		csv_text(csv, "rank_min");
		csv_text(csv, "rank_max");
		csv_text(csv, "max_rank");
	}
	csv_end(csv);
}

static void csv_ranks_write(struct csv *csv, const struct summary_ranks *ranks)
{
	int i;

	if (ranks->count < 2) {
		for (i = 0; i < 4; i++)
			csv_empty(csv);
		return;
	}
	csv_i64(csv, ranks->mean);
	csv_i64(csv, ranks->min);
	csv_i64(csv, ranks->max);
	csv_i64(csv, ranks->max_rank);
}

static void csv_shape_write(struct csv *csv, const struct fmt_shape *shape)
{
	char extent[VIEW_EXTENT_BYTES];

	for (int kind = 0; kind < VIEW_SHAPE_DETAILS; kind++) {
		struct view_detail detail = view_shape_detail(shape, kind);

		if (!detail.known)
			csv_empty(csv);
		else if (detail.extent)
			csv_text(csv, view_extent(detail.extent, extent));
		else
			csv_u64(csv, detail.value);
	}
}

static void csv_value_write(struct csv *csv, enum column_type type, const void *value)
{
	struct number number;

	switch (type) {
	case COLUMN_TEXT:
		if (*(const char *const *)value)
			csv_text(csv, *(const char *const *)value);
		else
			csv_empty(csv);
		break;
	case COLUMN_U64: csv_u64(csv, *(const uint64_t *)value); break;
	case COLUMN_U32: csv_u64(csv, *(const uint32_t *)value); break;
	case COLUMN_I64: csv_i64(csv, *(const int64_t *)value); break;
	case COLUMN_PPM: csv_ppm(csv, *(const int64_t *)value); break;
	case COLUMN_DOUBLE: csv_text(csv, number_decimal(&number, *(const double *)value)); break;
	case COLUMN_BOOL: csv_text(csv, *(const bool *)value ? "true" : "false"); break;
	case COLUMN_CATEGORY: csv_text(csv, view_category[*(const enum sonde_category *)value]); break;
	case COLUMN_OVERLAP: csv_text(csv, view_overlap[*(const enum summary_overlap_class *)value]); break;
	case COLUMN_KIND: csv_text(csv, view_kind[*(const enum sonde_kind *)value]); break;
	case COLUMN_DIRECTION: csv_text(csv, view_direction[*(const enum sonde_direction *)value]); break;
	case COLUMN_MEMORY: csv_text(csv, view_memory[*(const enum sonde_memory_kind *)value]); break;
	case COLUMN_SOURCE: csv_text(csv, view_source[*(const enum sonde_build_source *)value]); break;
	case COLUMN_RANKS: csv_ranks_write(csv, value); break;
	case COLUMN_SHAPE: csv_shape_write(csv, value); break;
	case COLUMN_RANK:
		if (*(const int32_t *)value < 0)
			csv_empty(csv);
		else
			csv_i64(csv, *(const int32_t *)value);
		break;
	}
}

static void csv_rows_write(const struct summary *summary, const struct section *section, FILE *file)
{
	const char *row = *(const char *const *)((const char *)summary + section->rows_offset);
	size_t count = *(const size_t *)((const char *)summary + section->count_offset), i;
	const struct column *column;
	struct csv csv;

	csv_start(&csv, file);
	header_write(&csv, section->column);
	for (i = 0; i < count; i++, row += section->row_bytes) {
		for (column = section->column; column->name; column++)
			csv_value_write(&csv, column->type, row + column->offset);
		csv_end(&csv);
	}
}

/* What is one figure each: the run as a whole. */
static void csv_run_write(const struct summary *summary, FILE *file)
{
	struct csv csv;

	csv_start(&csv, file);
	csv_header(&csv, (const char *const[]){"verdict", "lower_bound", "wall_ns", "processes", "hosts", "ranks",
					       "end", "overhead_per_call_ns", "overhead_ns", "overhead_share",
					       "overlap_complete", NULL});
	csv_text(&csv, summary->verdict);
	csv_text(&csv, summary->lower_bound ? "true" : "false");
	csv_u64(&csv, summary->run.wall_ns);
	csv_u64(&csv, summary->run.processes);
	csv_u64(&csv, summary->run.hosts);
	csv_u64(&csv, summary->run.ranks);
	csv_text(&csv, summary->run.end);
	csv_u64(&csv, summary->overhead.per_call_ns);
	csv_u64(&csv, summary->overhead.total_ns);
	csv_ppm(&csv, summary->overhead.ppm);
	if (summary->overlap_state == SUMMARY_OVERLAP_THERE)
		csv_text(&csv, summary->overlap_whole ? "true" : "false");
	else
		csv_empty(&csv);
	csv_end(&csv);
}

int view_csv(const struct summary *summary, const char *directory, const struct view_options *options)
{
	struct arena arena = {NULL};
	const char *path;
	FILE *file;
	size_t i;
	int err = 0;

	(void)options; /* files hold every row */
	if (mkdir(directory, 0777) && errno != EEXIST)
		return log_error(SONDE_EIO, "%s: %s", directory, strerror(errno));
	for (i = 0; i <= sizeof(sections) / sizeof(sections[0]) && !err; i++) {
		const struct section *section = i ? &sections[i - 1] : NULL;

		path = arena_printf(&arena, "%s/%s", directory, section ? section->file : "run.csv");
		file = view_open(path);
		if (!file) {
			err = SONDE_EIO;
			break;
		}
		if (section)
			csv_rows_write(summary, section, file);
		else
			csv_run_write(summary, file);
		err = view_close(file, path);
	}
	arena_free(&arena);
	return err;
}

const struct view view_csv_ops = {.name = "csv", .target = "directory", .write = view_csv};
