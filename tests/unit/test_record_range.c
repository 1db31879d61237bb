/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges in the recorder: rows, nesting, what they must leave alone, device time by context. */
#include <pthread.h>

#include "record_fixture.h"

static void push(const char *name)
{
	struct rec_label label = rec_label(NULL, name);

	rec_range_push(&fixture_backend, &label, 0);
}

static void pop(void)
{
	rec_range_pop(&fixture_backend, 0);
}

static void push_in(uint32_t stack, const char *name)
{
	struct rec_label label = rec_label(NULL, name);

	rec_range_push(&fixture_backend, &label, stack);
}

static void start(const char *name, uint64_t key)
{
	struct rec_label label = rec_label(NULL, name);

	rec_range_start(&fixture_backend, &label, key);
}

/* Slot of a function, 0: there is none. */
static uint32_t slot_of(const char *name)
{
	for (uint64_t i = 0; i < rec_state.area[FMT_SECTION_FUNCTIONS].section->used; i++) {
		const struct fmt_function *function = rec_area_item(FMT_SECTION_FUNCTIONS, i);

		if (!strcmp(rec_state.area[FMT_SECTION_STRINGS].base + function->name, name))
			return (uint32_t)i + 1;
	}
	return 0;
}

static struct fmt_stats *row_of(const char *name)
{
	uint32_t slot = slot_of(name);

	assert_int_not_equal(slot, 0);
	return rec_row(rec_tls.thread, slot);
}

static uint64_t calls_of(const char *name)
{
	uint64_t calls = 0;

	for (unsigned i = 0; i < FMT_BUCKETS; i++)
		calls += row_of(name)->hist[i];
	return calls;
}

static uint64_t lost(void)
{
	return ((struct fmt_backend *)rec_area_item(FMT_SECTION_BACKENDS, fixture_backend.index))->lost;
}

static uint64_t device_ns(const char *name)
{
	return ((struct fmt_function *)rec_area_item(FMT_SECTION_FUNCTIONS, slot_of(name) - 1))->device_ns;
}

static uint32_t device;

static void operation(uint32_t context, uint64_t ns)
{
	struct rec_span span = {.begin_ns = 1000, .end_ns = 1000 + ns, .name = rec_name("k", 1), .device = device,
				.kind = SONDE_KIND_launch, .context = context};

	rec_device_span(&fixture_backend, &span);
}

static void self_times_of_nested_ranges_add_up_to_the_outermost(void **state)
{
	uint64_t self = 0;

	(void)state;
	push("outer");
	for (int i = 0; i < 5; i++) {
		push("middle");
		push("inner");
		pop();
		push("inner");
		pop();
		pop();
	}
	pop();
	self += row_of("outer")->total - row_of("outer")->child;
	self += row_of("middle")->total - row_of("middle")->child;
	self += row_of("inner")->total - row_of("inner")->child;
	assert_int_equal(self, row_of("outer")->total);
	assert_int_equal(calls_of("outer"), 1);
	assert_int_equal(calls_of("middle"), 5);
	assert_int_equal(calls_of("inner"), 10);
	assert_int_equal(row_of("inner")->child, 0);
	assert_int_equal(rec_tls.thread->ranges, 0);
}

static void a_range_within_itself_counts_its_time_once(void **state)
{
	(void)state;
	push("again");
	push("again");
	push("again");
	pop();
	pop();
	pop();
	assert_int_equal(calls_of("again"), 3);
	/* self is all of it */
	assert_int_equal(row_of("again")->child, 0);
	assert_true(row_of("again")->total >= row_of("again")->max);
}

static void ranges_of_two_domains_need_not_nest(void **state)
{
	uint64_t self = 0;
	static const char *const names[] = {"all", "a", "b"};

	(void)state;
	push_in(0, "all");
	push_in(1, "a");
	push_in(2, "b");
	rec_range_pop(&fixture_backend, 1); /* a, though b is on top */
	assert_int_equal(rec_tls.thread->ranges, 2);
	rec_range_pop(&fixture_backend, 2);
	rec_range_pop(&fixture_backend, 0);
	assert_int_equal(rec_tls.thread->ranges, 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(calls_of(names[i]), 1);
		self += row_of(names[i])->total - row_of(names[i])->child;
	}
	assert_int_equal(self, row_of("all")->total);
}

static void a_pop_without_a_push_is_nothing(void **state)
{
	(void)state;
	push("one");
	rec_range_pop(&fixture_backend, 7);
	assert_int_equal(rec_tls.thread->ranges, 1);
	pop();
	pop();
	assert_int_equal(calls_of("one"), 1);
	assert_int_equal(rec_tls.thread->ranges, 0);
}

