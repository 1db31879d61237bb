/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events are wanted; see events.h. */
#include <fnmatch.h>
#include <string.h>

#include "base/log.h"
#include "base/number.h"
#include "read/events_internal.h"

static int check_list(const char *list, const char *what)
{
	return !list || number_is_list(list) ? 0 : log_error(SONDE_EUSAGE, "%s are a list like 0,2,8-15, not '%s'",
							     what, list);
}

/* The parts of a list between commas. */
static const char **split(struct arena *arena, const char *list, uint32_t *count_out)
{
	const char **parts = NULL;
	size_t count = 0, capacity = 0, length;

	while (list && *list) {
		length = strcspn(list, ",");
		if (length) {
			parts = arena_grow(arena, parts, count, &capacity, sizeof(*parts));
			parts[count++] = arena_strndup(arena, list, length);
		}
		list += length + (list[length] == ',');
	}
	*count_out = (uint32_t)count;
	return parts;
}

int filter_prepare(struct filter *filter, const struct events_filter *wish, struct arena *arena)
{
	int err = check_list(wish->ranks, "ranks");

	if (!err)
		err = check_list(wish->threads, "threads");
	filter->wish = *wish;
	filter->backends = split(arena, wish->backends, &filter->backend_count);
	filter->include = split(arena, wish->include, &filter->include_count);
	filter->exclude = split(arena, wish->exclude, &filter->exclude_count);
	return err;
}

/* Adds a name to "a, b", once. */
static const char *name_known(struct arena *arena, const char *known, const char *name)
{
	size_t length = strlen(name);
	const char *at;

	for (at = known; *at; at += strspn(at, ", ")) {
		if (!strncmp(at, name, length) && strchr(", ", at[length]))
			return known;
		at += strcspn(at, ", ");
	}
	return arena_printf(arena, "%s%s%s", known, *known ? ", " : "", name);
}

int filter_check_backends(const struct filter *filter, const struct events *events, struct arena *arena)
{
	const char *known = filter->wish.known_backends ? filter->wish.known_backends : "";
	const struct tally_body *names;
	uint32_t i, j;

	for (i = 0; i < events->recording->tallies; i++) {
		names = events_process(events, i)->names;
		for (j = 0; j < names->backends; j++)
			known = name_known(arena, known, names->backend[j].name);
	}
	for (i = 0; i < filter->backend_count; i++)
		if (name_known(arena, known, filter->backends[i]) != known)
			return log_error(SONDE_EUSAGE, "unknown backend '%s' (there are: %s)", filter->backends[i],
					 known);
	return 0;
}

bool filter_has_rank(const struct filter *filter, int32_t rank)
{
	return !filter->wish.ranks || number_in_list(filter->wish.ranks, rank);
}

bool filter_has_thread(const struct filter *filter, uint32_t tid)
{
	return !filter->wish.threads || number_in_list(filter->wish.threads, tid);
}

bool filter_has_backend(const struct filter *filter, const char *backend)
{
	uint32_t i;

	for (i = 0; i < filter->backend_count; i++)
		if (!strcmp(filter->backends[i], backend))
			return true;
	return !filter->backend_count;
}

static bool matches(const char *const *globs, uint32_t count, const char *backend, const char *name)
{
	size_t length = strlen(backend);
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (!fnmatch(globs[i], name, 0))
			return true;
		if (!strncmp(globs[i], backend, length) && globs[i][length] == ':' &&
		    !fnmatch(globs[i] + length + 1, name, 0))
			return true;
	}
	return false;
}

bool filter_has_name(const struct filter *filter, const char *backend, const char *name)
{
	if (!filter_has_backend(filter, backend))
		return false;
	if (filter->include_count && !matches(filter->include, filter->include_count, backend, name))
		return false;
	return !filter->exclude_count || !matches(filter->exclude, filter->exclude_count, backend, name);
}

bool filter_has_time(const struct filter *filter, const struct event *event)
{
	const struct events_filter *wish = &filter->wish;
	bool spans = event->type == EVENT_CALL || event->type == EVENT_OPERATION || event->type == EVENT_GAP;
	int64_t begin = spans ? event->begin : event->time, end = spans ? event->end : event->time;

	if ((wish->has_to && begin >= wish->to) || (wish->has_from && end < wish->from))
		return false;
	if (wish->min_duration <= 0)
		return true;
	switch (event->type) {
	case EVENT_ENTRY:
	case EVENT_LINK:
	case EVENT_BYTES:
	case EVENT_MARK:
	case EVENT_START:
	case EVENT_END:
		return false;
	case EVENT_EXIT:
		return event->has_begin && event->time - event->begin >= wish->min_duration;
	case EVENT_CALL:
	case EVENT_OPERATION:
		return event->end - event->begin >= wish->min_duration;
	default:
		return true;
	}
}
