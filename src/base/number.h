/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as people read them. Each function writes into `text` and returns it. */
#ifndef SONDE_BASE_NUMBER_H
#define SONDE_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number {
	char text[32];
};

/* 4 significant digits and the unit that fits: "812 ns", "12.34 us", "1.234 s", "-3.000 ms" */
const char *number_time(struct number *number, int64_t ns);
const char *number_time_u(struct number *number, uint64_t ns);
/* "812 B", "1.500 KiB", "3.210 GiB" */
const char *number_bytes(struct number *number, uint64_t bytes);
/* "12.3 GB/s" (decimal units); "-" where there is no time */
const char *number_rate(struct number *number, uint64_t bytes, uint64_t ns);
/* "1234567" */
const char *number_count(struct number *number, uint64_t count);
/* Millionths as per cent with one digit: 812345 -> "81.2"; what is not 0 is never shown as 0.0 */
const char *number_percent(struct number *number, int64_t ppm);
/* Tenths of a per cent, shown as they are: 812 -> "81.2" */
const char *number_tenths(struct number *number, int64_t tenths);
/* Millionths as a plain decimal, whatever the locale: 812345 -> "0.812345" */
const char *number_ppm(struct number *number, int64_t ppm);

/* A double as a decimal with six digits behind the point, or, where it is large, as many as it takes; "": no number. */
const char *number_decimal(struct number *number, double value);

/* "1.5", "200ms", "3 us", "10ns", "2m", "1h"; without a unit seconds. False: no such thing. */
bool number_parse_time(const char *text, int64_t *ns_out);

/* Of "0,2,8-15": numbers up to INT32_MAX, as those of ranks and threads. */
bool number_is_list(const char *text);
bool number_in_list(const char *list, int64_t number); /* of a list that is one */

/* Sum and difference that stop at the ends of the range: damaged recordings claim any figure. */
int64_t number_add(int64_t left, int64_t right);
int64_t number_subtract(int64_t left, int64_t right);

/* part of whole in millionths, rounded; 0 when whole is 0 */
int64_t number_share(int64_t part, int64_t whole);
/*
 * Shares that sum to exactly `total` (when the parts sum to the whole): each is rounded down, then
 * those with the largest rest get one more.
 */
void number_shares(const int64_t *parts, size_t count, int64_t total, int64_t *shares_out);

#endif
