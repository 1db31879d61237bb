/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Head, section table and process record of a tally: what is needed of every process at once.
 * Called by recording_open(); whatever the file claims is held against its size here, so that
 * tally_load.c may trust tally->section.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "read/read_internal.h"

#define SECTIONS_MAX (sizeof(((struct fmt_head *)0)->section) / sizeof(struct fmt_section))

uint32_t tally_struct_bytes(enum fmt_section_kind kind)
{
	static const uint32_t bytes[FMT_SECTION_COUNT] = {
		[FMT_SECTION_PROCESS] = sizeof(struct fmt_process),
		[FMT_SECTION_BACKENDS] = sizeof(struct fmt_backend),
		[FMT_SECTION_FUNCTIONS] = sizeof(struct fmt_function),
		[FMT_SECTION_STRINGS] = 1,
		[FMT_SECTION_THREADS] = FMT_THREAD_ROWS_OFFSET,
		[FMT_SECTION_DEVICES] = sizeof(struct fmt_device),
		[FMT_SECTION_OPS] = sizeof(struct fmt_op),
		[FMT_SECTION_TRANSFERS] = sizeof(struct fmt_transfer),
		[FMT_SECTION_MEMORY] = sizeof(struct fmt_memory),
		[FMT_SECTION_BUILDS] = sizeof(struct fmt_build),
		[FMT_SECTION_QUEUES] = sizeof(struct fmt_queue),
		[FMT_SECTION_ARGS] = sizeof(struct fmt_arg),
		[FMT_SECTION_GRAPHS] = sizeof(struct fmt_graph),
		[FMT_SECTION_NODES] = sizeof(struct fmt_node),
		[FMT_SECTION_NAMED] = sizeof(struct fmt_named),
		[FMT_SECTION_FAILURES] = sizeof(struct fmt_failure),
	};

	return kind < FMT_SECTION_COUNT ? bytes[kind] : 0;
}

/* Whole items of a section that lie inside the file. */
static uint64_t section_fits(const struct fmt_section *raw, uint32_t item_bytes, uint64_t file_bytes)
{
	uint64_t room;

	if (raw->offset >= file_bytes)
		return 0;
	room = file_bytes - raw->offset;
	return room < item_bytes ? 0 : (room - item_bytes) / raw->stride + 1;
}

static void section_take(struct recording *recording, struct tally *tally, const struct fmt_section *raw)
{
	uint32_t item_bytes = tally_struct_bytes(raw->kind);
	struct tally_section *section;
	uint64_t fits;

	if (!item_bytes)
		return; /* a kind of a newer minor version */
	section = &tally->section[raw->kind];
	if (section->present)
		return;
	if (raw->stride < item_bytes) {
		recording_note(recording, "damaged", "%s: section %u has items of %u bytes, at least %u are needed",
			       tally->path, raw->kind, raw->stride, item_bytes);
		return;
	}
	fits = section_fits(raw, item_bytes, tally->file_bytes);
	section->present = true;
	section->offset = raw->offset;
	section->stride = raw->stride;
	section->used = raw->used < raw->capacity ? raw->used : raw->capacity;
	if (raw->used > raw->capacity)
		recording_note(recording, "damaged", "%s: section %u claims %" PRIu64 " items in room for %" PRIu64,
			       tally->path, raw->kind, raw->used, raw->capacity);
	if (section->used > fits) {
		recording_note(recording, "truncated", "%s: cut off: %" PRIu64 " of %" PRIu64
			       " items of section %u are there", tally->path, fits, section->used, raw->kind);
		section->used = fits;
	}
}

int tally_check_head(struct recording *recording, struct tally *tally, int fd, const char **why_out)
{
	struct fmt_head head;
	int64_t got = file_read_at(fd, 0, &head, sizeof(head));
	const char *why = NULL;
	uint32_t i;

	if (got < 0)
		why = arena_printf(&recording->arena, "%s: %s", tally->path, strerror(errno));
	else if (got < (int64_t)offsetof(struct fmt_head, section))
		why = arena_printf(&recording->arena, "%s: only %" PRId64 " bytes, no recording of a process",
				   tally->path, got);
	else if (memcmp(head.magic, FMT_TALLY_MAGIC, sizeof(head.magic)))
		why = arena_printf(&recording->arena, "%s: no recording of a process (wrong magic)", tally->path);
	else if (head.byte_order != FMT_BYTE_ORDER)
		why = arena_printf(&recording->arena, "%s: recorded on a machine of another byte order", tally->path);
	else if (head.major != FMT_MAJOR)
		why = recording_version(recording, tally->path, head.major, head.minor);
	if (why) {
		*why_out = why;
		return got < 0 ? SONDE_EIO : SONDE_EFORMAT;
	}
	for (i = 0; i < head.section_count && i < SECTIONS_MAX; i++)
		section_take(recording, tally, &head.section[i]);
	return 0;
}

