/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tables COUNT: kernels by a loader of the program's own that calls through the tables of the installed one, and uses
 * none of its functions.
 */
#define STATIC_LOADER
#include "app.h"

static void *table_of(void *loader, const char *name, void *table)
{
	ze_result_t (*get)(ze_api_version_t, void *) = (ze_result_t (*)(ze_api_version_t, void *))dlsym(loader, name);

	OK(get(ZE_API_VERSION_CURRENT, table));
	return table;
}
#define TABLE(name, type) ((type *)table_of(loader, "zeGet" #name "ProcAddrTable", calloc(1, sizeof(type))))

static void start_by(void *loader)
{
	ze_context_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	ze_module_desc_t of_module = { .stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_IL_SPIRV,
				       .inputSize = 7, .pInputModule = (const uint8_t *)"kernels" };
	uint32_t count = 1;

	OK(TABLE(Global, ze_global_dditable_t)->pfnInit(0));
	OK(TABLE(Driver, ze_driver_dditable_t)->pfnGet(&count, &driver));
	count = 1;
	OK(TABLE(Device, ze_device_dditable_t)->pfnGet(driver, &count, &device));
	OK(TABLE(Context, ze_context_dditable_t)->pfnCreate(driver, &desc, &context));
	OK(TABLE(Module, ze_module_dditable_t)->pfnCreate(context, device, &of_module, &module, NULL));
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0, before[ITEMS] = { 0 }, after[ITEMS];
	void *loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL), *memory;
	ze_command_queue_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS };
	ze_device_mem_alloc_desc_t of_memory = { .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC };
	ze_kernel_desc_t of_kernel = { .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "add_one" };
	ze_command_list_dditable_t *lists;
	ze_kernel_dditable_t *kernels;
	ze_command_list_handle_t list;
	ze_kernel_handle_t kernel;

	if (!loader)
		return 2;
	take_table(loader);
	start_by(loader);
	lists = TABLE(CommandList, ze_command_list_dditable_t);
	kernels = TABLE(Kernel, ze_kernel_dditable_t);
	OK(TABLE(Mem, ze_mem_dditable_t)->pfnAllocDevice(context, &of_memory, sizeof(before), 64, device, &memory));
	OK(lists->pfnCreateImmediate(context, device, &desc, &list));
	OK(kernels->pfnCreate(module, &of_kernel, &kernel));
	OK(kernels->pfnSetGroupSize(kernel, ITEMS / 2, 1, 1));
	OK(kernels->pfnSetArgumentValue(kernel, 0, sizeof(memory), &memory));
	OK(lists->pfnAppendMemoryCopy(list, memory, before, sizeof(before), NULL, 0, NULL));
	for (int i = 0; i < count; i++)
		OK(lists->pfnAppendLaunchKernel(list, kernel, &(ze_group_count_t){ 2, 1, 1 }, NULL, 0, NULL));
	OK(lists->pfnAppendMemoryCopy(list, after, memory, sizeof(after), NULL, 0, NULL));
	for (unsigned i = 0; i < ITEMS; i++)
		if (after[i] != count)
			return 4;
	printf("kernels=%d\n", count);
	return 0;
}
