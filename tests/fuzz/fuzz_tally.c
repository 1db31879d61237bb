/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzzer of the reader and everything behind it: a tally as damaged as the fuzzer likes, through summary,
 * table and JSON. An input that starts with 'P' is a list of 12-byte patches (place, value) to a sound
 * tally, so that damage deep inside is reached without a corpus of binaries; any other is a whole file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/tally_builder.h"
#include "base/log.h"
#include "views/view.h"

#define PATCH_BYTES 12
#define PATCHES_MAX 32

static char *sound; /* tally */
static size_t sound_bytes;
static char path[64];
static int fd;
static FILE *sink;

static void fill(struct builder *builder)
{
	uint32_t backend = builder_backend(builder, "api"), device, i;
	uint32_t thread = builder_thread(builder, builder->process.pid);

	for (i = 0; i < 4; i++) {
		uint32_t function = builder_function(builder, backend, i % 2 ? "api_one" : "api_two",
						     (enum sonde_kind)(i * 4));

		builder_calls(builder_row(builder, thread, function), 10 + i, 1000 * (i + 1));
	}
	builder_open_call(builder, thread, 1, 9 * SECOND, 0);
	device = builder_device(builder, backend, "uuid", "GPU");
	builder_interval(&builder->device[device]->kernels, SECOND, 2 * SECOND);
	builder_interval(&builder->device[device]->copies, SECOND, 3 * SECOND);
	builder_calls(&builder_op(builder, backend, device, "stencil", SONDE_KIND_launch)->stats, 2, SECOND);
	builder_transfer(builder, backend, device)->calls = 3;
	builder_memory(builder, backend, device)->allocs = 3;
	builder_build(builder, backend, "stencil.cl")->calls = 1;
	for (i = 0; i < 4; i++)
		builder_node(builder, builder_graph(builder, backend, i), device, "node", SONDE_KIND_launch)->calls = i;
}

static void make_sound(void)
{
	const char *run = builder_run_directory();
	struct builder *builder = builder_create(run, 100, 0, 10 * SECOND);
	FILE *file;

	fill(builder);
	builder_write(builder);
	file = fopen(builder->path, "r");
	sound = malloc(1 << 20);
	sound_bytes = fread(sound, 1, 1 << 20, file);
	fclose(file);
	builder_destroy(builder);
	builder_remove(run);
}

static void start(void)
{
	make_sound();
	fd = memfd_create("tally", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	sink = fopen("/dev/null", "w");
	log_descriptor = -1; /* messages about damage are right and many */
	if (!sink || pwrite(fd, sound, sound_bytes, 0) != (ssize_t)sound_bytes)
		abort();
}

static void summarise(void)
{
	const char *input = path;
	struct summary *summary;

	if (summary_of_directories(&input, 1, NULL, &summary))
		return;
	view_table(summary, sink, &(struct view_options){.all = true, .ledger = true, .width = 80});
	view_json(summary, "/dev/null", NULL);
	summary_destroy(summary);
}

static void run_whole(const uint8_t *data, size_t size)
{
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return;
	summarise();
	if (ftruncate(fd, 0) || pwrite(fd, sound, sound_bytes, 0) != (ssize_t)sound_bytes)
		abort();
}

static void run_patches(const uint8_t *data, size_t size)
{
	size_t count = size / PATCH_BYTES < PATCHES_MAX ? size / PATCH_BYTES : PATCHES_MAX, i;
	uint32_t place;

	for (i = 0; i < count; i++) {
		memcpy(&place, data + i * PATCH_BYTES, sizeof(place));
		place %= (uint32_t)(sound_bytes - sizeof(uint64_t));
		if (pwrite(fd, data + i * PATCH_BYTES + 4, sizeof(uint64_t), place) != sizeof(uint64_t))
			abort();
	}
	summarise();
	for (i = 0; i < count; i++) {
		memcpy(&place, data + i * PATCH_BYTES, sizeof(place));
		place %= (uint32_t)(sound_bytes - sizeof(uint64_t));
		if (pwrite(fd, sound + place, sizeof(uint64_t), place) != sizeof(uint64_t))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!sound)
		start();
	if (size && data[0] == 'P')
		run_patches(data + 1, size - 1);
	else
		run_whole(data, size);
	return 0;
}
