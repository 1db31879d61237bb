/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of the offline part: one line each on stderr, "sonde: " in front. The first function to
 * notice an error logs cause and object and returns its code; callers only pass the code on.
 */
#ifndef SONDE_BASE_LOG_H
#define SONDE_BASE_LOG_H

enum sonde_error {
	SONDE_OK = 0,
	SONDE_EIO = -1,     /* a file could not be opened, read or written */
	SONDE_EFORMAT = -2, /* it is not what it should be */
	SONDE_EUSAGE = -3   /* wrong call by the user */
};

/* Exit status of wrong use and of unreadable input. */
#define SONDE_EXIT_BAD 2

extern int log_descriptor; /* where messages go: standard error unless set; -1: nowhere */

int log_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
