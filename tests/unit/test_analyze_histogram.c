/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of the histograms of calls, and percentiles drawn from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/histogram.h"
#include "tally_builder.h"

static void a_percentile_is_never_outside_minimum_and_maximum(void **state)
{
	struct histogram histogram = {0};
	struct arena arena = {NULL};
	uint64_t each;

	(void)state;
	for (each = 0; each < 100000; each = each * 5 / 4 + 1) {
		struct fmt_stats stats = {0};

		builder_calls(&stats, 3, each);
		memset(&histogram, 0, sizeof(histogram));
		histogram_add(&histogram, &arena, NULL, NULL, &stats);
		assert_int_equal(histogram_percentile(&histogram, 50), each);
		assert_int_equal(histogram_percentile(&histogram, 99), each);
	}
	arena_free(&arena);
}

static void steps_and_their_ends_agree(void **state)
{
	uint64_t value;
	unsigned bucket;

	(void)state;
	for (bucket = 0; bucket < FMT_BUCKETS - 1; bucket++) {
		assert_int_equal(fmt_bucket(fmt_bucket_floor(bucket)), bucket);
		value = fmt_bucket_floor(bucket + 1) - 1;
		assert_int_equal(fmt_bucket(value), bucket);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_percentile_is_never_outside_minimum_and_maximum),
		cmocka_unit_test(steps_and_their_ends_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
