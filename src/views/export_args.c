/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments as JSON. Addresses and named values are text: JSON has no base 16, and readers take numbers as
 * doubles, which are exact up to 2^53 alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/view_export.h"

#define EXACT ((int64_t)1 << 53)

static void hex_write(struct json *json, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	json_text(json, key, text);
}

static void double_write(struct json *json, const char *key, double value)
{
	char text[40];

	if (!isfinite(value)) {
		json_text(json, key, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
		return;
	}
	snprintf(text, sizeof(text), "%.17g", value);
	json_number(json, key, text);
}

static void number_write(struct json *json, const char *key, uint64_t value, bool is_signed)
{
	char text[24];
	const int64_t number = (int64_t)value;

	if (is_signed ? number <= EXACT && number >= -EXACT : value <= (uint64_t)EXACT) {
		json_i64(json, key, number);
		return;
	}
	snprintf(text, sizeof(text), is_signed ? "%lld" : "%llu", (long long)number);
	json_text(json, key, text);
}

const char *export_number(const struct event_argument *argument, char text[EXPORT_NUMBER_BYTES])
{
	uint64_t word;

	if (argument->arg->type == FMT_ARG_F32 || argument->arg->type == FMT_ARG_F64) {
		snprintf(text, EXPORT_NUMBER_BYTES, argument->arg->type == FMT_ARG_F32 ? "%.9g" : "%.17g",
			 event_double(argument, 0));
		return text;
	}
	word = event_word(argument, 0);
	snprintf(text, EXPORT_NUMBER_BYTES, event_is_signed(argument) ? "%lld" : "%llu", (long long)word);
	return text;
}

static void flags_write(struct json *json, const char *key, const struct tally_arg *arg, uint64_t value)
{
	char text[EVENT_FLAGS_TEXT];

	event_flags_text(arg, value, text, sizeof(text));
	json_text(json, key, text);
}

static void value_write(struct json *json, const char *key, const struct event_argument *argument, uint32_t index)
{
	const struct tally_arg *arg = argument->arg;
	const char *name;
	uint64_t word;

	if (arg->type == FMT_ARG_F32 || arg->type == FMT_ARG_F64) {
		double_write(json, key, event_double(argument, index));
		return;
	}
	word = event_word(argument, index);
	name = arg->words ? event_word_name(arg, word) : NULL;
	if (name)
		json_text(json, key, name);
	else if (arg->flags & FMT_ARG_FLAGS)
		flags_write(json, key, arg, word);
	else if (arg->type == FMT_ARG_POINTER)
		hex_write(json, key, word);
	else
		number_write(json, key, word, event_is_signed(argument));
}

static void argument_write(struct json *json, const struct event_argument *argument)
{
	const bool array = event_is_list(argument);
	const char *text = argument->arg->type == FMT_ARG_STRING ? event_string(argument) : NULL;
	const char *key = array ? NULL : argument->arg->name;
	uint32_t i;

	if (array)
		json_array_line(json, argument->arg->name);
	else if (!argument->count)
		json_null(json, key);
	for (i = 0; i < argument->count; i++) {
		if (text) {
			json_text(json, key, text);
			text += strlen(text) + 1;
		} else {
			value_write(json, key, argument, i);
		}
	}
	if (array)
		json_array_end(json);
}

void export_arguments(struct json *json, const struct export *export, const struct event *event)
{
	static const enum fmt_arg_when when[] = {FMT_ARG_IN, FMT_ARG_OUT};
	struct event_arguments arguments;
	struct event_argument argument;
	size_t i;

	for (i = 0; i < 2; i++) {
		event_arguments(&arguments, export->events, event, when[i]);
		while (event_arguments_next(&arguments, &argument))
			if (argument.count || !event->failed || when[i] == FMT_ARG_IN)
				argument_write(json, &argument);
	}
}
