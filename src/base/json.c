/* SPDX-License-Identifier: BSD-3-Clause */
/* Streaming JSON writer; see json.h. Write errors are left to ferror() of the file. */
#include "base/json.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

static void json_quoted(struct json *json, const char *text)
{
	size_t length = strlen(text), at, bytes;
	uint32_t point;

	putc('"', json->file);
	for (at = 0; at < length; at += bytes) {
		point = utf8_next(text + at, length - at, &bytes);
		if (point == UTF8_BAD)
			fputs(UTF8_REPLACEMENT, json->file);
		else if (point == '"' || point == '\\')
			fprintf(json->file, "\\%c", (char)point);
		else if (point < 0x20 || point == 0x7f)
			fprintf(json->file, "\\u%04x", point);
		else
			fwrite(text + at, 1, bytes, json->file);
	}
	putc('"', json->file);
}

/* Comma, new line and key in front of a value. */
static void json_next(struct json *json, const char *key)
{
	unsigned i;

	if (json->depth) {
		if (json->filled[json->depth])
			putc(',', json->file);
		if (!json->line) {
			putc('\n', json->file);
			for (i = 0; i < json->depth; i++)
				putc('\t', json->file);
		} else if (json->filled[json->depth]) {
			putc(' ', json->file);
		}
		json->filled[json->depth] = true;
	}
	if (key) {
		json_quoted(json, key);
		fputs(": ", json->file);
	}
}

static void json_open(struct json *json, const char *key, char bracket, bool line)
{
	json_next(json, key);
	putc(bracket, json->file);
	if (json->depth + 1 < JSON_DEPTH)
		json->depth++;
	json->filled[json->depth] = false;
	if (line && !json->line)
		json->line = json->depth;
}

static void json_close(struct json *json, char bracket)
{
	bool line = json->line, filled = json->filled[json->depth];
	unsigned i;

	if (json->line == json->depth)
		json->line = 0;
	json->depth--;
	if (!line && filled) {
		putc('\n', json->file);
		for (i = 0; i < json->depth; i++)
			putc('\t', json->file);
	}
	putc(bracket, json->file);
}

void json_start(struct json *json, FILE *file)
{
	memset(json, 0, sizeof(*json));
	json->file = file;
}

void json_object(struct json *json, const char *key)
{
	json_open(json, key, '{', false);
}

void json_object_line(struct json *json, const char *key)
{
	json_open(json, key, '{', true);
}

void json_array(struct json *json, const char *key)
{
	json_open(json, key, '[', false);
}

void json_array_line(struct json *json, const char *key)
{
	json_open(json, key, '[', true);
}

void json_object_end(struct json *json)
{
	json_close(json, '}');
}

void json_array_end(struct json *json)
{
	json_close(json, ']');
}

void json_text(struct json *json, const char *key, const char *text)
{
	json_next(json, key);
	json_quoted(json, text);
}

void json_i64(struct json *json, const char *key, int64_t value)
{
	json_next(json, key);
	fprintf(json->file, "%" PRId64, value);
}

void json_u64(struct json *json, const char *key, uint64_t value)
{
	json_next(json, key);
	fprintf(json->file, "%" PRIu64, value);
}

void json_ppm(struct json *json, const char *key, int64_t ppm)
{
	struct number number;

	json_next(json, key);
	fputs(number_ppm(&number, ppm), json->file);
}

void json_number(struct json *json, const char *key, const char *digits)
{
	json_next(json, key);
	fputs(digits, json->file);
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_next(json, key);
	fputs(value ? "true" : "false", json->file);
}

void json_null(struct json *json, const char *key)
{
	json_next(json, key);
	fputs("null", json->file);
}

void json_finish(struct json *json)
{
	putc('\n', json->file);
}
