/* SPDX-License-Identifier: BSD-3-Clause */
/* See plan.h. */
#include "cli/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "base/log.h"
#include "cli/clock.h"
#include "cli/size.h"
#include "format/stream.h"

#define BASELINE_NS 10000000 /* two readings 10 ms apart give the clock's rate to a few millionths */
#define TMPFS_MAGIC_NUMBER 0x01021994

static const char *const loss_words[] = {
	[FMT_LOSS_DROP] = "drop", [FMT_LOSS_BLOCK] = "block", [FMT_LOSS_STOP] = "stop",
};

static int parse_loss(const char *text, uint32_t *loss_out)
{
	*loss_out = FMT_LOSS_DROP;
	for (uint32_t i = 0; text && i < sizeof(loss_words) / sizeof(loss_words[0]); i++)
		if (!strcmp(text, loss_words[i])) {
			*loss_out = i;
			return 0;
		}
	return text ? log_error(SONDE_EUSAGE, "--on-loss takes drop, block or stop, not '%s'", text) : 0;
}

int plan_check(const struct options *options)
{
	uint64_t bytes;
	uint32_t loss;
	int err = parse_loss(options->on_loss, &loss);

	if (!err && options->max_size)
		err = size_parse("max-size", options->max_size, &bytes);
	return err;
}

bool plan_wants_streams(const struct options *options)
{
	return options->timeline || options->trace;
}

/* Memory that a container's processes may use together; files of a tmpfs count, too. */
static uint64_t container_memory(void)
{
	FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
	unsigned long long bytes;
	bool found = file && fscanf(file, "%llu", &bytes) == 1; /* "max": no limit */

	if (file)
		fclose(file);
	return found ? bytes : UINT64_MAX;
}

/* What a job may use where nobody said: of memory an eighth, of a disk a quarter of what is free. */
static uint64_t default_limit(const char *directory)
{
	struct statvfs space;
	struct statfs kind;
	uint64_t memory, limit;

	if (statvfs(directory, &space) != 0 || statfs(directory, &kind) != 0)
		return UINT64_MAX;
	limit = (uint64_t)space.f_bavail * space.f_frsize / 4;
	memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	if (container_memory() < memory)
		memory = container_memory();
	return kind.f_type == TMPFS_MAGIC_NUMBER && memory / 8 < limit ? memory / 8 : limit;
}

static void measure_clock(struct fmt_plan *plan)
{
	enum fmt_clock clock = clock_choose();
	struct timespec step = { 0, BASELINE_NS };
	struct fmt_triple first = clock_triple(clock);

	nanosleep(&step, NULL);
	plan->clock = clock_triple(clock);
	plan->clock_rate = clock == FMT_CLOCK_MONOTONIC ? 1000000000u :
			   (uint64_t)((double)(plan->clock.ticks - first.ticks) * 1e9 /
				      (double)(plan->clock.raw_ns - first.raw_ns));
}

static int plan_path(const char *directory, char path_out[PATH_MAX])
{
	if (snprintf(path_out, PATH_MAX, "%s/" FMT_PLAN_FILE, directory) >= PATH_MAX)
		return log_error(SONDE_EIO, "%s: path is too long", directory);
	return 0;
}

int plan_create(const char *directory, const struct options *options)
{
	struct fmt_plan plan = { .magic = FMT_PLAN_MAGIC, .limit = default_limit(directory) };
	char path[PATH_MAX];
	int fd, err = plan_path(directory, path);

	if (!err)
		err = parse_loss(options->on_loss, &plan.on_loss);
	if (!err && options->max_size)
		err = size_parse("max-size", options->max_size, &plan.limit);
	if (err)
		return err;
	plan.streams = options->trace ? FMT_STREAMS_TRACE : FMT_STREAMS_TIMELINE;
	measure_clock(&plan);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
	if (write(fd, &plan, sizeof(plan)) != sizeof(plan))
		err = log_error(SONDE_EIO, "%s: %s", path, strerror(errno));
	close(fd);
	return err;
}

void plan_remove(const char *directory)
{
	char path[PATH_MAX];

	if (plan_path(directory, path) == 0)
		unlink(path);
}
