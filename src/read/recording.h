/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recording: one or more run directories with what launchers (launch.*) and traced processes
 * (<host>.<pid>.<start>/tally) wrote. The files are untrusted: they may be cut off, damaged or
 * still being written. What can be read is read, what cannot is noted, nothing crashes.
 *
 * Opening reads the small parts of every file. The body of a tally (rows, intervals, names) is
 * loaded for one process at a time, so that memory does not grow with the number of processes.
 */
#ifndef SONDE_READ_RECORDING_H
#define SONDE_READ_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/map.h"
#include "format/kinds.h"
#include "format/samples.h"
#include "format/stream.h"
#include "format/tally.h"

#define READ_NONE UINT32_MAX   /* no such index: of a device, a backend, a launch */
#define READ_NAME_MAX 4096     /* bytes of a name that are read */

/* What could not be read as it should, and what the reader had to assume. */
struct read_note {
	const char *code; /* stable word for machines: "damaged", "clock", ... */
	const char *text; /* one sentence */
};

/* Ticks of a host's counter to its CLOCK_MONOTONIC_RAW. */
struct read_clock {
	bool valid;         /* false: no usable pair of readings, ticks are taken as ns */
	uint64_t ticks;     /* where both clocks were read together ... */
	uint64_t raw_ns;
	uint64_t rate;      /* ns per tick, scaled by 2^READ_RATE_SHIFT */
	uint64_t error_ns;  /* bound of the conversion between its two readings */
	uint64_t baseline_ns; /* distance of the two readings; 0: the rate is assumed */
};
#define READ_RATE_SHIFT 40

uint64_t read_clock_duration(const struct read_clock *clock, uint64_t ticks);
uint64_t read_clock_raw(const struct read_clock *clock, uint64_t ticks); /* of a point in time */
uint64_t read_clock_now(void); /* CLOCK_MONOTONIC_RAW of this machine */

struct read_host {
	const char *name;
	bool local;                 /* this machine: its processes can be looked up */
	struct read_clock clock[2]; /* by enum fmt_clock */
};

struct read_launch {
	const char *path;
	struct fmt_launch raw;
	char **argv;      /* NULL-terminated */
	uint32_t argc;
	uint32_t host;
	bool alive;       /* the program still runs */
};

struct tally_backend {
	struct fmt_backend raw;
	const char *name, *attached_by, *library;
	const char *second, *note, *serialised; /* "" when there is none */
};

/* A value of an enumeration. */
struct tally_word {
	const char *name;
	uint64_t value;
};

struct tally_arg {
	const char *name;
	enum fmt_arg_when when;
	enum fmt_arg_type type;
	uint32_t function;      /* always valid */
	uint32_t flags;         /* enum fmt_arg_flag */
	const struct tally_word *word; /* sorted by value */
	uint32_t words;
};

/* Arguments in order of their place in the payload. */
struct tally_args {
	const struct tally_arg *arg;
	uint32_t count;
};

struct tally_function {
	const char *name;
	uint32_t backend;       /* always valid */
	enum sonde_kind kind;
	bool counted;           /* only counted, not timed */
	bool dynamic;           /* its name was known at run time only */
	uint64_t device_ns;     /* of the operations that other backends started inside */
	uint32_t members_least, members_most; /* of the communicators, or teams of threads; 0: not known */
	uint64_t team, team_waited; /* ticks of all its threads, and of those waiting for each other */
	uint32_t layer;
	struct tally_args args[3]; /* by enum fmt_arg_when */
	bool args_damaged;      /* what its events hold cannot be told */
	bool returns_nothing;   /* the result word of its exits means nothing */
};

/* A range, a mark or a counter of the program's: no call into an API, and never counted as one. */
static inline bool function_is_range(const struct tally_function *function)
{
	return function->dynamic && (function->kind == SONDE_KIND_range || function->kind == SONDE_KIND_mark ||
				     function->kind == SONDE_KIND_counter);
}

/* Section FMT_SECTION_STRINGS. */
struct tally_strings {
	char *bytes;             /* whole and with a NUL behind it, or NULL: too large, read name by name */
	uint64_t length;
	struct map kept;         /* names that are not used where they lie */
};

struct tally_row {
	uint32_t function;      /* always valid */
	struct fmt_stats stats; /* ticks */
};

struct tally_frame {
	uint64_t begin, child;  /* ticks */
	uint32_t function;      /* always valid */
};

struct tally_thread {
	uint32_t tid, served;
	uint32_t block;         /* which of the recorder's; ctf/thread.<block> is its stream */
	uint64_t first, last, lost; /* ticks of the first call and of the end of the last */
	uint64_t covered;       /* ticks of pauses in which its calls were open */
	uint64_t arguments;     /* ticks that recording arguments took */
	bool covers_end;        /* likewise the whole of the pause that has not ended */
	struct tally_row *row;  /* only rows in which something was counted */
	uint32_t rows;
	struct tally_frame *frame; /* open calls, outermost first */
	uint32_t frames;
	struct tally_frame *range; /* open ranges, likewise */
	uint32_t ranges;
};