static void deeper_than_the_stack_is_lost_and_counted_and_pops_still_match(void **state)
{
	char name[16];

	(void)state;
	for (int i = 0; i < FMT_RANGES + 10; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		push(name);
	}
	for (int i = 0; i < FMT_RANGES + 10; i++)
		pop();
	assert_int_equal(rec_tls.thread->ranges, 0);
	assert_int_equal(lost(), 10);
	assert_int_equal(calls_of("d0"), 1);
	snprintf(name, sizeof(name), "d%d", FMT_RANGES - 1);
	assert_int_equal(calls_of(name), 1);
}

static void more_names_than_there_is_room_for_share_a_row(void **state)
{
	char name[16];

	(void)state;
	push("around");
	for (unsigned i = 0; i < REC_DYNAMIC_MAX + 100; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		push(name);
		if (i == REC_DYNAMIC_MAX + 99) { /* within itself once */
			push("another");
			pop();
		}
		pop();
	}
	pop();
	assert_int_equal(lost(), 0);
	assert_int_equal(calls_of("(further names)"), 102); /* "around" took a place */
	assert_int_equal(rec_state.process->notes & FMT_NOTE_DYNAMIC_FULL, FMT_NOTE_DYNAMIC_FULL);
	assert_int_equal(calls_of("around"), 1);
	assert_int_equal(calls_of("n1022"), 1);
	assert_int_equal(slot_of("n1023"), 0);
}

static void any_bytes_make_a_name_and_names_are_told_apart_to_the_last_one(void **state)
{
	char name[5000];

	(void)state;
	memset(name, '"', 4096);
	memcpy(name + 100, "\xff\xfe\n\\%s", 6);
	name[4096] = '\0';
	push(name);
	pop();
	assert_int_equal(calls_of(name), 1);
	name[4095] = 'x';
	push(name);
	pop();
	push(name);
	pop();
	assert_int_equal(calls_of(name), 2);
	push("");
	pop();
	push(NULL);
	pop();
	assert_int_equal(calls_of("unnamed"), 2);
}

static void a_group_stands_before_the_name(void **state)
{
	struct rec_label group = rec_label(NULL, "domain:"), in = rec_label(&group, "name");
	struct rec_label whole = rec_label(NULL, "domain:name");

	(void)state;
	assert_int_equal(in.hash, whole.hash);
	rec_range_push(&fixture_backend, &in, 0);
	pop();
	rec_range_push(&fixture_backend, &whole, 0);
	pop();
	assert_int_equal(calls_of("domain:name"), 2);
}

static void calls_inside_of_a_range_keep_the_inline_path(void **state)
{
	uint32_t slot;

	(void)state;
	push("around");
	slot = rec_slot_assign(&fixture_backend, 0);
	assert_non_null(rec_fast_enter(slot, 0, 1));
	rec_fast_leave(rec_tls.thread, slot, 1000, 1500, false);
	pop();
	assert_int_equal(row_of("around")->child, 0);
	assert_int_equal(rec_row(rec_tls.thread, slot)->total, 500);
}

static void *end_elsewhere(void *key)
{
	rec_range_end(&fixture_backend, (uintptr_t)key);
	return NULL;
}

static void a_range_of_the_process_may_end_on_another_thread(void **state)
{
	pthread_t thread;
	uint64_t unfinished = 0, calls = 0;
	uint32_t slot;

	(void)state;
	start("async", 10);
	start("async", 11);
	assert_int_equal(row_of("async")->unfinished, 2);
	assert_int_equal(pthread_create(&thread, NULL, end_elsewhere, (void *)10), 0);
	pthread_join(thread, NULL);
	rec_range_end(&fixture_backend, 99); /* never started */
	slot = slot_of("async");
	for (uint64_t i = 0; i < rec_state.area[FMT_SECTION_THREADS].section->used; i++) {
		const struct fmt_stats *row = rec_row(rec_thread_block((uint32_t)i), slot);

		unfinished += row->unfinished;
		for (unsigned j = 0; j < FMT_BUCKETS; j++)
			calls += row->hist[j];
	}
	assert_int_equal(unfinished, 1);
	assert_int_equal(calls, 1);
	rec_range_end(&fixture_backend, 11);
	assert_int_equal(calls_of("async"), 1);
}

