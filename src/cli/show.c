/* SPDX-License-Identifier: BSD-3-Clause */
/* See show.h. */
#include "cli/show.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/log.h"
#include "views/view.h"

/* Rights do not tell for all file systems: it is made and removed again. Other ranks may try at the same time. */
static int try_making(const char *path, bool directory)
{
	int fd = -1;

	if (directory && mkdir(path, 0777) == 0)
		return rmdir(path) != 0 && errno != ENOTEMPTY && errno != ENOENT ? -1 : 0;
	if (!directory && (fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) >= 0) {
		close(fd);
		unlink(path);
		return 0;
	}
	return errno == EEXIST ? 0 : -1;
}

static int check_writable(const char *path, bool directory)
{
	struct stat status;

	if (stat(path, &status) == 0) {
		if (!S_ISDIR(status.st_mode) != !directory)
			return log_error(SONDE_EIO, "%s: is %s directory", path, directory ? "no" : "a");
		if (faccessat(AT_FDCWD, path, directory ? W_OK | X_OK : W_OK, AT_EACCESS) != 0)
			return log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
		return 0;
	}
	if (errno != ENOENT || try_making(path, directory) != 0)
		return log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
	return 0;
}

int show_check(const struct options *options)
{
	int err = 0;

	if (options->top < 1)
		return log_error(SONDE_EUSAGE, "--top takes a number from 1 on (no table at all: --quiet)");
	if (options->json && strcmp(options->json, "-") != 0)
		err = check_writable(options->json, false);
	if (!err && options->timeline && *options->timeline && strcmp(options->timeline, "-") != 0)
		err = check_writable(options->timeline, false);
	if (!err && options->csv)
		err = check_writable(options->csv, true);
	return err;
}

void show_states(struct summary *summary, const struct attach_backend *backends)
{
	const char *simulated = "", *untested = "";

	for (size_t i = 0; i < summary->ledgers; i++) {
		struct summary_ledger *ledger = &summary->ledger[i];
		const struct attach_backend *backend = backends;
		const char **list;

		while (backend->name && strcmp(backend->name, ledger->backend) != 0)
			backend++;
		ledger->tested_on = backend->state;
		if (!backend->name || (!ledger->recorded && !ledger->device_recorded))
			continue;
		if (!strcmp(backend->state, ATTACH_SIMULATED))
			list = &simulated;
		else if (!strcmp(backend->state, ATTACH_UNTESTED))
			list = &untested;
		else
			continue;
		*list = arena_printf(&summary->arena, "%s%s%s", *list, **list ? ", " : "", ledger->backend);
	}
	if (*simulated)
		summary_add_note(summary, "simulated", "%s: tested on simulated runtimes or devices only, on no real "
				 "hardware yet", simulated);
	if (*untested)
		summary_add_note(summary, "untested", "%s: tested on nothing yet, not even on a simulated runtime",
				 untested);
}

int show_summary(struct summary *summary, const struct options *options, FILE *table)
{
	struct view_options view = {
		.top = (size_t)options->top,
		.all = options->all,
		.ledger = options->ledger,
		.max_name = (size_t)options->max_name,
	};
	int err = 0, other;

	show_states(summary, attach_backends);
	view_options_for(&view, table);
	if (!options->quiet)
		err = view_table(summary, table, &view);
	if (options->json) {
		other = view_json(summary, options->json, &view);
		err = err ? err : other;
	}
	if (options->csv) {
		other = view_csv(summary, options->csv, &view);
		err = err ? err : other;
	}
	return err;
}
