/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated devices themselves: order, events, clock, faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim.h"

static struct sim_work kernel_work(int **data, struct sim_event *signals)
{
	return (struct sim_work){ .kind = SIM_KERNEL, .name = "add_one", .kernel = sim_kernel_find("add_one"),
				  .argument = { data }, .argument_bytes = { sizeof(*data) }, .items = 1,
				  .signals = signals };
}

static void commands_of_an_in_order_queue_run_one_after_the_other(void **state)
{
	struct sim_queue *queue = sim_queue_create(0, true);
	struct sim_event *event[10];
	int value = 0, *data = &value;
	struct sim_times before = { 0 };

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct sim_work work;

		event[i] = sim_event_create();
		work = kernel_work(&data, event[i]);
		work.least_ns = 1000000;
		sim_submit(queue, &work);
	}
	assert_true(sim_queue_wait(queue, SIM_FOREVER));
	assert_int_equal(value, 10);
	for (int i = 0; i < 10; i++) {
		struct sim_times times = sim_event_times(event[i]);

		assert_true(times.known);
		assert_true(times.begin >= before.end);
		assert_true(times.end - times.begin >= 10000); /* a millisecond at 10 MHz */
		before = times;
		sim_event_destroy(event[i]);
	}
	sim_queue_destroy(queue);
}

static void a_command_waits_for_its_events_and_others_pass_it(void **state)
{
	struct sim_queue *queue = sim_queue_create(0, false);
	struct sim_event *gate = sim_event_create(), *held = sim_event_create(), *free_one = sim_event_create();
	int one = 0, two = 0, *first = &one, *second = &two;
	struct sim_work work = kernel_work(&first, held);

	(void)state;
	work.waits = &gate;
	work.wait_count = 1;
	sim_submit(queue, &work);
	work = kernel_work(&second, free_one);
	sim_submit(queue, &work);
	assert_true(sim_event_wait(free_one, SIM_FOREVER));
	assert_false(sim_event_wait(held, 10000000));
	assert_false(sim_queue_wait(queue, 0));
	sim_event_signal(gate);
	assert_true(sim_event_wait(held, SIM_FOREVER));
	assert_int_equal(one, 1);
	sim_queue_destroy(queue);
	sim_event_destroy(gate);
	sim_event_destroy(held);
	sim_event_destroy(free_one);
}

static void copies_and_fills_move_bytes(void **state)
{
	struct sim_queue *queue = sim_queue_create(0, true);
	char from[100], to[100];
	struct sim_work fill = { .kind = SIM_FILL, .to = from, .bytes = sizeof(from), .pattern = "ab",
				 .pattern_bytes = 2 };
	struct sim_work copy = { .kind = SIM_COPY, .to = to, .from = from, .bytes = sizeof(to) };

	(void)state;
	sim_submit(queue, &fill);
	sim_submit(queue, &copy);
	assert_true(sim_queue_wait(queue, SIM_FOREVER));
	assert_memory_equal(to, "abababab", 8);
	assert_memory_equal(to, from, sizeof(to));
	sim_queue_destroy(queue);
}

/* Set by main() before the first call: 32 bits at 10 MHz, an hour ahead, 100 ppm fast. */
static void the_clock_has_its_own_rate_offset_and_width(void **state)
{
	uint64_t now = sim_raw_ns();

	(void)state;
	assert_int_equal(sim_clock_bits(), 32);
	assert_true(sim_clock(now) < 1ull << 32);
	assert_in_range((sim_clock(now + 1000000000) - sim_clock(now)) & 0xffffffff, 10000900, 10001100);
}

static void the_nth_call_of_a_function_fails(void **state)
{
	(void)state;
	assert_false(sim_fails("other"));
	assert_false(sim_fails("chosen"));
	assert_true(sim_fails("chosen"));
	assert_false(sim_fails("chosen"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_has_its_own_rate_offset_and_width),
		cmocka_unit_test(the_nth_call_of_a_function_fails),
		cmocka_unit_test(copies_and_fills_move_bytes),
		cmocka_unit_test(commands_of_an_in_order_queue_run_one_after_the_other),
		cmocka_unit_test(a_command_waits_for_its_events_and_others_pass_it),
	};

	setenv("SIM_CLOCK_BITS", "32", 1);
	setenv("SIM_CLOCK_HZ", "10000000", 1);
	setenv("SIM_CLOCK_OFFSET", "3600000000000", 1);
	setenv("SIM_CLOCK_DRIFT", "100", 1);
	setenv("SIM_FAIL", "chosen:2", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
