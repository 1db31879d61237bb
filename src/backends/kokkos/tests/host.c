/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host LIBRARY [left | many WHAT]: calls a tool as Kokkos does, for devices that are not here: kernels and copies of a
 * CUDA device, with pinned and managed memory. What Kokkos gives as an argument is gone when it calls again.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "app.h"

struct space {
	char name[64];
};
struct settings {
	bool requires_global_fencing;
	bool padding[255];
};

#define STREAM (2u << 24 | 1)

static void *library;
static void (*begin)(const char *, uint32_t, uint64_t *);
static void (*end)(uint64_t);

static void *find(const char *name)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		app_die(name, 0);
	return symbol;
}

/* All open at once, each with a frame of its own, as loops of Kokkos have. */
static __attribute__((noinline)) void operation(int depth)
{
	uint64_t number;
	char text[16];

	snprintf(text, sizeof(text), "k%d", depth % 2);
	begin(text, STREAM, &number);
	memset(text, '?', sizeof(text) - 1);
	if (depth)
		operation(depth - 1);
	end(number);
}

/* Loops whose work throws: their ends are not told, also within one that goes on. */
static __attribute__((noinline)) void throwing(const char *name, int count)
{
	uint64_t number;

	while (count--)
		begin(name, STREAM, &number);
}

static void exceptions(void)
{
	uint64_t around, after;

	throwing("left", 5000);
	begin("around", STREAM, &around);
	throwing("left within", 100);
	end(around);
	begin("after", STREAM, &after);
	end(after);
	end(around); /* of something else by now, or of nothing */
}

static void *section_thread(void *number)
{
	void (*start)(uint32_t) = find("kokkosp_start_profile_section");
	void (*stop)(uint32_t) = find("kokkosp_stop_profile_section");

	for (int i = 0; i < 5000; i++) {
		start(*(uint32_t *)number);
		stop(*(uint32_t *)number);
	}
	return NULL;
}

/* One section that four threads start and stop as they please. */
static void sections(void)
{
	pthread_t thread[4];
	uint32_t number;

	((void (*)(const char *, uint32_t *))find("kokkosp_create_profile_section"))("shared section", &number);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, section_thread, &number);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void regions(const char *name, int pushed, int popped)
{
	void (*push)(const char *) = find("kokkosp_push_profile_region");
	void (*pop)(void) = find("kokkosp_pop_profile_region");

	while (pushed--)
		push(name);
	while (popped--)
		pop();
}

static void *region_thread(void *unused)
{
	regions("left by threads", 50, 0);
	return unused;
}

/* More regions than there are places: of one thread, within one that ends, and of many threads; loops go on. */
static void too_many_regions(void)
{
	uint64_t number;
	pthread_t thread;

	regions("around", 1, 0);
	regions("deep", 100, 100);
	regions("", 0, 1);
	regions("never popped", 5000, 0);
	for (int i = 0; i < 100; i++) {
		pthread_create(&thread, NULL, region_thread, NULL);
		pthread_join(thread, NULL);
	}
	for (int i = 0; i < 5000; i++) {
		begin("loop", STREAM, &number);
		end(number);
	}
}

/* More of them than there are numbers: one after the other, and at once. */
static void too_many_sections(void)
{
	void (*create)(const char *, uint32_t *) = find("kokkosp_create_profile_section");
	void (*start)(uint32_t) = find("kokkosp_start_profile_section");
	void (*stop)(uint32_t) = find("kokkosp_stop_profile_section");
	void (*destroy)(uint32_t) = find("kokkosp_destroy_profile_section");
	uint32_t number;

	for (int i = 0; i < 1000; i++) {
		create(i % 2 ? "odd" : "even and longer", &number);
		start(number);
		if (i % 3)
			stop(number);
		destroy(number);
	}
	for (int i = 0; i < 300; i++) {
		create("at once", &number);
		start(number);
		stop(number);
		stop(number);
	}
	start(99999); /* none that there is */
}

static void too_many(const char *what)
{
	if (!strcmp(what, "regions"))
		too_many_regions();
	else if (!strcmp(what, "sections"))
		too_many_sections();
	else
		operation(4999);
}

int main(int argc, char **argv)
{
	struct settings settings = {.requires_global_fencing = true};
	struct space device = {"Cuda"}, host = {"Host"}, pinned = {"CudaHostPinned"}, managed = {"CudaUVM"};
	uint64_t number;
	char text[16];

	library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	if (!library)
		app_die("no tool", 0);
	((void (*)(uint32_t, struct settings *))find("kokkosp_request_tool_settings"))(1, &settings);
	((void (*)(int, uint64_t, uint32_t, void *))find("kokkosp_init_library"))(0, 20210225, 0, NULL);
	begin = (void (*)(const char *, uint32_t, uint64_t *))find("kokkosp_begin_parallel_for");
	end = (void (*)(uint64_t))find("kokkosp_end_parallel_for");
	void (*allocate)(struct space, const char *, const void *, uint64_t) = find("kokkosp_allocate_data");
	void (*copy)(struct space, const char *, const void *, struct space, const char *, const void *, uint64_t) =
		find("kokkosp_begin_deep_copy");
	void (*copied)(void) = find("kokkosp_end_deep_copy");

	app_say("fencing", settings.requires_global_fencing);
	if (argc > 3) {
		too_many(argv[3]);
		return 0;
	}
	if (argc > 2) {
		exceptions();
		sections();
		return 0;
	}
	operation(39);
	allocate(device, "a", text, 1000);
	allocate(pinned, "b", text + 1, 200);
	allocate(managed, "c", text + 2, 30);
	allocate(host, "d", text + 3, 4);
	copy(device, "a", text, host, "d", text + 3, 64);
	copied();
	copy(pinned, "b", text, device, "a", text, 32);
	copied();
	copy(device, "a", text, device, "a", text, 16);
	copied();
	((void (*)(const char *, uint32_t, uint64_t *))find("kokkosp_begin_fence"))("fence", STREAM, &number);
	((void (*)(uint64_t))find("kokkosp_end_fence"))(number);
	((void (*)(void))find("kokkosp_pop_profile_region"))(); /* one too many */
	end(0);
	end(1u << 20);
	return 0;
}
