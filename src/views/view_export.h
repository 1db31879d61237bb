/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls and device operations of a recording for other programs. To add a format: export_<name>.c with a
 * struct export_format, which is listed in export_formats in view_export.c.
 */
#ifndef SONDE_VIEWS_VIEW_EXPORT_H
#define SONDE_VIEWS_VIEW_EXPORT_H

#include <stdio.h>

#include "base/json.h"
#include "read/events.h"
#include "views/sink.h"

struct export_options {
	struct events_filter filter;
	const char *speedscope; /* directory of the release of speedscope, for a page of its own; or NULL */
};

struct export {
	struct recording *recording;
	const struct export_options *options;
	struct events *events;
	struct sink sink;
	FILE *file;       /* into the sink */
	struct arena arena;
	uint64_t rows;    /* written so far */
	void *state;      /* of the format, in the arena */
	const char *path;
};

/* A sampled counter's value, `value` / `divisor` in `unit`. */
struct export_sample {
	const char *host, *name, *unit, *device;
	uint32_t ordinal;
	int64_t time, value;
	uint64_t divisor;
};

struct export_format {
	const char *name;
	const char *file;   /* what the output is called in the directory of the recording */
	bool is_html;       /* takes options.speedscope */
	enum events_order order;
	/* A file: calls in order of begin, operations, memory and gaps. 0 or SONDE_E..., logged. */
	int (*start)(struct export *export);
	void (*event)(struct export *export, const struct event *event);
	void (*sample)(struct export *export, const struct export_sample *sample); /* behind all events; NULL: none */
	int (*end)(struct export *export);
	/* Or all of it at once. */
	int (*write)(struct export *export);
};

extern const struct export_format *const export_formats[]; /* ends with NULL */

/* path: "-" for standard output; compressed where it ends in .gz. 0 or SONDE_E..., logged. */
int export_write(struct recording *recording, const struct export_format *format, const struct export_options *options,
		 const char *path, uint64_t *rows_out);

/* ---- what formats share ---- */

/* One event in plain words; text is valid as long as the event. */
struct export_row {
	const char *type;    /* "call", "operation", "memory", "gap" */
	const char *host, *backend, *name, *kind, *ended, *direction, *memory, *device, *queue; /* NULL: none */
	uint32_t pid, tid;   /* tid 0: none */
	int32_t rank;        /* -1: none */
	uint32_t ordinal;    /* of the device */
	int64_t begin, duration;
	uint64_t error;      /* bound of the device's clock, ns */
};

void export_row_make(const struct export *export, const struct event *event, struct export_row *row_out);

/* A value that is a number, as text. */
#define EXPORT_NUMBER_BYTES 40
const char *export_number(const struct event_argument *argument, char text[EXPORT_NUMBER_BYTES]);
/* Values of an event's arguments as members of the open JSON object. */
void export_arguments(struct json *json, const struct export *export, const struct event *event);

/* True where events of the process are wanted, by its rank alone. */
bool export_has_process(const struct export *export, uint32_t process);

/* A base64 encoder in front of a file; fclose() ends it, not the file. */
FILE *export_base64(FILE *file);

extern const struct export_format export_csv, export_json, export_chrome, export_speedscope, export_ctf;

#endif
