/* SPDX-License-Identifier: BSD-3-Clause */
/* Folding of device work: unions, overlap and sums against a count of every nanosecond. */
#include "record_fixture.h"

#define SPANS 20000
#define RANGE 400000u

static uint8_t at[RANGE]; /* bit 0: a kernel runs in this ns, bit 1: a copy */

static uint32_t add_device(void)
{
	return rec_device(&fixture_backend, "key", "device", 0);
}

static void add(uint32_t device, uint64_t begin, uint64_t end, enum sonde_kind kind)
{
	struct rec_span span = {.begin_ns = begin, .end_ns = end, .name = rec_name("k", 1), .bytes = 8,
				.device = device, .kind = kind, .direction = SONDE_DIRECTION_h2d};

	rec_device_seen(&fixture_backend);
	rec_device_span(&fixture_backend, &span);
	for (uint64_t i = begin; i < end && i < RANGE; i++)
		at[i] |= kind == SONDE_KIND_copy ? 2 : 1;
}

static uint64_t naive(uint8_t mask)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < RANGE; i++)
		sum += (at[i] & mask) == mask;
	return sum;
}

static uint64_t track_sum(const struct fmt_track *track)
{
	uint64_t sum = track->folded_ns;

	for (uint32_t i = 0; i < track->used; i++) {
		assert_true(track->interval[i].begin < track->interval[i].end);
		if (i)
			assert_true(track->interval[i - 1].end < track->interval[i].begin);
		sum += track->interval[i].end - track->interval[i].begin;
	}
	return sum;
}

static uint64_t overlap_sum(const struct fmt_device *device)
{
	uint64_t sum = device->overlap_folded_ns;

	for (uint32_t i = 0; i < device->kernels.used; i++) {
		for (uint32_t j = 0; j < device->copies.used; j++) {
			const struct fmt_interval *a = &device->kernels.interval[i];
			const struct fmt_interval *b = &device->copies.interval[j];
			uint64_t begin = a->begin > b->begin ? a->begin : b->begin;
			uint64_t end = a->end < b->end ? a->end : b->end;

			sum += begin < end ? end - begin : 0;
		}
	}
	return sum;
}

static void union_is_exact_for_any_order_of_delivery(void **state)
{
	uint32_t device = add_device();
	struct fmt_device *item = rec_area_item(FMT_SECTION_DEVICES, device);
	uint64_t kernels = 0;

	(void)state;
	memset(at, 0, sizeof(at));
	srand(1);
	for (int i = 0; i < 3000; i++) {
		uint64_t begin = (uint64_t)rand() % (RANGE - 100), length = (uint64_t)rand() % 40;
		enum sonde_kind kind = rand() % 3 ? SONDE_KIND_launch : SONDE_KIND_copy;

		kernels += kind == SONDE_KIND_launch ? length : 0;
		add(device, begin, begin + length, kind);
	}
	assert_int_equal(track_sum(&item->kernels), naive(1));
	assert_int_equal(track_sum(&item->copies), naive(2));
	assert_int_equal(overlap_sum(item), naive(3));
	assert_int_equal(item->kernels_sum_ns, kernels);
	assert_int_equal(item->fold_line, 0);
	assert_int_equal(rec_state.process->notes & FMT_NOTE_APPROXIMATE, 0);
}

static void union_stays_exact_when_old_intervals_are_folded(void **state)
{
	uint32_t device = add_device();
	struct fmt_device *item = rec_area_item(FMT_SECTION_DEVICES, device);

	(void)state;
	memset(at, 0, sizeof(at));
	/* far more gaps than the table holds, nearly in order, copies beside kernels */
	for (uint64_t i = 0; i < SPANS; i++) {
		uint64_t begin = 50 + i * 19 - (i % 3) * 15;

		add(device, begin, begin + 11, i % 4 == 3 ? SONDE_KIND_copy : SONDE_KIND_launch);
	}
	assert_true(item->fold_line > 0);
	assert_int_equal(track_sum(&item->kernels), naive(1));
	assert_int_equal(track_sum(&item->copies), naive(2));
	assert_int_equal(overlap_sum(item), naive(3));
	assert_int_equal(rec_state.process->notes & FMT_NOTE_APPROXIMATE, 0);
}

static uint64_t oldest;
static uint64_t oldest_open(void)
{
	return oldest;
}

