/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes small recordings for tests: a run directory with tallies and launch records. One tick is one
 * nanosecond; times are given in ns since the start of the run (EPOCH on every clock).
 */
#ifndef SONDE_TESTS_TALLY_BUILDER_H
#define SONDE_TESTS_TALLY_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/summary.h"
#include "format/samples.h"
#include "format/stream.h"
#include "format/tally.h"
#include "read/recording.h"

#define EPOCH 1000000000000ull /* ns on every clock at the start of the run */
#define MS 1000000ull
#define SECOND 1000000000ull
#define BUILDER_ITEMS 64     /* of every kind, at most */
#define BUILDER_STRINGS 65536

struct builder_thread {
	struct fmt_thread head;
	struct fmt_stats row[BUILDER_ITEMS];
};

struct builder {
	char directory[256];     /* of the process, made by builder_write() */
	char path[300];          /* of its tally */
	char run[200], host[64];
	struct fmt_head head;    /* magic, version: may be changed before writing */
	struct fmt_process process;
	struct fmt_backend backend[BUILDER_ITEMS];
	struct fmt_function function[BUILDER_ITEMS];
	struct builder_thread *thread[BUILDER_ITEMS];
	struct fmt_device *device[BUILDER_ITEMS];
	struct fmt_op op[BUILDER_ITEMS];
	struct fmt_transfer transfer[BUILDER_ITEMS];
	struct fmt_memory memory[BUILDER_ITEMS];
	struct fmt_build build[BUILDER_ITEMS];
	struct fmt_failure failure[BUILDER_ITEMS];
	struct fmt_queue queue[BUILDER_ITEMS];
	struct fmt_arg arg[BUILDER_ITEMS];
	struct fmt_graph graph[BUILDER_ITEMS];
	struct fmt_node node[BUILDER_ITEMS];
	struct fmt_named named[BUILDER_ITEMS];
	char strings[BUILDER_STRINGS];
	uint32_t backends, functions, threads, devices, ops, transfers, memories, builds, queues, args, graphs,
		nodes, nameds, failures;
	uint64_t strings_used;
};

/* A fresh, empty run directory below $TMPDIR; text lives until the next call. */
const char *builder_run_directory(void);
void builder_remove(const char *directory);

/* A process that lived from birth to end (0: did not say), on host "node", rank unknown. */
struct builder *builder_create(const char *run, uint32_t pid, uint64_t birth, uint64_t end);
void builder_destroy(struct builder *builder);
void builder_host(struct builder *builder, const char *host);
uint64_t builder_name(struct builder *builder, const char *text);
uint64_t builder_bytes(struct builder *builder, const char *bytes, size_t length);
uint32_t builder_backend(struct builder *builder, const char *name);
uint32_t builder_function(struct builder *builder, uint32_t backend, const char *name, enum sonde_kind kind);
uint32_t builder_thread(struct builder *builder, uint32_t tid);
struct fmt_stats *builder_row(struct builder *builder, uint32_t thread, uint32_t function);
/* Counts `calls` calls of `each` ns. */
void builder_calls(struct fmt_stats *stats, uint64_t calls, uint64_t each);
void builder_open_call(struct builder *builder, uint32_t thread, uint32_t function, uint64_t begin, uint64_t child);
uint32_t builder_device(struct builder *builder, uint32_t backend, const char *key, const char *name);
void builder_interval(struct fmt_track *track, uint64_t begin, uint64_t end);
extern const struct fmt_shape builder_shape; /* 64x2x1 groups of 128, 40 registers, 1024 and 256 bytes */
struct fmt_op *builder_op(struct builder *builder, uint32_t backend, uint32_t device, const char *name,
			  enum sonde_kind kind);
struct fmt_transfer *builder_transfer(struct builder *builder, uint32_t backend, uint32_t device);
struct fmt_memory *builder_memory(struct builder *builder, uint32_t backend, uint32_t device);
struct fmt_build *builder_build(struct builder *builder, uint32_t backend, const char *name);
void builder_failure(struct builder *builder, uint32_t function, int32_t answer, const char *name, uint64_t calls);
struct fmt_graph *builder_graph(struct builder *builder, uint32_t backend, uint32_t number);
struct fmt_node *builder_node(struct builder *builder, const struct fmt_graph *graph, uint32_t device, const char *name,
			      enum sonde_kind kind);
uint32_t builder_queue(struct builder *builder, uint32_t backend, uint32_t device, const char *name);
/* An argument behind those that the function has; enumeration may be NULL. */
struct fmt_arg *builder_arg(struct builder *builder, uint32_t function, enum fmt_arg_when when, enum fmt_arg_type type,
			    const char *name, const char *enumeration);
/* Writes the tally in compact layout; builder->path names it. */
void builder_write(struct builder *builder);

/* A launch record with a command of two words; end 0: not ended. */
struct fmt_launch builder_launch(uint32_t program_pid, uint64_t start, uint64_t end, int wait_status);
void builder_launch_write(const char *run, const struct fmt_launch *launch);

/*
 * Samples of two counters (power, memory used) and two devices (with these keys; the second is gone after its first
 * sample and may not tell its memory), six rounds of 100 ms from the start on, of which the third was missed.
 * Returns the path.
 */
const char *builder_samples_write(const char *run, const char *host, const char *first_key, const char *second_key);

/* The summary of a run directory; fails the test when there is none. */
struct summary *builder_summary(const char *run);
const struct summary_call *summary_find_call(const struct summary *summary, const char *name);

/* What is written to stderr between the two; text lives until the next call. */
void capture_start(void);
const char *capture_end(void);
/* The content of a file; text lives until the next call. */
const char *file_text(const char *path);

#endif
