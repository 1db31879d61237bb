/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of an analysis, private to analyze/. summary.c loads one process after the other and shows
 * it to every question's *_add(); when all were seen, every question's *_finish() writes its rows.
 */
#ifndef SONDE_ANALYZE_ANALYSIS_H
#define SONDE_ANALYZE_ANALYSIS_H

#include "analyze/histogram.h"
#include "analyze/interval.h"
#include "analyze/summary.h"
#include "base/map.h"
#include "read/recording.h"

/* A growing array of rows that are also found by a key. */
struct rows {
	struct map map;
	struct map_key key;
	void **row;
	size_t count, capacity;
};

/* Time window of the run on one host, CLOCK_MONOTONIC_RAW. */
struct host_window {
	uint64_t start, end; /* end 0: nothing known yet */
};

/* An open call, kept until the end of its process is known. */
struct open_frame {
	const char *name, *backend;
	enum sonde_kind kind;
	uint32_t layer;
	uint64_t begin_raw, child_ns;
	struct call_row *row;
	bool outermost; /* no call of the same function is open further out */
};

/* Likewise an open range. */
struct open_range {
	struct range_row *row;
	uint64_t begin_raw; /* UINT64_MAX: the same range is open further out */
};

/* A thread's traced time, kept until its process's reference thread is chosen. */
struct thread_time {
	uint32_t tid, served;
	const char *name;           /* that the program gave it, or "" */
	uint64_t calls;
	int64_t category[SONDE_CATEGORY_COUNT]; /* self time */
	int64_t poll_ns;
	int64_t copies_wait_ns;     /* of category[SONDE_CATEGORY_device_wait]: in blocking copies */
	struct open_frame *frame;
	uint32_t frames;
	uint64_t covered_ns;        /* of the process's pauses: its calls were open */
	bool covers_end;            /* likewise the whole of the last pause, which has not ended */
};

/* A process image; index as in recording->tally. */
struct process_time {
	struct tally *tally;
	uint32_t rank;              /* index into analysis->rank, READ_NONE: none */
	const char *group;          /* of process or rank; "" without --by */
	uint64_t birth_raw, end_raw;
	enum summary_end_source end_source;
	uint64_t last_sign_raw;     /* of life */
	bool no_time;               /* its record does not say when it ran */
	bool has_open;              /* calls were open when it was last seen */
	struct thread_time *thread;
	uint32_t threads;
	uint32_t image;             /* 0 for the first image of a process, 1 after an exec, ... */
	uint32_t first_image;       /* index of the image 0 of the same process */
	bool has_images; /* of a first image: others of the same process follow */
	struct thread_time *reference;
	uint64_t calls, call_cost_ns;
	uint64_t range_calls;
	uint64_t argument_ticks;    /* that recording arguments took, in all threads */
	struct open_range *open_range;
	uint32_t open_ranges;
	struct interval_set devices_busy; /* when some device that it used was, in the whole run */
	uint64_t devices_folded_ns; /* of the one that was for longest, at times that are not known any more */
	uint32_t devices_folded;    /* that were at such times */
};

struct analysis {
	struct recording *recording;
	struct summary *summary;
	struct arena *arena;        /* of the summary */
	struct arena scratch;       /* gone when the summary is done */
	enum summary_by by;
	int32_t *rank;              /* distinct, ascending */
	uint32_t ranks;
	struct process_time *process;
	struct host_window *window; /* per host */
	struct rows calls, kernels, kernels_all, devices, transfers, memory, builds, failures, ledger, rank_devices;
	struct rows ranges, values;
	size_t graph_capacity, node_capacity, node_device_capacity; /* of the summary's */
	struct device_row **node_device; /* of summary->node */
	struct rows comm;           /* time in comm by backend */
	const char *comm_name;      /* backends behind it, in capitals */
	uint64_t notes_seen;        /* union of what processes noted about themselves */
	uint64_t bad_ticks;
	struct streams *streams;    /* what they say; NULL: none were read */
	size_t stream_notes, stream_notes_end; /* of the recording: those made by reading streams */
};

/* ---- rows.c ---- */
/* What rows of calls and ranges are sorted by. */
struct busy {
	uint64_t time_ns, calls;
	const char *backend, *name, *group;
};
/* For qsort: most time first, then most calls, then by name. */
int busiest_first(const struct busy *a, const struct busy *b);
/* Row of the key in rows->key, made of zeros when it is new (*is_new_out). */
void *rows_find(struct analysis *analysis, struct rows *rows, size_t row_bytes, bool *is_new_out);
void rows_key(struct rows *rows);
void rows_key_text(struct analysis *analysis, struct rows *rows, const char *text);
void rows_key_number(struct analysis *analysis, struct rows *rows, uint64_t number);
/* A text that outlives the loaded process. */
const char *keep(struct analysis *analysis, const char *text);

