/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as lines: the way through them, and what is made once per thread and function. See view_print.h. */
#include "views/view_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

const char *const print_ending[] = {
	[EVENT_RETURNED] = "returned", [EVENT_LEFT] = "left", [EVENT_CUT] = "cut", [EVENT_OPEN] = "open",
};

struct print_label print_label_make(const char *text)
{
	return (struct print_label){text, (uint32_t)strlen(text)};
}

static struct print_label make_lane(struct printer *printer, uint32_t process, const struct events_lane *lane)
{
	const struct tally *tally = events_process(printer->events, process)->tally;

	return printer->options->json ? print_json_lane(printer, tally, lane) : print_text_lane(printer, tally, lane);
}

const struct print_label *print_lane(struct printer *printer, const struct event *event)
{
	struct print_label *label;

	if (event->lane == READ_NONE) {
		label = &printer->process[event->process];
		if (!label->bytes)
			*label = make_lane(printer, event->process, NULL);
		return label;
	}
	if (event->lane >= printer->lanes) {
		size_t lanes = 2 * (size_t)events_lanes(printer->events);
		struct print_label *more = arena_array(&printer->arena, lanes, sizeof(*more));

		if (printer->lanes)
			memcpy(more, printer->lane, printer->lanes * sizeof(*more));
		printer->lane = more;
		printer->lanes = lanes;
	}
	label = &printer->lane[event->lane];
	if (!label->bytes)
		*label = make_lane(printer, event->process, events_lane(printer->events, event->lane));
	return label;
}

const struct print_label *print_function(struct printer *printer, const struct event *event)
{
	const struct tally_body *names = events_process(printer->events, event->process)->names;
	struct print_label **labels = &printer->function[event->process], *label;
	const char *backend;

	if (!*labels)
		*labels = arena_array(&printer->arena, names->functions + 1, sizeof(**labels));
	if (event->function >= names->functions) { /* the call before a gap, of which a fact is left */
		label = &(*labels)[names->functions];
		if (!label->bytes)
			*label = printer->options->json ? print_json_function(printer, "?", "?") :
							  print_text_function(printer, "?", "?");
		return label;
	}
	label = &(*labels)[event->function];
	if (label->bytes)
		return label;
	backend = names->backend[names->function[event->function].backend].name;
	*label = printer->options->json ? print_json_function(printer, backend, names->function[event->function].name) :
					  print_text_function(printer, backend, names->function[event->function].name);
	return label;
}

/* The next one to be printed, or NULL. */
static const struct event *next_event(struct printer *printer, struct print_parts *parts)
{
	const struct event *event;
	enum print_turn turn;

	while ((event = events_next(printer->events))) {
		turn = parts ? parts->turn(parts->data, printer->events, event) : PRINT_IT;
		if (turn == PRINT_IT)
			return event;
		if (turn == PRINT_STOP)
			break;
	}
	return NULL;
}

int view_print(struct recording *recording, struct events *events, int fd, const struct print_options *options,
	       struct print_parts *parts)
{
	struct printer printer = {.recording = recording, .events = events, .options = options,
				  .now = {.second = INT64_MIN}, .until = {.second = INT64_MIN}};
	const struct event *event;
	uint64_t printed = 0;
	int err = 0;

	printer.text = malloc(sizeof(*printer.text));
	if (!printer.text)
		return log_error(SONDE_EIO, "out of memory");
	text_start(printer.text, fd);
	printer.process = arena_array(&printer.arena, recording->tallies, sizeof(*printer.process));
	printer.function = arena_array(&printer.arena, recording->tallies, sizeof(*printer.function));
	if (parts)
		printer.now = parts->now;
	for (; !printer.text->error && (event = next_event(&printer, parts)); printed++) {
		if (options->json)
			print_json(&printer, event);
		else
			print_text(&printer, event);
	}
	text_flush(printer.text);
	if (parts) {
		parts->now = printer.now;
		parts->gone = printer.text->error == EPIPE;
	}
	if (printer.text->error && printer.text->error != EPIPE)
		err = log_error(SONDE_EIO, "events cannot be written: %s", strerror(printer.text->error));
	else if (!parts && !printed && events_are_chosen(events))
		err = log_error(SONDE_EFORMAT, "no event is left to print (see the filters)");
	free(printer.text);
	arena_free(&printer.arena);
	return err;
}
