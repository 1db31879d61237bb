/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the system's dynamic loader finds libraries that no search path names: its cache file. */
#ifndef SONDE_CLI_LDCACHE_H
#define SONDE_CLI_LDCACHE_H

#include <stddef.h>

#define LD_CACHE "/etc/ld.so.cache"

struct ldcache {
	const unsigned char *bytes; /* NULL: no usable cache */
	size_t size;
	size_t base; /* of the table inside the file: texts are relative to it */
	size_t entries;
};

void ldcache_open(const char *path, struct ldcache *cache_out);
void ldcache_close(struct ldcache *cache);

/* Path of the library for this architecture, valid while the cache is open; NULL: not in it. */
const char *ldcache_find(const struct ldcache *cache, const char *name);

/* Path of the next library for this architecture whose name begins like that. *at: 0 at first. NULL: no more. */
const char *ldcache_next(const struct ldcache *cache, const char *prefix, size_t *at);

#endif
