/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The summary of a recording: every figure that a view may print. Views print it and compute
 * nothing that is not in it. Times are ns, sizes bytes.
 *
 * A figure that could come out negative is signed. It is never clamped: where it is negative,
 * something in the recording is wrong, and a note says so.
 */
#ifndef SONDE_ANALYZE_SUMMARY_H
#define SONDE_ANALYZE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "format/kinds.h"
#include "format/tally.h"

/* What the rows of the tables are split by, beyond what they always are. */
enum summary_by {
	SUMMARY_BY_NONE = 0,
	SUMMARY_BY_RANK,
	SUMMARY_BY_PROCESS,
	SUMMARY_BY_THREAD,
	SUMMARY_BY_DEVICE
};

/* Spread of a row's main figure over the ranks; only when there are several (count > 1). */
struct summary_ranks {
	uint32_t count;
	int32_t max_rank, min_rank;
	int64_t mean, min, max;
};

struct summary_note {
	const char *code; /* stable word */
	const char *text; /* one sentence for people */
};

struct summary_run {
	char **argv;          /* of the launcher that started first; NULL-terminated, may be empty */
	uint64_t wall_ns;
	uint32_t processes, hosts, ranks;
	int64_t paused_ns;    /* recording was, all processes together */
	const char *end;      /* "exit 0", "signal 9", "running", "unknown" */
	bool running;
	uint64_t untraceable; /* why a launcher could not trace its program, in its own numbers; 0: it could */
	const char *untraceable_program;
};

enum summary_end_source {
	SUMMARY_END_OWN,      /* the process said so */
	SUMMARY_END_LAUNCH,   /* its launcher saw it */
	SUMMARY_END_RUNNING,  /* it has not ended: the time of reading */
	SUMMARY_END_RUN,      /* unknown; calls were open, so the end of the run */
	SUMMARY_END_LAST      /* unknown; the last sign of life */
};

struct summary_process {
	const char *host, *exe, *command;
	const char *end;          /* "exit", "exit 0", "signal 9", "exec", "abort", "running", "unknown" */
	uint32_t pid, ppid, reference_tid; /* reference_tid 0: no thread made a traced call */
	int32_t rank;             /* -1: none */
	int64_t start_ns, end_ns; /* since the start of the run on its host */
	enum summary_end_source end_source;
	/* sums to wall_ns without paused_ns, but for the part of it in which calls were open */
	int64_t category[SONDE_CATEGORY_COUNT];
	int64_t wall_ns;          /* of the run on its host */
	int64_t paused_ns;        /* recording was */
	uint64_t calls;
	uint32_t image;           /* 0, 1, ...: program images that one process ran in turn */
};

/* A thread's traced time; kept with SUMMARY_BY_THREAD only. */
struct summary_thread {
	uint32_t process;         /* index into processes */
	uint32_t tid, served;     /* served: threads that used this record one after another */
	const char *name;         /* that the program gave it, or "" */
	bool reference;
	int64_t category[SONDE_CATEGORY_COUNT]; /* traced categories only */
	uint64_t calls;
};

struct summary_share {
	enum sonde_category category;
	int64_t ns;
	int64_t ppm;              /* share of all wall time in millionths; all rows sum to 1,000,000 */
	const char *detail;       /* "2 open calls", ... or NULL */
	struct summary_ranks ranks;
};

/* A call that had not returned when its process was last seen. */
struct summary_open_call {
	const char *name, *backend, *host;
	uint32_t pid, tid;
	int32_t rank;
	int64_t ns;
	bool innermost, reference;
	bool at_least; /* nobody saw the process end */
};

struct summary_device {
	const char *label;        /* name, with a number where several of a host share it */
	const char *name, *key, *host, *backend; /* backend: comma-separated */
	uint64_t wall_ns;
	uint64_t kernels_ns, copies_ns, overlap_ns; /* unions, intersection */
	uint64_t kernels_min_ns, kernels_max_ns;    /* bounds of kernels_ns; equal unless approximate */
	int64_t idle_ns;
	uint64_t kernels_sum_ns, copies_sum_ns;
	uint64_t clock_error_ns;
	uint32_t processes;       /* that used it */
	bool approximate;
	struct summary_ranks ranks; /* of kernels_ns */
};

/* Times of one kind of thing; percentiles are lower ends of histogram steps (4 per octave). */
struct summary_times {
	uint64_t calls, total_ns, min_ns, max_ns, p50_ns, p99_ns;
};

