/* SPDX-License-Identifier: BSD-3-Clause */
/* Names are bytes of unknown origin; outputs are UTF-8 without control characters. */
#ifndef SONDE_BASE_UTF8_H
#define SONDE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define UTF8_BAD UINT32_MAX
#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Code point at text, or UTF8_BAD (then one byte is to be replaced); *bytes_out: its length. */
uint32_t utf8_next(const char *text, size_t length, size_t *bytes_out);

/* C0, DEL, C1 and the marks that change the direction of what follows on a terminal */
int utf8_is_control(uint32_t point);
/* Such a code point as \n, \xNN, \uNNNN; returns its bytes, fewer than 16. */
size_t utf8_escape(char *to, uint32_t point);

/* Columns that a clean text takes on a terminal. */
size_t utf8_width(const char *text);

/*
 * Text for people: bad bytes replaced, control characters shown as \n, \t, \xNN. With max > 0 cut in
 * the middle to `max` columns ("begin...end"), because the ends of names tell most.
 */
const char *utf8_display(struct arena *arena, const char *text, size_t max);

#endif
