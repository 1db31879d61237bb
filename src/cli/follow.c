/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of a recording that still grows. It is read again and again, each time from its beginning: processes, threads,
 * functions and clocks are found as any reader finds them, and no state of one look has to fit the next.
 * What each look adds is exact all the same. An event is shown once it is older than `hold`: whatever
 * is written after the look began has happened after it, but for the moment between an event and its place in the file,
 * so nothing earlier is to come, and a thread that does nothing holds nobody back. Which events of a
 * stream have been shown is a number, because streams only ever grow. Operations are sorted by begin and may be
 * reported long after it: those that are new and too late are shown at once, out of order.
 *
 * Looks become rarer as they take longer, so that at most a fifth of a processor goes into them.
 */
#include "cli/follow.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/select.h"
#include "views/view_print.h"

#define HOLD_DEFAULT_NS 1000000000
#define LOOK_NS 200000000u /* between two looks, at least */
#define LOOK_SHARE 4u      /* as many times as long as the look took */

/* What has been shown of a process. */
struct shown {
	char *path;            /* of its tally */
	uint64_t *event;       /* by stream: ordinals below it */
	uint32_t streams;
	uint64_t operations;   /* known when the last look ended */
	uint64_t raw;          /* those of them that begin before it */
};

struct follow {
	struct print_options print;
	struct events_wish wish;
	struct shown *shown;
	uint32_t shown_count;
	uint32_t *by_process;  /* of this look: index in shown */
	uint64_t *raw;         /* likewise: where this look ends */
	int64_t until;
	int64_t hold;
	uint64_t late;         /* operations shown out of order */
	bool ended, failed;
};

static volatile sig_atomic_t stopped;

static void stop_following(int number)
{
	stopped = number;
}

/* ---- what has been shown ---- */

static uint32_t shown_find(struct follow *follow, const char *path)
{
	struct shown *larger;
	uint32_t i;

	for (i = 0; i < follow->shown_count; i++)
		if (!strcmp(follow->shown[i].path, path))
			return i;
	larger = realloc(follow->shown, (i + 1) * sizeof(*larger));
	if (!larger)
		return READ_NONE;
	follow->shown = larger;
	larger[i] = (struct shown){.path = strdup(path)};
	if (!larger[i].path)
		return READ_NONE;
	follow->shown_count++;
	return i;
}

static uint64_t *shown_stream(struct shown *shown, uint32_t stream)
{
	uint64_t *larger;

	if (stream < shown->streams)
		return &shown->event[stream];
	larger = realloc(shown->event, ((size_t)stream + 1) * sizeof(*larger));
	if (!larger)
		return NULL;
	memset(larger + shown->streams, 0, (stream + 1 - shown->streams) * sizeof(*larger));
	shown->event = larger;
	shown->streams = stream + 1;
	return &larger[stream];
}

/* Operations come sorted by begin: known ones up to where the last look ended have been shown. */
static enum print_turn turn_of_operation(struct follow *follow, const struct events *events, const struct event *event)
{
	const struct shown *shown = &follow->shown[follow->by_process[event->process]];
	uint64_t raw = events_raw(events, event->process, event->time);

	if (raw >= follow->raw[event->process])
		return PRINT_SKIP;
	if (raw >= shown->raw)
		return PRINT_IT;
	if (event->ordinal < shown->operations)
		return PRINT_SKIP;
	follow->late++;
	return PRINT_IT;
}

static enum print_turn turn(void *data, const struct events *events, const struct event *event)
{
	struct follow *follow = data;
	uint64_t *next;

	if (stopped || event->time >= follow->until)
		return PRINT_STOP;
	if (event->lane == READ_NONE)
		return turn_of_operation(follow, events, event);
	next = shown_stream(&follow->shown[follow->by_process[event->process]],
			    events_lane(events, event->lane)->stream);
	if (!next) {
		follow->failed = true;
		return PRINT_STOP;
	}
	if (event->ordinal < *next)
		return PRINT_SKIP;
	*next = event->ordinal + 1;
	return PRINT_IT;
}

/* ---- one look ---- */

/* Where it ends: in the time of the events, and in that of each process's host. */
static int look_limits(struct follow *follow, struct recording *recording, const struct events *events, uint64_t now)
{
	uint32_t i;

	follow->by_process = calloc(recording->tallies + 1, sizeof(*follow->by_process));
	follow->raw = calloc(recording->tallies + 1, sizeof(*follow->raw));
	follow->until = follow->ended ? INT64_MAX : INT64_MIN;
	for (i = 0; follow->by_process && follow->raw && i < recording->tallies; i++) {
		const struct tally *tally = &recording->tally[i];

		follow->by_process[i] = shown_find(follow, tally->path);
		if (follow->by_process[i] == READ_NONE)
			return log_error(SONDE_EIO, "out of memory");
		if (!follow->ended && recording->host[tally->host].local)
			follow->until = events_time(events, i, now - (uint64_t)follow->hold);
	}
	if (!follow->by_process || !follow->raw)
		return log_error(SONDE_EIO, "out of memory");
	for (i = 0; i < recording->tallies; i++) {
		const struct shown *shown = &follow->shown[follow->by_process[i]];
		uint64_t raw = follow->ended ? UINT64_MAX : events_raw(events, i, follow->until);

		follow->raw[i] = raw > shown->raw ? raw : shown->raw;
	}
	return 0;
}

