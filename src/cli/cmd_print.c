/* SPDX-License-Identifier: BSD-3-Clause */
/* `sonde print DIR...`: every event of a recording, one line each in order of time. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/select.h"
#include "views/view_print.h"

static int print_recording(struct recording *recording, const struct options *options)
{
	const struct print_options print = {.json = options->as_json, .date = options->date};
	struct events_wish wish = {.what = EVENTS_SINGLE};
	struct events *events;
	int err = select_events(options, &wish.filter);

	if (!err)
		err = events_open(recording, &wish, &events);
	if (err)
		return err;
	if (events_have_streams(events))
		err = view_print(recording, events, STDOUT_FILENO, &print, NULL);
	else
		err = log_error(SONDE_EFORMAT, "%s", events_absence(events));
	events_close(events);
	return err;
}

int cmd_print(const struct options *options, char **words)
{
	struct recording *recording;
	size_t count = 0, i;
	int err;

	while (words[count])
		count++;
	if (!count) {
		log_error(SONDE_EUSAGE, "no recording to print (see sonde print --help)");
		return SONDE_EXIT_BAD;
	}
	signal(SIGPIPE, SIG_IGN); /* a reader that has seen enough is told by the write */
	if (options->follow)
		return follow_recording(options, words, count) ? SONDE_EXIT_BAD : 0;
	err = recording_open((const char *const *)words, count, &recording);
	if (err)
		return SONDE_EXIT_BAD;
	err = print_recording(recording, options);
	for (i = 0; !err && i < recording->notes; i++)
		log_warning("%s", recording->note[i].text);
	recording_close(recording);
	return err ? SONDE_EXIT_BAD : 0;
}
