/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names in the strings of a tally. The section is kept whole where it is small; of a large one the names that are
 * asked for are read and kept.
 */
#include <string.h>
#include <unistd.h>

#include "read/read_internal.h"

#define WHOLE_MAX (16u << 20)

void strings_load(struct tally_body *body, const struct tally *tally, int fd)
{
	const struct tally_section *section = &tally->section[FMT_SECTION_STRINGS];
	struct tally_strings *strings = &body->strings;

	strings->kept.arena = &body->arena;
	if (!section->used || section->used > WHOLE_MAX)
		return;
	strings->bytes = arena_zalloc(&body->arena, section->used + 1);
	strings->length = section->used;
	if (file_read_at(fd, section->offset, strings->bytes, section->used) < 0)
		strings->length = 0;
}

/* A copy of the name, from the file where the section is not in memory. */
static const char *strings_keep(struct tally_body *body, const struct tally *tally, uint64_t offset)
{
	struct tally_strings *strings = &body->strings;
	void **known = map_value(&strings->kept, &offset, sizeof(offset));
	uint64_t bytes;
	int fd;

	if (*known)
		return *known;
	if (strings->bytes) {
		*known = arena_strndup(&body->arena, strings->bytes + offset, READ_NAME_MAX);
		return *known;
	}
	fd = file_open(tally->path, &bytes);
	if (fd < 0)
		return "";
	*known = (void *)(uintptr_t)tally_read_name(tally, fd, &body->arena, offset);
	close(fd);
	return *known;
}

const char *strings_name(struct tally_body *body, const struct tally *tally, uint64_t offset)
{
	const struct tally_strings *strings = &body->strings;

	if (!offset || offset >= (strings->bytes ? strings->length : tally->section[FMT_SECTION_STRINGS].used))
		return "";
	if (strings->bytes && strnlen(strings->bytes + offset, READ_NAME_MAX + 1) <= READ_NAME_MAX)
		return strings->bytes + offset;
	return strings_keep(body, tally, offset);
}

const char *strings_text(struct tally_body *body, const struct tally *tally, uint64_t offset)
{
	const struct tally_strings *strings = &body->strings;

	if (strings->bytes && offset && offset < strings->length)
		return strings->bytes + offset;
	return strings_name(body, tally, offset);
}
