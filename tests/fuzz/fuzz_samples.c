/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzzer of the reader of samples, in the recording of a sound process: summary, table, JSON and timeline. An input
 * that starts with 'P' is a list of 12-byte patches (place, value) to a sound file; any other is a whole file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/tally_builder.h"
#include "base/log.h"
#include "views/timeline.h"
#include "views/view.h"

#define PATCH_BYTES 12
#define PATCHES_MAX 32
#define SOUND_MAX 8192

static char run[200], path[300], sound[SOUND_MAX];
static size_t sound_bytes;
static FILE *sink;

static void make_process(void)
{
	struct builder *builder = builder_create(run, 100, 0, 2 * SECOND);
	struct fmt_launch launch = builder_launch(100, 0, 2 * SECOND, 0);
	uint32_t backend = builder_backend(builder, "api");
	uint32_t thread = builder_thread(builder, 100);

	builder_calls(builder_row(builder, thread, builder_function(builder, backend, "f", SONDE_KIND_launch)), 3, MS);
	builder_device(builder, backend, "uuid-1", "GPU");
	builder->process.streams = FMT_STREAMS_TIMELINE;
	builder_write(builder);
	builder_launch_write(run, &launch);
	builder_destroy(builder);
}

static void finish(void)
{
	builder_remove(run);
}

static void start(void)
{
	FILE *file;

	snprintf(run, sizeof(run), "%s", builder_run_directory());
	atexit(finish);
	make_process();
	snprintf(path, sizeof(path), "%s", builder_samples_write(run, "node", "uuid-1", "uuid-2"));
	file = fopen(path, "r");
	sink = fopen("/dev/null", "w");
	log_descriptor = -1; /* messages about damage are right and many */
	if (!file || !sink)
		abort();
	sound_bytes = fread(sound, 1, sizeof(sound), file);
	fclose(file);
	if (!sound_bytes || sound_bytes == sizeof(sound))
		abort();
}

/* Promises of summary.h that hold for any input. */
static void check(const struct summary *summary)
{
	for (size_t i = 0; i < summary->counters; i++) {
		const struct summary_counter *counter = &summary->counter[i];

		if (!counter->samples || counter->min > counter->max || counter->mean < counter->min ||
		    counter->mean > counter->max)
			abort();
	}
}

static void look(void)
{
	const char *input = run;
	struct recording *recording;
	struct summary *summary;

	if (summary_of_directories(&input, 1, NULL, &summary))
		abort(); /* without samples there is the process still */
	check(summary);
	view_table(summary, sink, &(struct view_options){.all = true, .ledger = true, .width = 80});
	view_json(summary, "/dev/null", NULL);
	summary_destroy(summary);
	if (recording_open(&input, 1, &recording))
		abort();
	timeline_write(recording, &(struct timeline_options){.gpu_tracks = false}, "/dev/null");
	recording_close(recording);
}

static void patch(uint8_t *file, const uint8_t *data, size_t size)
{
	size_t count = size / PATCH_BYTES < PATCHES_MAX ? size / PATCH_BYTES : PATCHES_MAX, i;
	uint32_t place;

	memcpy(file, sound, sound_bytes);
	for (i = 0; i < count; i++) {
		memcpy(&place, data + i * PATCH_BYTES, sizeof(place));
		place %= (uint32_t)(sound_bytes - sizeof(uint64_t));
		memcpy(file + place, data + i * PATCH_BYTES + sizeof(place), sizeof(uint64_t));
	}
}

static void put(const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t patched[SOUND_MAX];

	if (!sound_bytes)
		start();
	if (size && data[0] == 'P') {
		patch(patched, data + 1, size - 1);
		put(patched, sound_bytes);
	} else {
		put(data, size);
	}
	look();
	return 0;
}
