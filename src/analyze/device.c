/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How busy each device was. A device is what all processes of a host know by one key, whatever their
 * ordinals and backends; its busy time is the union over them, so it cannot exceed the wall time.
 *
 * A process keeps its newest intervals and, before its fold line, only sums. Behind the latest fold
 * line of all its processes everything is exact. Before it the sums of several processes may overlap
 * by an unknown amount: the figure is then the one for independent processes, marked as approximate,
 * between the busiest process alone and the plain sum.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/streams.h"

/* What one process did on the device. */
struct device_use {
	struct process_time *process;
	struct interval_set kernels, copies;
	uint64_t fold_line, kernels_folded, copies_folded, overlap_folded;
};

struct device_row {
	struct summary_device out;
	uint32_t host, ordinal;
	struct device_use *use;
	size_t uses, use_capacity;
	int64_t *per_rank;
	const struct activity *shared; /* by all processes, where the figures come from streams */
	struct interval_set busy;      /* kernels or copies of any process, as far as their times are kept */
};

struct pair_row {
	int32_t rank;
	const struct device_row *device;
};

/* Time before the common fold line: of kernels, copies, and of either. */
struct folded {
	uint64_t kernels, copies, either;
};

struct device_row *device_of(struct analysis *analysis, const struct process_time *process, uint32_t device)
{
	const struct tally_device *raw;
	struct rows *rows = &analysis->devices;
	struct device_row *row;
	bool is_new;

	if (device == READ_NONE)
		return NULL;
	raw = &process->tally->body->device[device];
	rows_key(rows);
	rows_key_number(analysis, rows, process->tally->host);
	rows_key_text(analysis, rows, raw->key);
	row = rows_find(analysis, rows, sizeof(*row), &is_new);
	if (is_new) {
		row->host = process->tally->host;
		row->ordinal = raw->ordinal;
		row->out.name = keep(analysis, raw->name);
		row->out.key = keep(analysis, raw->key);
		row->out.host = keep(analysis, analysis->recording->host[row->host].name);
		row->out.backend = keep(analysis, process->tally->body->backend[raw->backend].name);
	}
	return row;
}

const char *device_label(const struct device_row *device)
{
	return device ? device->out.label : "";
}

const char *device_host(const struct device_row *device)
{
	return device ? device->out.host : "";
}

static struct interval_set set_keep(struct analysis *analysis, const struct tally_track *track)
{
	struct interval_set set = {arena_array(&analysis->scratch, track->used, sizeof(*set.interval)), track->used};

	if (track->used)
		memcpy(set.interval, track->interval, track->used * sizeof(*set.interval));
	return set;
}

/* Adds a name to a comma-separated list that lacks it. */
static const char *list_add(struct analysis *analysis, const char *list, const char *name)
{
	size_t length = strlen(name);
	const char *at;

	for (at = strstr(list, name); at; at = strstr(at + 1, name))
		if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
			return list;
	return arena_printf(analysis->arena, "%s,%s", list, name);
}

static void device_add(struct analysis *analysis, struct process_time *process, uint32_t index)
{
	const struct tally_device *raw = &process->tally->body->device[index];
	struct device_row *row = device_of(analysis, process, index);
	const struct stream_process_use *streams = streams_of(analysis, process);
	struct device_use *use;

	if (streams && streams->shared && streams->shared[index])
		row->shared = &streams->shared[index]->activity;
	row->use = arena_grow(&analysis->scratch, row->use, row->uses, &row->use_capacity, sizeof(*use));
	use = &row->use[row->uses++];
	use->process = process;
	use->kernels = set_keep(analysis, &raw->kernels);
	use->copies = set_keep(analysis, &raw->copies);
	use->fold_line = raw->fold_line;
	use->kernels_folded = raw->kernels.folded_ns;
	use->copies_folded = raw->copies.folded_ns;
	use->overlap_folded = raw->overlap_folded_ns;
	row->out.backend = list_add(analysis, row->out.backend, process->tally->body->backend[raw->backend].name);
	row->out.kernels_sum_ns += raw->kernels_sum_ns;
	row->out.copies_sum_ns += raw->copies_sum_ns;
	row->out.approximate |= raw->torn || (!streams && process->tally->raw.notes & FMT_NOTE_APPROXIMATE);
	if (raw->clock_error_ns > row->out.clock_error_ns)
		row->out.clock_error_ns = raw->clock_error_ns;
	rank_add(analysis, &row->per_rank, process->rank,
		 (int64_t)(use->kernels_folded + interval_length(&use->kernels)));
}

/* A device that a process only looked at is none of its devices. */
static bool is_used(const struct tally_body *body, uint32_t index)
{
	const struct tally_device *device = &body->device[index];
	uint32_t i;

	if (device->kernels.used || device->copies.used || device->fold_line)
		return true;
	for (i = 0; i < body->ops; i++)
		if (body->op[i].device == index)
			return true;
	return false;
}

