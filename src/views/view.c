/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of outputs that are written to a path, and what a terminal takes. */
#include "views/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "views/view_internal.h"

#define WIDTH_LEAST 40

const struct view *const views[] = {&view_json_ops, &view_csv_ops, NULL};

#define CATEGORY_NAME(name) #name,
const char *const view_category[] = {SONDE_CATEGORIES(CATEGORY_NAME)};
#define KIND_NAME(name, category) #name,
const char *const view_kind[] = {SONDE_KINDS(KIND_NAME)};
const char *const view_overlap[] = {
	[SUMMARY_OVERLAP_KERNELS] = "kernels", [SUMMARY_OVERLAP_COPIES] = "copies", [SUMMARY_OVERLAP_COMM] = "comm",
	[SUMMARY_OVERLAP_KERNELS_COPIES] = "kernels+copies", [SUMMARY_OVERLAP_KERNELS_COMM] = "kernels+comm",
	[SUMMARY_OVERLAP_COPIES_COMM] = "copies+comm", [SUMMARY_OVERLAP_ALL] = "kernels+copies+comm",
	[SUMMARY_OVERLAP_HOST] = "host", [SUMMARY_OVERLAP_IDLE] = "idle",
};
#define TEXT_OF(id, text) text,
const char *const view_direction[] = {SONDE_DIRECTIONS(TEXT_OF)};
const char *const view_memory[] = {SONDE_MEMORY_KINDS(TEXT_OF)};
const char *const view_source[] = {SONDE_BUILD_SOURCES(TEXT_OF)};

void view_options_for(struct view_options *options, FILE *file)
{
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
	struct winsize size;
	int fd = fileno(file);

	options->colour = false;
	options->width = 0;
	if (fd < 0 || !isatty(fd))
		return;
	options->colour = !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb") != 0;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col >= WIDTH_LEAST)
		options->width = size.ws_col;
}

const char *view_thread_name(struct arena *arena, const struct tally_body *names, const struct tally *tally,
			     uint32_t tid, uint32_t stream)
{
	const char *name = tally_thread_name(names, tid);

	if (name)
		return name;
	return tid == tally->raw.pid ? "main" : arena_printf(arena, "thread %u", stream);
}

FILE *view_open(const char *path)
{
	FILE *file = !strcmp(path, "-") ? stdout : fopen(path, "we");

	if (!file)
		log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
	return file;
}

int view_close(FILE *file, const char *path)
{
	int failed;

	errno = 0;
	failed = fflush(file) | ferror(file);
	if (file != stdout)
		failed |= fclose(file);
	return failed ? log_error(SONDE_EIO, "%s: %s", path, errno ? strerror(errno) : "not all could be written") : 0;
}
