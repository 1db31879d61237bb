/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the time went: the wall time of each process's reference thread, split exactly. What is
 * not in a traced call is host; before its birth and after its end a process is not running.
 * Nothing is clamped: a negative part shows that the recording is wrong, and a note says so.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "base/number.h"
#include "read/tally_load.h"

#define POLLING_LIMIT 90      /* per cent of its time in polling calls: such a thread is a progress engine */
#define TRACED_LEAST 1        /* per cent of the initial thread's time: below, another one does the work */
#define NEGATIVE_NOISE 1000    /* ns: rounding of many small figures */
#define CLOCKS_APART_PPM 200  /* most, of a call's clock and the one that its device span is capped by */

struct comm_row {
	const char *backend;
	int64_t ns;
};

enum sonde_category kind_category(enum sonde_kind kind)
{
#define KIND_CATEGORY(name, category) [SONDE_KIND_##name] = SONDE_CATEGORY_##category,
	static const enum sonde_category categories[] = {SONDE_KINDS(KIND_CATEGORY)};

	return kind < SONDE_KIND_COUNT ? categories[kind] : SONDE_CATEGORY_other_api;
}

static int64_t signed_ns(const struct analysis *analysis, const struct process_time *process, uint64_t ticks)
{
	const struct read_clock *clock = thread_clock(analysis, process);

	return (int64_t)ticks < 0 ? -(int64_t)read_clock_duration(clock, 0 - ticks) :
				    (int64_t)read_clock_duration(clock, ticks);
}

static void comm_add(struct analysis *analysis, const char *backend, int64_t ns)
{
	struct comm_row *row;
	bool is_new;

	rows_key(&analysis->comm);
	rows_key_text(analysis, &analysis->comm, backend);
	row = rows_find(analysis, &analysis->comm, sizeof(*row), &is_new);
	if (is_new)
		row->backend = keep(analysis, backend);
	row->ns = number_add(row->ns, ns);
}

static void category_add(struct thread_time *time, enum sonde_category category, int64_t ns)
{
	time->category[category] = number_add(time->category[category], ns);
}

/*
 * A blocking copy waits for the device first: only the time of its device span is transfer. That is by another clock
 * than the call, and may be longer by as much as they are apart: then nothing was waited for. More would be a fault,
 * and shows.
 */
static int64_t waited_ns(struct analysis *analysis, const struct process_time *process, const struct fmt_stats *stats)
{
	int64_t blocked = signed_ns(analysis, process, stats->blocked), waited, apart;

	if (!stats->blocked)
		return 0;
	waited = number_subtract(blocked, (int64_t)stats->device_ns);
	apart = blocked / 1000000 * CLOCKS_APART_PPM + NEGATIVE_NOISE;
	return waited < 0 && -waited <= apart ? 0 : waited;
}

/* Self time of one function in one thread, by category. */
static void row_add(struct analysis *analysis, const struct process_time *process, struct thread_time *time,
		    const struct tally_row *row)
{
	const struct tally_body *body = process->tally->body;
	const struct tally_function *function = &body->function[row->function];
	enum sonde_category category = kind_category(function->kind);
	int64_t self, waited;

	if (function_is_range(function))
		return;
	time->calls += stats_calls(&row->stats);
	if (function->counted)
		return;
	self = signed_ns(analysis, process, row->stats.total - row->stats.child);
	waited = waited_ns(analysis, process, &row->stats);
	category_add(time, category, number_subtract(self, waited));
	category_add(time, SONDE_CATEGORY_device_wait, waited);
	time->copies_wait_ns = number_add(time->copies_wait_ns, waited);
	if (function->kind == SONDE_KIND_poll)
		time->poll_ns = number_add(time->poll_ns, self);
	if (category == SONDE_CATEGORY_comm)
		comm_add(analysis, body->backend[function->backend].name, self);
}

static bool is_outermost_call(const struct tally_thread *thread, uint32_t frame)
{
	uint32_t i;

	for (i = 0; i < frame; i++)
		if (thread->frame[i].function == thread->frame[frame].function)
			return false;
	return true;
}

