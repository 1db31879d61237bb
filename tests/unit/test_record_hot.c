/* SPDX-License-Identifier: BSD-3-Clause */
/* The inline path of a call against the plain code of the general path. */
#include "record_fixture.h"

#define SLOT 1

/* One call by the inline path; returns the bucket that it was counted in. */
static unsigned bucket_of(struct fmt_thread *thread, uint64_t begin, uint64_t end)
{
	struct fmt_stats *row = rec_row(thread, SLOT);
	unsigned found = FMT_BUCKETS;

	memset(row, 0, sizeof(*row));
	thread->depth = 1;
	thread->frame[1].begin = begin;
	rec_fast_leave(thread, SLOT, begin, end, false);
	assert_int_equal(thread->depth, 0);
	for (unsigned i = 0; i < FMT_BUCKETS; i++) {
		if (!row->hist[i])
			continue;
		assert_int_equal(row->hist[i], 1);
		assert_int_equal(found, FMT_BUCKETS);
		found = i;
	}
	return found;
}

static struct fmt_thread *own_thread(void)
{
	assert_true(rec_thread_open(&rec_tls));
	return rec_tls.thread;
}

static void every_duration_is_counted_in_its_bucket(void **state)
{
	struct fmt_thread *thread = own_thread();
	uint64_t begin = 1234567890123ull;

	(void)state;
	for (uint64_t ticks = 0; ticks < 5000; ticks++) {
		assert_int_equal(bucket_of(thread, begin, begin + ticks), fmt_bucket(ticks));
		assert_int_equal(rec_row(thread, SLOT)->total, ticks);
		assert_int_equal(~rec_row(thread, SLOT)->nmin, ticks);
		assert_int_equal(rec_row(thread, SLOT)->max, ticks);
	}
	for (unsigned bit = 3; bit < 63; bit++)
		for (int64_t near = -9; near <= 9; near++) {
			uint64_t ticks = (1ull << bit) + (uint64_t)near;

			if ((int64_t)ticks < 0)
				continue;
			assert_int_equal(bucket_of(thread, begin, begin + ticks), fmt_bucket(ticks));
			assert_int_equal(bucket_of(thread, 0, ticks), fmt_bucket(ticks));
		}
}

static void a_clock_that_ran_backwards_gives_a_call_without_time(void **state)
{
	struct fmt_thread *thread = own_thread();
	uint64_t begin = 1ull << 40, bad = rec_state.process->bad_ticks;

	(void)state;
	for (uint64_t back = 1; back < 50; back++) {
		assert_int_equal(bucket_of(thread, begin, begin - back), fmt_bucket(0));
		assert_int_equal(rec_row(thread, SLOT)->total, 0);
	}
	assert_int_equal(rec_state.process->bad_ticks, bad + 49);
}

static void nor_does_the_call_around_one_that_ran_backwards(void **state)
{
	struct fmt_thread *thread = own_thread();
	struct rec_call call = {.slot = SLOT, .depth = 2, .begin = UINT64_MAX / 4, .thread = thread};
	struct fmt_stats *row = rec_row(thread, SLOT);

	(void)state;
	for (int frame = 1; frame >= 0; frame--) { /* with one of its own, and where there is another call's */
		memset(row, 0, sizeof(*row));
		thread->depth = 2;
		thread->frame[1].slot = SLOT + 1;
		thread->frame[1].child = 0;
		thread->frame[2].slot = SLOT;
		thread->frame[2].begin = call.begin + !frame;
		thread->frame[2].child = 7;
		rec_leave(&call);
		assert_int_equal(row->total, frame ? 7 : 0);
		assert_int_equal(row->max, frame ? 7 : 0);
		assert_int_equal(row->child, frame ? 7 : 0);
		assert_int_equal(thread->frame[1].child, frame ? 7 : 0);
	}
	thread->depth = 0;
}

static void both_paths_write_the_same_row(void **state)
{
	struct fmt_thread *thread = own_thread();
	struct fmt_stats plain = {0}, *row = rec_row(thread, SLOT);

	(void)state;
	memset(row, 0, sizeof(*row));
	srand(11);
	for (int i = 0; i < 100000; i++) {
		uint64_t ticks = (uint64_t)rand() >> (rand() % 31), child = rand() % 4 ? 0 : ticks / 2;
		bool failed = rand() % 8 == 0;

		thread->depth = 1;
		thread->frame[1].child = child;
		thread->frame[1].begin = 1000;
		rec_fast_leave(thread, SLOT, 1000, 1000 + ticks, failed);
		rec_row_add(&plain, ticks, child, failed);
	}
	assert_memory_equal(row, &plain, sizeof(plain));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_duration_is_counted_in_its_bucket, fixture_open, fixture_close),
		cmocka_unit_test_setup_teardown(a_clock_that_ran_backwards_gives_a_call_without_time, fixture_open,
						fixture_close),
		cmocka_unit_test_setup_teardown(nor_does_the_call_around_one_that_ran_backwards, fixture_open,
						fixture_close),
		cmocka_unit_test_setup_teardown(both_paths_write_the_same_row, fixture_open, fixture_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