/* The end of this look is where the next one begins. */
static void look_done(struct follow *follow, const struct recording *recording, const struct events *events)
{
	uint32_t i;

	for (i = 0; i < recording->tallies; i++) {
		struct shown *shown = &follow->shown[follow->by_process[i]];

		shown->operations = events_process(events, i)->operations;
		shown->raw = follow->raw[i];
	}
}

static bool has_ended(const struct recording *recording)
{
	size_t i;

	for (i = 0; i < recording->launches; i++)
		if (recording->launch[i].alive)
			return false;
	for (i = 0; i < recording->tallies; i++)
		if (recording->tally[i].alive)
			return false;
	return true;
}

/* Nothing will ever come of it: its processes write no streams. */
static bool is_without_streams(const struct follow *follow, const struct recording *recording,
			       const struct events *events)
{
	size_t i;

	for (i = 0; i < recording->tallies; i++)
		if (recording->tally[i].raw.streams)
			return false;
	return !events_have_streams(events) && (follow->ended || recording->tallies);
}

static int look_again(struct follow *follow, struct recording *recording, struct print_parts *parts, uint64_t now)
{
	struct events *events;
	int err;

	follow->ended = has_ended(recording);
	follow->wish.live = !follow->ended;
	err = events_open(recording, &follow->wish, &events);
	if (err)
		return err;
	if (is_without_streams(follow, recording, events))
		err = log_error(SONDE_EFORMAT, "%s", events_absence(events));
	if (!err)
		err = look_limits(follow, recording, events, now);
	if (!err && follow->until > INT64_MIN) {
		err = view_print(recording, events, STDOUT_FILENO, &follow->print, parts);
		if (!err && follow->failed)
			err = log_error(SONDE_EIO, "out of memory");
		look_done(follow, recording, events);
	}
	free(follow->by_process);
	free(follow->raw);
	follow->by_process = NULL;
	follow->raw = NULL;
	events_close(events);
	return err;
}

static int look(struct follow *follow, char **words, size_t count, struct print_parts *parts)
{
	uint64_t now = read_clock_now(); /* before anything is read */
	struct recording *recording;
	struct number late, hold;
	size_t i;
	int err = recording_open((const char *const *)words, count, &recording);

	if (err)
		return err;
	err = look_again(follow, recording, parts, now);
	for (i = 0; !err && follow->ended && i < recording->notes; i++)
		log_warning("%s", recording->note[i].text);
	if (!err && follow->ended && follow->late)
		log_warning("%s device operations were reported later than %s after they began, and came out of order",
			    number_count(&late, follow->late), number_time(&hold, follow->hold));
	recording_close(recording);
	return err;
}

/* False: nobody reads any more. */
static bool pause_for(uint64_t ns)
{
	struct pollfd reader = {.fd = STDOUT_FILENO};
	struct timespec time = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

	return ppoll(&reader, 1, &time, NULL) <= 0 || !(reader.revents & (POLLERR | POLLNVAL));
}

/* Nothing of it is there yet: no such directory, or at most the plan that is left in it before the program starts. */
static bool is_yet_to_come(const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	bool found = false;

	if (!directory)
		return errno == ENOENT;
	while (!found && (entry = readdir(directory)))
		found = entry->d_name[0] != '.' && strcmp(entry->d_name, FMT_PLAN_FILE) != 0;
	closedir(directory);
	return !found;
}

/* As `tail -F` does: who watches may come before who is watched. False: nobody reads any more. */
static bool wait_for_files(char **words, size_t count)
{
	bool told = false;
	size_t i = 0;

	while (i < count && !stopped) {
		if (!is_yet_to_come(words[i])) {
			told = false;
			i++;
			continue;
		}
		if (!told)
			log_warning("%s: no recording yet, waiting for it", words[i]);
		told = true;
		if (!pause_for(LOOK_NS))
			return false;
	}
	return true;
}

/* ---- the whole ---- */

static int follow_start(struct follow *follow, const struct options *options)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = stop_following}, before;
	int err = select_events(options, &follow->wish.filter);

	if (!err && *options->follow && (!number_parse_time(options->follow, &follow->hold) || follow->hold < 0))
		err = log_error(SONDE_EUSAGE, "--follow takes a time like 1.5, 20ms or 3us, not '%s'", options->follow);
	for (size_t i = 0; !err && i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	return err;
}

static void follow_free(struct follow *follow)
{
	for (uint32_t i = 0; i < follow->shown_count; i++) {
		free(follow->shown[i].path);
		free(follow->shown[i].event);
	}
	free(follow->shown);
}

int follow_recording(const struct options *options, char **words, size_t count)
{
	struct follow follow = {.print = {.json = options->as_json, .date = options->date},
				.wish = {.what = EVENTS_SINGLE}, .hold = HOLD_DEFAULT_NS};
	struct print_parts parts = {.turn = turn, .data = &follow, .now = {.second = INT64_MIN}};
	int err = follow_start(&follow, options);
	uint64_t began, took;
	bool gone = !err && !wait_for_files(words, count);

	while (!err && !gone && !stopped) {
		began = read_clock_now();
		err = look(&follow, words, count, &parts);
		if (err || follow.ended || parts.gone || stopped)
			break;
		took = LOOK_SHARE * (read_clock_now() - began);
		if (!pause_for(took > LOOK_NS ? took : LOOK_NS))
			break;
	}
	follow_free(&follow);
	if (stopped) { /* whole lines are out: end as anybody would by that signal */
		signal(stopped, SIG_DFL);
		raise(stopped);
	}
	return err;
}