static void frames_add(struct analysis *analysis, struct process_time *process, struct thread_time *time,
		       const struct tally_thread *thread)
{
	const struct tally_body *body = process->tally->body;
	const struct read_clock *clock = thread_clock(analysis, process);
	uint64_t last = thread->last ? read_clock_raw(clock, thread->last) : 0;
	uint32_t i;

	if (last > process->last_sign_raw)
		process->last_sign_raw = last;
	if (!thread->frames)
		return;
	process->has_open = true;
	time->frames = thread->frames;
	time->frame = arena_array(&analysis->scratch, thread->frames, sizeof(*time->frame));
	for (i = 0; i < thread->frames; i++) {
		const struct tally_function *function = &body->function[thread->frame[i].function];
		struct open_frame *frame = &time->frame[i];

		frame->row = call_row(analysis, process, thread->tid, function);
		frame->name = keep(analysis, function->name);
		frame->backend = keep(analysis, body->backend[function->backend].name);
		frame->kind = function->kind;
		frame->begin_raw = read_clock_raw(clock, thread->frame[i].begin);
		frame->child_ns = read_clock_duration(clock, thread->frame[i].child);
		frame->outermost = is_outermost_call(thread, i);
		if (frame->begin_raw > process->last_sign_raw)
			process->last_sign_raw = frame->begin_raw;
	}
}

void breakdown_add(struct analysis *analysis, struct process_time *process)
{
	const struct tally_body *body = process->tally->body;
	uint32_t i, j;

	process->thread = arena_array(&analysis->scratch, body->threads, sizeof(*process->thread));
	process->threads = body->threads;
	for (i = 0; i < body->threads; i++) {
		struct thread_time *time = &process->thread[i];
		const char *name = tally_thread_name(body, body->thread[i].tid);

		time->tid = body->thread[i].tid;
		time->name = name ? keep(analysis, name) : "";
		time->served = body->thread[i].served;
		time->covered_ns = process_ns(analysis, process, body->thread[i].covered);
		process->argument_ticks += body->thread[i].arguments;
		time->covers_end = body->thread[i].covers_end;
		for (j = 0; j < body->thread[i].rows; j++)
			row_add(analysis, process, time, &body->thread[i].row[j]);
		frames_add(analysis, process, time, &body->thread[i]);
		process->calls += time->calls;
	}
}

/* ---- when all ends are known ---- */

/* Time in calls that have not returned counts for what they are, up to the end of the process. */
static void frames_finish(struct analysis *analysis, struct process_time *process, struct thread_time *time)
{
	uint32_t i;

	for (i = 0; i < time->frames; i++) {
		struct open_frame *frame = &time->frame[i];
		uint64_t until = i + 1 < time->frames ? time->frame[i + 1].begin_raw : process->end_raw;
		int64_t self = (int64_t)(until - frame->begin_raw - frame->child_ns);

		category_add(time, kind_category(frame->kind), self);
		if (frame->kind == SONDE_KIND_poll)
			time->poll_ns = number_add(time->poll_ns, self);
		if (kind_category(frame->kind) == SONDE_CATEGORY_comm)
			comm_add(analysis, frame->backend, self);
		call_row_open(frame->row, frame->outermost ? (int64_t)(process->end_raw - frame->begin_raw) : 0);
	}
}

static int64_t traced_time(const struct thread_time *time)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < SONDE_CATEGORY_COUNT; i++)
		sum = number_add(sum, time->category[i]);
	return sum;
}

static int64_t device_time(const struct thread_time *time)
{
	return number_add(number_add(time->category[SONDE_CATEGORY_launch], time->category[SONDE_CATEGORY_copy]),
			  time->category[SONDE_CATEGORY_device_wait]);
}

static bool is_polling(const struct thread_time *time, int64_t wall)
{
	return time->poll_ns / POLLING_LIMIT > wall / 100;
}

/*
 * The initial thread; where that does next to nothing traced or only polls, the one that faces the
 * device most (without device work: the one with most traced time). NULL: no thread is recorded.
 */
static struct thread_time *choose_reference(const struct analysis *analysis, struct process_time *process)
{
	int64_t wall = number_subtract(process_wall(process), process_paused(analysis, process, NULL));
	struct thread_time *initial = NULL, *best = NULL;
	uint32_t i;

	for (i = 0; i < process->threads; i++) {
		struct thread_time *time = &process->thread[i];

		if (time->tid == process->tally->raw.pid)
			initial = time;
		if (is_polling(time, wall))
			continue;
		if (!best || device_time(time) > device_time(best) ||
		    (device_time(time) == device_time(best) && traced_time(time) > traced_time(best)))
			best = time;
	}
	if (initial && !is_polling(initial, wall) && traced_time(initial) >= wall / 100 * TRACED_LEAST)
		return initial;
	if (best && traced_time(best) > 0)
		return best;
	return initial ? initial : best ? best : process->threads ? &process->thread[0] : NULL;
}

static void note_busier_thread(struct analysis *analysis, const struct process_time *process)
{
	const struct thread_time *busiest = process->reference;
	struct number mine, other;
	uint32_t i;

	for (i = 0; i < process->threads; i++)
		if (device_time(&process->thread[i]) > device_time(busiest))
			busiest = &process->thread[i];
	if (busiest == process->reference)
		return;
	summary_add_note(analysis->summary, "busier_thread",
			 "pid %u: thread %u spent %s in launches, copies and device waits, the reference thread %u %s",
			 process->tally->raw.pid, busiest->tid, number_time(&other, device_time(busiest)),
			 process->reference->tid, number_time(&mine, device_time(process->reference)));
}

