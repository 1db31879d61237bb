/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lists of globs of --include and --exclude: the launcher makes them, each process compares itself with them. Like
 * fnmatch() without flags in the C locale, byte by byte. fnmatch() itself allocates for long globs in other locales,
 * which the traced process must not. Of sets there are ranges and [:classes:]; an open one is an ordinary '['.
 */
#ifndef SONDE_FORMAT_GLOB_H
#define SONDE_FORMAT_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define FMT_GLOB_SPECIAL "*?[\\"
#define FMT_GLOB_BETWEEN ","

/* X(name, first and last byte of each range) */
#define FMT_GLOB_CLASSES(X)                \
	X("alnum", "09AZaz")               \
	X("alpha", "AZaz")                 \
	X("blank", "  \t\t")               \
	X("cntrl", "\x01\x1f\x7f\x7f")     \
	X("digit", "09")                   \
	X("graph", "!~")                   \
	X("lower", "az")                   \
	X("print", " ~")                   \
	X("punct", "!/:@[`{~")             \
	X("space", "\t\r  ")               \
	X("upper", "AZ")                   \
	X("xdigit", "09AFaf")

static inline bool fmt_glob_in_ranges(const char *ranges, unsigned char byte)
{
	for (; *ranges; ranges += 2)
		if ((unsigned char)ranges[0] <= byte && byte <= (unsigned char)ranges[1])
			return true;
	return false;
}

/* The end of the [:class:] at `at`, NULL: there is none. *holds_out becomes true where the byte is in it. */
static inline const char *fmt_glob_class(const char *at, const char *end, unsigned char byte, bool *holds_out)
{
#define CLASS(name, ranges)                                                                                    \
	if ((size_t)(end - at) >= sizeof("[:" name ":]") - 1 &&                                                \
	    memcmp(at, "[:" name ":]", sizeof("[:" name ":]") - 1) == 0) {                                     \
		*holds_out |= fmt_glob_in_ranges(ranges, byte);                                                \
		return at + sizeof("[:" name ":]") - 1;                                                        \
	}
	FMT_GLOB_CLASSES(CLASS)
#undef CLASS
	return NULL;
}

/* A character of a set, with or without a backslash; *at is moved behind it. */
static inline unsigned char fmt_glob_character(const char **at, const char *end)
{
	if (**at == '\\')
		++*at;
	return *at < end ? (unsigned char)*(*at)++ : 0;
}

/* The end of the set whose '[' is before `at`, NULL: it has none. */
static inline const char *fmt_glob_set(const char *at, const char *end, unsigned char byte, bool *holds_out)
{
	bool others = at < end && (*at == '!' || *at == '^'), holds = false;
	const char *first = at + others;

	for (at = first; at < end && (at == first || *at != ']');) {
		const char *behind = fmt_glob_class(at, end, byte, &holds);
		unsigned char low, high;

		if (behind) {
			at = behind;
			continue;
		}
		low = high = fmt_glob_character(&at, end);
		if (end - at > 1 && at[0] == '-' && at[1] != ']') {
			at++;
			high = fmt_glob_character(&at, end);
		}
		holds |= low <= byte && byte <= high;
	}
	*holds_out = holds != others;
	return at < end ? at + 1 : NULL;
}

/* Behind what stands for one byte at `glob`, which is no '*'; NULL: it does not stand for this byte. */
static inline const char *fmt_glob_byte(const char *glob, const char *end, unsigned char byte)
{
	const char *behind;
	bool holds;

	if (*glob == '?')
		return glob + 1;
	if (*glob == '[') {
		behind = fmt_glob_set(glob + 1, end, byte, &holds);
		if (behind)
			return holds ? behind : NULL;
	}
	if (*glob == '\\' && ++glob == end)
		return NULL;
	return (unsigned char)*glob == byte ? glob + 1 : NULL;
}

/* glob: `length` bytes, not ended by a zero. */
static inline bool fmt_glob_matches(const char *glob, size_t length, const char *text)
{
	const char *end = glob + length, *behind_star = NULL, *taken_up_to = text;

	while (*text) {
		const char *behind = NULL;

		if (glob < end && *glob == '*') {
			behind_star = ++glob;
			taken_up_to = text;
			continue;
		}
		if (glob < end)
			behind = fmt_glob_byte(glob, end, (unsigned char)*text);
		if (behind) {
			glob = behind;
			text++;
		} else if (behind_star) { /* the last '*' takes one more: what an earlier one could take, it can */
			glob = behind_star;
			text = ++taken_up_to;
		} else {
			return false;
		}
	}
	while (glob < end && *glob == '*')
		glob++;
	return glob == end;
}

/* Does a list of globs hold the path, or its last part where the glob has no slash? */
static inline bool fmt_globs_hold(const char *list, const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	while (*list) {
		size_t length = strcspn(list, FMT_GLOB_BETWEEN);

		if (length && fmt_glob_matches(list, length, memchr(list, '/', length) ? path : name))
			return true;
		list += length + (list[length] != '\0');
	}
	return false;
}

#endif