static void nothing_is_folded_that_an_open_operation_may_touch(void **state)
{
	uint32_t device = add_device();
	struct fmt_device *item = rec_area_item(FMT_SECTION_DEVICES, device);

	(void)state;
	memset(at, 0, sizeof(at));
	oldest = 20000;
	fixture_backend.oldest_open = oldest_open;
	for (uint64_t i = 0; i < 5000; i++)
		add(device, 100 + i * 20, 110 + i * 20, SONDE_KIND_launch);
	assert_true(item->fold_line > 0 && item->fold_line <= oldest);
	add(device, 20000, 30000, SONDE_KIND_launch); /* the one that was open */
	fixture_backend.oldest_open = NULL;
	assert_int_equal(track_sum(&item->kernels), naive(1));
}

static void late_record_is_counted_and_marks_the_figure(void **state)
{
	uint32_t device = add_device();
	struct fmt_backend *ledger = rec_area_item(FMT_SECTION_BACKENDS, fixture_backend.index);

	(void)state;
	for (uint64_t i = 0; i < SPANS; i++)
		add(device, 100 + i * 20, 110 + i * 20, SONDE_KIND_launch);
	assert_int_equal(ledger->late, 0);
	add(device, 100, 120, SONDE_KIND_launch);
	assert_int_equal(ledger->late, 1);
	assert_true(rec_state.process->notes & FMT_NOTE_APPROXIMATE);
	assert_int_equal(ledger->device_recorded, SPANS + 1);
	assert_int_equal(ledger->device_seen, SPANS + 1);
}

static void span_that_ends_before_it_begins_is_untimed(void **state)
{
	uint32_t device = add_device();
	struct fmt_backend *ledger = rec_area_item(FMT_SECTION_BACKENDS, fixture_backend.index);
	struct rec_span span = {.begin_ns = 10, .end_ns = 5, .device = device, .kind = SONDE_KIND_launch};

	(void)state;
	rec_device_span(&fixture_backend, &span);
	assert_int_equal(ledger->untimed, 1);
	assert_int_equal(ledger->device_recorded, 0);
}

static void add_shaped(uint32_t device, const struct fmt_shape *shape)
{
	struct rec_span span = {.begin_ns = 10, .end_ns = 20, .name = rec_name("k", 1), .device = device,
				.kind = SONDE_KIND_launch, .details = {.shape = *shape}};

	rec_device_seen(&fixture_backend);
	rec_device_span(&fixture_backend, &span);
}

/* What differs once is not told again, also where it comes back to what it was. */
static void shape_of_a_kernel_is_what_all_its_launches_share(void **state)
{
	struct fmt_shape first = {.known = FMT_SHAPE_GRID | FMT_SHAPE_BLOCK | FMT_SHAPE_REGISTERS | FMT_SHAPE_DYNAMIC,
				  .grid = {4, 2, 1}, .block = {128, 1, 1}, .registers = 32, .dynamic_shared = 64};
	struct fmt_shape second = first;
	uint32_t device = add_device();
	const struct fmt_op *op;

	(void)state;
	add_shaped(device, &first);
	op = rec_area_item(FMT_SECTION_OPS, 0);
	add_shaped(device, &first);
	assert_memory_equal(&op->shape, &first, sizeof(first));
	second.grid[2] = 3;
	add_shaped(device, &second);
	assert_int_equal(op->shape.known, FMT_SHAPE_BLOCK | FMT_SHAPE_REGISTERS | FMT_SHAPE_DYNAMIC);
	add_shaped(device, &first);
	assert_int_equal(op->shape.known, FMT_SHAPE_BLOCK | FMT_SHAPE_REGISTERS | FMT_SHAPE_DYNAMIC);
	second.known = FMT_SHAPE_BLOCK;
	add_shaped(device, &second);
	assert_int_equal(op->shape.known, FMT_SHAPE_BLOCK);
	assert_int_equal(rec_state.area[FMT_SECTION_OPS].section->used, 1);
}

static void add_node(uint32_t device, uint32_t graph, uint64_t launch, uint64_t node)
{
	struct rec_span span = {.begin_ns = 10, .end_ns = 20, .name = rec_name("k", 1), .device = device,
				.kind = SONDE_KIND_launch, .correlation = launch,
				.details = {.graph = graph, .node = node}};

	rec_device_seen(&fixture_backend);
	rec_device_span(&fixture_backend, &span);
}