const char *tally_read_name(const struct tally *tally, int fd, struct arena *arena, uint64_t offset)
{
	const struct tally_section *strings = &tally->section[FMT_SECTION_STRINGS];
	char text[READ_NAME_MAX];
	uint64_t room;

	if (!offset || offset >= strings->used)
		return "";
	room = strings->used - offset;
	if (room > sizeof(text))
		room = sizeof(text);
	if (file_read_at(fd, strings->offset + offset, text, room) <= 0)
		return "";
	return arena_strndup(arena, text, strnlen(text, room));
}

/* What the name of its directory tells where the process record is empty: <host>.<pid>.<start>[.N] */
static const char *directory_host(struct recording *recording, struct tally *tally)
{
	char *path = arena_strdup(&recording->arena, tally->path), *end = strrchr(path, '/'), *dot;
	uint64_t number[3] = {0, 0, 0};
	int numbers = 0;

	if (!end)
		return "";
	*end = '\0';
	end = strrchr(path, '/');
	end = end ? end + 1 : path;
	/* numbers from the right: start and pid, or N, start and pid */
	while (numbers < 3 && (dot = strrchr(end, '.')) && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")]) {
		number[numbers++] = strtoull(dot + 1, NULL, 10);
		*dot = '\0';
	}
	if (numbers >= 2 && !tally->raw.pid) {
		tally->raw.pid = (uint32_t)number[numbers - 1];
		tally->raw.start_time = number[numbers - 2];
	}
	return end;
}

static void process_section_read(struct recording *recording, struct tally *tally, int fd)
{
	const struct tally_section *section = &tally->section[FMT_SECTION_PROCESS];
	const char *host = "";

	if (section->used)
		file_read_at(fd, section->offset, &tally->raw, sizeof(tally->raw));
	else
		tally->raw.rank = tally->raw.size = -1;
	tally->exe = tally_read_name(tally, fd, &recording->arena, tally->raw.exe);
	tally->command = tally_read_name(tally, fd, &recording->arena, tally->raw.command);
	tally->cwd = tally_read_name(tally, fd, &recording->arena, tally->raw.cwd);
	host = tally_read_name(tally, fd, &recording->arena, tally->raw.host);
	if (!*host || !tally->raw.pid) {
		const char *from_directory = directory_host(recording, tally);

		if (!*host)
			host = from_directory;
	}
	if (tally->raw.clock > FMT_CLOCK_MONOTONIC) {
		recording_note(recording, "damaged", "%s: unknown clock %u", tally->path, tally->raw.clock);
		tally->raw.clock = FMT_CLOCK_COUNTER;
	}
	tally->host = recording_host(recording, host);
}

int tally_open(struct recording *recording, const char *path)
{
	struct tally tally = {.path = path, .launch = READ_NONE, .rank = -1};
	int fd = file_open(path, &tally.file_bytes);
	const char *why;
	int err;

	if (fd < 0) {
		recording_note(recording, "unreadable", "%s: %s", path, strerror(errno));
		return SONDE_EIO;
	}
	err = tally_check_head(recording, &tally, fd, &why);
	if (err && !tally.file_bytes) {
		recording_note(recording, "no_record",
			       "%s is empty: a process found no room for a record (disk full, a limit), or was killed "
			       "before it had one", path);
	} else if (err) {
		recording_note(recording, "unreadable", "%s", why);
	} else {
		process_section_read(recording, &tally, fd);
		recording->tally = arena_grow(&recording->arena, recording->tally, recording->tallies,
					      &recording->tally_capacity, sizeof(tally));
		recording->tally[recording->tallies++] = tally;
	}
	close(fd);
	return err;
}