static void note_negative_share(struct analysis *analysis, const struct summary_process *process)
{
#define CATEGORY_NAME(name) #name,
	static const char *const names[] = {SONDE_CATEGORIES(CATEGORY_NAME)};
	struct number number;
	int i;

	for (i = 0; i < SONDE_CATEGORY_COUNT; i++)
		if (process->category[i] < -NEGATIVE_NOISE)
			summary_add_note(analysis->summary, "negative",
					 "error: pid %u: share %s is negative (%s): its recording contradicts itself",
					 process->pid, names[i], number_time(&number, process->category[i]));
}

/* What pauses take from a thread's time: less what its own calls covered of them. NULL: a thread without calls. */
static int64_t thread_paused(const struct analysis *analysis, const struct process_time *process,
			     const struct thread_time *time)
{
	int64_t last, paused = process_paused(analysis, process, &last);

	if (!time)
		return paused;
	return number_subtract(number_subtract(paused, (int64_t)time->covered_ns), time->covers_end ? last : 0);
}

static void fill_process(struct analysis *analysis, struct process_time *process, struct summary_process *out)
{
	const struct tally *tally = process->tally;
	const struct host_window *window = &analysis->window[tally->host];

	out->host = keep(analysis, analysis->recording->host[tally->host].name);
	out->exe = keep(analysis, tally->exe);
	out->command = keep(analysis, tally->command);
	out->end = process_end_text(analysis, process);
	out->pid = tally->raw.pid;
	out->ppid = tally->raw.ppid;
	out->rank = tally->rank;
	out->reference_tid = process->reference ? process->reference->tid : 0;
	out->start_ns = (int64_t)(process->birth_raw - window->start);
	out->end_ns = (int64_t)(process->end_raw - window->start);
	out->end_source = process->end_source;
	out->wall_ns = window_wall(analysis, process);
	out->calls = process->calls;
	out->image = process->image;
	if (process->reference)
		memcpy(out->category, process->reference->category, sizeof(out->category));
	out->category[SONDE_CATEGORY_not_running] = number_subtract(out->wall_ns, process_wall(process));
	out->paused_ns = process_paused(analysis, process, NULL);
	/* beside what is traced and runs on the host */
	out->category[SONDE_CATEGORY_host] = number_add(
		out->category[SONDE_CATEGORY_host],
		number_subtract(number_subtract(process_wall(process),
						thread_paused(analysis, process, process->reference)),
				process->reference ? traced_time(process->reference) : 0));
}

static void fill_threads(struct analysis *analysis, const struct process_time *process, uint32_t index)
{
	struct summary *summary = analysis->summary;
	uint32_t i;

	for (i = 0; i < process->threads; i++) {
		const struct thread_time *time = &process->thread[i];
		struct summary_thread *out = &summary->thread[summary->threads++];

		out->process = index;
		out->tid = time->tid;
		out->name = time->name;
		out->served = time->served;
		out->reference = time == process->reference;
		out->calls = time->calls;
		memcpy(out->category, time->category, sizeof(out->category));
	}
}

static void fill_open_calls(struct analysis *analysis, const struct process_time *process)
{
	struct summary *summary = analysis->summary;
	uint32_t i, j;

	for (i = 0; i < process->threads; i++)
		for (j = 0; j < process->thread[i].frames; j++) {
			const struct open_frame *frame = &process->thread[i].frame[j];
			struct summary_open_call *out = &summary->open_call[summary->open_calls++];

			out->name = frame->name;
			out->backend = frame->backend;
			out->host = keep(analysis, analysis->recording->host[process->tally->host].name);
			out->pid = process->tally->raw.pid;
			out->tid = process->thread[i].tid;
			out->rank = process->tally->rank;
			out->ns = (int64_t)(process->end_raw - frame->begin_raw);
			out->at_least = process_end_unseen(process);
			out->innermost = j + 1 == process->thread[i].frames;
			out->reference = &process->thread[i] == process->reference;
		}
}

static void reserve(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	size_t threads = 0, frames = 0, i;
	uint32_t j;

	for (i = 0; i < analysis->recording->tallies; i++) {
		threads += analysis->process[i].threads;
		for (j = 0; j < analysis->process[i].threads; j++)
			frames += analysis->process[i].thread[j].frames;
	}
	summary->process = arena_array(analysis->arena, analysis->recording->tallies, sizeof(*summary->process));
	summary->open_call = arena_array(analysis->arena, frames, sizeof(*summary->open_call));
	if (analysis->by == SUMMARY_BY_THREAD)
		summary->thread = arena_array(analysis->arena, threads, sizeof(*summary->thread));
}

