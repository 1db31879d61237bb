/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's side of ITT, written from the facts of its interface: the stub that is linked into each object. It
 * makes the first domain itself, before the collector is there, as the real one does. Prints what its ranges took.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

#include "app.h"

struct api {
	const char *name;
	void **function;
	void *init, *null;
	int group;
};

struct domain {
	volatile int flags;
	const char *name;
	void *wide;
	int extra1;
	void *extra2;
	struct domain *next;
};

struct string {
	const char *text;
	void *wide;
	int extra1;
	void *extra2;
	struct string *next;
};

struct counter {
	const char *name;
	void *wide;
	const char *domain;
	void *domain_wide;
	int type;
	long index;
	struct counter *next;
};

struct id {
	uint64_t d1, d2, d3;
};

struct global {
	unsigned char magic[8];
	unsigned long major, minor, build;
	volatile long inited, mutex_inited, atomic;
	pthread_mutex_t mutex;
	void *library, *error;
	const char **names;
	struct api *api;
	struct global *next;
	void *threads;
	struct domain *domains;
	struct string *strings;
};

static void nothing(void)
{
}

static struct domain *(*domain_create)(const char *);
static struct string *(*string_create)(const char *);
static void (*task_begin)(const struct domain *, struct id, struct id, const struct string *);
static void (*task_end)(const struct domain *);
static void (*region_begin)(const struct domain *, struct id, struct id, const struct string *);
static void (*region_end)(const struct domain *, struct id);
static void (*frame_begin)(const struct domain *, const struct id *);
static void (*frame_end)(const struct domain *, const struct id *);
static void (*marker)(const struct domain *, struct id, const struct string *, int);
static void (*sync_create)(void);
static void (*pause_all)(void);
static void (*resume_all)(void);
static void (*metadata_add)(const struct domain *, struct id, struct string *, int, size_t, void *);
static void (*metadata_text)(const struct domain *, struct id, struct string *, const char *, size_t);
static void (*thread_name)(const char *);
static struct counter *(*counter_create)(const char *, const char *);
static struct counter *(*counter_typed)(const char *, const char *, int);
static void (*counter_inc)(struct counter *);
static void (*counter_dec)(struct counter *);
static void (*counter_add)(struct counter *, unsigned long long);
static void (*counter_set)(struct counter *, void *);
static void (*counter_add_v3)(const struct domain *, struct string *, unsigned long long);

#define API(name, variable) {name, (void **)(void *)&(variable), NULL, (void *)(uintptr_t)nothing, 0}
static struct api list[] = {
	API("__itt_domain_create", domain_create), API("__itt_string_handle_create", string_create),
	API("__itt_task_begin", task_begin), API("__itt_task_end", task_end), API("__itt_region_begin", region_begin),
	API("__itt_region_end", region_end), API("__itt_frame_begin_v3", frame_begin),
	API("__itt_frame_end_v3", frame_end), API("__itt_marker", marker), API("__itt_sync_create", sync_create),
	API("__itt_pause", pause_all), API("__itt_resume", resume_all),
	API("__itt_metadata_add", metadata_add), API("__itt_metadata_str_add", metadata_text),
	API("__itt_thread_set_name", thread_name), API("__itt_counter_create", counter_create),
	API("__itt_counter_create_typed", counter_typed), API("__itt_counter_inc", counter_inc),
	API("__itt_counter_dec", counter_dec), API("__itt_counter_inc_delta", counter_add),
	API("__itt_counter_set_value", counter_set), API("__itt_counter_inc_delta_v3", counter_add_v3),
	{NULL, NULL, NULL, NULL, 0}
};

static void one_task(const struct domain *domain, const char *name)
{
	static const struct id null = {0, 0, 0};

	task_begin(domain, null, null, string_create(name));
	task_end(domain);
}

