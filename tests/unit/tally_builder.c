/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes small recordings for tests; see tally_builder.h. */
#include "tally_builder.h"

#include <assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

const char *builder_run_directory(void)
{
	static char path[200];
	const char *base = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/sonde-test-XXXXXX", base && *base ? base : "/tmp");
	CHECK(mkdtemp(path));
	return path;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

void builder_remove(const char *directory)
{
	nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

struct builder *builder_create(const char *run, uint32_t pid, uint64_t birth, uint64_t end)
{
	struct builder *builder = calloc(1, sizeof(*builder));
	struct fmt_process *process;

	CHECK(builder);
	process = &builder->process;
	snprintf(builder->run, sizeof(builder->run), "%s", run);
	memcpy(builder->head.magic, FMT_TALLY_MAGIC, sizeof(builder->head.magic));
	builder->head.major = FMT_MAJOR;
	builder->head.minor = FMT_MINOR;
	builder->head.byte_order = FMT_BYTE_ORDER;
	builder->head.head_bytes = sizeof(builder->head);
	builder->strings_used = 1;
	process->pid = pid;
	process->ppid = 1;
	process->rank = process->size = -1;
	process->clock = FMT_CLOCK_MONOTONIC;
	process->birth_ticks = EPOCH + birth;
	process->open = (struct fmt_triple){EPOCH + birth, EPOCH + birth, EPOCH + birth, 100};
	process->last = end ? (struct fmt_triple){EPOCH + end, EPOCH + end, EPOCH + end, 100} : process->open;
	process->end_ticks = end ? EPOCH + end : 0;
	process->end = end ? FMT_END_EXIT : FMT_END_NONE;
	process->start_time = 4711;
	process->call_cost = 40;
	process->exe = builder_name(builder, "/usr/bin/prog");
	process->command = builder_name(builder, "prog one two");
	builder_host(builder, "node");
	return builder;
}

void builder_destroy(struct builder *builder)
{
	uint32_t i;

	for (i = 0; i < builder->threads; i++)
		free(builder->thread[i]);
	for (i = 0; i < builder->devices; i++)
		free(builder->device[i]);
	free(builder);
}

void builder_host(struct builder *builder, const char *host)
{
	snprintf(builder->host, sizeof(builder->host), "%s", host);
	builder->process.host = builder_name(builder, host);
}

uint64_t builder_bytes(struct builder *builder, const char *bytes, size_t length)
{
	uint64_t offset = builder->strings_used;

	CHECK(offset + length + 1 <= sizeof(builder->strings));
	memcpy(builder->strings + offset, bytes, length);
	builder->strings_used += length + 1;
	return offset;
}

uint64_t builder_name(struct builder *builder, const char *text)
{
	return builder_bytes(builder, text, strlen(text));
}

uint32_t builder_backend(struct builder *builder, const char *name)
{
	struct fmt_backend *backend = &builder->backend[builder->backends];

	CHECK(builder->backends < BUILDER_ITEMS);
	backend->name = builder_name(builder, name);
	backend->attached_by = builder_name(builder, "preload");
	backend->library = builder_name(builder, "/usr/lib/libapi.so");
	backend->hooked = 100;
	backend->layer = 1;
	return builder->backends++;
}

uint32_t builder_function(struct builder *builder, uint32_t backend, const char *name, enum sonde_kind kind)
{
	struct fmt_function *function = &builder->function[builder->functions];

	CHECK(builder->functions < BUILDER_ITEMS);
	function->name = builder_name(builder, name);
	function->backend = backend;
	function->kind = kind;
	function->layer = 1;
	return builder->functions++;
}

uint32_t builder_thread(struct builder *builder, uint32_t tid)
{
	struct builder_thread *thread = calloc(1, sizeof(*thread));

	CHECK(thread && builder->threads < BUILDER_ITEMS);
	thread->head.tid = tid;
	thread->head.served = 1;
	thread->head.rows = BUILDER_ITEMS;
	thread->head.first = builder->process.birth_ticks;
	builder->thread[builder->threads] = thread;
	return builder->threads++;
}

struct fmt_stats *builder_row(struct builder *builder, uint32_t thread, uint32_t function)
{
	return &builder->thread[thread]->row[function];
}

void builder_calls(struct fmt_stats *stats, uint64_t calls, uint64_t each)
{
	stats->total += calls * each;
	stats->hist[fmt_bucket(each)] += calls;
	if (~each > stats->nmin)
		stats->nmin = ~each;
	if (each > stats->max)
		stats->max = each;
}

void builder_open_call(struct builder *builder, uint32_t thread, uint32_t function, uint64_t begin, uint64_t child)
{
	struct fmt_thread *head = &builder->thread[thread]->head;
	struct fmt_frame *frame = &head->frame[++head->depth];

	frame->begin = EPOCH + begin;
	frame->child = child;
	frame->slot = function + 1;
}

uint32_t builder_device(struct builder *builder, uint32_t backend, const char *key, const char *name)
{
	struct fmt_device *device = calloc(1, sizeof(*device));

	CHECK(device && builder->devices < BUILDER_ITEMS);
	device->name = builder_name(builder, name);
	device->key = builder_name(builder, key);
	device->backend = backend;
	device->ordinal = builder->devices;
	builder->device[builder->devices] = device;
	return builder->devices++;
}

void builder_interval(struct fmt_track *track, uint64_t begin, uint64_t end)
{
	CHECK(track->used < FMT_INTERVALS);
	track->interval[track->used++] = (struct fmt_interval){EPOCH + begin, EPOCH + end};
}

const struct fmt_shape builder_shape = {
	.known = FMT_SHAPE_GRID | FMT_SHAPE_BLOCK | FMT_SHAPE_REGISTERS | FMT_SHAPE_STATIC | FMT_SHAPE_DYNAMIC,
	.grid = {64, 2, 1}, .block = {128, 1, 1}, .registers = 40, .static_shared = 1024, .dynamic_shared = 256,
};

struct fmt_op *builder_op(struct builder *builder, uint32_t backend, uint32_t device, const char *name,
			  enum sonde_kind kind)
{
	struct fmt_op *op = &builder->op[builder->ops++];

	CHECK(builder->ops <= BUILDER_ITEMS);
	op->name = builder_name(builder, name);
	op->backend = backend;
	op->device = device;
	op->kind = kind;
	return op;
}

struct fmt_transfer *builder_transfer(struct builder *builder, uint32_t backend, uint32_t device)
{
	struct fmt_transfer *transfer = &builder->transfer[builder->transfers++];

	transfer->backend = backend;
	transfer->device = device;
	return transfer;
}

struct fmt_memory *builder_memory(struct builder *builder, uint32_t backend, uint32_t device)
{
	struct fmt_memory *memory = &builder->memory[builder->memories++];

	memory->backend = backend;
	memory->device = device;
	return memory;
}

struct fmt_build *builder_build(struct builder *builder, uint32_t backend, const char *name)
{
	struct fmt_build *build = &builder->build[builder->builds++];

	build->backend = backend;
	build->name = builder_name(builder, name);
	return build;
}

void builder_failure(struct builder *builder, uint32_t function, int32_t answer, const char *name, uint64_t calls)
{
	CHECK(builder->failures < BUILDER_ITEMS);
	builder->failure[builder->failures++] = (struct fmt_failure){
		.name = builder_name(builder, name), .slot = function + 1, .answer = answer, .calls = calls};
}

struct fmt_graph *builder_graph(struct builder *builder, uint32_t backend, uint32_t number)
{
	struct fmt_graph *graph = &builder->graph[builder->graphs++];

	CHECK(builder->graphs <= BUILDER_ITEMS);
	graph->backend = backend;
	graph->number = number;
	return graph;
}

struct fmt_node *builder_node(struct builder *builder, const struct fmt_graph *graph, uint32_t device, const char *name,
			      enum sonde_kind kind)
{
	struct fmt_node *node = &builder->node[builder->nodes++];

	CHECK(builder->nodes <= BUILDER_ITEMS);
	node->backend = graph->backend;
	node->graph = graph->number;
	node->device = device;
	node->name = builder_name(builder, name);
	node->kind = kind;
	node->number = builder->nodes;
	return node;
}

uint32_t builder_queue(struct builder *builder, uint32_t backend, uint32_t device, const char *name)
{
	struct fmt_queue *queue = &builder->queue[builder->queues];

	CHECK(builder->queues < BUILDER_ITEMS);
	queue->backend = backend;
	queue->device = device;
	queue->name = builder_name(builder, name);
	return builder->queues++;
}

struct fmt_arg *builder_arg(struct builder *builder, uint32_t function, enum fmt_arg_when when, enum fmt_arg_type type,
			    const char *name, const char *enumeration)
{
	struct fmt_arg *arg = &builder->arg[builder->args++];

	CHECK(builder->args <= BUILDER_ITEMS);
	arg->slot = function + 1;
	arg->when = when;
	arg->type = type;
	arg->name = builder_name(builder, name);
	arg->enumeration = enumeration ? builder_name(builder, enumeration) : 0;
	return arg;
}

/* ---- writing ---- */

static void section_write(struct builder *builder, FILE *file, enum fmt_section_kind kind, const void *items,
			  size_t stride, uint64_t used)
{
	struct fmt_section *section = &builder->head.section[builder->head.section_count++];

	section->kind = kind;
	section->stride = (uint32_t)stride;
	section->offset = (uint64_t)ftell(file);
	section->capacity = section->used = used;
	if (items && used)
		CHECK(fwrite(items, stride, used, file) == used);
}

static void threads_write(struct builder *builder, FILE *file)
{
	static const char zeros[FMT_THREAD_ROWS_OFFSET];
	uint32_t i;

	section_write(builder, file, FMT_SECTION_THREADS, NULL,
		      FMT_THREAD_ROWS_OFFSET + builder->functions * sizeof(struct fmt_stats), builder->threads);
	for (i = 0; i < builder->threads; i++) {
		struct builder_thread *thread = builder->thread[i];

		if (thread->head.rows == BUILDER_ITEMS)
			thread->head.rows = builder->functions;
		fwrite(&thread->head, sizeof(thread->head), 1, file);
		fwrite(zeros, 1, FMT_THREAD_ROWS_OFFSET - sizeof(thread->head), file);
		CHECK(fwrite(thread->row, sizeof(thread->row[0]), builder->functions, file) == builder->functions);
	}
}

static void devices_write(struct builder *builder, FILE *file)
{
	uint32_t i;

	section_write(builder, file, FMT_SECTION_DEVICES, NULL, sizeof(struct fmt_device), builder->devices);
	for (i = 0; i < builder->devices; i++)
		CHECK(fwrite(builder->device[i], sizeof(struct fmt_device), 1, file) == 1);
}

void builder_write(struct builder *builder)
{
	FILE *file;

	snprintf(builder->directory, sizeof(builder->directory), "%s/%.20s.%u.%llu", builder->run, builder->host,
		 builder->process.pid, (unsigned long long)builder->process.start_time);
	while (mkdir(builder->directory, 0700)) /* a further image of the same process */
		strcat(builder->directory, ".2");
	snprintf(builder->path, sizeof(builder->path), "%s/tally", builder->directory);
	file = fopen(builder->path, "w");
	CHECK(file);
	builder->head.section_count = 0;
	CHECK(fwrite(&builder->head, sizeof(builder->head), 1, file) == 1);
	section_write(builder, file, FMT_SECTION_PROCESS, &builder->process, sizeof(builder->process), 1);
	section_write(builder, file, FMT_SECTION_BACKENDS, builder->backend, sizeof(builder->backend[0]),
		      builder->backends);
	section_write(builder, file, FMT_SECTION_FUNCTIONS, builder->function, sizeof(builder->function[0]),
		      builder->functions);
	section_write(builder, file, FMT_SECTION_STRINGS, builder->strings, 1, builder->strings_used);
	section_write(builder, file, FMT_SECTION_OPS, builder->op, sizeof(builder->op[0]), builder->ops);
	section_write(builder, file, FMT_SECTION_TRANSFERS, builder->transfer, sizeof(builder->transfer[0]),
		      builder->transfers);
	section_write(builder, file, FMT_SECTION_MEMORY, builder->memory, sizeof(builder->memory[0]),
		      builder->memories);
	section_write(builder, file, FMT_SECTION_BUILDS, builder->build, sizeof(builder->build[0]), builder->builds);
	section_write(builder, file, FMT_SECTION_FAILURES, builder->failure, sizeof(builder->failure[0]),
		      builder->failures);
	section_write(builder, file, FMT_SECTION_QUEUES, builder->queue, sizeof(builder->queue[0]), builder->queues);
	section_write(builder, file, FMT_SECTION_ARGS, builder->arg, sizeof(builder->arg[0]), builder->args);
	section_write(builder, file, FMT_SECTION_GRAPHS, builder->graph, sizeof(builder->graph[0]), builder->graphs);
	section_write(builder, file, FMT_SECTION_NODES, builder->node, sizeof(builder->node[0]), builder->nodes);
	section_write(builder, file, FMT_SECTION_NAMED, builder->named, sizeof(builder->named[0]), builder->nameds);
	threads_write(builder, file);
	devices_write(builder, file);
	rewind(file);
	CHECK(fwrite(&builder->head, sizeof(builder->head), 1, file) == 1);
	CHECK(!fclose(file));
}

struct fmt_launch builder_launch(uint32_t program_pid, uint64_t start, uint64_t end, int wait_status)
{
	struct fmt_launch launch = {.major = FMT_MAJOR, .minor = FMT_MINOR, .byte_order = FMT_BYTE_ORDER};

	memcpy(launch.magic, FMT_LAUNCH_MAGIC, sizeof(launch.magic));
	launch.launch_bytes = sizeof(launch);
	launch.pid = program_pid + 100000;
	launch.program_pid = program_pid;
	launch.program_start = 4711;
	launch.rank = launch.size = launch.local_size = -1;
	launch.clock = FMT_CLOCK_MONOTONIC;
	launch.start = (struct fmt_triple){EPOCH + start, EPOCH + start, EPOCH + start, 100};
	if (end) {
		launch.ended = 1;
		launch.end = (struct fmt_triple){EPOCH + end, EPOCH + end, EPOCH + end, 100};
		launch.wait_status = wait_status;
	}
	strcpy(launch.host, "node");
	return launch;
}

void builder_launch_write(const char *run, const struct fmt_launch *launch)
{
	static const char command[] = "prog\0--size=3";
	struct fmt_launch copy = *launch;
	char path[300];
	FILE *file;

	copy.command_bytes = sizeof(command);
	snprintf(path, sizeof(path), "%s/launch.node.%u.1", run, launch->pid);
	file = fopen(path, "w");
	CHECK(file);
	CHECK(fwrite(&copy, sizeof(copy), 1, file) == 1 && fwrite(command, sizeof(command), 1, file) == 1);
	CHECK(!fclose(file));
}

/* ---- looking ---- */

struct summary *builder_summary(const char *run)
{
	struct summary *summary = NULL;

	CHECK(!summary_of_directories(&run, 1, NULL, &summary));
	return summary;
}

const struct summary_call *summary_find_call(const struct summary *summary, const char *name)
{
	size_t i;

	for (i = 0; i < summary->calls; i++)
		if (!strcmp(summary->call[i].name, name))
			return &summary->call[i];
	return NULL;
}

/* ---- samples ---- */

#define SAMPLES_INTERVAL (100 * 1000000ull)
#define SAMPLES_ROUNDS 6u

static void sample_put(FILE *file, uint32_t round, uint32_t device, int64_t milliwatts, int64_t bytes)
{
	struct fmt_sample sample = {.raw_ns = EPOCH + round * SAMPLES_INTERVAL, .round = round, .device = device};
	int64_t value[2] = {milliwatts, bytes};

	CHECK(fwrite(&sample, sizeof(sample), 1, file) == 1 && fwrite(value, sizeof(value), 1, file) == 1);
}

const char *builder_samples_write(const char *run, const char *host, const char *first_key, const char *second_key)
{
	static char path[300];
	struct fmt_samples head = {
		.major = FMT_MAJOR, .minor = FMT_MINOR, .byte_order = FMT_BYTE_ORDER, .head_bytes = sizeof(head),
		.counters = 2, .counter_bytes = sizeof(struct fmt_counter), .devices = 2,
		.device_bytes = sizeof(struct fmt_sample_device), .record_bytes = sizeof(struct fmt_sample) + 16,
		.interval_ns = SAMPLES_INTERVAL, .start_raw_ns = EPOCH, .pid = 4712, .what = "test",
	};
	struct fmt_counter counter[2] = {{"power", "W", 1000, 0}, {"memory used", "bytes", 1, 0}};
	struct fmt_sample_device device[2] = {
		{.name = "Simulated GPU", .ordinal = 0},
		{.name = "Simulated GPU", .ordinal = 1, .gone_raw_ns = EPOCH + SAMPLES_INTERVAL, .why = "it is lost",
		 .state = {FMT_COUNTER_READ, FMT_COUNTER_DENIED}},
	};
	FILE *file;

	memcpy(head.magic, FMT_SAMPLES_MAGIC, sizeof(head.magic));
	snprintf(head.host, sizeof(head.host), "%s", host);
	snprintf(device[0].key[0], sizeof(device[0].key[0]), "%s", first_key);
	snprintf(device[1].key[0], sizeof(device[1].key[0]), "%s", second_key);
	snprintf(path, sizeof(path), "%s/" FMT_SAMPLES_PREFIX "test.%s.4712.1", run, host);
	file = fopen(path, "w");
	CHECK(file && fwrite(&head, sizeof(head), 1, file) == 1);
	CHECK(fwrite(counter, sizeof(counter), 1, file) == 1 && fwrite(device, sizeof(device), 1, file) == 1);
	for (uint32_t round = 0; round < SAMPLES_ROUNDS; round++) {
		if (round != 2)
			sample_put(file, round, 0, 100000 + 20000 * round, 5 << 20);
		if (!round)
			sample_put(file, round, 1, 70500, FMT_SAMPLE_NONE);
	}
	CHECK(!fclose(file));
	return path;
}

static int capture_saved = -1;
static FILE *capture_file;

void capture_start(void)
{
	fflush(stderr);
	capture_file = tmpfile();
	CHECK(capture_file);
	capture_saved = dup(STDERR_FILENO);
	CHECK(dup2(fileno(capture_file), STDERR_FILENO) >= 0);
}

const char *capture_end(void)
{
	static char text[8192];
	size_t length;

	fflush(stderr);
	dup2(capture_saved, STDERR_FILENO);
	close(capture_saved);
	rewind(capture_file);
	length = fread(text, 1, sizeof(text) - 1, capture_file);
	text[length] = '\0';
	fclose(capture_file);
	return text;
}

const char *file_text(const char *path)
{
	static char *text;
	FILE *file = fopen(path, "r");
	size_t capacity = 1 << 20, length;

	CHECK(file);
	free(text);
	text = malloc(capacity);
	CHECK(text);
	length = fread(text, 1, capacity - 1, file);
	text[length] = '\0';
	fclose(file);
	return text;
}
