/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as lines: one each, in order of time. */
#ifndef SONDE_VIEWS_VIEW_PRINT_H
#define SONDE_VIEWS_VIEW_PRINT_H

#include "base/text.h"
#include "read/events.h"

struct print_options {
	bool json; /* one object a line */
	bool date; /* in every line; else in a line of its own where the day changes */
};

/* A second of the wall clock as text. */
struct print_second {
	int64_t second; /* since 1970 */
	char clock[8];  /* HH:MM:SS */
	char date[16];  /* YYYY-MM-DD */
};

enum print_turn {
	PRINT_IT,
	PRINT_SKIP, /* not this one */
	PRINT_STOP  /* neither this one nor any behind it */
};

/* Several times of printing that make one output. */
struct print_parts {
	enum print_turn (*turn)(void *data, const struct events *events, const struct event *event);
	void *data;
	struct print_second now; /* of the last line; zeroed and second INT64_MIN before the first */
	bool gone;               /* nobody reads any more */
};

/*
 * Prints all events to a descriptor, or those whose turn it is. A reader that goes away ends it, and is no error. 0 or
 * SONDE_EIO, logged.
 */
int view_print(struct recording *recording, struct events *events, int fd, const struct print_options *options,
	       struct print_parts *parts);

/* ---- what the files of print share ---- */

struct print_label {
	const char *bytes; /* NULL: not made yet */
	uint32_t length;
};

struct printer {
	struct arena arena;
	struct recording *recording;
	struct events *events;
	const struct print_options *options;
	struct text *text;
	struct print_label **function; /* by process, by function: how it is called */
	struct print_label *process;   /* by process: host, pid, no thread, rank */
	struct print_label *lane;      /* the same of a thread */
	size_t lanes;
	struct print_second now, until; /* of the line, of a second time in it */
};

struct print_label print_label_make(const char *text); /* of text that stays */
const struct print_label *print_lane(struct printer *printer, const struct event *event);
const struct print_label *print_function(struct printer *printer, const struct event *event);

/* "name=value, name=value" and "name":value */
void print_arguments(struct printer *printer, const struct event *event, enum fmt_arg_when when);
void print_arguments_json(struct printer *printer, const struct event *event, enum fmt_arg_when when);
/* A result: as its type says; where that is not known decimal when it is small, else in base 16. */
void print_result(struct printer *printer, const struct event *event);

/* view_print_text.c, view_print_json.c: one line. */
void print_text(struct printer *printer, const struct event *event);
void print_json(struct printer *printer, const struct event *event);
/* The program's own name of a thread, or NULL. */
static inline const char *print_thread(const struct printer *printer, const struct events_lane *lane)
{
	return tally_thread_name(events_process(printer->events, lane->process)->names, lane->tid);
}

/* What stands in front of every line of one thread. */
struct print_label print_text_lane(struct printer *printer, const struct tally *tally, const struct events_lane *lane);
struct print_label print_json_lane(struct printer *printer, const struct tally *tally, const struct events_lane *lane);
struct print_label print_text_function(struct printer *printer, const char *backend, const char *function);
struct print_label print_json_function(struct printer *printer, const char *backend, const char *function);

extern const char *const print_ending[]; /* by enum event_ending */

#endif
