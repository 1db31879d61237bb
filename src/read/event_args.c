/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments in the payload of an event, and the names of their values; see events.h. */
#include <stdio.h>
#include <string.h>

#include "read/events_internal.h"

/* ---- what is told of ranges and marks ---- */

#define NAMED(name_, of) [of] = {.name = (name_), .type = (of)}
#define VALUE(name) { \
	NAMED(name, FMT_ARG_U8), NAMED(name, FMT_ARG_U16), NAMED(name, FMT_ARG_U32), NAMED(name, FMT_ARG_U64), \
	NAMED(name, FMT_ARG_S8), NAMED(name, FMT_ARG_S16), NAMED(name, FMT_ARG_S32), NAMED(name, FMT_ARG_S64), \
	NAMED(name, FMT_ARG_F32), NAMED(name, FMT_ARG_F64), NAMED(name, FMT_ARG_POINTER), NAMED(name, FMT_ARG_STRING)}
static const struct tally_arg payload[FMT_ARG_STRING + 1] = VALUE("payload"), value_of_counter[] = VALUE("value");

/* The value, under one name whatever its type. */
static void told_value(struct event_arguments *arguments, const struct stream_process *process,
		       const struct tally_arg *arg, const struct fmt_event_told *told, const uint8_t *value)
{
	double wide;

	if (!told->type || told->type > FMT_ARG_STRING)
		return;
	if (told->type == FMT_ARG_STRING) {
		value = (const uint8_t *)strings_name(process->body, process->process.tally, told->value);
	} else if (told->type == FMT_ARG_F32) {
		memcpy(&wide, value, sizeof(wide));
		arguments->single = (float)wide;
		value = (const uint8_t *)&arguments->single;
	}
	arguments->told[arguments->tolds++] = (struct event_argument){&arg[told->type], 1, value};
}

/* The category by its name where it has one, else by its number; `number` is where that lies. */
static void told_category(struct event_arguments *arguments, const struct stream_process *process, uint32_t function,
			  const struct fmt_event_told *told, const uint8_t *number)
{
	static const struct tally_arg named = {.name = "category", .type = FMT_ARG_STRING};
	static const struct tally_arg numbered = {.name = "category", .type = FMT_ARG_U32};
	struct event_argument *argument = &arguments->told[arguments->tolds];
	const char *name;

	if (!told->category)
		return;
	arguments->tolds++;
	name = tally_category_name(process->body, process->body->function[function].backend, told->scope,
				   told->category);
	*argument = name ? (struct event_argument){&named, 1, (const uint8_t *)name} :
			   (struct event_argument){&numbered, 1, number};
}

static void told_arguments(struct event_arguments *arguments, const struct stream_process *process,
			   const struct event *event)
{
	bool is_counter = process->body->function[event->function].kind == SONDE_KIND_counter;
	const uint8_t *bytes = event->in.bytes;
	struct fmt_event_told told;

	memcpy(&told, bytes, sizeof(told));
	told_value(arguments, process, is_counter ? value_of_counter : payload, &told,
		   bytes + offsetof(struct fmt_event_told, value));
	told_category(arguments, process, event->function, &told, bytes + offsetof(struct fmt_event_told, category));
}

/* ---- arguments ---- */

void event_arguments(struct event_arguments *arguments, const struct events *events, const struct event *event,
		     enum fmt_arg_when when)
{
	static const struct tally_arg number = {.name = "number", .type = FMT_ARG_U64};
	const struct stream_process *process = &events->process[event->process];
	const struct event_payload *payload = when == FMT_ARG_IN ? &event->in : &event->out;
	const struct tally_args of_range = {.arg = &number, .count = 1}, *args;
	const struct tally_function *function;

