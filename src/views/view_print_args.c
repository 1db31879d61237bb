/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of arguments as text and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/view_print.h"

/* What an int or a size holds is read in base 10, an address is not. */
#define DECIMAL_LEAST INT32_MIN
#define DECIMAL_MOST ((int64_t)UINT32_MAX)

static void print_plain_result(struct printer *printer, uint64_t result)
{
	int64_t number = (int64_t)result;

	if (number >= DECIMAL_LEAST && number <= DECIMAL_MOST) {
		text_i64(printer->text, number);
		return;
	}
	text_word(printer->text, "0x");
	text_hex(printer->text, result);
}

static void print_hex(struct text *text, uint64_t value)
{
	text_word(text, "0x");
	text_hex(text, value);
}

static void print_double(struct text *text, const struct event_argument *argument, uint32_t index, bool json)
{
	double value = event_double(argument, index);
	char digits[40];
	int length = snprintf(digits, sizeof(digits), argument->arg->type == FMT_ARG_F32 ? "%.9g" : "%.17g", value);

	if (json && !isfinite(value))
		text_word(text, "null");
	else
		text_bytes(text, digits, (size_t)length);
}

/* The value's symbolic name; false: it has none. */
static bool print_name(struct text *text, const struct tally_arg *arg, uint64_t value)
{
	const char *name = arg->words ? event_word_name(arg, value) : NULL;
	char flags[EVENT_FLAGS_TEXT];

	if (!name && arg->words && value && arg->flags & FMT_ARG_FLAGS) {
		event_flags_text(arg, value, flags, sizeof(flags));
		name = flags;
	}
	if (name)
		text_bytes(text, name, strlen(name));
	return name;
}

static void print_word(struct text *text, const struct event_argument *argument, uint64_t value)
{
	if (argument->arg->type == FMT_ARG_POINTER || argument->arg->flags & FMT_ARG_FLAGS)
		print_hex(text, value);
	else if (event_is_signed(argument))
		text_i64(text, (int64_t)value);
	else
		text_u64(text, value);
}

static void print_value(struct text *text, const struct event_argument *argument, uint32_t index, const char *string)
{
	uint64_t value;

	switch (argument->arg->type) {
	case FMT_ARG_STRING:
		text_char(text, '"');
		text_clean(text, string, strlen(string), '"');
		text_char(text, '"');
		break;
	case FMT_ARG_F32:
	case FMT_ARG_F64:
		print_double(text, argument, index, false);
		break;
	default:
		value = event_word(argument, index);
		if (!print_name(text, argument->arg, value))
			print_word(text, argument, value);
		break;
	}
}

/* Named values and addresses are strings: JSON has no base 16, and numbers above 2^53 are not safe in it. */
static void print_value_json(struct text *text, const struct event_argument *argument, uint32_t index,
			     const char *string)
{
	uint64_t value;

	switch (argument->arg->type) {
	case FMT_ARG_STRING:
		text_char(text, '"');
		text_json(text, string, strlen(string));
		text_char(text, '"');
		break;
	case FMT_ARG_F32:
	case FMT_ARG_F64:
		print_double(text, argument, index, true);
		break;
	default:
		value = event_word(argument, index);
		if (!argument->arg->words && argument->arg->type != FMT_ARG_POINTER) {
			print_word(text, argument, value);
			break;
		}
		text_char(text, '"');
		if (!print_name(text, argument->arg, value))
			print_word(text, argument, value);
		text_char(text, '"');
		break;
	}
}

static void print_values(struct text *text, const struct event_argument *argument, bool json)
{
	const bool list = event_is_list(argument), strings = argument->arg->type == FMT_ARG_STRING;
	const char *string = event_string(argument);
	uint32_t i;

	if (list)
		text_char(text, '[');
	else if (!argument->count)
		text_bytes(text, json ? "null" : "NULL", 4);
	for (i = 0; i < argument->count; i++) {
		if (i)
			text_word(text, ", ");
		if (json)
			print_value_json(text, argument, i, string);
		else
			print_value(text, argument, i, string);
		if (strings)
			string += strlen(string) + 1;
	}
	if (list)
		text_char(text, ']');
}

void print_result(struct printer *printer, const struct event *event)
{
	struct event_argument result;

	if (event_result(&result, printer->events, event))
		print_values(printer->text, &result, false);
	else
		print_plain_result(printer, event->result);
}

void print_arguments(struct printer *printer, const struct event *event, enum fmt_arg_when when)
{
	struct event_arguments arguments;
	struct event_argument argument;
	struct text *text = printer->text;
	bool filled = false;

	event_arguments(&arguments, printer->events, event, when);
	while (event_arguments_next(&arguments, &argument)) {
		if (event->failed && !argument.count) /* the call did not get there */
			continue;
		if (filled)
			text_word(text, ", ");
		filled = true;
		text_clean(text, argument.arg->name, strlen(argument.arg->name), 0);
		text_char(text, '=');
		print_values(text, &argument, false);
	}
}

void print_arguments_json(struct printer *printer, const struct event *event, enum fmt_arg_when when)
{
	struct event_arguments arguments;
	struct event_argument argument;
	struct text *text = printer->text;
	bool filled = false;

	event_arguments(&arguments, printer->events, event, when);
	while (event_arguments_next(&arguments, &argument)) {
		if (event->failed && !argument.count) /* the call did not get there */
			continue;
		if (filled)
			text_char(text, ',');
		filled = true;
		text_char(text, '"');
		text_json(text, argument.arg->name, strlen(argument.arg->name));
		text_word(text, "\":");
		print_values(text, &argument, true);
	}
}
