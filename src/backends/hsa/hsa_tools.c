/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The runtime hands the tables through which it calls itself to the tools that HSA_TOOLS_LIB names, in hsa_init() when
 * it has found its devices. Our wrappers go in there as well, for callers that no preloaded wrapper can stand before,
 * such as programs that hold the runtime themselves. A call that came through an exported wrapper finds its own
 * function on top of the thread's stack there, and is not counted again.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "hsa.h"

/* Since this major version of the tables (ROCm 6.0) functions are only added at the end; before, also in between. */
#define TABLE_MAJOR 2u
#define TABLES 4u

struct table {
	uint32_t major, bytes, step, reserved; /* bytes: of the whole table, which tells how many functions it has */
	void *function[];
};

/* What OnLoad() is given; further tables follow in some versions. */
struct tables {
	uint32_t major, bytes, step, reserved;
	struct table *table[TABLES];
};

/* First function of each table, and the end of all, in the order of hsa.api. */
static const uint16_t first[TABLES + 1] = {
	hsa_dispatch_hsa_init, hsa_dispatch_hsa_amd_coherency_get_type, hsa_dispatch_hsa_ext_program_create,
	hsa_dispatch_hsa_ext_image_get_capability, HSA_DISPATCH_COUNT
};

static bool live;

bool hsa_tables_live(void)
{
	return live;
}

static uint32_t replace(struct table *table, uint32_t begin, uint32_t end)
{
	uint32_t count = (uint32_t)((table->bytes - sizeof(*table)) / sizeof(table->function[0])), replaced = 0;

	if (table->major != TABLE_MAJOR || table->bytes < sizeof(*table))
		return 0;
	for (uint32_t i = 0; i < count && begin + i < end; i++) {
		uint16_t symbol = hsa_layer_symbol[begin + i];
		void *entry = hsa_layer_entry(begin + i);

		if (symbol == UINT16_MAX || !entry || !table->function[i] || table->function[i] == entry)
			continue;
		__atomic_store_n(&hsa_backend.real[symbol], table->function[i], __ATOMIC_RELEASE);
		__atomic_store_n(&table->function[i], entry, __ATOMIC_RELEASE);
		replaced++;
	}
	return replaced;
}

/*
 * A runtime of an API above, which calls HSA for itself: only the exported wrappers, which see who calls, can tell its
 * calls from the program's.
 */
static int is_runtime_above(struct dl_phdr_info *info, size_t size, void *found)
{
	const char *file = strrchr(info->dlpi_name, '/');

	(void)size;
	file = file ? file + 1 : info->dlpi_name;
	if (strncmp(file, "libamdhip64", 11) == 0 || strncmp(file, "libamdocl", 9) == 0)
		*(bool *)found = true;
	return *(bool *)found;
}

bool hsa_is_below(void)
{
	bool above = false;

	dl_iterate_phdr(is_runtime_above, &above);
	return above;
}

/* Called by the runtime, in hsa_init(). False: it closes this object again. */
REC_EXPORT bool OnLoad(struct tables *tables, uint64_t runtime_version, uint64_t failed_tools,
		       const char *const *failed)
{
	uint32_t replaced = 0;
	Dl_info runtime;

	(void)runtime_version;
	(void)failed_tools;
	(void)failed;
	if (!tables || hsa_is_below() || !rec_backend_wanted(&hsa_backend))
		return true;
	for (uint32_t i = 0; i < TABLES; i++)
		if (tables->bytes >= offsetof(struct tables, table[i + 1]) && tables->table[i])
			replaced += replace(tables->table[i], first[i], first[i + 1]);
	if (!replaced)
		return true;
	live = true;
	rec_attached(&hsa_backend, "HSA_TOOLS_LIB", dladdr(hsa_backend.real[hsa_layer_symbol[0]], &runtime)
						? runtime.dli_fname : NULL);
	return true;
}

REC_EXPORT void OnUnload(void)
{
	live = false; /* the runtime has its own tables back */
}
