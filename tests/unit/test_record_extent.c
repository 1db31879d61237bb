/* SPDX-License-Identifier: BSD-3-Clause */
/* Address ranges of the recorder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "record/rec_tools.h"

static void ranges_are_found_by_any_address_inside(void **state)
{
	struct rec_extents ranges = {0};
	struct rec_extent range = {0};

	(void)state;
	assert_false(rec_extents_find(&ranges, 100, &range));
	for (uint64_t i = 0; i < 3000; i++) { /* in an order that is none, and beyond the first page */
		range = (struct rec_extent){.base = (i * 1117 % 3000 + 1) * 100, .bytes = 50, .flags = i};
		assert_true(rec_extents_add(&ranges, &range));
	}
	for (uint64_t i = 1; i <= 3000; i++) {
		assert_true(rec_extents_find(&ranges, i * 100 + 49, &range));
		assert_int_equal(range.base, i * 100);
		assert_false(rec_extents_find(&ranges, i * 100 + 50, &range));
	}
	assert_false(rec_extents_take(&ranges, 150, &range));
	for (uint64_t i = 1; i <= 3000; i += 2)
		assert_true(rec_extents_take(&ranges, i * 100, &range));
	assert_false(rec_extents_find(&ranges, 100, &range));
	assert_true(rec_extents_find(&ranges, 200, &range));
	assert_int_equal(ranges.used, 1500);
	rec_extents_clear(&ranges);
	assert_false(rec_extents_find(&ranges, 200, &range));
}

static void an_address_that_is_mapped_twice_is_given_back_twice(void **state)
{
	struct rec_extents ranges = {0};
	struct rec_extent range = {.base = 4096, .bytes = 64};

	(void)state;
	assert_true(rec_extents_add(&ranges, &range));
	assert_true(rec_extents_add(&ranges, &range));
	assert_true(rec_extents_take(&ranges, 4096, &range));
	assert_true(rec_extents_find(&ranges, 4100, &range));
	assert_true(rec_extents_take(&ranges, 4096, &range));
	assert_false(rec_extents_take(&ranges, 4096, &range));
}

static bool has_odd_flags(const struct rec_extent *extent, void *user)
{
	++*(int *)user;
	return extent->flags & 1;
}

static void those_that_are_asked_for_are_dropped(void **state)
{
	struct rec_extents extents = {0};
	struct rec_extent extent;
	int asked = 0;

	(void)state;
	for (uint64_t i = 1; i <= 1000; i++) {
		extent = (struct rec_extent){.base = i * 100, .bytes = 50, .flags = i};
		assert_true(rec_extents_add(&extents, &extent));
	}
	rec_extents_drop(&extents, has_odd_flags, &asked);
	assert_int_equal(asked, 1000);
	assert_int_equal(extents.used, 500);
	for (uint64_t i = 1; i <= 1000; i++)
		assert_int_equal(rec_extents_find(&extents, i * 100, &extent), i % 2 == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_found_by_any_address_inside),
		cmocka_unit_test(an_address_that_is_mapped_twice_is_given_back_twice),
		cmocka_unit_test(those_that_are_asked_for_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
