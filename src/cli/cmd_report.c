/* SPDX-License-Identifier: BSD-3-Clause */
/* `sonde report DIR...`: the summary of kept recordings again. */
#include <stddef.h>

#include "analyze/summary.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/show.h"

int cmd_report(const struct options *options, char **words)
{
	struct summary_options wish = { .tool = "sonde " SONDE_VERSION };
	struct summary *summary;
	size_t count = 0;
	int err;

	while (words[count])
		count++;
	if (!count) {
		log_error(SONDE_EUSAGE, "no recording to report (see sonde report --help)");
		return SONDE_EXIT_BAD;
	}
	err = show_check(options);
	if (err)
		return SONDE_EXIT_BAD;
	err = summary_of_directories((const char *const *)words, count, &wish, &summary);
	if (err)
		return SONDE_EXIT_BAD;
	err = show_summary(summary, options, stdout);
	summary_destroy(summary);
	return err ? SONDE_EXIT_BAD : 0;
}
