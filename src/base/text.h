/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text that is only ever appended, to a descriptor through one buffer: for outputs of millions of lines, where
 * a printf per field would be most of the time. Trouble is kept in `error`; what is appended after it is dropped.
 */
#ifndef SONDE_BASE_TEXT_H
#define SONDE_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TEXT_BYTES (256u << 10)
#define TEXT_NUMBER 40 /* bytes of the longest number */

struct text {
	int fd;
	int error;   /* errno of the first write that failed */
	size_t used;
	char bytes[TEXT_BYTES];
};

void text_start(struct text *text, int fd);
void text_flush(struct text *text);

/* Any length. */
void text_long(struct text *text, const char *bytes, size_t length);
/* Hexadecimal without prefix. */
void text_hex(struct text *text, uint64_t value);
/* "812 ns", "12.34 us", "1.234 s": as number_time() */
void text_time(struct text *text, uint64_t ns);
/* Bytes for people: as utf8_display(); for quoted text `quote` is escaped as well, 0: none. */
void text_clean(struct text *text, const char *bytes, size_t length, char quote);
/* Bytes between the quotes of a JSON string. */
void text_json(struct text *text, const char *bytes, size_t length);

static inline void text_room(struct text *text, size_t bytes)
{
	if (text->used + bytes > sizeof(text->bytes))
		text_flush(text);
}

static inline void text_char(struct text *text, char character)
{
	text_room(text, 1);
	text->bytes[text->used++] = character;
}

static inline void text_bytes(struct text *text, const char *bytes, size_t length)
{
	if (length > 4096) {
		text_long(text, bytes, length);
		return;
	}
	text_room(text, length);
	memcpy(text->bytes + text->used, bytes, length);
	text->used += length;
}

/* A string whose length the compiler knows. */
#define text_word(text, word) text_bytes(text, word, sizeof(word) - 1)

extern const char text_pairs[201]; /* "000102...99" */

static inline void text_u64(struct text *text, uint64_t value)
{
	char digits[TEXT_NUMBER];
	size_t at = sizeof(digits);

	while (value >= 100) {
		at -= 2;
		memcpy(digits + at, text_pairs + 2 * (value % 100), 2);
		value /= 100;
	}
	if (value >= 10) {
		at -= 2;
		memcpy(digits + at, text_pairs + 2 * value, 2);
	} else {
		digits[--at] = (char)('0' + value);
	}
	text_bytes(text, digits + at, sizeof(digits) - at);
}

static inline void text_i64(struct text *text, int64_t value)
{
	if (value < 0)
		text_char(text, '-');
	text_u64(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* The last `digits` digits, with leading zeros; an even or odd number of them up to 20. */
static inline void text_digits(struct text *text, uint64_t value, size_t digits)
{
	text_room(text, digits);
	for (size_t i = digits; i-- > 0; value /= 10)
		text->bytes[text->used + i] = (char)('0' + value % 10);
	text->used += digits;
}

#endif
