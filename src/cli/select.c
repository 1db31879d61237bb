/* SPDX-License-Identifier: BSD-3-Clause */
/* See select.h. */
#include "cli/select.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/attach.h"

const char *select_backends(void)
{
	static char names[512];

	if (!*names)
		for (const struct attach_backend *backend = attach_backends; backend->name; backend++)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", *names ? ", " : "",
				 backend->name);
	return names;
}

static int parse_time(const char *text, const char *option, int64_t *ns_out)
{
	if (number_parse_time(text, ns_out) && *ns_out >= 0)
		return 0;
	return log_error(SONDE_EUSAGE, "--%s takes a time like 1.5, 20ms or 3us, not '%s'", option, text);
}

int select_events(const struct options *options, struct events_filter *filter_out)
{
	struct events_filter filter = {
		.ranks = options->ranks,
		.threads = options->threads,
		.backends = options->backends,
		.known_backends = select_backends(),
		.include = options->include,
		.exclude = options->exclude,
		.has_from = options->from,
		.has_to = options->to,
	};
	int err = 0;

	if (options->from)
		err = parse_time(options->from, "from", &filter.from);
	if (!err && options->to)
		err = parse_time(options->to, "to", &filter.to);
	if (!err && options->min_duration)
		err = parse_time(options->min_duration, "min-duration", &filter.min_duration);
	if (!err)
		*filter_out = filter;
	return err;
}
