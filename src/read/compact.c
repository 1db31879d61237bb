/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rewrites finished tallies without the room that they did not use. The writer sizes a tally once
 * for the worst case and leaves holes; a kept recording should copy as what it holds. Same format:
 * only offsets, strides and capacities differ. Holes stay holes (unused histogram steps, interval lists).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "read/read_internal.h"

#define BLOCK 4096u
#define ALIGN 64u

struct compactor {
	const struct tally *tally;
	int from, to;
	uint64_t end;           /* of what the new file holds so far */
	uint64_t functions;
	struct fmt_head head;   /* of the new file */
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static int write_at(int fd, uint64_t offset, const char *bytes, size_t count)
{
	ssize_t done;

	while (count) {
		done = pwrite(fd, bytes, count, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return SONDE_EIO;
		bytes += done;
		offset += (uint64_t)done;
		count -= (size_t)done;
	}
	return 0;
}

/* Copies a range block by block, leaving out blocks of zeros; `patch` replaces its first bytes. */
static int copy_range(struct compactor *compactor, uint64_t from, uint64_t to, uint64_t bytes, const void *patch,
		      size_t patch_bytes)
{
	static const char zeros[BLOCK];
	char block[BLOCK];
	uint64_t at, data;
	size_t count;

	for (at = 0; at < bytes; at += count) {
		data = file_next_data(compactor->from, from + at);
		if (at >= patch_bytes && data >= from + at + BLOCK) { /* a hole: on to what comes behind it */
			if (data >= from + bytes)
				break;
			count = (size_t)((data - from - at) / BLOCK * BLOCK);
			continue;
		}
		count = bytes - at < BLOCK ? (size_t)(bytes - at) : BLOCK;
		if (file_read_at(compactor->from, from + at, block, count) < 0)
			return SONDE_EIO;
		if (at < patch_bytes)
			memcpy(block, (const char *)patch + at, patch_bytes - at < count ? patch_bytes - at : count);
		if (memcmp(block, zeros, count) && write_at(compactor->to, to + at, block, count))
			return SONDE_EIO;
	}
	return 0;
}

static struct fmt_section *section_add(struct compactor *compactor, uint32_t kind, uint64_t stride, uint64_t used)
{
	struct fmt_section *section = &compactor->head.section[compactor->head.section_count++];

	section->kind = kind;
	section->stride = (uint32_t)stride;
	section->used = section->capacity = used;
	section->offset = round_up(compactor->end, ALIGN);
	compactor->end = section->offset + stride * used;
	return section;
}

static int copy_threads(struct compactor *compactor)
{
	const struct tally_section *old = &compactor->tally->section[FMT_SECTION_THREADS];
	uint64_t room = (old->stride - FMT_THREAD_ROWS_OFFSET) / sizeof(struct fmt_stats), i;
	uint64_t rows = compactor->functions < room ? compactor->functions : room;
	uint64_t bytes = FMT_THREAD_ROWS_OFFSET + rows * sizeof(struct fmt_stats);
	struct fmt_section *section = section_add(compactor, FMT_SECTION_THREADS, round_up(bytes, ALIGN), old->used);
	struct fmt_thread thread;

	for (i = 0; i < old->used; i++) {
		uint64_t from = old->offset + i * old->stride, have = bytes;

		if (file_read_at(compactor->from, from, &thread, sizeof(thread)) < 0)
			return SONDE_EIO;
		if (thread.rows > rows)
			thread.rows = (uint32_t)rows;
		have = FMT_THREAD_ROWS_OFFSET + thread.rows * sizeof(struct fmt_stats);
		if (copy_range(compactor, from, section->offset + i * section->stride, have, &thread, sizeof(thread)))
			return SONDE_EIO;
	}
	return 0;
}

static int copy_sections(struct compactor *compactor)
{
	const struct tally *tally = compactor->tally;
	uint32_t kind;

	compactor->end = round_up(sizeof(struct fmt_head), ALIGN);
	for (kind = 1; kind < FMT_SECTION_COUNT; kind++) {
		const struct tally_section *old = &tally->section[kind];
		struct fmt_section *section;

		if (!old->present)
			continue;
		if (kind == FMT_SECTION_THREADS) {
			if (copy_threads(compactor))
				return SONDE_EIO;
			continue;
		}
		section = section_add(compactor, kind, old->stride, old->used);
		if (copy_range(compactor, old->offset, section->offset, old->used * old->stride, NULL, 0))
			return SONDE_EIO;
	}
	return 0;
}

static int compact_into(struct compactor *compactor)
{
	struct fmt_head old;

	if (file_read_at(compactor->from, 0, &old, sizeof(old)) < (int64_t)offsetof(struct fmt_head, section))
		return SONDE_EIO;
	compactor->head = (struct fmt_head){.major = old.major, .minor = old.minor, .byte_order = old.byte_order,
					    .head_bytes = sizeof(old)};
	memcpy(compactor->head.magic, old.magic, sizeof(old.magic));
	compactor->functions = compactor->tally->section[FMT_SECTION_FUNCTIONS].used;
	if (copy_sections(compactor) ||
	    write_at(compactor->to, 0, (const char *)&compactor->head, sizeof(compactor->head)) ||
	    ftruncate(compactor->to, (off_t)compactor->end) || fsync(compactor->to))
		return SONDE_EIO;
	return 0;
}

static int compact_tally(const struct tally *tally)
{
	struct compactor compactor = {.tally = tally};
	struct arena arena = {NULL};
	char *temporary = arena_printf(&arena, "%s.new", tally->path);
	uint64_t bytes;
	int err = SONDE_EIO;

	compactor.from = file_open(tally->path, &bytes);
	compactor.to = compactor.from < 0 ? -1 : open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (compactor.to >= 0)
		err = compact_into(&compactor);
	if (!err && rename(temporary, tally->path))
		err = SONDE_EIO;
	if (err) {
		log_error(err, "%s: not compacted: %s", tally->path, strerror(errno));
		if (compactor.to >= 0)
			unlink(temporary);
	}
	if (compactor.to >= 0)
		close(compactor.to);
	if (compactor.from >= 0)
		close(compactor.from);
	arena_free(&arena);
	return err;
}

/*
 * Ended for certain? A process that still runs writes through its mapping of the old file. Where its
 * host cannot be asked, only its own word and its launcher's count.
 */
static bool is_finished(const struct recording *recording, const struct tally *tally)
{
	if (tally->alive)
		return false;
	if (recording->host[tally->host].local)
		return tally->raw.pid != 0;
	return tally->is_program && recording->launch[tally->launch].raw.ended;
}

int recording_compact(const char *directory)
{
	struct recording *recording;
	int err = recording_open(&directory, 1, &recording), one;
	size_t i;

	if (err)
		return err;
	for (i = 0; i < recording->tallies; i++) {
		const struct tally *tally = &recording->tally[i];

		if (!is_finished(recording, tally))
			continue;
		one = compact_tally(tally);
		if (one && !err)
			err = one;
	}
	recording_close(recording);
	return err;
}
