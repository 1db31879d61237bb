/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoding and cleaning of UTF-8; see utf8.h. */
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

uint32_t utf8_next(const char *text, size_t length, size_t *bytes_out)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *byte = (const unsigned char *)text;
	size_t need = byte[0] < 0x80 ? 1 : byte[0] < 0xc0 ? 0 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 :
		      byte[0] < 0xf8 ? 4 : 0;
	uint32_t point;
	size_t i;

	*bytes_out = 1;
	if (!need || need > length)
		return UTF8_BAD;
	if (need == 1)
		return byte[0];
	point = byte[0] & (0x7fu >> need);
	for (i = 1; i < need; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return UTF8_BAD;
		point = point << 6 | (byte[i] & 0x3f);
	}
	/* overlong forms, surrogates, beyond Unicode */
	if (point < least[need] || (point >= 0xd800 && point < 0xe000) || point > 0x10ffff)
		return UTF8_BAD;
	*bytes_out = need;
	return point;
}

/* Wide scripts take two columns, combining marks none; the ranges that matter in names. */
static size_t utf8_columns(uint32_t point)
{
	if ((point >= 0x300 && point < 0x370) || point == 0x200b || point == 0x200d ||
	    (point >= 0xfe00 && point < 0xfe10))
		return 0;
	if ((point >= 0x1100 && point < 0x1160) || (point >= 0x2e80 && point < 0xa4d0) ||
	    (point >= 0xac00 && point < 0xd7a4) || (point >= 0xf900 && point < 0xfb00) ||
	    (point >= 0xfe30 && point < 0xfe70) || (point >= 0xff00 && point < 0xff61) ||
	    (point >= 0x1f300 && point < 0x1f900) || (point >= 0x20000 && point < 0x30000))
		return 2;
	return 1;
}

size_t utf8_width(const char *text)
{
	size_t length = strlen(text), width = 0, at, bytes;
	uint32_t point;

	for (at = 0; at < length; at += bytes) {
		point = utf8_next(text + at, length - at, &bytes);
		width += point == UTF8_BAD ? 1 : utf8_columns(point);
	}
	return width;
}

int utf8_is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x202a && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069);
}

size_t utf8_escape(char *to, uint32_t point)
{
	switch (point) {
	case '\n': return (size_t)sprintf(to, "\\n");
	case '\t': return (size_t)sprintf(to, "\\t");
	case '\r': return (size_t)sprintf(to, "\\r");
	default: return (size_t)sprintf(to, point < 0x100 ? "\\x%02x" : "\\u%04x", point);
	}
}

/* Moves over the first `columns` columns of a clean text. */
static size_t utf8_skip(const char *text, size_t length, size_t columns)
{
	size_t at = 0, width = 0, bytes, step;

	while (at < length) {
		step = utf8_columns(utf8_next(text + at, length - at, &bytes));
		if (width + step > columns)
			break;
		width += step;
		at += bytes;
	}
	return at;
}

/*
 * Names that differ only in what is left out must not look the same: four digits made from the whole name
 * stand in its place, where there is room for them.
 */
static const char *utf8_shorten(struct arena *arena, const char *text, size_t max)
{
	size_t length = strlen(text), width = utf8_width(text), mark_width = 3, head, tail, head_bytes, tail_at, i;
	const char *mark = "...";
	uint32_t hash = 2166136261u; /* FNV-1a */

	if (width <= max)
		return text;
	if (max <= mark_width)
		return arena_strndup(arena, text, utf8_skip(text, length, max));
	if (max >= 16) {
		for (i = 0; i < length; i++)
			hash = (hash ^ (uint8_t)text[i]) * 16777619u;
		mark = arena_printf(arena, "..%04x..", (hash >> 16 ^ hash) & 0xffff);
		mark_width = 8;
	}
	head = (max - mark_width + 1) / 2;
	tail = max - mark_width - head;
	head_bytes = utf8_skip(text, length, head);
	tail_at = utf8_skip(text, length, width - tail);
	return arena_printf(arena, "%.*s%s%s", (int)head_bytes, text, mark, text + tail_at);
}

const char *utf8_display(struct arena *arena, const char *text, size_t max)
{
	size_t length = strlen(text), at, bytes, used = 0;
	char *clean = arena_zalloc(arena, length * 6 + 1); /* longest escape of a byte sequence: "\u202a" */
	uint32_t point;

	for (at = 0; at < length; at += bytes) {
		point = utf8_next(text + at, length - at, &bytes);
		if (point == UTF8_BAD) {
			memcpy(clean + used, UTF8_REPLACEMENT, 3);
			used += 3;
		} else if (utf8_is_control(point)) {
			used += utf8_escape(clean + used, point);
		} else {
			memcpy(clean + used, text + at, bytes);
			used += bytes;
		}
	}
	return max ? utf8_shorten(arena, clean, max) : clean;
}
