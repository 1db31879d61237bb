/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ITT, the instrumentation interface of Intel's tools, as programs, oneTBB, libomp and others hold it: a stub in each
 * object loads this library at its first use and hands us its table of functions, of which we take those that mean
 * ranges and marks. No vendor header: the few facts of the interface that are needed stand below.
 *
 * A domain and a string handle are structures that stub and collector share: the stub itself makes those of calls that
 * come before it is ready, so names are read from the structures, and ours are linked into the stub's lists.
 */
#include <pthread.h>
#include <string.h>

#include "itt.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

struct rec_backend itt_backend = {
	.size = sizeof(struct rec_backend), .name = "itt", .pool = "", .front = "", .runtimes = "", .layer = 9
};

__attribute__((constructor)) static void start(void)
{
	rec_backend_register(&itt_backend, __ehdr_start, _end);
}

/* ---- facts of the interface ----------------------------------------------------------------------- */

struct itt_api {
	const char *name;      /* NULL: the end of the list */
	void **function;
	void *init, *null;     /* what a function is before, and where there is no collector for it */
	int group;
};

struct itt_global {
	unsigned char magic[8];
	unsigned long major, minor, build;
	volatile long inited, mutex_inited, atomic;
	pthread_mutex_t mutex;
	void *library, *error;
	const char **names;
	struct itt_api *api;
	struct itt_global *next;
	void *threads;
	struct itt_domain *domains;
	struct itt_string *strings;
};

/* ---- names ------------------------------------------------------------------------------------------ */

/* Handles that we made, one per text, whichever object asks. */
static struct itt_domain *domains;
static struct itt_string *strings;
static uint32_t lock;

static struct itt_domain *domain_create(const char *name)
{
	struct itt_domain *domain;

	if (!name)
		return NULL;
	rec_lock(&lock);
	for (domain = domains; domain && strcmp(domain->name, name) != 0; domain = domain->next)
		;
	if (!domain) {
		struct itt_domain made = {.flags = 1, .name = rec_keep(name, strlen(name) + 1), .next = domains};

		domain = made.name ? rec_keep(&made, sizeof(made)) : NULL;
		domains = domain ? domain : domains;
	}
	rec_unlock(&lock);
	return domain;
}

static struct itt_string *string_create(const char *text)
{
	struct itt_string *string;

	if (!text)
		return NULL;
	rec_lock(&lock);
	for (string = strings; string && strcmp(string->text, text) != 0; string = string->next)
		;
	if (!string) {
		struct itt_string made = {.text = rec_keep(text, strlen(text) + 1), .next = strings};

		string = made.text ? rec_keep(&made, sizeof(made)) : NULL;
		strings = string ? string : strings;
	}
	rec_unlock(&lock);
	return string;
}

struct rec_label itt_group(const char *domain, char *room)
{
	size_t used = 0;

	for (const char *at = domain ? domain : "?"; *at && used < ITT_GROUP_ROOM - 2; at++)
		room[used++] = *at;
	room[used++] = ':';
	room[used] = '\0';
	return rec_label(NULL, room);
}

/* Ranges of one domain nest: the address tells domains apart. */
static uint32_t stack_of(const struct itt_domain *domain)
{
	return (uint32_t)((uintptr_t)domain >> 4);
}

static uint64_t key_of(const struct itt_domain *domain, const struct itt_id *id)
{
	uint64_t key = (uintptr_t)domain;

	key = (key ^ id->d1) * 0x9e3779b97f4a7c15u;
	key = (key ^ id->d2) * 0x9e3779b97f4a7c15u;
	return (key ^ id->d3) * 0x9e3779b97f4a7c15u | 1;
}

/* ---- ranges and marks ------------------------------------------------------------------------------- */

static void task_begin(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
		       const struct itt_string *name)
{
	char room[ITT_GROUP_ROOM];
	struct rec_label group, label;

	(void)id;
	(void)parent;
	if (!domain || !domain->flags)
		return;
	group = itt_group(domain->name, room);
	label = rec_label(&group, name ? name->text : NULL);
	rec_range_push(&itt_backend, &label, stack_of(domain));
}

static void task_begin_fn(const struct itt_domain *domain, struct itt_id id, struct itt_id parent, void *function)
{
	(void)function;
	task_begin(domain, id, parent, NULL);
}

static void task_end(const struct itt_domain *domain)
{
	if (domain && domain->flags)
		rec_range_pop(&itt_backend, stack_of(domain));
}

static void start_range(const struct itt_domain *domain, const struct itt_id *id, const char *name)
{
	char room[ITT_GROUP_ROOM];
	struct rec_label group, label;

	if (!domain || !domain->flags)
		return;
	group = itt_group(domain->name, room);
	label = rec_label(&group, name);
	rec_range_start(&itt_backend, &label, key_of(domain, id));
}

static void end_range(const struct itt_domain *domain, const struct itt_id *id)
{
	if (domain && domain->flags)
		rec_range_end(&itt_backend, key_of(domain, id));
}

