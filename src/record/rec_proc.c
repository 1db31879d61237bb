/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about this process from /proc. Slow paths only; keeps no descriptor open. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/glob.h"
#include "record/rec_state.h"

size_t rec_proc_read(const char *path, char *buffer, size_t size)
{
	size_t used = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	while (used < size) {
		ssize_t got = read(fd, buffer + used, size - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	close(fd);
	return used;
}

/* Field 22 of /proc/self/stat; the name in field 2 may hold spaces and parentheses. */
uint64_t rec_proc_start_time(void)
{
	char text[1024];
	size_t length = rec_proc_read("/proc/self/stat", text, sizeof(text) - 1);
	char *field;

	text[length] = '\0';
	field = strrchr(text, ')');
	for (int i = 2; field && i < 22; i++)
		field = strchr(field + 1, ' ');
	return field ? strtoull(field + 1, NULL, 10) : 0;
}

/* Is the number in a list like "0,2,8-15"? */
static bool list_holds(const char *list, long number)
{
	while (*list) {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (first <= number && number <= last)
			return true;
		list = end + strcspn(end, ",");
		list += *list == ',';
	}
	return false;
}

/* The value of the variable whose name stands at *at, up to a separator, where *at is left; NULL: absent or empty. */
static const char *next_variable(const char **at)
{
	char name[256];
	size_t length = strcspn(*at, "/,");
	const char *value = NULL;

	if (length && length < sizeof(name)) {
		memcpy(name, *at, length);
		name[length] = '\0';
		value = getenv(name);
	}
	*at += length + ((*at)[length] == '/');
	return value && *value ? value : NULL;
}

/* As the launcher reads it, or -1: what is no number is nobody's rank. */
static int launch_number(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	return end == text || value < 0 || value > INT_MAX || strchr(end, ',') ? -1 : (int)value;
}

/*
 * What the next launcher of *from says, which is left behind it. It is SONDE_RANK_FROM: "RANK/SIZE/NEEDS,...", names of
 * variables, of which the last two may be missing.
 */
static bool next_launcher(const char **from, int *rank_out, int *size_out)
{
	while (*from && **from) {
		const char *rank = next_variable(from), *size = next_variable(from);
		bool needs = **from && **from != ',';
		bool met = !needs || next_variable(from);

		*from += strcspn(*from, ",");
		*from += **from == ',';
		if (rank && met) {
			*rank_out = launch_number(rank);
			*size_out = size ? launch_number(size) : -1;
			return true;
		}
	}
	return false;
}

bool rec_proc_rank(int *rank_out, int *size_out)
{
	const char *from = getenv("SONDE_RANK_FROM");

	return next_launcher(&from, rank_out, size_out);
}

bool rec_proc_is_single(void)
{
	const char *from = getenv("SONDE_RANK_FROM");
	int rank, size;

	while (next_launcher(&from, &rank, &size))
		if (size == 1)
			return true;
	return false;
}

/* The user wants certain ranks only. */
static bool rank_is_left_out(void)
{
	const char *wanted = getenv("SONDE_RANKS");
	int rank, size;

	return wanted && *wanted && rec_proc_rank(&rank, &size) && !list_holds(wanted, rank);
}

bool rec_proc_excluded(void)
{
	const char *exclude = getenv("SONDE_EXCLUDE"), *include = getenv("SONDE_INCLUDE");
	static char path[REC_PATH_MAX]; /* the stack may be a small one */
	ssize_t got;

	if (rank_is_left_out())
		return true;
	if ((!exclude || !*exclude) && (!include || !*include))
		return false;
	got = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (got <= 0)
		return false;
	path[got] = '\0';
	if (exclude && *exclude && fmt_globs_hold(exclude, path))
		return true;
	return include && *include && !fmt_globs_hold(include, path);
}
