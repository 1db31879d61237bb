/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The summary for people: verdict first, then where the time went, devices, and the sections of
 * many rows. Numbers in columns, names last and whole, colour and width only for a terminal.
 */
#include "views/view_table.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/log.h"
#include "base/number.h"
#include "base/utf8.h"

#define BOLD "\033[1m"
#define YELLOW "\033[33m"
#define PLAIN "\033[0m"
#define SUM_DIFFERS_PPM 10000 /* a plain sum stands beside its union where they differ by more than 1 % */

static const char *const category_text[SONDE_CATEGORY_COUNT] = {
	[SONDE_CATEGORY_device_wait] = "waiting for a device", [SONDE_CATEGORY_comm] = "communication",
	[SONDE_CATEGORY_thread_wait] = "waiting for other threads",
	[SONDE_CATEGORY_memory] = "allocating memory", [SONDE_CATEGORY_copy] = "copying",
	[SONDE_CATEGORY_launch] = "launching", [SONDE_CATEGORY_build] = "building device code",
	[SONDE_CATEGORY_other_api] = "other API calls", [SONDE_CATEGORY_host] = "host (the program's own work)",
	[SONDE_CATEGORY_not_running] = "not running",
};

void paint_title(struct painter *painter, const char *format, ...)
{
	va_list arguments;

	fprintf(painter->file, "\n%s", painter->options->colour ? BOLD : "");
	va_start(arguments, format);
	vfprintf(painter->file, format, arguments);
	va_end(arguments);
	fprintf(painter->file, "%s\n", painter->options->colour ? PLAIN : "");
}

size_t paint_limit(const struct painter *painter, size_t count)
{
	size_t top = painter->options->top ? painter->options->top : VIEW_TOP_DEFAULT;

	return painter->options->all || count <= top ? count : top;
}

void paint_table(struct painter *painter, struct table *table, size_t count, size_t shown)
{
	table_print(table, painter->file, painter->options->width, painter->options->colour);
	if (shown < count)
		fprintf(painter->file, "  ... %zu more (--all)\n", count - shown);
}

const char *paint_name(struct painter *painter, const char *name)
{
	return utf8_display(&painter->arena, *name ? name : "(no name)", painter->options->max_name);
}

const char *paint_time(struct painter *painter, int64_t ns)
{
	struct number number;

	return arena_strdup(&painter->arena, number_time(&number, ns));
}

const char *paint_count(struct painter *painter, uint64_t count)
{
	struct number number;

	return count ? arena_strdup(&painter->arena, number_count(&number, count)) : NULL;
}

const char *paint_bytes(struct painter *painter, uint64_t bytes)
{
	struct number number;

	return bytes ? arena_strdup(&painter->arena, number_bytes(&number, bytes)) : NULL;
}

const char *paint_percent(struct painter *painter, int64_t part, int64_t whole)
{
	struct number number;

	return arena_strdup(&painter->arena, number_percent(&number, number_share(part, whole)));
}

static const char *rank_text(struct painter *painter, int64_t ns, int32_t rank)
{
	return rank < 0 ? NULL : arena_printf(&painter->arena, "%s (%d)", paint_time(painter, ns), rank);
}

void paint_ranks(struct painter *painter, struct table *table, size_t column, const struct summary_ranks *ranks)
{
	table_cell(table, column, rank_text(painter, ranks->min, ranks->min_rank));
	table_cell(table, column + 1, rank_text(painter, ranks->max, ranks->max_rank));
}

void paint_parts_start(struct painter *painter, struct table *table)
{
	table_start(table, &painter->arena);
	table_column(table, "%", 0);
	table_column(table, painter->ranks ? "mean" : "time", 0);
	table_column(table, "min (rank)", 2);
	table_column(table, "max (rank)", 1);
	table_column_left(table, "", 0);
}

