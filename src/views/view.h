/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outputs of a summary. Each is one file that fills in a struct view; the list is views in view.c.
 */
#ifndef SONDE_VIEWS_VIEW_H
#define SONDE_VIEWS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyze/summary.h"

#define VIEW_TOP_DEFAULT 15

struct view_options {
	size_t top;      /* rows per section; 0: VIEW_TOP_DEFAULT */
	bool all;        /* every row */
	bool ledger;     /* the whole ledger, also where all is well */
	size_t max_name; /* characters of a name; 0: never cut */
	bool colour;
	size_t width;    /* columns of the terminal; 0: unlimited */
};

struct view {
	const char *name;   /* "json" */
	const char *target; /* what the path names: "file" or "directory" */
	/* Writes to path ("-": standard output). 0 or SONDE_E..., logged. */
	int (*write)(const struct summary *summary, const char *path, const struct view_options *options);
};

extern const struct view *const views[]; /* ends with NULL */

/* Colour and width as the terminal behind `file` takes them; neither when it is not a terminal. */
void view_options_for(struct view_options *options, FILE *file);

/* options may be NULL everywhere. */
int view_table(const struct summary *summary, FILE *file, const struct view_options *options);
int view_json(const struct summary *summary, const char *path, const struct view_options *options);
int view_csv(const struct summary *summary, const char *directory, const struct view_options *options);

#endif
