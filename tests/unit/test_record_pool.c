/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of the recorder that are used again. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record/rec_tools.h"

#define THREADS 4
#define ROUNDS 20000

struct item {
	void *pool;
	uint64_t word[3], owner;
};

static void places_are_new_and_apart_until_they_are_given_back(void **state)
{
	static struct item *taken[300];
	struct rec_pool pool = REC_POOL(struct item, 0);

	(void)state;
	for (uint64_t i = 0; i < 300; i++) {
		taken[i] = rec_pool_take(&pool);
		assert_non_null(taken[i]);
		assert_int_equal((uintptr_t)taken[i] % 16, 0);
		assert_int_equal(taken[i]->owner, 0);
		memset(taken[i]->word, 0xff, sizeof(taken[i]->word));
		taken[i]->owner = i + 1;
	}
	for (uint64_t i = 0; i < 300; i++)
		assert_int_equal(taken[i]->owner, i + 1);
	rec_pool_give(&pool, taken[7]);
	assert_ptr_equal(rec_pool_take(&pool), taken[7]);
	assert_int_equal(taken[7]->owner, 8); /* as it was left */
}

static void a_pool_gives_no_more_than_it_may(void **state)
{
	struct rec_pool pool = REC_POOL(struct item, 100);
	struct item *last = NULL, *place;
	int taken = 0;

	(void)state;
	while (taken < 1000 && (place = rec_pool_take(&pool))) {
		last = place;
		taken++;
	}
	assert_in_range(taken, 100, 200);
	rec_pool_give(&pool, last);
	assert_ptr_equal(rec_pool_take(&pool), last);
	assert_null(rec_pool_take(&pool));
	rec_pool_forget(&pool);
	assert_non_null(rec_pool_take(&pool));
}

static struct rec_pool shared = REC_POOL(struct item, 0);

static void *take_and_give(void *data)
{
	uint64_t clashes = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct item *place = rec_pool_take(&shared);

		clashes += place->owner != 0;
		place->owner = (uint64_t)(uintptr_t)data;
		clashes += place->owner != (uint64_t)(uintptr_t)data;
		place->owner = 0;
		rec_pool_give(&shared, place);
	}
	return (void *)(uintptr_t)clashes;
}

static void no_two_threads_have_the_same_place(void **state)
{
	pthread_t thread[THREADS];
	void *clashes;

	(void)state;
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, take_and_give, (void *)(i + 1)), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], &clashes), 0);
		assert_null(clashes);
	}
	assert_in_range(shared.made, 1, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_new_and_apart_until_they_are_given_back),
		cmocka_unit_test(a_pool_gives_no_more_than_it_may),
		cmocka_unit_test(no_two_threads_have_the_same_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
