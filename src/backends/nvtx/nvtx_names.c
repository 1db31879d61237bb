/* SPDX-License-Identifier: BSD-3-Clause */
/* Domains and registered strings of NVTX: handles, one per name. Slow path, at a program's start. */
#include <string.h>

#include "nvtx.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

struct rec_backend nvtx_backend = {
	.size = sizeof(struct rec_backend), .name = "nvtx", .pool = "", .front = "", .runtimes = "", .layer = 9
};

__attribute__((constructor)) static void start(void)
{
	rec_backend_register(&nvtx_backend, __ehdr_start, _end);
}

struct handle {
	void *handle;
};
static struct rec_map handles = REC_MAP(struct handle); /* hash of a name -> domain or string */
static uint32_t lock;
static uint32_t domains;

static char *keep_text(const char *text, const char *end)
{
	size_t length = strlen(text), more = strlen(end);
	char *kept = rec_keep(NULL, length + more + 1);

	if (kept) {
		memcpy(kept, text, length);
		memcpy(kept + length, end, more);
	}
	return kept;
}

static struct nvtx_domain *add_domain(const char *name)
{
	const char *text = keep_text(name, ":");
	struct nvtx_domain domain = {.stack = domains + 1};

	if (!text)
		return NULL;
	domain.label = rec_label(NULL, text);
	domains++;
	return rec_keep(&domain, sizeof(domain));
}

static struct nvtx_string *add_string(const struct nvtx_domain *domain, const char *name)
{
	const char *text = keep_text(name, "");
	struct nvtx_string string = {.domain = domain};

	if (!text)
		return NULL;
	string.label = rec_label(domain ? &domain->label : NULL, text);
	return rec_keep(&string, sizeof(string));
}

struct nvtx_domain *nvtx_create(const char *name)
{
	struct rec_label label = rec_label(NULL, name);
	rec_word key = label.hash | 1; /* even: strings */
	struct handle found = {NULL};

	rec_lock(&lock);
	if (!rec_map_get(&handles, key, &found)) {
		found.handle = add_domain(label.name);
		if (found.handle)
			rec_map_put(&handles, key, &found);
	}
	rec_unlock(&lock);
	return found.handle;
}

struct nvtx_string *nvtx_register(struct nvtx_domain *domain, const char *name)
{
	struct rec_label label = rec_label(NULL, name);
	rec_word key = (label.hash ^ (uintptr_t)domain << 4) & ~(rec_word)1;
	struct handle found = {NULL};

	rec_lock(&lock);
	if (!rec_map_get(&handles, key, &found) ||
	    strcmp(((struct nvtx_string *)found.handle)->label.name, label.name) != 0) {
		found.handle = add_string(domain, label.name);
		if (found.handle)
			rec_map_put(&handles, key, &found);
	}
	rec_unlock(&lock);
	return found.handle;
}

/* Bytes of the character in UTF-8; what is none is its replacement. */
static size_t encode(char *at, uint32_t c)
{
	if (c >= 0x110000 || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		at[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		at[0] = (char)(0xc0 | c >> 6);
		at[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		at[0] = (char)(0xe0 | c >> 12);
		at[1] = (char)(0x80 | (c >> 6 & 63));
		at[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	at[0] = (char)(0xf0 | c >> 18);
	at[1] = (char)(0x80 | (c >> 12 & 63));
	at[2] = (char)(0x80 | (c >> 6 & 63));
	at[3] = (char)(0x80 | (c & 63));
	return 4;
}

const char *nvtx_narrow(const wchar_t *wide, char *text, size_t size)
{
	size_t used = 0;

	if (!wide)
		return NULL;
	for (; *wide && used + 5 <= size; wide++)
		used += encode(text + used, (uint32_t)*wide);
	text[used] = '\0';
	return text;
}