/* One without a name says nothing to people: oneTBB has many with one id, for each time that a graph is held back. */
static void overlapped_begin(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
			     const struct itt_string *name)
{
	(void)parent;
	if (name && name->text && *name->text)
		start_range(domain, &id, name->text);
}

static void overlapped_end(const struct itt_domain *domain, struct itt_id id)
{
	end_range(domain, &id);
}

/* A frame without an id is the only one of its domain. */
static void frame_begin(const struct itt_domain *domain, const struct itt_id *id)
{
	static const struct itt_id none = {0, 0, 1};

	start_range(domain, id ? id : &none, "frame");
}

static void frame_end(const struct itt_domain *domain, const struct itt_id *id)
{
	static const struct itt_id none = {0, 0, 1};

	end_range(domain, id ? id : &none);
}

static void marker(const struct itt_domain *domain, struct itt_id id, const struct itt_string *name, int scope)
{
	char room[ITT_GROUP_ROOM];
	struct rec_label group, label;

	(void)id;
	(void)scope;
	if (!domain || !domain->flags)
		return;
	group = itt_group(domain->name, room);
	label = rec_label(&group, name ? name->text : NULL);
	rec_mark(&itt_backend, &label);
}

/* ---- control: a pause is one, however often it is asked for ---- */

static void pause_all(void)
{
	rec_switch(false);
}

static void resume_all(void)
{
	rec_switch(true);
}

/* ---- start-up --------------------------------------------------------------------------------------- */

struct taken {
	const char *name;
	void *function;
};

#define TAKEN(name, function) {name, (void *)(uintptr_t)(function)}

static void *find_in(const struct taken *taken, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(taken[i].name, name))
			return taken[i].function;
	return NULL;
}

static void *find_control(const char *name)
{
	const struct taken taken[] = {
		TAKEN("__itt_pause", pause_all), TAKEN("__itt_resume", resume_all)
	};

	return find_in(taken, sizeof(taken) / sizeof(taken[0]), name);
}

static void *find(const char *name)
{
	const struct taken taken[] = {
		TAKEN("__itt_domain_create", domain_create), TAKEN("__itt_domain_createA", domain_create),
		TAKEN("__itt_string_handle_create", string_create), TAKEN("__itt_string_handle_createA", string_create),
		TAKEN("__itt_task_begin", task_begin), TAKEN("__itt_task_begin_fn", task_begin_fn),
		TAKEN("__itt_task_end", task_end), TAKEN("__itt_region_begin", overlapped_begin),
		TAKEN("__itt_region_end", overlapped_end), TAKEN("__itt_task_begin_overlapped", overlapped_begin),
		TAKEN("__itt_task_end_overlapped", overlapped_end), TAKEN("__itt_frame_begin_v3", frame_begin),
		TAKEN("__itt_frame_end_v3", frame_end), TAKEN("__itt_marker", marker),
		TAKEN("__itt_metadata_add", itt_metadata_add), TAKEN("__itt_metadata_str_add", itt_metadata_str_add),
		TAKEN("__itt_metadata_str_addA", itt_metadata_str_add),
		TAKEN("__itt_thread_set_name", itt_thread_set_name),
		TAKEN("__itt_thread_set_nameA", itt_thread_set_name),
		TAKEN("__itt_counter_create", itt_counter_create), TAKEN("__itt_counter_createA", itt_counter_create),
		TAKEN("__itt_counter_create_typed", itt_counter_create_typed),
		TAKEN("__itt_counter_create_typedA", itt_counter_create_typed),
		TAKEN("__itt_counter_inc", itt_counter_inc), TAKEN("__itt_counter_dec", itt_counter_dec),
		TAKEN("__itt_counter_inc_delta", itt_counter_inc_delta),
		TAKEN("__itt_counter_dec_delta", itt_counter_dec_delta),
		TAKEN("__itt_counter_set_value", itt_counter_set_value),
		TAKEN("__itt_counter_set_value_ex", itt_counter_set_value_ex),
		TAKEN("__itt_counter_inc_v3", itt_counter_inc_v3), TAKEN("__itt_counter_dec_v3", itt_counter_dec_v3),
		TAKEN("__itt_counter_inc_delta_v3", itt_counter_inc_delta_v3),
		TAKEN("__itt_counter_dec_delta_v3", itt_counter_dec_delta_v3)
	};

	return find_in(taken, sizeof(taken) / sizeof(taken[0]), name);
}

/* Called by the stub of each object. What we do not take gets the stub's own function that does nothing. */
REC_EXPORT void __itt_api_init(struct itt_global *global, int groups)
{
	(void)groups;
	for (struct itt_api *api = global ? global->api : NULL; api && api->name; api++) {
		void *function = rec_control_wanted() ? find_control(api->name) : NULL;

		if (!function && rec_backend_wanted(&itt_backend))
			function = find(api->name);
		*api->function = function ? function : api->null;
	}
	if (rec_backend_wanted(&itt_backend))
		rec_attached(&itt_backend, "INTEL_LIBITTNOTIFY64", NULL);
}