/* A switch: asked for twice it is thrown once. */
static void control(const struct domain *domain)
{
	one_task(domain, "at first");
	pause_all();
	one_task(domain, "paused");
	app_pause_ms(30);
	resume_all();
	resume_all();
	one_task(domain, "recorded");
	pause_all();
	pause_all();
	one_task(domain, "paused");
	app_pause_ms(30);
	resume_all();
	one_task(domain, "recorded");
	pause_all();
}

static struct counter *shared;

static void *count(void *unused)
{
	(void)unused;
	for (int i = 0; i < 1000; i++)
		counter_inc(shared);
	return NULL;
}

/* Counters of each type, one of the stub's own making, one by domain and name; metadata of a task. */
static void values(struct domain *domain)
{
	static struct counter stubs = {.name = "early", .domain = "stub", .type = 1};
	static const struct id null = {0, 0, 0};
	struct counter *depth = counter_create("depth", "queue"), *level = counter_typed("level", NULL, 8);
	struct counter *small = counter_typed("small", "queue", 6), *single = counter_typed("single", "queue", 7);
	double levels[] = {0.5, -2.25, 1};
	int16_t smalls[] = {-300, 7};
	float singles[] = {0.1f};
	uint64_t big = UINT64_MAX, pair[] = {3, 4};
	int32_t minus = -5;
	pthread_t threads[16];

	app_say("one_counter", depth == counter_create("depth", "queue"));
	thread_name("main \"one\"");
	for (int i = 0; i < 3; i++)
		counter_inc(depth);
	counter_dec(depth);
	counter_add(depth, 40);
	for (int i = 0; i < 3; i++)
		counter_set(level, &levels[i]);
	counter_set(small, &smalls[0]);
	counter_set(small, &smalls[1]);
	counter_set(single, singles);
	counter_inc(&stubs);
	counter_set(&stubs, &big);
	counter_add_v3(domain, string_create("by name"), 6);
	task_begin(domain, null, null, string_create("task"));
	metadata_add(domain, null, string_create("size"), 4, 1, &minus);
	metadata_add(domain, null, string_create("pair"), 1, 2, pair);
	metadata_text(domain, null, string_create("file"), "a \"b\".cXXX", 7);
	task_end(domain);
	shared = counter_create("shared", "queue");
	for (int i = 0; i < 16; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 16; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	static struct domain first = {.flags = 1, .name = "first"};
	static struct global global = {.api = list, .domains = &first};
	static const struct id null = {0, 0, 0}, one = {1, 0, 0};
	const char *path = getenv("INTEL_LIBITTNOTIFY64");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	void (*init)(struct global *, int) =
		library ? (void (*)(struct global *, int))dlsym(library, "__itt_api_init") : NULL;
	struct domain *second;
	struct string *name;
	double at;

	app_say("attached", init != NULL);
	if (!init)
		return 0;
	init(&global, -1);
	if (argc > 1 && !strcmp(argv[1], "control")) {
		control(&first);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "values")) {
		values(&first);
		return 0;
	}
	second = domain_create("second");
	name = string_create("step");
	app_say("one_handle", second == domain_create("second") && name == string_create("step"));
	app_say("left_alone", (void *)sync_create == (void *)nothing);
	marker(&first, null, name, 1);
	at = app_now();
	task_begin(&first, null, null, name);
	task_begin(second, null, null, name);
	for (int i = 0; i < 100; i++) /* held back as often */
		region_begin(second, one, null, i % 2 ? NULL : string_create(""));
	for (int i = 0; i < 100; i++)
		region_end(second, one);
	region_begin(second, one, null, string_create("region"));
	app_pause_ms(5);
	task_end(&first); /* domains need not nest */
	app_say("first", (long)((app_now() - at) * 1e9));
	app_pause_ms(5);
	region_end(second, one);
	task_end(second);
	app_say("second", (long)((app_now() - at) * 1e9));
	frame_begin(&first, NULL);
	frame_end(&first, NULL);
	first.flags = 0; /* switched off */
	task_begin(&first, null, null, name);
	task_end(&first);
	return 0;
}
