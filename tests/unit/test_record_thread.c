/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that find no room. */
#include <pthread.h>

#include "record_fixture.h"

#define CALLS 5000 /* a thread tries again every 1,000 */

static rec_word absent(uint32_t symbol)
{
	(void)symbol;
	return 0;
}

static void *call(void *unused)
{
	struct rec_call call;

	(void)unused;
	for (int i = 0; i < CALLS; i++) {
		rec_enter(&call, &fixture_backend, 0, NULL, (uintptr_t)__builtin_frame_address(0), NULL);
		assert_int_equal(call.slot, 0);
	}
	return NULL;
}

static void a_thread_without_room_is_counted_once(void **state)
{
	const struct fmt_backend *item;
	pthread_t thread;

	(void)state;
	assert_true(rec_thread_open(&rec_tls));
	rec_state.threads_max = 1;
	for (int i = 1; i <= 2; i++) {
		assert_int_equal(pthread_create(&thread, NULL, call, NULL), 0);
		pthread_join(thread, NULL);
		assert_int_equal(rec_state.process->lost_threads, i);
		item = rec_area_item(FMT_SECTION_BACKENDS, fixture_backend.index);
		assert_int_equal(item->lost, i * CALLS);
	}
}

static int open_callable(void **state)
{
	fixture_real[0] = (void *)(uintptr_t)absent;
	return fixture_open(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_thread_without_room_is_counted_once, open_callable, fixture_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
