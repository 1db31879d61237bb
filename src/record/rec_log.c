/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the recorder: only when SONDE_DEBUG asks for them. Never on a hot path. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "record/rec_state.h"

void rec_debug(const char *format, ...)
{
	char text[512];
	int saved = errno, length;
	va_list args;

	if (!rec_state.debug)
		return;
	va_start(args, format);
	length = vsnprintf(text, sizeof(text) - 1, format, args);
	va_end(args);
	if (length > 0) {
		if ((size_t)length > sizeof(text) - 2)
			length = sizeof(text) - 2;
		text[length++] = '\n';
		(void)!write(STDERR_FILENO, "sonde: ", 7);
		(void)!write(STDERR_FILENO, text, (size_t)length);
	}
	errno = saved;
}