static uint64_t launches_of(uint32_t index)
{
	const struct fmt_graph *graph = rec_area_item(FMT_SECTION_GRAPHS, index);

	return graph->launches;
}

/* 64 launches at once, three operations each, in any order; numbers are apart, as other calls have some as well. */
static void launches_of_a_graph_count_once_in_any_order(void **state)
{
	uint32_t device = add_device(), order[192];

	(void)state;
	srand(3);
	for (uint32_t round = 0; round < 200; round++) {
		for (uint32_t i = 0; i < 192; i++) {
			uint32_t other = (uint32_t)rand() % (i + 1);

			order[i] = order[other];
			order[other] = i;
		}
		for (uint32_t i = 0; i < 192; i++)
			add_node(device, 5 + order[i] % 2, 1 + round * 1000 + order[i] / 3 * 7, 1 + order[i] % 3);
	}
	assert_int_equal(rec_state.area[FMT_SECTION_GRAPHS].section->used, 2);
	assert_int_equal(launches_of(0), 64 * 200);
	assert_int_equal(launches_of(1), 64 * 200);
}

/* What comes after thousands of later launches may have been counted: it is not counted again. */
static void launches_are_at_most_those_there_were(void **state)
{
	uint32_t device = add_device();

	(void)state;
	for (uint64_t launch = 1; launch <= 20000; launch++)
		add_node(device, 5, launch, 1);
	assert_int_equal(launches_of(0), 20000);
	assert_int_equal(rec_state.process->notes & FMT_NOTE_LAUNCHES, 0);
	for (uint64_t launch = 1; launch <= 20000; launch++)
		add_node(device, 5, launch, 2);
	assert_int_equal(launches_of(0), 20000);
	assert_int_equal(rec_state.process->notes & FMT_NOTE_LAUNCHES, FMT_NOTE_LAUNCHES);
	add_node(device, 5, 0, 2); /* not known whose it is */
	assert_int_equal(launches_of(0), 20000);
}

static void one_key_is_one_device(void **state)
{
	(void)state;
	assert_int_equal(rec_device(&fixture_backend, "a", "first", 0), 0);
	assert_int_equal(rec_device(&fixture_backend, "b", "second", 1), 1);
	assert_int_equal(rec_device(&fixture_backend, "a", "first", 0), 0);
}

static void seventeenth_device_is_refused_and_its_work_counted_as_lost(void **state)
{
	struct fmt_backend *ledger = rec_area_item(FMT_SECTION_BACKENDS, fixture_backend.index);
	char key[8];
	uint32_t device = 0;

	(void)state;
	for (int i = 0; i < 17; i++) {
		snprintf(key, sizeof(key), "d%d", i);
		device = rec_device(&fixture_backend, key, key, (uint32_t)i);
	}
	assert_int_equal(device, UINT32_MAX);
	add(device, 1, 2, SONDE_KIND_launch);
	assert_int_equal(ledger->device_lost, 1);
}

static void more_kinds_of_copies_than_there_are_rows_for_are_told(void **state)
{
	struct rec_span span = {.begin_ns = 1, .end_ns = 2, .name = rec_name("k", 1), .bytes = 8,
				.device = add_device(), .kind = SONDE_KIND_copy};

	(void)state;
	for (span.memory = 0; span.memory < 256; span.memory++)
		rec_device_span(&fixture_backend, &span);
	assert_int_equal(rec_state.process->notes, 0);
	rec_device_span(&fixture_backend, &span);
	assert_int_equal(rec_state.process->notes, FMT_NOTE_ROWS_FULL);
}

#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(union_is_exact_for_any_order_of_delivery),
		T(union_stays_exact_when_old_intervals_are_folded),
		T(nothing_is_folded_that_an_open_operation_may_touch),
		T(late_record_is_counted_and_marks_the_figure),
		T(span_that_ends_before_it_begins_is_untimed),
		T(shape_of_a_kernel_is_what_all_its_launches_share),
		T(launches_of_a_graph_count_once_in_any_order),
		T(launches_are_at_most_those_there_were),
		T(one_key_is_one_device),
		T(seventeenth_device_is_refused_and_its_work_counted_as_lost),
		T(more_kinds_of_copies_than_there_are_rows_for_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