	arguments->next = arguments->end = NULL;
	arguments->at = arguments->limit = NULL;
	arguments->tolds = arguments->told_next = 0;
	if (event->function >= process->body->functions || !payload->length)
		return;
	function = &process->body->function[event->function];
	if (function_is_range(function) && payload->length == sizeof(struct fmt_event_told)) {
		told_arguments(arguments, process, event);
		return;
	}
	if (function_is_range(function))
		args = &of_range;
	else if (process->process.has_arguments)
		args = &function->args[when];
	else
		return;
	arguments->next = args->arg;
	arguments->end = args->arg + args->count;
	arguments->at = payload->bytes;
	arguments->limit = payload->bytes + payload->length;
}

bool event_arguments_next(struct event_arguments *arguments, struct event_argument *argument_out)
{
	const struct tally_arg *arg = arguments->next;
	size_t have = (size_t)(arguments->limit - arguments->at);
	uint32_t count = 1, size;

	if (arguments->told_next < arguments->tolds) {
		*argument_out = arguments->told[arguments->told_next++];
		return true;
	}
	if (arg == arguments->end)
		return false;
	arguments->next = arguments->end; /* unless it proves sound */
	if (arg->flags & FMT_ARG_ARRAY) {
		if (have < sizeof(count))
			return false;
		memcpy(&count, arguments->at, sizeof(count));
		arguments->at += sizeof(count);
		have -= sizeof(count);
	}
	size = stream_values_size(arg->type, count, arguments->at, have);
	if (size == UINT32_MAX)
		return false;
	*argument_out = (struct event_argument){arg, count, arguments->at};
	arguments->at += size;
	arguments->next = arg + 1;
	return true;
}

bool event_result(struct event_argument *argument_out, const struct events *events, const struct event *event)
{
	const struct tally_body *body = events->process[event->process].body;
	const struct tally_args *result;

	if (!event->has_result || event->function >= body->functions)
		return false;
	result = &body->function[event->function].args[FMT_ARG_RESULT];
	if (!result->count)
		return false;
	*argument_out = (struct event_argument){result->arg, 1, (const uint8_t *)&event->result};
	return true;
}

bool event_is_signed(const struct event_argument *argument)
{
	return argument->arg->type >= FMT_ARG_S8 && argument->arg->type <= FMT_ARG_S64;
}

uint64_t event_word(const struct event_argument *argument, uint32_t index)
{
	const uint8_t bytes = stream_type_bytes[argument->arg->type];
	uint64_t word = 0, sign;

	memcpy(&word, argument->values + (size_t)index * bytes, bytes);
	if (!event_is_signed(argument) || bytes == 8)
		return word;
	sign = (uint64_t)1 << (8 * bytes - 1);
	return (word ^ sign) - sign;
}

double event_double(const struct event_argument *argument, uint32_t index)
{
	float single;
	double value;

	if (argument->arg->type == FMT_ARG_F32) {
		memcpy(&single, argument->values + (size_t)index * sizeof(single), sizeof(single));
		return (double)single;
	}
	memcpy(&value, argument->values + (size_t)index * sizeof(value), sizeof(value));
	return value;
}

const char *event_string(const struct event_argument *argument)
{
	return (const char *)argument->values;
}

const char *event_word_name(const struct tally_arg *arg, uint64_t value)
{
	uint32_t low = 0, high = arg->words, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (arg->word[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < arg->words && arg->word[low].value == value ? arg->word[low].name : NULL;
}

size_t event_flags_text(const struct tally_arg *arg, uint64_t value, char *text, size_t size)
{
	size_t used = 0;
	uint32_t i;

	text[0] = '\0';
	for (i = arg->words; i-- > 0 && used < size;) { /* names of several bits have greater values: first */
		if (!arg->word[i].value || (value & arg->word[i].value) != arg->word[i].value)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "|" : "", arg->word[i].name);
		value &= ~arg->word[i].value;
	}
	if ((value || !used) && used < size)
		used += (size_t)snprintf(text + used, size - used, "%s0x%llx", used ? "|" : "",
					 (unsigned long long)value);
	return used < size ? used : size - 1;
}
