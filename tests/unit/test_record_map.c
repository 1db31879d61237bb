/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash tables, names and memory figures of the recorder. */
#include "record_fixture.h"

struct item {
	uint64_t value, check;
};

static void map_agrees_with_an_array_under_random_use(void **state)
{
	static struct rec_map map = REC_MAP(struct item);
	static uint64_t truth[5000];
	struct item item;

	(void)state;
	srand(7);
	for (int i = 0; i < 200000; i++) {
		rec_word key = (rec_word)(rand() % 5000);
		uint64_t value = (uint64_t)rand() + 1;

		if (rand() % 3) {
			item = (struct item){value, ~value};
			assert_true(rec_map_put(&map, key << 4, &item));
			truth[key] = value;
		} else {
			assert_int_equal(rec_map_take(&map, key << 4, &item), truth[key] != 0);
			truth[key] = 0;
		}
	}
	for (rec_word key = 0; key < 5000; key++) {
		assert_int_equal(rec_map_get(&map, key << 4, &item), truth[key] != 0);
		if (truth[key]) {
			assert_int_equal(item.value, truth[key]);
			assert_int_equal(item.check, ~truth[key]);
		}
	}
	rec_map_clear(&map);
	assert_false(rec_map_get(&map, 16, &item));
}

static void equal_names_are_stored_once(void **state)
{
	uint64_t first = rec_name("kernel", 6), other = rec_name("kernel2", 7);

	(void)state;
	assert_int_not_equal(first, 0);
	assert_int_not_equal(first, other);
	assert_int_equal(rec_name("kernel2", 6), first);
	assert_string_equal((char *)rec_area_item(FMT_SECTION_STRINGS, first), "kernel");
}

static void long_and_odd_names_are_kept_as_bytes(void **state)
{
	static char name[8000];
	uint64_t offset;

	(void)state;
	memset(name, 0xff, sizeof(name));
	name[0] = '"';
	name[1] = '\n';
	offset = rec_name(name, sizeof(name));
	assert_int_equal(strlen((char *)rec_area_item(FMT_SECTION_STRINGS, offset)), 4096);
	assert_memory_equal(rec_area_item(FMT_SECTION_STRINGS, offset), name, 4096 - 17);
	assert_int_equal(((char *)rec_area_item(FMT_SECTION_STRINGS, offset))[4096 - 17], '~');
	/* what differs behind that is another name; a text is kept whole */
	name[sizeof(name) - 1] = 'x';
	assert_int_not_equal(rec_name(name, sizeof(name)), offset);
	offset = rec_text(name, sizeof(name));
	assert_int_equal(strlen((char *)rec_area_item(FMT_SECTION_STRINGS, offset)), sizeof(name));
}

static void full_string_area_gives_the_empty_name(void **state)
{
	char name[4096];
	uint64_t offset = 1;

	(void)state;
	memset(name, 'x', sizeof(name));
	for (int i = 0; i < 6000 && offset; i++) {
		snprintf(name, 16, "%015d", i); /* no NUL inside: the rest counts too */
		name[15] = 'x';
		offset = rec_name(name, sizeof(name));
	}
	assert_int_equal(offset, 0);
}

static void peak_memory_is_three_after_three_allocations_and_a_free(void **state)
{
	const int64_t mib = 1 << 20;
	struct fmt_memory *row;

	(void)state;
	for (int i = 0; i < 3; i++)
		rec_memory(&fixture_backend, 0, SONDE_MEMORY_device, mib);
	rec_memory(&fixture_backend, 0, SONDE_MEMORY_device, -mib);
	rec_memory(&fixture_backend, UINT32_MAX, SONDE_MEMORY_pinned, 5);
	row = rec_area_item(FMT_SECTION_MEMORY, 0);
	assert_int_equal(row->peak_bytes, 3 * mib);
	assert_int_equal(row->live_bytes, 2 * mib);
	assert_int_equal(row->allocs, 3);
	assert_int_equal(row->frees, 1);
	assert_int_equal(rec_state.area[FMT_SECTION_MEMORY].section->used, 2);
}

