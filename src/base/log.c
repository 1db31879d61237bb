/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the offline part; see log.h. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LINE_MAX_BYTES 2048

int log_descriptor = STDERR_FILENO;

/*
 * One write per message, so that lines of several processes stay whole. Control characters (a file
 * name may hold any) become '?': a message is one line.
 */
static void log_line(const char *kind, const char *format, va_list arguments)
{
	char line[LINE_MAX_BYTES];
	int head = snprintf(line, sizeof(line), "sonde: %s", kind);
	int body = vsnprintf(line + head, sizeof(line) - (size_t)head - 1, format, arguments);
	size_t length = (size_t)head + (body < 0 ? 0 : (size_t)body);
	size_t i;

	if (length > sizeof(line) - 2)
		length = sizeof(line) - 2;
	for (i = 0; i < length; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = '?';
	line[length++] = '\n';
	if (log_descriptor >= 0 && write(log_descriptor, line, length) < 0)
		return; /* nowhere left to say it */
}

int log_error(int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line("", format, arguments);
	va_end(arguments);
	return code;
}

void log_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line("warning: ", format, arguments);
	va_end(arguments);
}
