/* SPDX-License-Identifier: BSD-3-Clause */
/* Base64 as a file in front of a file. */
#include <stdio_ext.h>
#include <stdlib.h>

#include "views/view_export.h"

struct base64 {
	FILE *to;
	uint32_t bits;
	unsigned bytes; /* in bits: 0 to 2 */
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void group_write(struct base64 *base, unsigned characters)
{
	for (unsigned i = 0; i < 4; i++)
		putc(i < characters ? digits[base->bits >> (18 - 6 * i) & 63] : '=', base->to);
	base->bits = base->bytes = 0;
}

static ssize_t base64_write(void *cookie, const char *bytes, size_t count)
{
	struct base64 *base = cookie;

	for (size_t i = 0; i < count; i++) {
		base->bits |= (uint32_t)(unsigned char)bytes[i] << (16 - 8 * base->bytes);
		if (++base->bytes == 3)
			group_write(base, 4);
	}
	return (ssize_t)count;
}

static int base64_close(void *cookie)
{
	struct base64 *base = cookie;

	if (base->bytes)
		group_write(base, base->bytes + 1);
	free(base);
	return 0;
}

FILE *export_base64(FILE *file)
{
	struct base64 *base = calloc(1, sizeof(*base));
	FILE *front = base ? fopencookie(base, "w", (cookie_io_functions_t){.write = base64_write,
									   .close = base64_close}) : NULL;

	if (!front) {
		free(base);
		return NULL;
	}
	base->to = file;
	__fsetlocking(front, FSETLOCKING_BYCALLER);
	return front;
}
