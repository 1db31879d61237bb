/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of events that a signal handler's calls write behind. */
#include "record_fixture.h"

#include "format/stream.h"
#include "record/rec_stream.h"

#define EVENTS 20000u /* of 24 bytes: several areas */

static void write_plan(const char *directory)
{
	struct fmt_plan plan = {.streams = FMT_STREAMS_TIMELINE, .limit = UINT64_MAX, .clock_rate = 1000000000};
	char path[256];
	FILE *file;

	memcpy(plan.magic, FMT_PLAN_MAGIC, sizeof(plan.magic));
	snprintf(path, sizeof(path), "%s/" FMT_PLAN_FILE, directory);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(&plan, sizeof(plan), 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

static int open_with_streams(void **state)
{
	fixture_prepare = write_plan;
	return fixture_open(state);
}

static void write_events(unsigned events)
{
	uint64_t payload[] = {1, 2};

	for (unsigned i = 0; i < events; i++)
		rec_stream_event(&rec_tls.writer, FMT_EVENT_FUNCTION, payload, sizeof(payload));
}

static void an_interrupted_event_stays_mapped_while_a_handler_fills_areas(void **state)
{
	struct fmt_packet *packet;
	uint64_t ticks, lost;
	char *at;

	(void)state;
	assert_true(rec_thread_open(&rec_tls));
	assert_true(rec_state.process->streams);
	rec_tls.thread->depth = 1;
	packet = rec_tls.writer.packet;
	at = rec_stream_take(&rec_tls.writer, 24, false, &ticks);
	lost = rec_state.process->streams_lost;

	rec_tls.thread->depth = 2; /* the handler's calls */
	write_events(EVENTS);
	assert_ptr_not_equal(rec_tls.writer.packet, packet);
	assert_int_equal(rec_state.process->streams_lost, lost);

	rec_tls.thread->depth = 1; /* the interrupted call goes on */
	rec_stream_head(at, FMT_EVENT_FUNCTION, ticks);
	rec_stream_put(at + 8, 1);
	rec_stream_put(at + 16, 2);
	rec_stream_publish(&rec_tls.writer, at + 24, ticks);
	assert_true(packet->content_bits > sizeof(*packet) * 8);
}

static unsigned areas_mapped(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned count = 0;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		count += strstr(line, fixture_dir) && strstr(line, FMT_STREAM_DIRECTORY "/thread.");
	fclose(maps);
	return count;
}

static void areas_of_outermost_calls_are_given_back(void **state)
{
	(void)state;
	assert_true(rec_thread_open(&rec_tls));
	rec_tls.thread->depth = 2;
	write_events(EVENTS);
	assert_true(areas_mapped() > 2);
	rec_tls.thread->depth = 1;
	write_events(10 * EVENTS);
	assert_in_range(areas_mapped(), 1, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_interrupted_event_stays_mapped_while_a_handler_fills_areas,
						open_with_streams, fixture_close),
		cmocka_unit_test_setup_teardown(areas_of_outermost_calls_are_given_back, open_with_streams,
						fixture_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