/* ---- ranks.c ---- */
void ranks_collect(struct analysis *analysis);
uint32_t rank_index(const struct analysis *analysis, int32_t rank);
/* Adds to a figure kept per rank; *per_rank is made at the first use. */
void rank_add(struct analysis *analysis, int64_t **per_rank, uint32_t rank, int64_t value);
struct summary_ranks rank_spread(const struct analysis *analysis, const int64_t *per_rank);

/* Nobody saw it end: what it was in then lasted at least as long as is known. */
static inline bool process_end_unseen(const struct process_time *process)
{
	return process->end_source == SUMMARY_END_RUN || process->end_source == SUMMARY_END_LAST;
}

/* ---- time.c: birth and end of processes, window of the run ---- */
void times_collect(struct analysis *analysis); /* before anything is loaded */
void times_resolve(struct analysis *analysis); /* when all was seen: ends that had to wait, windows */
uint64_t process_raw(const struct analysis *analysis, const struct process_time *process, uint64_t ticks);
uint64_t process_ns(const struct analysis *analysis, const struct process_time *process, uint64_t ticks);
int64_t process_wall(const struct process_time *process);
/* How long its recording was paused; of it, up to its end, the pause that has not ended. When ends are known. */
int64_t process_paused(const struct analysis *analysis, const struct process_time *process, int64_t *last_out);
int64_t window_wall(const struct analysis *analysis, const struct process_time *process);
const struct read_clock *process_clock(const struct analysis *analysis, const struct process_time *process);
/* That of what threads did: the process's own, or ns where it is known from streams. */
const struct read_clock *thread_clock(const struct analysis *analysis, const struct process_time *process);
void times_fill_run(struct analysis *analysis);
const char *process_end_text(struct analysis *analysis, const struct process_time *process);

/* ---- one file per question ---- */
void breakdown_add(struct analysis *analysis, struct process_time *process);
void breakdown_finish(struct analysis *analysis);
enum sonde_category kind_category(enum sonde_kind kind);
struct call_row *call_row(struct analysis *analysis, const struct process_time *process, uint32_t tid,
			  const struct tally_function *function);
void call_row_open(struct call_row *row, int64_t ns);
/* What rows of a thread are grouped by. */
const char *thread_group(struct analysis *analysis, const struct process_time *process, uint32_t tid);
void calls_add(struct analysis *analysis, struct process_time *process);
void calls_finish(struct analysis *analysis);
void devices_add(struct analysis *analysis, struct process_time *process);
void devices_finish(struct analysis *analysis);
struct device_row;
struct device_row *device_of(struct analysis *analysis, const struct process_time *process, uint32_t device);
const char *device_label(const struct device_row *device); /* "" for NULL; valid after devices_finish() */
const char *device_host(const struct device_row *device);
void kernels_add(struct analysis *analysis, struct process_time *process);
void kernels_finish(struct analysis *analysis);
void transfers_add(struct analysis *analysis, struct process_time *process);
void transfers_finish(struct analysis *analysis);
void memory_add(struct analysis *analysis, struct process_time *process);
void memory_finish(struct analysis *analysis);
void graphs_add(struct analysis *analysis, struct process_time *process);
void graphs_finish(struct analysis *analysis);
void builds_add(struct analysis *analysis, struct process_time *process);
void builds_finish(struct analysis *analysis);
void failures_add(struct analysis *analysis, struct process_time *process);
void failures_finish(struct analysis *analysis);
void ranges_add(struct analysis *analysis, struct process_time *process);
void ranges_finish(struct analysis *analysis);
void counters_finish(struct analysis *analysis); /* after devices_finish() */
/* Counters that the program sets itself: what a thread set one to. */
void values_add(struct analysis *analysis, const struct process_time *process, const struct tally_function *function,
		const struct fmt_stats *stats);
void values_finish(struct analysis *analysis); /* behind those that are sampled */
void ledger_add(struct analysis *analysis, struct process_time *process);
void ledger_finish(struct analysis *analysis);
void overlap_finish(struct analysis *analysis);
void overhead_finish(struct analysis *analysis);
void notes_finish(struct analysis *analysis);
void verdict_finish(struct analysis *analysis);

#endif
