/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as people read them; see number.h. */
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* value / unit with 4 significant digits; only integers, so that no locale changes the point */
static void number_scaled(struct number *number, bool negative, uint64_t value, uint64_t unit, const char *name)
{
	static const unsigned scale[] = {1, 10, 100, 1000};
	uint64_t whole = value / unit;
	unsigned digits = whole < 10 ? 3 : whole < 100 ? 2 : whole < 1000 ? 1 : 0;
	uint64_t rest = (uint64_t)(((wide)(value % unit) * scale[digits] + unit / 2) / unit);

	if (rest == scale[digits]) {
		whole++;
		rest = 0;
	}
	if (digits)
		snprintf(number->text, sizeof(number->text), "%s%" PRIu64 ".%0*" PRIu64 " %s", negative ? "-" : "",
			 whole, (int)digits, rest, name);
	else
		snprintf(number->text, sizeof(number->text), "%s%" PRIu64 " %s", negative ? "-" : "", whole, name);
}

static const char *number_duration(struct number *number, bool negative, uint64_t ns)
{
	if (ns < 1000)
		snprintf(number->text, sizeof(number->text), "%s%" PRIu64 " ns", negative ? "-" : "", ns);
	else if (ns < 999950) /* what would round to 1000.0 is shown in the next unit */
		number_scaled(number, negative, ns, 1000, "us");
	else if (ns < 999950000)
		number_scaled(number, negative, ns, 1000000, "ms");
	else
		number_scaled(number, negative, ns, 1000000000, "s");
	return number->text;
}

const char *number_time(struct number *number, int64_t ns)
{
	return number_duration(number, ns < 0, ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns);
}

const char *number_time_u(struct number *number, uint64_t ns)
{
	return number_duration(number, false, ns);
}

const char *number_bytes(struct number *number, uint64_t bytes)
{
	static const char *const names[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	uint64_t unit = 1024;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(number->text, sizeof(number->text), "%" PRIu64 " B", bytes);
		return number->text;
	}
	while (i < 5 && bytes / unit >= 1000) {
		unit *= 1024;
		i++;
	}
	number_scaled(number, false, bytes, unit, names[i]);
	return number->text;
}

const char *number_rate(struct number *number, uint64_t bytes, uint64_t ns)
{
	wide per_second;

	if (!ns) {
		strcpy(number->text, "-");
		return number->text;
	}
	per_second = (wide)bytes * 1000000000 / ns;
	if (per_second > INT64_MAX)
		per_second = INT64_MAX;
	if (per_second >= 999950000)
		number_scaled(number, false, (uint64_t)per_second, 1000000000, "GB/s");
	else if (per_second >= 999950)
		number_scaled(number, false, (uint64_t)per_second, 1000000, "MB/s");
	else
		number_scaled(number, false, (uint64_t)per_second, 1000, "kB/s");
	return number->text;
}

const char *number_count(struct number *number, uint64_t count)
{
	snprintf(number->text, sizeof(number->text), "%" PRIu64, count);
	return number->text;
}

const char *number_tenths(struct number *number, int64_t tenths)
{
	uint64_t size = tenths < 0 ? 0 - (uint64_t)tenths : (uint64_t)tenths;

	snprintf(number->text, sizeof(number->text), "%s%" PRIu64 ".%" PRIu64, tenths < 0 ? "-" : "", size / 10,
		 size % 10);
	return number->text;
}

const char *number_percent(struct number *number, int64_t ppm)
{
	bool negative = ppm < 0;
	uint64_t size = negative ? 0 - (uint64_t)ppm : (uint64_t)ppm;
	int64_t tenths = (int64_t)(size / 1000 + (size % 1000 >= 500));

	if (!size || tenths)
		return number_tenths(number, negative ? -tenths : tenths);
	strcpy(number->text, negative ? ">-0.1" : "<0.1");
	return number->text;
}

const char *number_decimal(struct number *number, double value)
{
	if (!isfinite(value))
		return "";
	snprintf(number->text, sizeof(number->text), fabs(value) < 1e15 ? "%.6f" : "%.17g", value);
	return number->text;
}

const char *number_ppm(struct number *number, int64_t ppm)
{
	uint64_t size = ppm < 0 ? 0 - (uint64_t)ppm : (uint64_t)ppm;

	snprintf(number->text, sizeof(number->text), "%s%" PRIu64 ".%06" PRIu64, ppm < 0 ? "-" : "", size / 1000000,
		 size % 1000000);
	return number->text;
}

#define NUMBER_TIME_MAX 1000000000000 /* of any unit */

