/* SPDX-License-Identifier: BSD-3-Clause */
/* A loader of the program's own that calls through the tables of the installed one. */
#define STATIC_LOADER
#include "app.h"

int main(void)
{
	void *loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL);
	ze_global_dditable_t table = { NULL };
	ze_pfnGetGlobalProcAddrTable_t get;

	if (!loader)
		return 2;
	take_table(loader);
	get = (ze_pfnGetGlobalProcAddrTable_t)dlsym(loader, "zeGetGlobalProcAddrTable");
	OK(get(ZE_API_VERSION_CURRENT, &table));
	OK(table.pfnInit(0));
	return 0;
}