struct summary_kernel {
	const char *name, *backend, *device, *host, *group;
	enum sonde_kind kind;
	struct summary_times times;
	struct fmt_shape shape;     /* as far as it is known and the same for all calls */
	struct summary_ranks ranks; /* of total_ns */
};

struct summary_node {
	uint32_t pid, graph;        /* of which it is part */
	uint64_t node;              /* its number */
	const char *name, *device, *backend;
	enum sonde_kind kind;
	uint64_t calls, total_ns, max_ns;
};

/* Operations launched together by one call, of one process: numbers are its own. */
struct summary_graph {
	const char *backend, *host;
	uint32_t pid, graph;
	int32_t rank;
	uint64_t launches, kernels, operations, total_ns;
	uint64_t numbers;           /* nodes; one that was given another kernel has two rows */
	size_t first, nodes;        /* rows of summary.node */
};

struct summary_transfer {
	const char *backend, *device, *host, *group;
	enum sonde_direction direction;
	enum sonde_memory_kind memory;
	uint64_t calls, bytes, total_ns;
};

struct summary_memory {
	const char *backend, *device, *host, *group; /* device "" : host memory */
	enum sonde_memory_kind memory;
	uint64_t allocs, frees, alloc_bytes, peak_bytes, live_bytes;
	bool peak_is_bound;       /* sum of several processes' peaks: the true peak is at most this */
};

struct summary_call {
	const char *backend, *name, *group;
	enum sonde_kind kind;
	uint32_t layer;
	bool timed;               /* false: only counted, all times are 0 */
	struct summary_times times;
	int64_t self_ns;
	uint64_t failed, unfinished; /* unfinished: entered and never left */
	int64_t open_ns;          /* time so far of those of them that are still open */
	uint64_t bytes_out, bytes_in, posted;
	uint64_t device_ns;       /* sum of the operations that other backends started inside; 0 with --by thread */
	uint32_t members_least, members_most; /* of the communicators, or teams of threads; 0: not known */
	uint64_t team_ns, team_waited_ns; /* of its threads all together; of that, waiting for each other */
	struct summary_ranks ranks; /* of total_ns; of calls where not timed */
};

/* A part of the program by its own words; marks have no times. */
struct summary_range {
	const char *backend, *name, *group;
	enum sonde_kind kind;        /* range or mark */
	struct summary_times times;
	int64_t self_ns;             /* without ranges inside */
	uint64_t device_ns;          /* plain sum of the operations started inside */
	uint64_t unfinished;         /* entered and never left */
	int64_t open_ns;             /* time so far of those of them that are still open */
	struct summary_ranks ranks;  /* of total_ns */
};

struct summary_build {
	const char *backend, *name, *group;
	enum sonde_build_source source;
	uint64_t calls, failed, total_ns, processes;
};

/* Calls that failed, by what they answered. */
struct summary_failure {
	const char *backend, *name, *group;
	const char *answer_name; /* "": not known */
	int64_t answer;   /* 0: the function gives none */
	uint64_t calls;
};

struct summary_ledger {
	const char *backend, *attached_by, *library;
	const char *tested_on; /* what the backend was run on, which its callers know; or NULL */
	uint64_t hooked, seen, recorded, lost;         /* calls */
	uint64_t calls_unfinished;
	uint64_t device_seen, device_recorded, device_lost, untimed, late; /* device operations */
	int64_t unfinished;       /* device operations launched and never delivered */
	bool off;                 /* something here is worth a line */
};

/* Is there work of devices whose times nobody told, as of a program that was killed? Then they were idle for less. */
static inline bool summary_lacks_device_work(const struct summary_ledger *ledger, size_t ledgers)
{
	for (size_t i = 0; i < ledgers; i++)
		if (ledger[i].unfinished > 0 || ledger[i].device_lost)
			return true;
	return false;
}

struct summary_rank_device {
	int32_t rank;
	const char *device, *host;
};

/* What ran at the same time; each moment of a process belongs to one class. */
enum summary_overlap_class {
	SUMMARY_OVERLAP_KERNELS, SUMMARY_OVERLAP_COPIES, SUMMARY_OVERLAP_COMM, SUMMARY_OVERLAP_KERNELS_COPIES,
	SUMMARY_OVERLAP_KERNELS_COMM, SUMMARY_OVERLAP_COPIES_COMM, SUMMARY_OVERLAP_ALL,
	SUMMARY_OVERLAP_HOST, /* none of them, while the process lives */
	SUMMARY_OVERLAP_IDLE, /* before its birth, after its end */
	SUMMARY_OVERLAP_COUNT
};

