/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's side of NVTX, written from the facts of its interface: what the vendor's header does in each object
 * that includes it. Two clients of one program stand for two objects of it.
 */
#ifndef NVTX_CLIENT_H
#define NVTX_CLIENT_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

#define CLIENT_ENTRIES 16

struct client_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type; /* 1: ASCII, 2: wide, 3: registered */
	const void *message;
};

struct client {
	void *core[CLIENT_ENTRIES], *core2[CLIENT_ENTRIES];
	void **core_at[CLIENT_ENTRIES], **core2_at[CLIENT_ENTRIES];
	int attached;
};

static struct client *client_starting;

static int client_table(uint32_t module, void ****table_out, unsigned *entries_out)
{
	*table_out = module == 1 ? client_starting->core_at : client_starting->core2_at;
	*entries_out = CLIENT_ENTRIES;
	return module == 1 || module == 5;
}

static const void *client_export(uint32_t which)
{
	static const struct {
		size_t size;
		int (*table)(uint32_t, void ****, unsigned *);
	} callbacks = { sizeof(callbacks), client_table };

	return which == 1 ? &callbacks : NULL;
}

static inline void client_open(struct client *client)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*start)(const void *(*)(uint32_t)) =
		library ? (int (*)(const void *(*)(uint32_t)))dlsym(library, "InitializeInjectionNvtx2") : NULL;

	for (int i = 0; i < CLIENT_ENTRIES; i++) {
		client->core_at[i] = &client->core[i];
		client->core2_at[i] = &client->core2[i];
	}
	client_starting = client;
	client->attached = start && start(client_export);
}

#define CLIENT_CALL(table, place, none, type, ...) ((table)[place] ? ((type)(table)[place])(__VA_ARGS__) : (none))

static inline int client_push(struct client *client, const char *name)
{
	return CLIENT_CALL(client->core, 9, -2, int (*)(const char *), name);
}

static inline int client_push_wide(struct client *client, const wchar_t *name)
{
	return CLIENT_CALL(client->core, 10, -2, int (*)(const wchar_t *), name);
}

static inline int client_pop(struct client *client)
{
	return CLIENT_CALL(client->core, 11, -2, int (*)(void));
}

static inline void client_mark(struct client *client, const char *name)
{
	CLIENT_CALL(client->core, 2, (void)0, void (*)(const char *), name);
}

static inline uint64_t client_start(struct client *client, const char *name)
{
	return CLIENT_CALL(client->core, 5, (uint64_t)0, uint64_t (*)(const char *), name);
}

static inline void client_end(struct client *client, uint64_t id)
{
	CLIENT_CALL(client->core, 7, (void)0, void (*)(uint64_t), id);
}

static inline void *client_domain(struct client *client, const char *name)
{
	return CLIENT_CALL(client->core2, 12, NULL, void *(*)(const char *), name);
}

static inline void *client_string(struct client *client, void *domain, const char *text)
{
	return CLIENT_CALL(client->core2, 10, NULL, void *(*)(void *, const char *), domain, text);
}

static inline int client_push_told(struct client *client, void *domain, const struct client_attributes *attributes)
{
	return CLIENT_CALL(client->core2, 4, -2, int (*)(void *, const void *), domain, attributes);
}

static inline int client_push_in(struct client *client, void *domain, int type, const void *message)
{
	struct client_attributes attributes = { .version = 3, .size = sizeof(attributes), .message_type = type,
						.message = message, .payload_type = 1, .payload = 42 };

	return client_push_told(client, domain, &attributes);
}

static inline void client_mark_told(struct client *client, void *domain, const struct client_attributes *attributes)
{
	CLIENT_CALL(client->core2, 1, (void)0, void (*)(void *, const void *), domain, attributes);
}

static inline uint64_t client_start_told(struct client *client, void *domain,
					 const struct client_attributes *attributes)
{
	return CLIENT_CALL(client->core2, 2, (uint64_t)0, uint64_t (*)(void *, const void *), domain, attributes);
}

static inline void client_name_category(struct client *client, void *domain, uint32_t category, const char *name)
{
	if (domain)
		CLIENT_CALL(client->core2, 8, (void)0, void (*)(void *, uint32_t, const char *), domain, category,
			    name);
	else
		CLIENT_CALL(client->core, 12, (void)0, void (*)(uint32_t, const char *), category, name);
}

static inline void client_name_thread(struct client *client, uint32_t tid, const char *name)
{
	CLIENT_CALL(client->core, 14, (void)0, void (*)(uint32_t, const char *), tid, name);
}

static inline void client_name_thread_wide(struct client *client, uint32_t tid, const wchar_t *name)
{
	CLIENT_CALL(client->core, 15, (void)0, void (*)(uint32_t, const wchar_t *), tid, name);
}

static inline int client_pop_in(struct client *client, void *domain)
{
	return CLIENT_CALL(client->core2, 5, -2, int (*)(void *), domain);
}

#endif
