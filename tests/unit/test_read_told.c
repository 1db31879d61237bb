/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs tell of ranges beside their names, as streams hold it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stream_builder.h"

/* What is told of ranges: values, categories that have a name in their scope, and what makes no sense. */
static void write_told(const char *run)
{
	struct builder *builder = builder_create(run, 100, 0, 1000);
	struct stream_builder stream;
	const double wide = 0.5;
	struct fmt_event_told told[] = {
		{.type = FMT_ARG_F32, .category = 7, .scope = 1},
		{.type = FMT_ARG_STRING, .category = 7, .scope = 2, .value = builder_name(builder, "text")},
		{.type = 200, .category = UINT32_MAX, .value = 5},
		{.type = FMT_ARG_STRING, .value = UINT64_MAX},
		{.type = FMT_ARG_S32, .category = 7, .scope = 3, .value = (uint64_t)-7},
	};

	memcpy(&told[0].value, &wide, sizeof(wide));
	builder_backend(builder, "one");
	builder_backend(builder, "other");
	builder_function(builder, 0, "range", SONDE_KIND_range);
	builder->function[0].flags = FMT_FUNCTION_DYNAMIC;
	builder->named[builder->nameds++] = (struct fmt_named){
		.what = FMT_NAMED_CATEGORY, .key = 7, .scope = 2, .name = builder_name(builder, "second")};
	builder->named[builder->nameds++] = (struct fmt_named){
		.what = FMT_NAMED_CATEGORY, .key = 7, .scope = 1, .name = builder_name(builder, "first")};
	builder->named[builder->nameds++] = (struct fmt_named){ /* of another backend, and of no name */
		.what = FMT_NAMED_CATEGORY, .key = 7, .scope = 3, .backend = 1, .name = builder_name(builder, "other")};
	builder->named[builder->nameds++] = (struct fmt_named){.what = 99, .name = UINT64_MAX, .backend = 50};
	builder->process.streams = FMT_STREAMS_TIMELINE;
	builder_write(builder);
	stream_start(&stream, builder, 1);
	stream_packet(&stream, 100, 1);
	for (uint64_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		stream_event(&stream, fmt_event_id(1, FMT_CALL_TOLD), 10 + 2 * i, &told[i], sizeof(told[i]));
		stream_event(&stream, fmt_event_id(1, FMT_CALL_EXIT), 11 + 2 * i, NULL, 0);
	}
	stream_write(&stream);
	builder_destroy(builder);
}

/* The arguments of an event as a line. */
static void told_line(const struct events *events, const struct event *event, char *line, size_t size)
{
	struct event_arguments arguments;
	struct event_argument argument;
	size_t used = 0;

	line[0] = '\0';
	event_arguments(&arguments, events, event, FMT_ARG_IN);
	while (event_arguments_next(&arguments, &argument)) {
		used += (size_t)snprintf(line + used, size - used, "%s=", argument.arg->name);
		if (argument.arg->type == FMT_ARG_STRING)
			used += (size_t)snprintf(line + used, size - used, "'%s' ", event_string(&argument));
		else if (argument.arg->type == FMT_ARG_F32)
			used += (size_t)snprintf(line + used, size - used, "%g ", event_double(&argument, 0));
		else
			used += (size_t)snprintf(line + used, size - used, "%lld ",
						 (long long)event_word(&argument, 0));
	}
}

static void what_is_told_of_ranges_is_decoded_and_nonsense_left_out(void **state)
{
	static const char *const expected[] = {
		"payload=0.5 category='first' ", "payload='text' category='second' ", "category=4294967295 ",
		"payload='' ", "payload=-7 category=7 ",
	};
	static const struct events_wish wishes[] = {
		{.what = EVENTS_CALLS_BY_BEGIN}, {.what = EVENTS_CALLS_BY_END}};
	const char *run = builder_run_directory();
	struct recording *recording;
	struct events *events;
	const struct event *event;
	char line[200];

	(void)state;
	write_told(run);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(recording_open(&run, 1, &recording), 0);
		assert_int_equal(events_open(recording, &wishes[i], &events), 0);
		for (int k = 0; k < 5; k++) {
			event = events_next(events);
			assert_non_null(event);
			told_line(events, event, line, sizeof(line));
			assert_string_equal(line, expected[k]);
		}
		assert_null(events_next(events));
		events_close(events);
		recording_close(recording);
	}
	builder_remove(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_told_of_ranges_is_decoded_and_nonsense_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
