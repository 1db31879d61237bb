/* SPDX-License-Identifier: BSD-3-Clause */
/* As a program with the static loader: takes the tables of the installed one, and calls through them. */
#include "app.h"

#include <level_zero/ze_ddi.h>

int main(void)
{
	void *loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL);
	ze_result_t (*init)(ze_init_flags_t);
	ze_pfnGetGlobalProcAddrTable_t get;
	ze_global_dditable_t table = { NULL };

	if (!loader)
		return 2;
	/* the installed loader has its drivers from then on; not by a function that is wrapped */
	init = (ze_result_t (*)(ze_init_flags_t))dlsym(loader, "zeLoaderInit");
	get = (ze_pfnGetGlobalProcAddrTable_t)dlsym(loader, "zeGetGlobalProcAddrTable");
	if (!init || !get)
		return 2;
	init(0);
	OK(get(ZE_API_VERSION_CURRENT, &table));
	OK(table.pfnInit(0));
	return 0;
}