struct tally_track {
	struct fmt_interval *interval; /* sorted, disjoint, not empty */
	uint32_t used;
	uint64_t folded_ns;
};

struct tally_device {
	const char *name, *key; /* key: "" becomes backend:ordinal */
	uint32_t backend, ordinal;
	uint64_t fold_line, overlap_folded_ns, clock_error_ns, kernels_sum_ns, copies_sum_ns;
	struct tally_track kernels, copies;
	bool torn;              /* read while it was being changed */
};

struct tally_op {
	const char *name;
	uint32_t backend, device; /* device may be READ_NONE */
	enum sonde_kind kind;
	uint64_t bytes;
	struct fmt_stats stats;   /* ns */
	struct fmt_shape shape;   /* as far as it is known and was always the same */
};

struct tally_graph {
	struct fmt_graph raw;     /* backend is valid */
};

struct tally_node {
	struct fmt_node raw;      /* indices and enums are valid; device may be READ_NONE */
	const char *name;
};

struct tally_transfer {
	struct fmt_transfer raw;  /* indices and enums are valid; device may be READ_NONE */
};

struct tally_memory {
	struct fmt_memory raw;    /* likewise */
};

struct tally_build {
	struct fmt_build raw;     /* likewise */
	const char *name;
};

struct tally_failure {
	struct fmt_failure raw;   /* slot is that of a function */
	const char *name;
};

/* A name that the program gave to something; "" where it took it back. */
struct tally_named {
	struct fmt_named raw;     /* backend is valid */
	const char *name;
};

struct tally_queue {
	const char *name;
	uint32_t backend;         /* always valid */
	uint32_t device;          /* may be READ_NONE */
	uint64_t handle;
};

/* The body of a tally; lives until tally_unload(). */
struct tally_body {
	struct arena arena;
	struct tally_strings strings;
	struct tally_backend *backend;
	struct tally_function *function;
	struct tally_thread *thread;
	struct tally_device *device;
	struct tally_op *op;
	struct tally_graph *graph;
	struct tally_node *node;
	struct tally_transfer *transfer;
	struct tally_memory *memory;
	struct tally_build *build;
	struct tally_failure *failure;
	struct tally_queue *queue;
	struct tally_named *named; /* sorted by what, key, scope, backend */
	struct tally_arg *arg;    /* by function, then when, then place in the payload */
	uint32_t backends, functions, threads, devices, ops, transfers, memories, builds, queues, args, graphs, nodes;
	uint32_t nameds, failures;
	uint64_t read_raw_ns; /* this machine's clock when it had been read */
};

/* A section as far as it lies inside the file: touching used * stride bytes at offset is safe. */
struct tally_section {
	uint64_t offset, used;
	uint32_t stride;
	bool present;
};

struct tally {
	const char *path;
	struct fmt_process raw;
	const char *exe, *command, *cwd;
	uint32_t host;
	uint32_t launch;        /* whose program this process is, or descends from; READ_NONE: unknown */
	int32_t rank;           /* its own, else the launch's; -1: none */
	bool is_program;        /* it is the very program that the launch started */
	bool alive;             /* it still runs on this machine */
	uint64_t file_bytes;
	struct tally_section section[FMT_SECTION_COUNT];
	struct tally_body *body; /* NULL unless loaded */
};

/* Counters that a sampler wrote. Text ends with NUL, divisors are not 0. */
struct read_samples {
	const char *path;
	struct fmt_samples raw;   /* counters, devices: as many as can be read */
	struct fmt_counter *counter;
	struct fmt_sample_device *device;
	uint32_t host;
	uint64_t first;           /* offset of the first record */
};

struct recording {
	struct arena arena;
	struct tally *tally;
	struct read_launch *launch;
	struct read_host *host;
	struct read_note *note;
	struct read_samples *samples;
	size_t tallies, launches, hosts, notes, samplings;
	size_t samples_capacity, tally_capacity, launch_capacity, host_capacity, note_capacity;
};

/*
 * Opens run directories (or single process directories, or tally files). Fails, with one line logged,
 * when a path cannot be read or when nothing in it is a recording. 0 or SONDE_E...
 */
int recording_open(const char *const *paths, size_t count, struct recording **recording_out);
void recording_close(struct recording *recording);

/* Loads the body of one tally; what is damaged is noted in the recording. 0 or SONDE_E... (noted too) */
int tally_load(struct recording *recording, struct tally *tally);
void tally_unload(struct tally *tally);

/* The program's own names of a thread, and of a category of ranges and marks; NULL: it has none. */
const char *tally_thread_name(const struct tally_body *body, uint32_t tid);
const char *tally_category_name(const struct tally_body *body, uint32_t backend, uint32_t scope, uint32_t category);

/* Calls visit for each record of samples; device is valid. It ends early where visit returns false. */
void samples_each(const struct read_samples *samples, bool (*visit)(void *context, const struct fmt_sample *sample),
		  void *context);

void recording_note(struct recording *recording, const char *code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Rewrites every finished tally of a run directory without the room it did not use: same format,
 * temporary name, fsync, rename. Tallies of running processes are left alone. 0 or SONDE_E...
 */
int recording_compact(const char *directory);

#endif
