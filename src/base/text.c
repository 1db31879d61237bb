/* SPDX-License-Identifier: BSD-3-Clause */
/* Appending to a buffer in front of a descriptor; see text.h. */
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/utf8.h"

const char text_pairs[201] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

void text_start(struct text *text, int fd)
{
	text->fd = fd;
	text->error = 0;
	text->used = 0;
}

static void write_all(struct text *text, const char *bytes, size_t length)
{
	ssize_t done;

	while (length && !text->error) {
		done = write(text->fd, bytes, length);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			text->error = done ? errno : EIO;
			break;
		}
		bytes += done;
		length -= (size_t)done;
	}
}

void text_flush(struct text *text)
{
	write_all(text, text->bytes, text->used);
	text->used = 0;
}

void text_long(struct text *text, const char *bytes, size_t length)
{
	if (length > sizeof(text->bytes) / 2) {
		text_flush(text);
		write_all(text, bytes, length);
		return;
	}
	text_room(text, length);
	memcpy(text->bytes + text->used, bytes, length);
	text->used += length;
}

void text_hex(struct text *text, uint64_t value)
{
	static const char digit[] = "0123456789abcdef";
	char digits[16];
	size_t at = sizeof(digits);

	do {
		digits[--at] = digit[value & 15];
		value >>= 4;
	} while (value);
	text_bytes(text, digits + at, sizeof(digits) - at);
}

/* value / unit with 4 significant digits */
static void scaled(struct text *text, uint64_t value, uint64_t unit, const char *name)
{
	static const unsigned scale[] = {1, 10, 100, 1000};
	uint64_t whole = value / unit;
	unsigned digits = whole < 10 ? 3 : whole < 100 ? 2 : whole < 1000 ? 1 : 0;
	uint64_t rest = (value % unit * scale[digits] + unit / 2) / unit;

	if (rest == scale[digits]) {
		whole++;
		rest = 0;
	}
	text_u64(text, whole);
	if (digits) {
		text_char(text, '.');
		text_digits(text, rest, digits);
	}
	text_bytes(text, name, strlen(name));
}

void text_time(struct text *text, uint64_t ns)
{
	if (ns < 1000) {
		text_u64(text, ns);
		text_word(text, " ns");
	} else if (ns < 999950) { /* what would round to 1000.0 is shown in the next unit */
		scaled(text, ns, 1000, " us");
	} else if (ns < 999950000) {
		scaled(text, ns, 1000000, " ms");
	} else {
		scaled(text, ns, 1000000000, " s");
	}
}

/* Bytes that stand for themselves everywhere: the fast way over names. */
static size_t plain(const char *bytes, size_t length)
{
	size_t at = 0;

	while (at < length && bytes[at] >= ' ' && bytes[at] < 0x7f && bytes[at] != '"' && bytes[at] != '\\')
		at++;
	return at;
}

static void clean_one(struct text *text, uint32_t point, const char *bytes, size_t length, char quote)
{
	char escape[16];

	if (point == UTF8_BAD) {
		text_word(text, UTF8_REPLACEMENT);
	} else if (quote && (point == (uint32_t)quote || point == '\\')) {
		text_char(text, '\\');
		text_char(text, (char)point);
	} else if (utf8_is_control(point)) {
		text_bytes(text, escape, utf8_escape(escape, point));
	} else {
		text_bytes(text, bytes, length);
	}
}

void text_clean(struct text *text, const char *bytes, size_t length, char quote)
{
	size_t at = plain(bytes, length), step;
	uint32_t point;

	text_bytes(text, bytes, at);
	for (; at < length; at += step) {
		point = utf8_next(bytes + at, length - at, &step);
		clean_one(text, point, bytes + at, step, quote);
	}
}

void text_json(struct text *text, const char *bytes, size_t length)
{
	size_t at = plain(bytes, length), step;
	uint32_t point;

	text_bytes(text, bytes, at);
	for (; at < length; at += step) {
		point = utf8_next(bytes + at, length - at, &step);
		if (point == UTF8_BAD) {
			text_word(text, UTF8_REPLACEMENT);
		} else if (point == '"' || point == '\\') {
			text_char(text, '\\');
			text_char(text, (char)point);
		} else if (point < 0x20 || point == 0x7f) {
			text_word(text, "\\u00");
			text_char(text, point >= 0x10 ? (char)('0' + (point >> 4)) : '0');
			text_char(text, "0123456789abcdef"[point & 15]);
		} else {
			text_bytes(text, bytes + at, step);
		}
	}
}