static bool unit_of(const char *text, uint64_t *unit_out)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"", 1000000000}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000},
		     {"m", 60000000000}, {"min", 60000000000}, {"h", 3600000000000}};

	while (*text == ' ')
		text++;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text, units[i].name)) {
			*unit_out = units[i].ns;
			return true;
		}
	return false;
}

bool number_parse_time(const char *text, int64_t *ns_out)
{
	bool negative = *text == '-', digits = false;
	wide value = 0, scale = 1;
	uint64_t unit;

	text += negative;
	for (; *text >= '0' && *text <= '9'; text++, digits = true)
		value = value < NUMBER_TIME_MAX ? value * 10 + (*text - '0') : value;
	if (value >= NUMBER_TIME_MAX)
		return false;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++, digits = true)
			if (scale < 1000000000) {
				value = value * 10 + (*text - '0');
				scale *= 10;
			}
	if (!digits || !unit_of(text, &unit))
		return false;
	value = value * unit / scale;
	if (value > INT64_MAX)
		return false;
	*ns_out = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

/* Reads "8" up to what follows it; NULL: no number, or too large a one. */
static const char *list_number(const char *text, int64_t *number_out)
{
	int64_t number = 0;

	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9' && number <= INT32_MAX; text++)
		number = number * 10 + (*text - '0');
	*number_out = number;
	return number <= INT32_MAX ? text : NULL;
}

/* Reads "8" or "8-15" and the comma behind it, which another part has to follow; NULL: malformed. */
static const char *list_range(const char *list, int64_t *first_out, int64_t *last_out)
{
	const char *end = list_number(list, first_out);

	*last_out = *first_out;
	if (end && *end == '-')
		end = list_number(end + 1, last_out);
	if (!end || *last_out < *first_out || (*end && (*end != ',' || !end[1])))
		return NULL;
	return *end ? end + 1 : end;
}

bool number_is_list(const char *text)
{
	int64_t first = 0, last = 0;

	do
		text = list_range(text, &first, &last);
	while (text && *text);
	return text != NULL;
}

bool number_in_list(const char *list, int64_t number)
{
	int64_t first = 0, last = 0;

	while (list && *list) {
		list = list_range(list, &first, &last);
		if (list && first <= number && number <= last)
			return true;
	}
	return false;
}

int64_t number_add(int64_t left, int64_t right)
{
	int64_t sum;

	return __builtin_add_overflow(left, right, &sum) ? (left < 0 ? INT64_MIN : INT64_MAX) : sum;
}

int64_t number_subtract(int64_t left, int64_t right)
{
	int64_t difference;

	return __builtin_sub_overflow(left, right, &difference) ? (left < 0 ? INT64_MIN : INT64_MAX) : difference;
}

int64_t number_share(int64_t part, int64_t whole)
{
	wide share;

	if (!whole)
		return 0;
	share = (wide)part * 1000000 * 2 / whole; /* twice, to round */
	share = (share + (share < 0 ? -1 : 1)) / 2;
	return share > INT64_MAX ? INT64_MAX : share < INT64_MIN ? INT64_MIN : (int64_t)share;
}

/* floor(part * total / whole) and, in rest_out, what was cut off, in [0, whole) */
static int64_t number_floor(int64_t part, int64_t total, wide whole, wide *rest_out)
{
	wide product = (wide)part * total;
	wide floor = product / whole;

	if (product % whole < 0)
		floor--;
	*rest_out = product - floor * whole;
	return floor > INT64_MAX ? INT64_MAX : floor < INT64_MIN ? INT64_MIN : (int64_t)floor;
}

void number_shares(const int64_t *parts, size_t count, int64_t total, int64_t *shares_out)
{
	wide whole = 0, missing = total, rest, best_rest;
	size_t i, best;

	for (i = 0; i < count; i++)
		whole += parts[i];
	if (whole <= 0) {
		memset(shares_out, 0, count * sizeof(*shares_out));
		return;
	}
	for (i = 0; i < count; i++) {
		shares_out[i] = number_floor(parts[i], total, whole, &rest);
		missing -= shares_out[i];
	}
	/* fewer are missing than there are parts; a share that got one has floor + 1 and is passed over */
	while (missing-- > 0) {
		best = count; /* nothing to give one to: damaged figures beyond all range */
		best_rest = 0;
		for (i = 0; i < count; i++) {
			if (number_floor(parts[i], total, whole, &rest) != shares_out[i] || rest <= best_rest)
				continue;
			best = i;
			best_rest = rest;
		}
		if (best == count)
			break;
		shares_out[best]++;
	}
}
