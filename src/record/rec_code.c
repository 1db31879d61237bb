/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of what is known by a place in the code alone: "loop @/path/of/module[build id]+0x1a2b". Which function and
 * line that is, is found out when the recording is read. Each place is looked for once; HOT from then on: the table
 * only grows and is read without a lock.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/rec_state.h"

#define TABLE 4096u /* a quarter of it is used at most */
#define TEXT 1024u

struct entry {
	uint64_t key;
	const char *text; /* NULL: free; published behind the key */
	uint64_t hash;
	uint64_t length;
};
static struct entry table[TABLE];
static uint32_t used, lock;

/* Backend and construct by the address of their constants. */
static uint64_t key_of(const struct rec_backend *backend, const char *what, const void *address)
{
	uint64_t key = (uintptr_t)address * 0x9e3779b97f4a7c15u;

	return ((key ^ (key >> 29) ^ (uintptr_t)what) * 0xbf58476d1ce4e5b9u) ^ (uintptr_t)backend;
}

static struct entry *find(uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15u >> 52;

	while (__atomic_load_n(&table[at].text, __ATOMIC_ACQUIRE) && table[at].key != key)
		at = (at + 1) & (TABLE - 1);
	return &table[at];
}

/* A module is a file: what it was called when it was opened may be relative to the folder of that time. */
static bool module_path(const char *name, char path_out[TEXT / 2])
{
	ssize_t length;

	if (*name == '/')
		return snprintf(path_out, TEXT / 2, "%s", name) < (int)(TEXT / 2);
	if (!*name) {
		length = readlink("/proc/self/exe", path_out, TEXT / 2 - 1);
		if (length <= 0)
			return false;
		path_out[length] = '\0';
		return *path_out == '/';
	}
	if (!getcwd(path_out, TEXT / 4) || strlen(name) >= TEXT / 4)
		return false;
	length = (ssize_t)strlen(path_out);
	path_out[length] = '/';
	memcpy(path_out + length + 1, name, strlen(name) + 1);
	return true;
}

#define BUILD_ID_BYTES 20u

static void put_id(const struct rec_module *module, char text_out[2 * BUILD_ID_BYTES + 3])
{
	uint32_t bytes = module->id_bytes < BUILD_ID_BYTES ? module->id_bytes : BUILD_ID_BYTES;

	*text_out = '\0';
	if (!module->id || !bytes)
		return;
	*text_out++ = '[';
	for (uint32_t i = 0; i < bytes; i++, text_out += 2)
		snprintf(text_out, 3, "%02x", module->id[i]);
	memcpy(text_out, "]", 2);
}

/* A runtime's own code is no place in the program: some constructs have no other. */
static void make_text(const char *what, const void *address, char text_out[TEXT])
{
	char path[TEXT / 2], id[2 * BUILD_ID_BYTES + 3];
	struct rec_module module;

	if (address && !rec_is_own(address) && !rec_is_runtime(address) && rec_module_of(address, &module) &&
	    module_path(module.name, path) && access(path, F_OK) == 0) {
		put_id(&module, id);
		/* a return address may be that of the next line: the call ends one byte before it */
		snprintf(text_out, TEXT, "%s @%s%s+0x%llx", what, path, id, (unsigned long long)module.offset - 1);
	} else {
		snprintf(text_out, TEXT, "%s unknown", what);
	}
}

static REC_COLD struct entry *add(const struct rec_backend *backend, const char *what, const void *address)
{
	uint64_t key = key_of(backend, what, address), signals;
	struct entry *entry;
	struct rec_label label;
	char text[TEXT];
	const char *kept;

	make_text(what, address, text);
	label = rec_label(NULL, text);
	rec_signals_block(&signals);
	rec_lock(&lock);
	entry = find(key);
	if (!entry->text && used < TABLE / 4) {
		kept = rec_keep(text, label.length + 1);
		entry->key = key;
		entry->hash = label.hash;
		entry->length = label.length;
		used += kept != NULL;
		__atomic_store_n(&entry->text, kept, __ATOMIC_RELEASE);
	}
	rec_unlock(&lock);
	rec_signals_restore(&signals);
	return entry->text ? entry : NULL;
}

struct rec_label rec_code_label(const struct rec_backend *backend, const char *what, const void *address)
{
	struct entry *entry = find(key_of(backend, what, address));

	if (unlikely(!entry->text)) {
		uint32_t token = rec_guard_enter();
		int saved = errno;

		entry = used < TABLE / 4 ? add(backend, what, address) : NULL;
		rec_guard_leave(token);
		errno = saved;
		if (!entry)
			return rec_label(NULL, what);
	}
	return (struct rec_label){.group = "", .name = entry->text, .length = (uint32_t)entry->length,
				  .hash = entry->hash};
}