static void process_finish(struct analysis *analysis, size_t index)
{
	struct process_time *process = &analysis->process[index];
	struct summary_process *out = &analysis->summary->process[analysis->summary->processes++];
	uint32_t i;

	for (i = 0; i < process->threads; i++)
		frames_finish(analysis, process, &process->thread[i]);
	process->reference = choose_reference(analysis, process);
	fill_process(analysis, process, out);
	note_negative_share(analysis, out);
	if (process->reference)
		note_busier_thread(analysis, process);
	if (analysis->by == SUMMARY_BY_THREAD)
		fill_threads(analysis, process, (uint32_t)index);
	fill_open_calls(analysis, process);
}

static int comm_order(const void *left, const void *right)
{
	const struct comm_row *a = *(struct comm_row *const *)left, *b = *(struct comm_row *const *)right;

	return a->ns > b->ns ? -1 : a->ns < b->ns;
}

static void name_comm(struct analysis *analysis)
{
	struct rows *rows = &analysis->comm;
	char *name = NULL, *at;
	size_t i;

	if (rows->count)
		qsort(rows->row, rows->count, sizeof(*rows->row), comm_order);
	for (i = 0; i < rows->count; i++) {
		struct comm_row *row = rows->row[i];

		name = name ? arena_printf(analysis->arena, "%s+%s", name, row->backend) :
			      arena_strdup(analysis->arena, row->backend);
	}
	for (at = name; at && *at; at++)
		if (*at >= 'a' && *at <= 'z')
			*at = (char)(*at - 'a' + 'A');
	analysis->comm_name = name;
}

static const char *share_detail(struct analysis *analysis, enum sonde_category category, int64_t open_ns)
{
	const char *name = category == SONDE_CATEGORY_comm ? analysis->comm_name : NULL;
	struct number number;

	if (open_ns <= 0)
		return name;
	return arena_printf(analysis->arena, "%s%s%s in calls that have not returned", name ? name : "",
			    name ? ", " : "", number_time(&number, open_ns));
}

static void shares_fill(struct analysis *analysis, const int64_t *ns, int64_t *const *per_rank, const int64_t *open_ns)
{
	struct summary *summary = analysis->summary;
	int64_t ppm[SONDE_CATEGORY_COUNT];
	int i;

	number_shares(ns, SONDE_CATEGORY_COUNT, 1000000, ppm);
	summary->share = arena_array(analysis->arena, SONDE_CATEGORY_COUNT, sizeof(*summary->share));
	for (i = 0; i < SONDE_CATEGORY_COUNT; i++) {
		struct summary_share *share = &summary->share[summary->shares++];

		share->category = (enum sonde_category)i;
		share->ns = ns[i];
		share->ppm = ppm[i];
		share->detail = share_detail(analysis, share->category, open_ns[i]);
		share->ranks = rank_spread(analysis, per_rank[i]);
	}
}

void breakdown_finish(struct analysis *analysis)
{
	int64_t ns[SONDE_CATEGORY_COUNT] = {0}, open_ns[SONDE_CATEGORY_COUNT] = {0}, value;
	int64_t *per_rank[SONDE_CATEGORY_COUNT] = {NULL};
	size_t i;
	uint32_t j;
	int category;

	reserve(analysis);
	for (i = 0; i < analysis->recording->tallies; i++) {
		const struct process_time *process = &analysis->process[i];
		const struct summary_process *out = &analysis->summary->process[i];

		process_finish(analysis, i);
		for (category = 0; category < SONDE_CATEGORY_COUNT; category++) {
			value = out->category[category];
			/* a later image of a process: its window is counted already, and it ran in it */
			if (category == SONDE_CATEGORY_not_running && process->image)
				value = number_subtract(0, process_wall(process));
			ns[category] = number_add(ns[category], value);
			rank_add(analysis, &per_rank[category], process->rank, value);
		}
		for (j = 0; process->reference && j < process->reference->frames; j++) {
			const struct open_frame *frame = &process->reference->frame[j];
			uint64_t until = j + 1 < process->reference->frames ? frame[1].begin_raw : process->end_raw;

			category = kind_category(frame->kind);
			open_ns[category] = number_add(open_ns[category],
						       (int64_t)(until - frame->begin_raw - frame->child_ns));
		}
	}
	name_comm(analysis);
	if (analysis->recording->tallies)
		shares_fill(analysis, ns, per_rank, open_ns);
}