void devices_add(struct analysis *analysis, struct process_time *process)
{
	const struct tally_body *body = process->tally->body;
	struct rows *pairs = &analysis->rank_devices;
	struct pair_row *pair;
	uint32_t i;
	bool is_new;

	for (i = 0; i < body->devices; i++) {
		if (!is_used(body, i))
			continue;
		device_add(analysis, process, i);
		if (process->tally->rank < 0)
			continue;
		rows_key(pairs);
		rows_key_number(analysis, pairs, (uint64_t)process->tally->rank);
		rows_key_number(analysis, pairs, (uintptr_t)device_of(analysis, process, i));
		pair = rows_find(analysis, pairs, sizeof(*pair), &is_new);
		pair->rank = process->tally->rank;
		pair->device = device_of(analysis, process, i);
	}
}

/* ---- unions ---- */

static struct folded use_before(struct analysis *analysis, const struct device_use *use, uint64_t line)
{
	struct interval_set kernels = interval_before(&analysis->scratch, &use->kernels, line);
	struct interval_set copies = interval_before(&analysis->scratch, &use->copies, line);
	struct folded folded = {
		.kernels = use->kernels_folded + interval_length(&kernels),
		.copies = use->copies_folded + interval_length(&copies),
	};

	folded.either = folded.kernels + folded.copies - use->overlap_folded - interval_overlap(&kernels, &copies);
	return folded;
}

/* Shares of a stretch of time that independent processes leave free are multiplied. */
static void free_take(double *free, uint64_t busy, uint64_t span)
{
	*free *= 1 - (busy < span ? (double)busy / (double)span : 1);
}

/* Sets exact unions of what lies behind the line. */
static void exact_part(struct analysis *analysis, struct device_row *row, uint64_t line)
{
	struct interval_set kernels = {NULL, 0}, copies = {NULL, 0}, part;
	size_t i;

	for (i = 0; i < row->uses; i++) {
		part = interval_from(&analysis->scratch, &row->use[i].kernels, line);
		kernels = interval_union(&analysis->scratch, &kernels, &part);
		part = interval_from(&analysis->scratch, &row->use[i].copies, line);
		copies = interval_union(&analysis->scratch, &copies, &part);
	}
	row->out.kernels_ns = interval_length(&kernels);
	row->out.copies_ns = interval_length(&copies);
	row->out.overlap_ns = interval_overlap(&kernels, &copies);
	row->out.kernels_min_ns = row->out.kernels_max_ns = row->out.kernels_ns;
	row->busy = interval_union(&analysis->scratch, &kernels, &copies);
}

/* Adds what lies before the line: exact for one process, an estimate for several. */
static void folded_part(struct analysis *analysis, struct device_row *row, uint64_t line)
{
	const struct host_window *window = &analysis->window[row->host];
	struct folded *one = arena_array(&analysis->scratch, row->uses, sizeof(*one)), sum = {0, 0, 0};
	uint64_t span = line > window->start ? line - window->start : 0, most = 0;
	double free_kernels = 1, free_copies = 1, free_either = 1;
	size_t i, parts = 0;

	for (i = 0; i < row->uses; i++) {
		one[i] = use_before(analysis, &row->use[i], line);
		parts += one[i].either > 0;
		sum.kernels += one[i].kernels;
		sum.copies += one[i].copies;
		sum.either += one[i].either;
		if (one[i].kernels > most)
			most = one[i].kernels;
		if (one[i].either > span)
			span = one[i].either;
	}
	row->out.kernels_min_ns += most;
	row->out.kernels_max_ns += parts > 1 && sum.kernels > span ? span : sum.kernels;
	if (parts > 1) {
		for (i = 0; i < row->uses; i++) {
			free_take(&free_kernels, one[i].kernels, span);
			free_take(&free_copies, one[i].copies, span);
			free_take(&free_either, one[i].either, span);
		}
		row->out.approximate = true;
		sum.kernels = (uint64_t)((double)span * (1 - free_kernels));
		sum.copies = (uint64_t)((double)span * (1 - free_copies));
		sum.either = (uint64_t)((double)span * (1 - free_either));
	}
	row->out.kernels_ns += sum.kernels;
	row->out.copies_ns += sum.copies;
	row->out.overlap_ns += sum.kernels + sum.copies > sum.either ? sum.kernels + sum.copies - sum.either : 0;
}

/* All operations in order of time: exact, however many there are. */
static void streamed_part(struct device_row *row)
{
	row->out.kernels_ns = activity_sum(row->shared, 1u << ACTIVITY_KERNEL);
	row->out.copies_ns = activity_sum(row->shared, 1u << ACTIVITY_COPY);
	row->out.overlap_ns = activity_sum(row->shared, 1u << ACTIVITY_KERNEL | 1u << ACTIVITY_COPY);
	row->out.kernels_min_ns = row->out.kernels_max_ns = row->out.kernels_ns;
}

/*
 * How long recording was paused while the device had nothing to do: in all its processes, as far as is known, since
 * what was started before goes on in a pause.
 */
