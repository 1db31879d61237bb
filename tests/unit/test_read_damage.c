/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damaged recordings: cut off at every byte, flipped at random. Whatever the file says, a summary or a
 * clean refusal comes out; the sanitizer presets make every stray access of the reader a failure.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tally_builder.h"
#include "views/view.h"

#define MUTATIONS 10000 /* SONDE_TEST_MUTATIONS asks for more */
#define DEVICE_BYTES_KEPT 700 /* of a device's intervals: enough for some, little enough for many rounds */

static char run[200], path[300];
static char *whole;      /* the undamaged tally */
static size_t whole_bytes;

static void fill(struct builder *builder)
{
	uint32_t backend = builder_backend(builder, "api"), device, i;
	uint32_t thread = builder_thread(builder, builder->process.pid);

	for (i = 0; i < 3; i++) {
		char name[32];
		uint32_t function;

		snprintf(name, sizeof(name), "api_function_%u", i);
		function = builder_function(builder, backend, name, (enum sonde_kind)(SONDE_KIND_launch + i));
		builder_calls(builder_row(builder, thread, function), 10 + i, 1000 * (i + 1));
	}
	builder_open_call(builder, thread, 1, 9 * SECOND, 0);
	device = builder_device(builder, backend, "uuid", "GPU");
	builder_interval(&builder->device[device]->kernels, SECOND, 2 * SECOND);
	builder_interval(&builder->device[device]->kernels, 3 * SECOND, 4 * SECOND);
	builder_calls(&builder_op(builder, backend, device, "stencil", SONDE_KIND_launch)->stats, 2, SECOND);
	builder_transfer(builder, backend, device)->calls = 3;
	builder_memory(builder, backend, device)->allocs = 3;
	builder_build(builder, backend, "stencil.cl")->calls = 1;
	builder_failure(builder, 0, 2, "NO_MEMORY", 1);
}

static int setup(void **state)
{
	struct builder *builder;
	FILE *file;

	(void)state;
	strcpy(run, builder_run_directory());
	builder = builder_create(run, 100, 0, 10 * SECOND);
	fill(builder);
	builder_write(builder);
	strcpy(path, builder->path);
	builder_destroy(builder);
	file = fopen(path, "r");
	whole = malloc(1 << 20);
	whole_bytes = fread(whole, 1, 1 << 20, file);
	fclose(file);
	whole_bytes -= sizeof(struct fmt_device) - DEVICE_BYTES_KEPT;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(whole);
	builder_remove(run);
	return 0;
}

static void write_file(const char *bytes, size_t count)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), count);
	close(fd);
}

/* Reads and prints with every view that needs no directory. 0: a summary came out. */
static int summarise(FILE *sink)
{
	struct summary *summary;
	const char *directory = run;
	int err = summary_of_directories(&directory, 1, NULL, &summary);

	if (err)
		return err;
	rewind(sink);
	view_table(summary, sink, &(struct view_options){.all = true, .ledger = true});
	summary_destroy(summary);
	return 0;
}

static void a_tally_cut_off_at_any_byte_is_read_or_refused(void **state)
{
	FILE *sink = fopen("/dev/null", "w");
	size_t bytes, read = 0;

	(void)state;
	capture_start();
	for (bytes = 0; bytes <= whole_bytes; bytes++) {
		write_file(whole, bytes);
		read += !summarise(sink);
	}
	capture_end();
	fclose(sink);
	/* all lengths but those that cut into the head */
	assert_in_range(read, whole_bytes - sizeof(struct fmt_head), whole_bytes);
}

/* Bytes that mean something are hit as often as the many zeros between them. */
static size_t random_place(unsigned *seed)
{
	size_t at = (size_t)rand_r(seed) % whole_bytes;

	if (rand_r(seed) % 4)
		return (size_t)rand_r(seed) % sizeof(struct fmt_head);
	while (rand_r(seed) % 16 && !whole[at])
		at = (size_t)rand_r(seed) % whole_bytes;
	return at;
}

static void mutate(char *bytes, unsigned *seed)
{
	static const uint64_t extremes[] = {0, 1, UINT32_MAX, UINT64_MAX, INT64_MAX, 1ull << 63, 4096, 65536};
	size_t at = random_place(seed);
	uint64_t value;

	switch (rand_r(seed) % 3) {
	case 0:
		bytes[at] ^= (char)(1 << rand_r(seed) % 8);
		break;
	case 1:
		bytes[at] = (char)rand_r(seed);
		break;
	default:
		at &= ~(size_t)7;
		value = extremes[(size_t)rand_r(seed) % (sizeof(extremes) / sizeof(extremes[0]))];
		if (at + sizeof(value) <= whole_bytes)
			memcpy(bytes + at, &value, sizeof(value));
	}
}

static void a_tally_with_random_damage_is_read_or_refused(void **state)
{
	FILE *sink = fopen("/dev/null", "w");
	char *bytes = malloc(whole_bytes);
	const char *wanted = getenv("SONDE_TEST_MUTATIONS");
	unsigned seed = 20240607, rounds = wanted ? (unsigned)atoi(wanted) : MUTATIONS, round, i, read = 0;
	int fd;

	(void)state;
	write_file(whole, whole_bytes);
	fd = open(path, O_WRONLY);
	capture_start();
	for (round = 0; round < rounds; round++) {
		memcpy(bytes, whole, whole_bytes);
		for (i = 0; i <= round % 4; i++)
			mutate(bytes, &seed);
		assert_int_equal(pwrite(fd, bytes, whole_bytes, 0), whole_bytes);
		read += !summarise(sink);
	}
	capture_end();
	close(fd);
	fclose(sink);
	free(bytes);
	assert_true(read > rounds / 2); /* most damage leaves something to read */
}

static void a_launch_record_with_random_damage_is_read_or_refused(void **state)
{
	struct fmt_launch launch = builder_launch(100, 0, 10 * SECOND, 9), damaged;
	FILE *sink = fopen("/dev/null", "w");
	unsigned seed = 7, round;

	(void)state;
	write_file(whole, whole_bytes);
	capture_start();
	for (round = 0; round < MUTATIONS / 20; round++) {
		damaged = launch;
		((char *)&damaged)[(size_t)rand_r(&seed) % sizeof(damaged)] = (char)rand_r(&seed);
		damaged.pid = launch.pid; /* names the file */
		builder_launch_write(run, &damaged);
		summarise(sink);
	}
	capture_end();
	fclose(sink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tally_cut_off_at_any_byte_is_read_or_refused),
		cmocka_unit_test(a_tally_with_random_damage_is_read_or_refused),
		cmocka_unit_test(a_launch_record_with_random_damage_is_read_or_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
