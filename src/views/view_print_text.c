/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One event as a line for people:
 *	HH:MM:SS.nnnnnnnnn HOST PID TID RANK > backend:function(argument=value)
 *	HH:MM:SS.nnnnnnnnn HOST PID TID RANK < backend:function = result (argument=value) duration
 * Calls within calls stand further to the right.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "views/view_details.h"
#include "views/view_internal.h"
#include "views/view_print.h"

#define SECOND 1000000000
#define INDENT 2u
#define THREAD_COLUMNS 32 /* of the name of a thread */

struct print_label print_text_lane(struct printer *printer, const struct tally *tally, const struct events_lane *lane)
{
	struct arena *arena = &printer->arena;
	const char *host = utf8_display(arena, printer->recording->host[tally->host].name, 0);
	const char *name = lane ? print_thread(printer, lane) : NULL;
	const char *tid = !lane ? "-" : !name ? arena_printf(arena, "%u", lane->tid) :
			  arena_printf(arena, "%u(%s)", lane->tid, utf8_display(arena, name, THREAD_COLUMNS));
	const char *rank = tally->rank >= 0 ? arena_printf(arena, "%d", tally->rank) : "-";

	return print_label_make(arena_printf(arena, " %s %u %s %s ", host, tally->raw.pid, tid, rank));
}

struct print_label print_text_function(struct printer *printer, const char *backend, const char *function)
{
	struct arena *arena = &printer->arena;

	return print_label_make(arena_printf(arena, "%s:%s", utf8_display(arena, backend, 0),
						utf8_display(arena, function, 0)));
}

/* ---- time ---- */

/* Another second: the calendar is asked once for all events in it. */
static void turn_clock(struct print_second *of, int64_t second)
{
	time_t clock = (time_t)second;
	struct tm tm;
	char text[16];

	of->second = second;
	if (!localtime_r(&clock, &tm))
		memset(&tm, 0, sizeof(tm));
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	memcpy(of->clock, text, sizeof(of->clock));
	if (!strftime(of->date, sizeof(of->date), "%Y-%m-%d", &tm))
		strcpy(of->date, "-");
}

/* Has the second changed? *rest_out: ns in it. */
static bool set_clock(struct print_second *of, int64_t wall, uint64_t *rest_out)
{
	int64_t second = wall / SECOND, rest = wall % SECOND;

	if (rest < 0) {
		rest += SECOND;
		second--;
	}
	*rest_out = (uint64_t)rest;
	if (second == of->second)
		return false;
	turn_clock(of, second);
	return true;
}

static void print_clock(struct printer *printer, const struct print_second *of, uint64_t rest, bool date)
{
	if (date) {
		text_bytes(printer->text, of->date, strlen(of->date));
		text_char(printer->text, 'T');
	}
	text_bytes(printer->text, of->clock, sizeof(of->clock));
	text_char(printer->text, '.');
	text_digits(printer->text, rest, 9);
}

/* The time at the head of a line, behind a line of its own for a new day. */
static void print_now(struct printer *printer, const struct event *event)
{
	struct print_second *now = &printer->now;
	char before[sizeof(now->date)];
	uint64_t rest;

	strcpy(before, now->date);
	if (set_clock(now, events_wall(printer->events, event->process, event->time), &rest) &&
	    !printer->options->date && strcmp(before, now->date) != 0) {
		text_bytes(printer->text, now->date, strlen(now->date));
		text_char(printer->text, '\n');
	}
	print_clock(printer, now, rest, printer->options->date);
}

static void print_until(struct printer *printer, const struct event *event)
{
	uint64_t rest;

	set_clock(&printer->until, events_wall(printer->events, event->process, event->end), &rest);
	text_word(printer->text, " until ");
	print_clock(printer, &printer->until, rest,
		    printer->options->date || strcmp(printer->until.date, printer->now.date) != 0);
}

/* ---- lines ---- */

static void print_label(struct text *text, const struct print_label *label)
{
	text_bytes(text, label->bytes, label->length);
}

/* Everything in front of the event's own text; marker tells kinds of lines apart. */
static void text_front(struct printer *printer, const struct event *event, char marker)
{
	static const char spaces[] = "                                                                ";
	struct text *text = printer->text;

	print_now(printer, event);
	print_label(text, print_lane(printer, event));
	if (event->depth && event->lane != READ_NONE && event->type != EVENT_GAP)
		text_bytes(text, spaces, INDENT * event->depth < sizeof(spaces) ? INDENT * event->depth :
										  sizeof(spaces) - 1);
	text_char(text, marker);
	text_char(text, ' ');
}

/* Arguments of a look for devices before the first other call, and of variadic functions, are not kept: "(...)". */
static void text_in(struct printer *printer, const struct event *event)
{
	text_char(printer->text, '(');
	if (event->in.length)
		print_arguments(printer, event, FMT_ARG_IN);
	else if (events_function(printer->events, event)->args[FMT_ARG_IN].count)
		text_word(printer->text, "...");
	text_char(printer->text, ')');
}

static void print_entry(struct printer *printer, const struct event *event)
{
	struct text *text = printer->text;

	text_front(printer, event, '>');
	print_label(text, print_function(printer, event));
	if (function_is_range(events_function(printer->events, event)) && !event->in.length)
		return;
	text_in(printer, event);
}

static void text_exit(struct printer *printer, const struct event *event)
{
	struct text *text = printer->text;

	text_front(printer, event, '<');
	print_label(text, print_function(printer, event));
	if (event->has_result) {
		text_word(text, " = ");
		print_result(printer, event);
	}
	if (event->out.length) {
		text_word(text, " (");
		print_arguments(printer, event, FMT_ARG_OUT);
		text_char(text, ')');
	}
	if (event->failed)
		text_word(text, " failed");
	if (event->ended != EVENT_RETURNED) {
		text_char(text, ' ');
		text_bytes(text, print_ending[event->ended], strlen(print_ending[event->ended]));
	}
	text_char(text, ' ');
	if (event->has_begin)
		text_time(text, (uint64_t)(event->time - event->begin));
	else
		text_char(text, '?');
}

