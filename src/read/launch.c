/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of launchers: RUN/launch.<host>.<pid>.<start>. Untrusted input like everything here. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "read/read_internal.h"

#define COMMAND_BYTES_MAX (4u << 20) /* Linux lets arguments and environment take 2 MiB by default */

static const char *launch_check(struct recording *recording, const struct read_launch *launch, int64_t got)
{
	const struct fmt_launch *raw = &launch->raw;

	if (got < 0)
		return arena_printf(&recording->arena, "%s: %s", launch->path, strerror(errno));
	if (got < (int64_t)sizeof(*raw))
		return arena_printf(&recording->arena, "%s: cut off", launch->path);
	if (memcmp(raw->magic, FMT_LAUNCH_MAGIC, sizeof(raw->magic)))
		return arena_printf(&recording->arena, "%s: no record of a launcher (wrong magic)", launch->path);
	if (raw->byte_order != FMT_BYTE_ORDER)
		return arena_printf(&recording->arena, "%s: recorded on a machine of another byte order", launch->path);
	if (raw->major != FMT_MAJOR)
		return recording_version(recording, launch->path, raw->major, raw->minor);
	if (raw->launch_bytes < sizeof(*raw))
		return arena_printf(&recording->arena, "%s: its head is too small", launch->path);
	return NULL;
}

static void launch_read_command(struct recording *recording, struct read_launch *launch, int fd, uint64_t file_bytes)
{
	uint64_t room = file_bytes > launch->raw.launch_bytes ? file_bytes - launch->raw.launch_bytes : 0;
	size_t bytes = launch->raw.command_bytes, at, length;
	char *text;
	size_t capacity = 8;

	if (bytes > COMMAND_BYTES_MAX)
		bytes = COMMAND_BYTES_MAX;
	if (bytes > room)
		bytes = (size_t)room;
	text = arena_zalloc(&recording->arena, bytes + 1);
	launch->argv = arena_array(&recording->arena, capacity, sizeof(*launch->argv));
	if (file_read_at(fd, launch->raw.launch_bytes, text, bytes) < 0)
		bytes = 0;
	for (at = 0; at < bytes; at += length + 1) {
		length = strnlen(text + at, bytes - at);
		launch->argv = arena_grow(&recording->arena, launch->argv, launch->argc + 1, &capacity,
					  sizeof(*launch->argv));
		launch->argv[launch->argc++] = text + at;
	}
	launch->argv[launch->argc] = NULL;
}

int launch_open(struct recording *recording, const char *path)
{
	struct read_launch launch = {.path = path};
	char host[sizeof(launch.raw.host) + 1] = "";
	uint64_t file_bytes;
	int fd = file_open(path, &file_bytes);
	const char *why;
	int64_t got;

	if (fd < 0) {
		recording_note(recording, "unreadable", "%s: %s", path, strerror(errno));
		return SONDE_EIO;
	}
	got = file_read_at(fd, 0, &launch.raw, sizeof(launch.raw));
	why = launch_check(recording, &launch, got);
	if (why) {
		recording_note(recording, "unreadable", "%s", why);
		close(fd);
		return SONDE_EFORMAT;
	}
	launch_read_command(recording, &launch, fd, file_bytes);
	close(fd);
	memcpy(host, launch.raw.host, sizeof(launch.raw.host));
	launch.host = recording_host(recording, arena_strdup(&recording->arena, host));
	if (launch.raw.clock > FMT_CLOCK_MONOTONIC)
		launch.raw.clock = FMT_CLOCK_COUNTER;
	recording->launch = arena_grow(&recording->arena, recording->launch, recording->launches,
				       &recording->launch_capacity, sizeof(launch));
	recording->launch[recording->launches++] = launch;
	return 0;
}