static void builds_are_summed_by_name_and_source(void **state)
{
	struct fmt_build *row;

	(void)state;
	rec_build(&fixture_backend, rec_name("p", 1), SONDE_BUILD_source, 10, false);
	rec_build(&fixture_backend, rec_name("p", 1), SONDE_BUILD_source, 20, true);
	rec_build(&fixture_backend, rec_name("p", 1), SONDE_BUILD_binary, 1, false);
	rec_build_processes(&fixture_backend, rec_name("p", 1), SONDE_BUILD_source, 3);
	rec_build_processes(&fixture_backend, rec_name("p", 1), SONDE_BUILD_source, 2);
	row = rec_area_item(FMT_SECTION_BUILDS, 0);
	assert_int_equal(rec_state.area[FMT_SECTION_BUILDS].section->used, 2);
	assert_int_equal(row->processes, 5);
	assert_int_equal(row->calls, 2);
	assert_int_equal(row->failed, 1);
	assert_int_equal(row->total, 30);
}

/* While a thread holds any, nothing is collected at the program's end: a lock too few or too many would lose it all. */
static void locks_that_are_taken_or_tried_are_counted_until_they_are_left(void **state)
{
	uint32_t one = 0, other = 0, before = rec_tls.locks;

	(void)state;
	rec_lock(&one);
	assert_true(rec_try_lock(&other));
	assert_int_equal(rec_tls.locks, before + 2);
	assert_false(rec_try_lock(&one));
	assert_int_equal(rec_tls.locks, before + 2);
	rec_unlock(&other);
	rec_unlock(&one);
	assert_int_equal(rec_tls.locks, before);
	one = 1; /* a parent's, from before the fork */
	assert_true(rec_try_lock(&one));
	rec_unlock(&one);
	assert_int_equal(one, 0);
}

static void more_than_there_are_rows_for_is_told(void **state)
{
	char name[16];

	(void)state;
	for (uint32_t device = 0; device < 256; device++)
		rec_memory(&fixture_backend, device, SONDE_MEMORY_device, 1);
	for (int i = 0; i < 1024; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		rec_build(&fixture_backend, rec_name(name, strlen(name)), SONDE_BUILD_source, 1, false);
	}
	assert_int_equal(rec_state.process->notes, 0);
	rec_memory(&fixture_backend, 256, SONDE_MEMORY_device, 1);
	assert_int_equal(rec_state.process->notes, FMT_NOTE_ROWS_FULL);
	rec_state.process->notes = 0;
	rec_build(&fixture_backend, rec_name("p0", 2), SONDE_BUILD_binary, 1, false);
	assert_int_equal(rec_state.process->notes, FMT_NOTE_ROWS_FULL);
}

static void buckets_have_four_steps_per_octave_and_no_holes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FMT_BUCKETS; i++) {
		assert_int_equal(fmt_bucket(fmt_bucket_floor(i)), i);
		if (i)
			assert_int_equal(fmt_bucket(fmt_bucket_floor(i) - 1), i - 1);
	}
	assert_int_equal(fmt_bucket(UINT64_MAX - 8), FMT_BUCKETS - 1);
}

#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(map_agrees_with_an_array_under_random_use),
		T(equal_names_are_stored_once),
		T(long_and_odd_names_are_kept_as_bytes),
		T(full_string_area_gives_the_empty_name),
		T(peak_memory_is_three_after_three_allocations_and_a_free),
		T(builds_are_summed_by_name_and_source),
		T(locks_that_are_taken_or_tried_are_counted_until_they_are_left),
		T(more_than_there_are_rows_for_is_told),
		cmocka_unit_test(buckets_have_four_steps_per_octave_and_no_holes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
