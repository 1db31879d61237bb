/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names, interned once per record. A name is on file before anything refers to it. Equal bytes get equal
 * offsets through a hash kept in this process only; a collision of the 64-bit hash costs a second copy.
 */
#include <string.h>

#include "record/rec_state.h"

#define NAME_MAX_BYTES 4096

struct known {
	uint64_t offset;
};
static struct rec_map names = REC_MAP(struct known);
static uint32_t lock;

static uint64_t hash(const char *bytes, size_t length)
{
	uint64_t value = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = 0; i < length; i++)
		value = (value ^ (unsigned char)bytes[i]) * 0x100000001b3u;
	return value ? value : 1;
}

static uint64_t append(const char *bytes, size_t length)
{
	struct rec_area *area = &rec_state.area[FMT_SECTION_STRINGS];
	uint64_t offset = area->section->used;

	if (!offset || !rec_area_reserve(FMT_SECTION_STRINGS, offset + length + 1))
		return 0;
	memcpy(area->base + offset, bytes, length);
	area->base[offset + length] = '\0';
	__atomic_store_n(&area->section->used, offset + length + 1, __ATOMIC_RELEASE);
	return offset;
}

/* What is too long keeps its beginning, and its hash tells it from others with the same. The lock is held. */
static const char *shorten(const char *bytes, uint64_t key)
{
	static char text[NAME_MAX_BYTES];
	size_t at = NAME_MAX_BYTES;

	memcpy(text, bytes, NAME_MAX_BYTES);
	for (int digit = 0; digit < 16; digit++, key >>= 4)
		text[--at] = "0123456789abcdef"[key & 15];
	text[--at] = '~';
	return text;
}

static uint64_t intern(const char *bytes, size_t length, size_t most)
{
	const char *base;
	uint64_t key;
	struct known known = {0};
	const char *nul;

	if (!bytes || !rec_state.map)
		return 0;
	nul = memchr(bytes, '\0', length);
	if (nul)
		length = (size_t)(nul - bytes);
	if (!length)
		return 0;
	key = hash(bytes, length);
	rec_lock(&lock);
	if (length > most) {
		bytes = shorten(bytes, key);
		length = NAME_MAX_BYTES;
	}
	base = rec_state.area[FMT_SECTION_STRINGS].base;
	if (!rec_map_get(&names, key, &known) || memcmp(base + known.offset, bytes, length) != 0 ||
	    base[known.offset + length] != '\0') {
		known.offset = append(bytes, length);
		if (known.offset)
			rec_map_put(&names, key, &known);
	}
	rec_unlock(&lock);
	return known.offset;
}

uint64_t rec_name(const char *bytes, size_t length)
{
	return intern(bytes, length, NAME_MAX_BYTES);
}

uint64_t rec_text(const char *bytes, size_t length)
{
	return intern(bytes, length, SIZE_MAX);
}

void rec_names_forget(void)
{
	rec_map_clear(&names);
}