struct summary_overlap {
	enum summary_overlap_class class;
	int64_t ns;
	int64_t ppm;              /* share of all wall time in millionths; all rows sum to 1,000,000 */
	struct summary_ranks ranks;
};

/* What a sampler asked a device for again and again. Figures are millionths of the unit. */
/* A counter: sampled beside the program, or set by the program itself (backend is not ""). */
struct summary_counter {
	const char *backend, *name, *unit, *host, *key;
	const char *device;       /* label of the summary's device where it is one */
	double min, max;
	double mean;              /* each sample counts for the time since the one before it; of set values, for one */
	uint64_t samples, missed; /* missed: intervals without one until its last */
	uint64_t interval_ns;
};

enum summary_overlap_state {
	SUMMARY_OVERLAP_NONE,     /* recorded without streams */
	SUMMARY_OVERLAP_SKIPPED,  /* there is too much to read: summary_options.stream_bytes_max */
	SUMMARY_OVERLAP_THERE
};

struct summary_overhead {
	uint64_t per_call_ns, total_ns, wall_ns;
	int64_t ppm;              /* of the wall time of all processes */
};

struct summary {
	struct arena arena;
	const char *tool;         /* "sonde" and its version */
	const char *verdict;
	bool lower_bound;         /* something was lost or is unfinished */
	enum summary_by by;
	struct summary_run run;
	struct summary_note *note;
	struct summary_process *process;
	struct summary_thread *thread;
	struct summary_share *share;   /* SONDE_CATEGORY_COUNT rows, or none when nothing was recorded */
	struct summary_open_call *open_call;
	struct summary_device *device;
	struct summary_kernel *kernel; /* one row per device */
	struct summary_graph *graph;   /* most time first; nodes in order of their numbers */
	struct summary_node *node;
	struct summary_kernel *kernel_all; /* the same over all devices: device "" where there are several */
	struct summary_transfer *transfer;
	struct summary_memory *memory;
	struct summary_call *call;
	struct summary_build *build;
	struct summary_failure *failure; /* most calls first */
	struct summary_range *range;
	struct summary_counter *counter;
	struct summary_ledger *ledger;
	struct summary_rank_device *rank_device;
	struct summary_overhead overhead;
	/* from the streams, where there are any */
	enum summary_overlap_state overlap_state;
	struct summary_overlap *overlap; /* SUMMARY_OVERLAP_COUNT rows when it is THERE */
	size_t overlaps;
	bool overlap_whole;       /* nothing is missing in the streams */
	uint32_t overlap_processes, overlap_without; /* that have streams, that have none and are left out */
	uint64_t overlap_lost;    /* events that are missing, as far as they were counted */
	int64_t overlap_waiting_ns; /* of the host's time: some thread waited for a device */
	const char *overlap_comm; /* who communicates, as the breakdown names it */
	const char *overlap_finding; /* what does not overlap, in words; or NULL */
	bool from_streams;        /* figures of calls and operations come from the streams, not from the tally */
	size_t notes, processes, threads, shares, open_calls, devices, kernels, kernels_all, transfers, memories,
		calls, builds, failures, graphs, nodes, ranges, counters, ledgers, rank_devices;
	size_t note_capacity, counter_capacity;
};

struct summary_options {
	enum summary_by by;
	const char *tool; /* printed as "tool"; NULL: "sonde" */
	bool from_streams; /* compute the figures of calls and operations from the streams */
	uint64_t stream_bytes_max; /* do without streams that are larger together; 0: never */
};

/*
 * Reads run directories and sums them up. An empty but valid recording gives a summary that says so.
 * options may be NULL. 0 or SONDE_E..., logged in one line.
 */
int summary_of_directories(const char *const *directories, size_t count, const struct summary_options *options,
			   struct summary **summary_out);
void summary_destroy(struct summary *summary);

const char *summary_note(const struct summary *summary, const char *code); /* the first one's text, or NULL */
/* For the launcher: what it knows and the recording does not (why a target cannot be traced, ...). */
void summary_add_note(struct summary *summary, const char *code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
