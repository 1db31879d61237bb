/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streaming JSON writer: any size, valid for any bytes. `key` is NULL inside arrays. Values of an
 * object or array opened with json_open_line() and friends stand on one line.
 */
#ifndef SONDE_BASE_JSON_H
#define SONDE_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

struct json {
	FILE *file;
	unsigned depth;
	unsigned line;          /* depth from which on everything is on one line; 0: none */
	bool filled[JSON_DEPTH]; /* a value has been written at that depth */
};

void json_start(struct json *json, FILE *file);
void json_object(struct json *json, const char *key);
void json_object_line(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_array_line(struct json *json, const char *key);
void json_object_end(struct json *json);
void json_array_end(struct json *json);
void json_text(struct json *json, const char *key, const char *text);
void json_i64(struct json *json, const char *key, int64_t value);
void json_u64(struct json *json, const char *key, uint64_t value);
void json_ppm(struct json *json, const char *key, int64_t ppm); /* millionths, as a decimal */
void json_number(struct json *json, const char *key, const char *digits); /* as it is */
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
void json_finish(struct json *json);

#endif
