/* SPDX-License-Identifier: BSD-3-Clause */
/* `sonde report DIR...`: the summary of kept recordings again. */
#include <stddef.h>
#include <string.h>

#include "analyze/summary.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/show.h"
#include "cli/target.h"

static int parse_by(const char *text, enum summary_by *by_out)
{
	static const char *const names[] = {
		[SUMMARY_BY_RANK] = "rank", [SUMMARY_BY_PROCESS] = "process", [SUMMARY_BY_THREAD] = "thread",
		[SUMMARY_BY_DEVICE] = "device",
	};

	for (size_t i = SUMMARY_BY_RANK; text && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i])) {
			*by_out = (enum summary_by)i;
			return 0;
		}
	return text ? log_error(SONDE_EUSAGE, "--by takes rank, process, thread or device, not '%s'", text) : 0;
}

int cmd_report(const struct options *options, char **words)
{
	struct summary_options wish = { .tool = "sonde " SONDE_VERSION, .from_streams = options->streams };
	struct options own = *options;
	struct summary *summary;
	size_t count = 0;
	int err;

	while (words[count])
		count++;
	if (!count) {
		log_error(SONDE_EUSAGE, "no recording to report (see sonde report --help)");
		return SONDE_EXIT_BAD;
	}
	if (options->json && !strcmp(options->json, "-"))
		own.quiet = true; /* standard output is for one reader */
	err = parse_by(options->by, &wish.by);
	if (!err)
		err = show_check(&own);
	if (err)
		return SONDE_EXIT_BAD;
	err = summary_of_directories((const char *const *)words, count, &wish, &summary);
	if (err)
		return SONDE_EXIT_BAD;
	if (summary->run.untraceable && summary->run.untraceable < TARGET_REASON_COUNT)
		summary_add_note(summary, "untraceable", "%s %s.", summary->run.untraceable_program,
				 target_reason_text((enum target_reason)summary->run.untraceable));
	err = show_summary(summary, &own, stdout);
	summary_destroy(summary);
	return err ? SONDE_EXIT_BAD : 0;
}