static int64_t idle_pause(const struct analysis *analysis, const struct device_row *row)
{
	int64_t least = INT64_MAX, paused;

	for (size_t i = 0; i < row->uses; i++) {
		paused = process_paused(analysis, row->use[i].process, NULL);
		least = paused < least ? paused : least;
	}
	return least < row->out.idle_ns ? least : row->out.idle_ns > 0 ? row->out.idle_ns : 0;
}

static void device_measure(struct analysis *analysis, struct device_row *row)
{
	const struct host_window *window = &analysis->window[row->host];
	uint64_t line = 0;
	int64_t paused;
	size_t i;

	for (i = 0; i < row->uses; i++)
		if (row->use[i].fold_line > line)
			line = row->use[i].fold_line;
	exact_part(analysis, row, line);
	if (row->shared)
		streamed_part(row);
	else if (line)
		folded_part(analysis, row, line);
	row->out.wall_ns = window->end - window->start;
	row->out.idle_ns = (int64_t)(row->out.wall_ns - row->out.kernels_ns - row->out.copies_ns + row->out.overlap_ns);
	if (row->out.idle_ns < 0)
		summary_add_note(analysis->summary, "negative",
				 "error: device %s was busy for longer than the run: its recording contradicts itself",
				 row->out.label);
	paused = idle_pause(analysis, row);
	row->out.wall_ns -= (uint64_t)paused;
	row->out.idle_ns -= paused;
	row->out.ranks = rank_spread(analysis, row->per_rank);
}

/* ---- rows ---- */

static int device_order(const void *left, const void *right)
{
	const struct device_row *a = *(struct device_row *const *)left, *b = *(struct device_row *const *)right;
	int order = strcmp(a->out.host, b->out.host);

	if (!order)
		order = strcmp(a->out.name, b->out.name);
	if (!order && a->ordinal != b->ordinal)
		return a->ordinal < b->ordinal ? -1 : 1;
	return order ? order : strcmp(a->out.key, b->out.key);
}

/* Names; where several devices of a host share one, with the number they have among themselves. */
static void labels_make(struct analysis *analysis)
{
	struct rows *rows = &analysis->devices;
	size_t first, i, next;

	for (first = 0; first < rows->count; first = next) {
		struct device_row *row = rows->row[first];

		for (next = first + 1; next < rows->count; next++) {
			const struct device_row *other = rows->row[next];

			if (strcmp(other->out.host, row->out.host) || strcmp(other->out.name, row->out.name))
				break;
		}
		for (i = first; i < next; i++) {
			struct device_row *same = rows->row[i];
			const char *name = *same->out.name ? same->out.name : same->out.key;

			same->out.label = next - first == 1 ? name :
					  arena_printf(analysis->arena, "%s #%zu", name, i - first);
		}
	}
}

/* What a process waited for while one of its devices was busy may have been that device. */
static void processes_add(struct analysis *analysis, struct device_row *row)
{
	uint64_t busy = row->out.kernels_ns + row->out.copies_ns - row->out.overlap_ns;
	uint64_t exact = interval_length(&row->busy), folded = busy > exact ? busy - exact : 0;
	size_t i, j;

	for (i = 0; i < row->uses; i++) {
		struct process_time *process = row->use[i].process;

		for (j = 0; j < i && row->use[j].process != process; j++)
			;
		if (j < i)
			continue;
		row->out.processes++;
		process->devices_busy = interval_union(&analysis->scratch, &process->devices_busy, &row->busy);
		process->devices_folded += folded > 0;
		if (folded > process->devices_folded_ns)
			process->devices_folded_ns = folded;
	}
}

static int pair_order(const void *left, const void *right)
{
	const struct summary_rank_device *a = left, *b = right;

	return a->rank != b->rank ? (a->rank < b->rank ? -1 : 1) : strcmp(a->device, b->device);
}

void devices_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	struct rows *rows = &analysis->devices, *pairs = &analysis->rank_devices;
	size_t i;

	if (rows->count)
		qsort(rows->row, rows->count, sizeof(*rows->row), device_order);
	labels_make(analysis);
	summary->device = arena_array(analysis->arena, rows->count, sizeof(*summary->device));
	for (i = 0; i < rows->count; i++) {
		struct device_row *row = rows->row[i];

		if (!row->uses)
			continue; /* named by a transfer or an allocation only */
		device_measure(analysis, row);
		processes_add(analysis, row);
		summary->device[summary->devices++] = row->out;
	}
	summary->rank_device = arena_array(analysis->arena, pairs->count, sizeof(*summary->rank_device));
	for (i = 0; i < pairs->count; i++) {
		const struct pair_row *pair = pairs->row[i];

		summary->rank_device[summary->rank_devices++] = (struct summary_rank_device){
			pair->rank, pair->device->out.label, pair->device->out.host};
	}
	if (summary->rank_devices)
		qsort(summary->rank_device, summary->rank_devices, sizeof(*summary->rank_device), pair_order);
}
