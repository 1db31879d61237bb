/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV as RFC 4180 has it: CRLF, quotes doubled. Text is made valid UTF-8. */
#ifndef SONDE_BASE_CSV_H
#define SONDE_BASE_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct csv {
	FILE *file;
	bool filled; /* the row has a field */
};

void csv_start(struct csv *csv, FILE *file);
void csv_header(struct csv *csv, const char *const *names); /* ends with NULL */
void csv_text(struct csv *csv, const char *text);
void csv_i64(struct csv *csv, int64_t value);
void csv_u64(struct csv *csv, uint64_t value);
void csv_ppm(struct csv *csv, int64_t ppm);
void csv_empty(struct csv *csv);
void csv_end(struct csv *csv); /* of the row */

#endif
