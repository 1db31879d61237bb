/* SPDX-License-Identifier: BSD-3-Clause */
/* librocprofiler-register: is there a tool? If so it ends the process unless there is the library. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rocprofiler_register_library_api_table(const char *name, void *import, uint32_t version, void **tables,
					   uint64_t count, void *id_out);

#pragma weak rocprofiler_configure
extern int rocprofiler_configure(void);

static void *open_beside(void)
{
	char path[4096];
	Dl_info self;

	dladdr((void *)open_beside, &self);
	snprintf(path, sizeof(path), "%s", self.dli_fname);
	strcpy(strrchr(path, '/'), "/librocprofiler-sdk.so");
	return dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
}

int rocprofiler_register_library_api_table(const char *name, void *import, uint32_t version, void **tables,
					   uint64_t count, void *id_out)
{
	int (*set)(const char *, uint64_t, uint64_t, void **, uint64_t) = NULL;
	void *library;

	(void)import;
	(void)id_out;
	if (!rocprofiler_configure && !dlsym(RTLD_DEFAULT, "rocprofiler_configure") && !getenv("ROCP_TOOL_LIBRARIES") &&
	    !getenv("ROCPROFILER_REGISTER_FORCE_LOAD"))
		return 1;
	library = open_beside();
	if (library)
		set = (int (*)(const char *, uint64_t, uint64_t, void **, uint64_t))dlsym(library,
			"rocprofiler_set_api_table");
	if (!set) {
		fprintf(stderr, "rocprofiler_set_api_table not found\n");
		abort();
	}
	return set(name, version, 0, tables, count);
}