static void an_operation_counts_for_every_range_it_was_started_in_once(void **state)
{
	uint32_t context;

	(void)state;
	device = rec_device(&fixture_backend, "key", "device", 0);
	assert_int_equal(rec_context(&fixture_backend), 0);
	push("outer");
	push("inner");
	push("outer");
	context = rec_context(&fixture_backend);
	assert_int_equal(rec_context(&fixture_backend), context);
	pop();
	pop();
	push("other");
	operation(context, 100); /* delivered while the program is elsewhere */
	operation(rec_context(&fixture_backend), 10);
	pop();
	pop();
	assert_int_equal(device_ns("outer"), 110);
	assert_int_equal(device_ns("inner"), 100);
	assert_int_equal(device_ns("other"), 10);
	operation(rec_context(&fixture_backend), 1000);
	assert_int_equal(device_ns("outer"), 110);
}

static void an_operation_counts_for_the_open_ranges_of_the_process(void **state)
{
	(void)state;
	device = rec_device(&fixture_backend, "key", "device", 0);
	start("first", 1);
	operation(rec_context(&fixture_backend), 1);
	push("pushed");
	start("second", 2);
	start("first", 3);
	operation(rec_context(&fixture_backend), 10);
	rec_range_end(&fixture_backend, 1);
	rec_range_end(&fixture_backend, 3);
	operation(rec_context(&fixture_backend), 100);
	rec_range_end(&fixture_backend, 2);
	operation(rec_context(&fixture_backend), 1000);
	pop();
	assert_int_equal(device_ns("first"), 11);
	assert_int_equal(device_ns("second"), 110);
	assert_int_equal(device_ns("pushed"), 1110);
}

static void more_open_ranges_of_the_process_than_there_is_room_for_are_told(void **state)
{
	uint64_t sum = 0;
	char name[16];

	(void)state;
	device = rec_device(&fixture_backend, "key", "device", 0);
	for (unsigned i = 1; i <= 64; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		start(name, i);
	}
	operation(rec_context(&fixture_backend), 1);
	assert_int_equal(device_ns("s64"), 1);
	assert_int_equal(rec_state.process->notes & FMT_NOTE_CONTEXTS_FULL, 0);
	start("s65", 65);
	operation(rec_context(&fixture_backend), 1);
	for (unsigned i = 1; i <= 65; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		sum += device_ns(name);
	}
	assert_int_equal(sum, 2 * 64); /* which one lacks in the second is nobody's promise */
	assert_int_equal(rec_state.process->notes & FMT_NOTE_CONTEXTS_FULL, FMT_NOTE_CONTEXTS_FULL);
}

static void more_nestings_than_there_is_room_for_count_for_the_outer_ranges(void **state)
{
	char name[16];

	(void)state;
	device = rec_device(&fixture_backend, "key", "device", 0);
	push("root");
	for (int i = 0; i < 80; i++)
		for (int j = 0; j < 80; j++) {
			snprintf(name, sizeof(name), "o%d", i);
			push(name);
			snprintf(name, sizeof(name), "i%d", j);
			push(name);
			operation(rec_context(&fixture_backend), 1);
			pop();
			pop();
		}
	pop();
	assert_int_equal(device_ns("root"), 6400);
	assert_int_equal(device_ns("o0"), 80);
	assert_int_equal(rec_state.process->notes & FMT_NOTE_CONTEXTS_FULL, FMT_NOTE_CONTEXTS_FULL);
}

static void a_mark_counts(void **state)
{
	struct rec_label label = rec_label(NULL, "here");

	(void)state;
	rec_mark(&fixture_backend, &label);
	rec_mark(&fixture_backend, &label);
	push("here"); /* another thing of the same name */
	pop();
	assert_int_equal(calls_of("here"), 2);
	assert_int_equal(row_of("here")->total, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(self_times_of_nested_ranges_add_up_to_the_outermost),
		T(a_range_within_itself_counts_its_time_once),
		T(ranges_of_two_domains_need_not_nest),
		T(a_pop_without_a_push_is_nothing),
		T(deeper_than_the_stack_is_lost_and_counted_and_pops_still_match),
		T(more_names_than_there_is_room_for_share_a_row),
		T(any_bytes_make_a_name_and_names_are_told_apart_to_the_last_one),
		T(a_group_stands_before_the_name),
		T(calls_inside_of_a_range_keep_the_inline_path),
		T(a_range_of_the_process_may_end_on_another_thread),
		T(an_operation_counts_for_every_range_it_was_started_in_once),
		T(an_operation_counts_for_the_open_ranges_of_the_process),
		T(more_open_ranges_of_the_process_than_there_is_room_for_are_told),
		T(more_nestings_than_there_is_room_for_count_for_the_outer_ranges),
		T(a_mark_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
