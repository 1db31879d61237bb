/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host LIBRARY: calls a tool as Kokkos does, for devices that are not here: kernels and copies of a CUDA device, with
 * pinned and managed memory. What Kokkos gives as an argument is gone when it calls again.
 */
#include <dlfcn.h>
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

static void *library;

static void *find(const char *name)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		app_die(name, 0);
	return symbol;
}

int main(int argc, char **argv)
{
	struct settings settings = {.requires_global_fencing = true};
	struct space device = {"Cuda"}, host = {"Host"}, pinned = {"CudaHostPinned"}, managed = {"CudaUVM"};
	const uint32_t stream = 2u << 24 | 1;
	uint64_t number[40];
	char text[16];

	library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	if (!library)
		app_die("no tool", 0);
	((void (*)(uint32_t, struct settings *))find("kokkosp_request_tool_settings"))(1, &settings);
	((void (*)(int, uint64_t, uint32_t, void *))find("kokkosp_init_library"))(0, 20210225, 0, NULL);
	void (*begin)(const char *, uint32_t, uint64_t *) = find("kokkosp_begin_parallel_for");
	void (*end)(uint64_t) = find("kokkosp_end_parallel_for");
	void (*allocate)(struct space, const char *, const void *, uint64_t) = find("kokkosp_allocate_data");
	void (*copy)(struct space, const char *, const void *, struct space, const char *, const void *, uint64_t) =
		find("kokkosp_begin_deep_copy");
	void (*copied)(void) = find("kokkosp_end_deep_copy");

	app_say("fencing", settings.requires_global_fencing);
	for (int i = 0; i < 40; i++) { /* all open at once */
		snprintf(text, sizeof(text), "k%d", i % 2);
		begin(text, stream, &number[i]);
		memset(text, '?', sizeof(text) - 1);
	}
	for (int i = 40; i-- > 0;)
		end(number[i]);
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
	((void (*)(const char *, uint32_t, uint64_t *))find("kokkosp_begin_fence"))("fence", stream, number);
	((void (*)(uint64_t))find("kokkosp_end_fence"))(number[0]);
	((void (*)(void))find("kokkosp_pop_profile_region"))(); /* one too many */
	end(0);
	end(1u << 20);
	return 0;
}