static void text_device(struct printer *printer, const struct event *event, uint32_t device)
{
	const struct tally_body *names = events_process(printer->events, event->process)->names;
	struct text *text = printer->text;

	if (device == READ_NONE) {
		text_char(text, '-');
		return;
	}
	text_clean(text, names->device[device].name, strlen(names->device[device].name), 0);
	text_char(text, '[');
	text_u64(text, names->device[device].ordinal);
	text_char(text, ']');
}

/* What is 0 is left out: most kernels have no memory of their group. */
static void text_details(struct printer *printer, const struct event_operation *operation)
{
	struct text *text = printer->text;
	char extent[VIEW_EXTENT_BYTES];

	for (int kind = 0; kind < VIEW_DETAILS; kind++) {
		struct view_detail detail = view_detail_of(operation->details, kind);

		if (!detail.known || (!detail.extent && !detail.value))
			continue;
		text_word(text, ", ");
		text_bytes(text, view_detail[kind], strlen(view_detail[kind]));
		text_char(text, ' ');
		if (!detail.extent) {
			text_u64(text, detail.value);
			continue;
		}
		view_extent(detail.extent, extent);
		text_bytes(text, extent, strlen(extent));
	}
}

static void text_operation(struct printer *printer, const struct event *event)
{
	const struct tally_body *names = events_process(printer->events, event->process)->names;
	const struct event_operation *operation = &event->operation;
	const char *kind = view_kind[operation->kind], *backend = names->backend[operation->backend].name;
	struct text *text = printer->text;

	text_front(printer, event, '*');
	text_clean(text, backend, strlen(backend), 0);
	text_char(text, ':');
	text_clean(text, operation->name, strlen(operation->name), 0);
	text_char(text, ' ');
	text_bytes(text, kind, strlen(kind));
	if (operation->kind == SONDE_KIND_copy || operation->kind == SONDE_KIND_fill) {
		text_char(text, ' ');
		text_bytes(text, view_direction[operation->direction], strlen(view_direction[operation->direction]));
	}
	text_word(text, " on ");
	text_device(printer, event, operation->device);
	if (operation->queue != READ_NONE) {
		text_word(text, ", ");
		text_clean(text, names->queue[operation->queue].name, strlen(names->queue[operation->queue].name), 0);
	}
	text_char(text, ',');
	print_until(printer, event);
	if (operation->bytes) {
		text_word(text, ", ");
		text_u64(text, operation->bytes);
		text_word(text, " B");
	}
	text_details(printer, operation);
	if (operation->correlation) {
		text_word(text, ", op ");
		text_u64(text, operation->correlation);
	}
	text_char(text, ' ');
	text_time(text, (uint64_t)(event->end - event->begin));
}

static void text_memory(struct printer *printer, const struct event *event)
{
	const struct event_memory *memory = &event->memory;
	struct text *text = printer->text;

	text_front(printer, event, '+');
	text_bytes(text, view_memory[memory->memory], strlen(view_memory[memory->memory]));
	text_word(text, " memory of ");
	text_device(printer, event, memory->device);
	text_word(text, ": ");
	text_u64(text, memory->live_bytes);
	text_word(text, " B (");
	if (memory->change >= 0)
		text_char(text, '+');
	text_i64(text, memory->change);
	text_char(text, ')');
}

static void print_fact(struct printer *printer, const struct event *event)
{
	struct text *text = printer->text;

	text_front(printer, event, '-');
	print_label(text, print_function(printer, event));
	if (event->type == EVENT_LINK) {
		text_word(text, " started op ");
		text_u64(text, event->link[0]);
		return;
	}
	text_word(text, " out ");
	text_u64(text, event->bytes_out);
	text_word(text, " B, in ");
	text_u64(text, event->bytes_in);
	text_word(text, " B");
}

/* A mark, or one end of a range of the process; the same number stands at its other end. */
static void print_moment(struct printer *printer, const struct event *event)
{
	struct text *text = printer->text;

	text_front(printer, event, '=');
	print_label(text, print_function(printer, event));
	if (event->in.length)
		text_in(printer, event);
	if (event->type == EVENT_MARK)
		return;
	if (event->type == EVENT_START)
		text_word(text, " starts as range ");
	else
		text_word(text, " ends as range ");
	text_hex(text, event->result);
}

static void print_gap(struct printer *printer, const struct event *event)
{
	struct text *text = printer->text;

	text_front(printer, event, '!');
	if (event->lost)
		text_u64(text, event->lost);
	else
		text_word(text, "an unknown number of");
	text_word(text, " events are missing");
	print_until(printer, event);
}

void print_text(struct printer *printer, const struct event *event)
{
	switch (event->type) {
	case EVENT_ENTRY:
		print_entry(printer, event);
		break;
	case EVENT_EXIT:
	case EVENT_CALL:
		text_exit(printer, event);
		break;
	case EVENT_LINK:
	case EVENT_BYTES:
		print_fact(printer, event);
		break;
	case EVENT_MEMORY:
		text_memory(printer, event);
		break;
	case EVENT_OPERATION:
		text_operation(printer, event);
		break;
	case EVENT_MARK:
	case EVENT_START:
	case EVENT_END:
		print_moment(printer, event);
		break;
	case EVENT_GAP:
		print_gap(printer, event);
		break;
	}
	text_char(printer->text, '\n');
}