void paint_part(struct painter *painter, struct table *table, int64_t tenths, int64_t ns,
		const struct summary_ranks *ranks, const char *name)
{
	struct number number;

	table_row(table);
	table_copy(table, 0, tenths || !ns ? number_tenths(&number, tenths) : number_percent(&number, ns > 0 ? 1 : -1));
	table_cell(table, 1, paint_time(painter, painter->ranks ? ranks->mean : ns));
	if (painter->ranks)
		paint_ranks(painter, table, 2, ranks);
	table_cell(table, 4, name);
}

/* ---- head ---- */

static const char *plural(uint32_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

static const char unknown_program[] = "(unknown program)"; /* its record is damaged */

/* Of a run that nobody watched to its end. */
static const char *end_text(const char *end)
{
	if (!strcmp(end, "unknown"))
		return "end unknown";
	return strcmp(end, "exit") != 0 ? end : "exit (status unknown)";
}

static void paint_head(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	const struct summary_run *run = &summary->run;
	const char *bold = painter->options->colour ? BOLD : "", *plain = painter->options->colour ? PLAIN : "";
	struct number number;
	size_t i;

	fprintf(painter->file, "%s%s%s%s\n", bold, utf8_display(&painter->arena, summary->verdict, 0), plain,
		summary->lower_bound ? " (lower bounds: see the notes)" : "");
	for (i = 0; run->argv[i]; i++)
		fprintf(painter->file, "%s%s", i ? " " : "", utf8_display(&painter->arena, run->argv[i], 0));
	if (!i || (i == 1 && !*run->argv[0]))
		fputs(unknown_program, painter->file);
	fprintf(painter->file, ": %s, %u %s", number_time_u(&number, run->wall_ns), run->processes,
		plural(run->processes, "process", "processes"));
	if (run->ranks)
		fprintf(painter->file, ", %u %s", run->ranks, plural(run->ranks, "rank", "ranks"));
	if (run->hosts > 1)
		fprintf(painter->file, ", %u hosts", run->hosts);
	fprintf(painter->file, ", %s\n", end_text(run->end));
}

/* ---- where the time went ---- */

static const char *category_name(struct painter *painter, const struct summary_share *share)
{
	const char *text = category_text[share->category];

	return share->detail ? arena_printf(&painter->arena, "%s (%s)", text,
					    utf8_display(&painter->arena, share->detail, 0)) : text;
}

static void breakdown_title(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	const struct summary_process *only = &summary->process[0];

	if (painter->ranks)
		paint_title(painter, "Where the time went (per rank; minimum and maximum with their rank)");
	else if (summary->processes > 1)
		paint_title(painter, "Where the time went (%zu processes together)", summary->processes);
	else if (only->reference_tid && only->reference_tid != only->pid)
		paint_title(painter, "Where the time went (thread %u, which does the work)", only->reference_tid);
	else
		paint_title(painter, "Where the time went (initial thread)");
}

static void paint_breakdown(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	int64_t ppm[SONDE_CATEGORY_COUNT], tenths[SONDE_CATEGORY_COUNT];
	struct table table;
	size_t i;

	if (!summary->shares || !summary->processes)
		return;
	breakdown_title(painter);
	for (i = 0; i < summary->shares; i++)
		ppm[i] = summary->share[i].ns;
	number_shares(ppm, summary->shares, 1000, tenths); /* what is printed sums to 100.0, too */
	paint_parts_start(painter, &table);
	for (i = 0; i < summary->shares; i++) {
		const struct summary_share *share = &summary->share[i];

		if (!share->ns)
			continue;
		paint_part(painter, &table, tenths[i], share->ns, &share->ranks, category_name(painter, share));
	}
	paint_table(painter, &table, 0, 0);
}

/* One row per process or thread: --by process, rank, thread. */
static void matrix_row(struct painter *painter, struct table *table, const int64_t *category, const char *name)
{
	struct number number;
	int64_t whole = 0;
	int i;

	for (i = 0; i < SONDE_CATEGORY_COUNT; i++)
		whole = number_add(whole, category[i]);
	table_row(table);
	table_cell(table, 0, paint_time(painter, whole));
	for (i = 0; i < SONDE_CATEGORY_COUNT; i++)
		if (category[i])
			table_copy(table, (size_t)i + 1, number_percent(&number, number_share(category[i], whole)));
	table_cell(table, SONDE_CATEGORY_COUNT + 1, name);
}

/* "rank 0, pid 4711" */
static const char *process_number(struct painter *painter, const struct summary_process *process)
{
	const char *rank = process->rank < 0 ? "" : arena_printf(&painter->arena, "rank %d, ", process->rank);

	return arena_printf(&painter->arena, "%spid %u", rank, process->pid);
}

static const char *process_name(struct painter *painter, const struct summary_process *process)
{
	const char *exe = strrchr(process->exe, '/') ? strrchr(process->exe, '/') + 1 : process->exe;

	return arena_printf(&painter->arena, "%s %s (%s)", process_number(painter, process),
			    *exe ? utf8_display(&painter->arena, exe, 0) : unknown_program, process->end);
}

static const char *thread_name(struct painter *painter, const struct summary_thread *thread)
{
	return arena_printf(&painter->arena, "%s, thread %u%s%s%s",
			    process_number(painter, &painter->summary->process[thread->process]), thread->tid,
			    *thread->name ? " " : "",
			    utf8_display(&painter->arena, thread->name, painter->options->max_name),
			    thread->reference ? " (reference)" : "");
}

static void paint_matrix(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	bool threads = summary->by == SUMMARY_BY_THREAD;
	size_t count = threads ? summary->threads : summary->processes, shown = paint_limit(painter, count), i;
	struct table table;

	if (summary->by == SUMMARY_BY_NONE || summary->by == SUMMARY_BY_DEVICE || !count)
		return;
	paint_title(painter, threads ? "Traced time of each thread, in %%" : "Time of each process, in %%");
	table_start(&table, &painter->arena);
	table_column(&table, threads ? "traced" : "wall", 0);
	for (i = 0; i < SONDE_CATEGORY_COUNT; i++)
		table_column(&table, view_category[i], 0);
	table_column_left(&table, threads ? "thread" : "process", 0);
	for (i = 0; i < shown; i++) {
		if (threads)
			matrix_row(painter, &table, summary->thread[i].category,
				   thread_name(painter, &summary->thread[i]));
		else
			matrix_row(painter, &table, summary->process[i].category,
				   process_name(painter, &summary->process[i]));
	}
	paint_table(painter, &table, count, shown);
}

/* ---- devices ---- */

static const char *plain_sum(struct painter *painter, uint64_t sum, uint64_t united)
{
	uint64_t difference = sum > united ? sum - united : united - sum;

	if (number_share((int64_t)difference, (int64_t)united) <= SUM_DIFFERS_PPM)
		return NULL;
	return paint_time(painter, (int64_t)sum);
}

static void device_row(struct painter *painter, struct table *table, const struct summary_device *device)
{
	int64_t wall = (int64_t)device->wall_ns;
	const char *about = device->approximate ? "~" : "";
	bool lacks = summary_lacks_device_work(painter->summary->ledger, painter->summary->ledgers);

	table_row(table);
	table_cell(table, 0, arena_printf(&painter->arena, "%s%s", about,
					  paint_percent(painter, (int64_t)device->kernels_ns, wall)));
	table_cell(table, 1, paint_percent(painter, (int64_t)device->copies_ns, wall));
	table_cell(table, 2, paint_percent(painter, (int64_t)device->overlap_ns, wall));
	table_cell(table, 3, arena_printf(&painter->arena, "%s%s", lacks ? "<= " : "",
					  paint_percent(painter, device->idle_ns, wall)));
	table_cell(table, 4, paint_time(painter, (int64_t)device->kernels_ns));
	table_cell(table, 5, plain_sum(painter, device->kernels_sum_ns, device->kernels_ns));
	table_cell(table, 6, paint_time(painter, (int64_t)device->copies_ns));
	table_cell(table, 7, plain_sum(painter, device->copies_sum_ns, device->copies_ns));
	if (painter->ranks)
		paint_ranks(painter, table, 8, &device->ranks);
	table_cell(table, 10, painter->summary->run.hosts > 1 ? utf8_display(&painter->arena, device->host, 0) : NULL);
	table_cell(table, 11, arena_printf(&painter->arena, "%s (%s)", paint_name(painter, device->label),
					   utf8_display(&painter->arena, device->backend, 0)));
}

static void paint_devices(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	size_t shown = paint_limit(painter, summary->devices), i;
	struct table table;

	if (!summary->devices)
		return;
	paint_title(painter, "Devices (in %% of the run: unions over all processes)");
	table_start(&table, &painter->arena);
	table_column(&table, "kernels", 0);
	table_column(&table, "copies", 0);
	table_column(&table, "both", 3);
	table_column(&table, "idle", 0);
	table_column(&table, "kernels", 1);
	table_column(&table, "plain sum", 4);
	table_column(&table, "copies", 2);
	table_column(&table, "plain sum", 5);
	table_column(&table, "min (rank)", 7);
	table_column(&table, "max (rank)", 6);
	table_column_left(&table, "host", 0);
	table_column_left(&table, "device", 0);
	for (i = 0; i < shown; i++)
		device_row(painter, &table, &summary->device[i]);
	paint_table(painter, &table, summary->devices, shown);
}

static void paint_rank_devices(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	size_t i;

	if (!painter->ranks || summary->devices < 2 || !summary->rank_devices)
		return;
	fputs("  ranks:", painter->file);
	for (i = 0; i < summary->rank_devices && i < paint_limit(painter, summary->rank_devices); i++)
		fprintf(painter->file, "%s %d on %s", i ? "," : "", summary->rank_device[i].rank,
			paint_name(painter, summary->rank_device[i].device));
	fputs(i < summary->rank_devices ? ", ...\n" : "\n", painter->file);
}

/* ---- foot ---- */

static void paint_overhead(struct painter *painter)
{
	const struct summary_overhead *overhead = &painter->summary->overhead;
	struct number total, each, share;

	fprintf(painter->file, "\nTracing cost about %s, %s %% of the processes' time (%s per call).\n",
		number_time_u(&total, overhead->total_ns), number_percent(&share, overhead->ppm),
		number_time_u(&each, overhead->per_call_ns));
}

static void paint_notes(struct painter *painter)
{
	const struct summary *summary = painter->summary;
	const char *yellow = painter->options->colour ? YELLOW : "", *plain = painter->options->colour ? PLAIN : "";
	size_t i;

	for (i = 0; i < summary->notes; i++)
		fprintf(painter->file, "%snote:%s %s\n", yellow, plain,
			utf8_display(&painter->arena, summary->note[i].text, 0));
}

int view_table(const struct summary *summary, FILE *file, const struct view_options *options)
{
	static const struct view_options none = {0};
	struct painter painter = {.summary = summary, .options = options ? options : &none, .file = file};
	size_t i;

	painter.ranks = summary->run.ranks > 1;
	for (i = 0; i < summary->shares; i++)
		painter.wall = number_add(painter.wall, summary->share[i].ns);
	for (i = 0; i < summary->devices; i++)
		painter.device_wall = number_add(painter.device_wall, (int64_t)summary->device[i].wall_ns);
	paint_head(&painter);
	paint_breakdown(&painter);
	paint_matrix(&painter);
	paint_devices(&painter);
	paint_rank_devices(&painter);
	paint_overlap(&painter);
	paint_kernels(&painter);
	paint_graphs(&painter);
	paint_transfers(&painter);
	paint_memory(&painter);
	paint_calls(&painter);
	paint_failures(&painter);
	paint_builds(&painter);
	paint_ranges(&painter);
	paint_counters(&painter);
	paint_ledger(&painter);
	paint_overhead(&painter);
	paint_notes(&painter);
	arena_free(&painter.arena);
	if (!fflush(file) && !ferror(file))
		return 0;
	return log_error(SONDE_EIO, "the summary could not be printed: %s", strerror(errno));
}
