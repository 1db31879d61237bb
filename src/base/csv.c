/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV writer; see csv.h. Write errors are left to ferror() of the file. */
#include "base/csv.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

static void csv_next(struct csv *csv)
{
	if (csv->filled)
		putc(',', csv->file);
	csv->filled = true;
}

void csv_start(struct csv *csv, FILE *file)
{
	csv->file = file;
	csv->filled = false;
}

void csv_text(struct csv *csv, const char *text)
{
	size_t length = strlen(text), at, bytes;
	bool quote = !length || text[0] == ' ' || text[length - 1] == ' ' || strpbrk(text, ",\"\r\n");

	csv_next(csv);
	if (quote)
		putc('"', csv->file);
	for (at = 0; at < length; at += bytes) {
		uint32_t point = utf8_next(text + at, length - at, &bytes);

		if (point == UTF8_BAD)
			fputs(UTF8_REPLACEMENT, csv->file);
		else if (point == '"')
			fputs("\"\"", csv->file);
		else
			fwrite(text + at, 1, bytes, csv->file);
	}
	if (quote)
		putc('"', csv->file);
}

void csv_header(struct csv *csv, const char *const *names)
{
	for (; *names; names++)
		csv_text(csv, *names);
	csv_end(csv);
}

void csv_i64(struct csv *csv, int64_t value)
{
	csv_next(csv);
	fprintf(csv->file, "%" PRId64, value);
}

void csv_u64(struct csv *csv, uint64_t value)
{
	csv_next(csv);
	fprintf(csv->file, "%" PRIu64, value);
}

void csv_ppm(struct csv *csv, int64_t ppm)
{
	struct number number;

	csv_next(csv);
	fputs(number_ppm(&number, ppm), csv->file);
}

void csv_empty(struct csv *csv)
{
	csv_next(csv);
}

void csv_end(struct csv *csv)
{
	fputs("\r\n", csv->file);
	csv->filled = false;
}
