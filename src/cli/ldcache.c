/* SPDX-License-Identifier: BSD-3-Clause */
/* See ldcache.h. The form is that of glibc since 2.2; other C libraries have no such file. */
#include "cli/ldcache.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define OLD_MAGIC "ld.so-1.7.0"
#define NEW_MAGIC "glibc-ld.so.cache1.1"

#if defined(__x86_64__)
#define OWN_FLAGS 0x0303 /* ELF, libc6, x86-64 */
#elif defined(__aarch64__)
#define OWN_FLAGS 0x0a03
#else
#define OWN_FLAGS 0x0003
#endif

struct old_head {
	char magic[sizeof(OLD_MAGIC) - 1];
	char pad;
	uint32_t entries; /* of 12 bytes each; behind them, aligned to 8, comes the new table */
};

struct new_head {
	char magic[sizeof(NEW_MAGIC) - 1];
	uint32_t entries, text_bytes;
	uint8_t flags, pad[3];
	uint32_t extensions, unused[3];
};

struct new_entry {
	int32_t flags;
	uint32_t name, path; /* offsets from the table's head */
	uint32_t os_version;
	uint64_t hardware;
};

static const char *text_at(const struct ldcache *cache, uint32_t offset)
{
	size_t position = cache->base + offset;

	if (position >= cache->size || !memchr(cache->bytes + position, '\0', cache->size - position))
		return NULL;
	return (const char *)cache->bytes + position;
}

static int find_table(struct ldcache *cache)
{
	struct old_head old;
	struct new_head head;

	if (cache->size >= sizeof(old) && !memcmp(cache->bytes, OLD_MAGIC, sizeof(old.magic))) {
		memcpy(&old, cache->bytes, sizeof(old));
		cache->base = (sizeof(old) + (size_t)old.entries * 12 + 7) & ~(size_t)7;
	}
	if (cache->base > cache->size || cache->size - cache->base < sizeof(head))
		return -1;
	memcpy(&head, cache->bytes + cache->base, sizeof(head));
	if (memcmp(head.magic, NEW_MAGIC, sizeof(head.magic)) != 0)
		return -1;
	cache->entries = head.entries;
	if ((cache->size - cache->base - sizeof(head)) / sizeof(struct new_entry) < cache->entries)
		return -1;
	return 0;
}

void ldcache_open(const char *path, struct ldcache *cache_out)
{
	struct ldcache cache = { 0 };
	struct stat status;
	void *map = MAP_FAILED;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*cache_out = cache;
	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
		cache.size = (size_t)status.st_size;
		map = mmap(NULL, cache.size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	if (map == MAP_FAILED)
		return;
	cache.bytes = map;
	if (find_table(&cache) == 0)
		*cache_out = cache;
	else
		munmap(map, cache.size);
}

void ldcache_close(struct ldcache *cache)
{
	if (cache->bytes)
		munmap((void *)(uintptr_t)cache->bytes, cache->size);
	cache->bytes = NULL;
}

/* An entry of this architecture. NULL: of another one, or damaged. */
static const char *entry_at(const struct ldcache *cache, size_t index, struct new_entry *entry_out)
{
	const unsigned char *table = cache->bytes + cache->base + sizeof(struct new_head);

	memcpy(entry_out, table + index * sizeof(*entry_out), sizeof(*entry_out));
	return entry_out->flags == OWN_FLAGS ? text_at(cache, entry_out->name) : NULL;
}

const char *ldcache_find(const struct ldcache *cache, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < cache->entries; i++) {
		struct new_entry entry;
		const char *entry_name = entry_at(cache, i, &entry);

		if (!entry_name || strcmp(entry_name, name) != 0)
			continue;
		found = text_at(cache, entry.path);
		if (!entry.hardware)
			break; /* the plain variant: what differs from it is code, not names */
	}
	return found;
}

const char *ldcache_next(const struct ldcache *cache, const char *prefix, size_t *at)
{
	const char *path = NULL;

	while (!path && *at < cache->entries) {
		struct new_entry entry;
		const char *name = entry_at(cache, (*at)++, &entry);

		if (name && !strncmp(name, prefix, strlen(prefix)))
			path = text_at(cache, entry.path);
	}
	return path;
}
