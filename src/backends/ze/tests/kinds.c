/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills of each kind, memory, builds, several devices, calls that fail: kinds SCENARIO. */
#include "app.h"

#define BYTES 4096u

static ze_event_handle_t none;

static void *host_memory(size_t bytes)
{
	ze_host_mem_alloc_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC };
	void *address;

	OK(ZE(zeMemAllocHost)(context, &desc, bytes, 64, &address));
	return address;
}

static void *shared_memory(size_t bytes)
{
	ze_device_mem_alloc_desc_t of_device = { .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC };
	ze_host_mem_alloc_desc_t of_host = { .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC };
	void *address;

	OK(ZE(zeMemAllocShared)(context, &of_device, &of_host, bytes, 64, device, &address));
	return address;
}

static void copies(void)
{
	static char pageable[BYTES];
	char *here = device_memory(BYTES), *there = device_memory(BYTES), *pinned = host_memory(BYTES);
	char *shared = shared_memory(BYTES);
	ze_copy_region_t region = { 0, 0, 0, 32, 16, 2 };
	ze_command_list_handle_t list = immediate_of(device, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);

	copy(list, here, pageable, BYTES);      /* H2D */
	copy(list, here, pinned, BYTES);        /* H2D */
	copy(list, pageable, here + 100, 1000); /* D2H */
	copy(list, there, here, BYTES);         /* D2D */
	copy(list, shared, here, BYTES);        /* D2D */
	copy(list, pinned, pageable, BYTES);    /* H2H */
	OK(ZE(zeCommandListAppendMemoryCopyRegion)(list, pinned, &region, 32, 0, here, &region, 32, 0, none, 0, NULL));
	OK(ZE(zeCommandListAppendMemoryFill)(list, here, "ab", 2, BYTES, none, 0, NULL));
	if (here[0] != 'a' || here[BYTES - 1] != 'b')
		exit(4);
	printf("h2d=%u\nd2h=%u\nd2d=%u\nh2h=%u\nfill=%u\n", 2 * BYTES, 1000 + 32 * 16 * 2, 2 * BYTES, BYTES, BYTES);
}

static void images(void)
{
	static char pixels[64 * 32 * 4], back[64 * 8 * 4];
	ze_image_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .type = ZE_IMAGE_TYPE_2D,
				 .format.layout = ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, .width = 64, .height = 32,
				 .depth = 1 };
	ze_image_region_t lines = { .originY = 4, .width = 64, .height = 8, .depth = 1 };
	ze_command_list_handle_t list = immediate_of(device, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
	ze_image_handle_t one, two;

	memset(pixels, 7, sizeof(pixels));
	OK(ZE(zeImageCreate)(context, device, &desc, &one));
	OK(ZE(zeImageCreate)(context, device, &desc, &two));
	OK(ZE(zeCommandListAppendImageCopyFromMemory)(list, one, pixels, NULL, none, 0, NULL));
	OK(ZE(zeCommandListAppendImageCopy)(list, two, one, none, 0, NULL));
	OK(ZE(zeCommandListAppendImageCopyToMemory)(list, back, two, &lines, none, 0, NULL));
	if (back[0] != 7 || back[sizeof(back) - 1] != 7)
		exit(4);
	OK(ZE(zeImageDestroy)(one));
	printf("h2d=%zu\nd2d=%zu\nd2h=%zu\n", sizeof(pixels), sizeof(pixels), sizeof(back));
}

static void memory(void)
{
	void *one = device_memory(1 << 20), *two = device_memory(1 << 20), *three = device_memory(1 << 20);
	void *host = host_memory(1000), *shared = shared_memory(2000), *gone;
	ze_device_mem_alloc_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC };

	OK(ZE(zeMemFree)(context, one));
	OK(ZE(zeMemFree)(context, host));
	printf("refused=%d\n", ZE(zeMemFree)(context, &desc) != ZE_RESULT_SUCCESS);
	printf("too_much=%d\n", ZE(zeMemAllocDevice)(context, &desc, (size_t)1 << 41, 64, device, &gone) ==
				ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
	(void)two;
	(void)three;
	(void)shared;
}

static void builds(void)
{
	ze_module_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_NATIVE,
				  .inputSize = 4, .pInputModule = (const uint8_t *)"code" };
	ze_kernel_desc_t kernel = { .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "no_such_kernel" };
	ze_module_handle_t bad = NULL, native;
	ze_kernel_handle_t none_such;

	printf("refused=0x%x\n", build("bad", &bad));
	OK(ZE(zeModuleCreate)(context, device, &desc, &native, NULL));
	printf("unknown=0x%x\n", ZE(zeKernelCreate)(native, &kernel, &none_such));
}

/* Each device, its sub-devices, and its queues that only copy. */
static void devices(void)
{
	static char pageable[BYTES];
	ze_device_handle_t all[8], part[8];
	uint32_t count = 8;

	OK(ZE(zeDeviceGet)(driver, &count, all));
	for (uint32_t i = 0; i < count; i++) {
		ze_kernel_handle_t kernel = spinning(1000);
		ze_command_list_handle_t copies_only = list_of(all[i], 1, 0);
		uint32_t parts = 8;

		device = all[i];
		copy(copies_only, device_memory(BYTES), pageable, BYTES);
		run(queue_of(all[i], 1), copies_only);
		launch(immediate_of(all[i], 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS), kernel, none, NULL);
		OK(ZE(zeDeviceGetSubDevices)(all[i], &parts, part));
		for (uint32_t n = 0; n < parts; n++)
			launch(immediate_of(part[n], 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS), kernel, none, NULL);
	}
	printf("devices=%u\n", count);
}

/* Every call's result, to be the same with and without sonde. */
static void failing(void)
{
	ze_group_count_t groups = { 1, 1, 1 };
	ze_kernel_handle_t kernel = spinning(1000);
	ze_command_list_handle_t copies_only = list_of(device, 1, 0);
	ze_command_list_handle_t list = immediate_of(device, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
	ze_event_pool_handle_t pool = pool_of(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
	ze_event_desc_t beyond = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 5 };
	ze_event_handle_t event = event_of(pool, 0);

	printf("copies_only 0x%x\n",
	       ZE(zeCommandListAppendLaunchKernel)(copies_only, kernel, &groups, NULL, 0, NULL));
	printf("beyond 0x%x\n", ZE(zeEventCreate)(pool, &beyond, &event));
	printf("not ready 0x%x\n", ZE(zeEventQueryStatus)(event));
	printf("waited 0x%x\n", ZE(zeEventHostSynchronize)(event, 1000));
	printf("unsupported 0x%x\n", ZE(zeContextSystemBarrier)(context, device));
	for (int i = 0; i < 4; i++)
		printf("launch 0x%x\n", ZE(zeCommandListAppendLaunchKernel)(list, kernel, &groups, NULL, 0, NULL));
}

/* Two kernels that signal the same event, which the list itself resets in between. */
static void resets(void)
{
	ze_kernel_handle_t kernel = spinning(1000);
	ze_command_list_handle_t list = list_of(device, 0, IN_ORDER_LIST);
	ze_event_handle_t only = event_of(pool_of(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE), 0);

	for (int i = 0; i < 3; i++) {
		launch(list, kernel, only, NULL);
		OK(ZE(zeCommandListAppendWaitOnEvents)(list, 1, &only));
		OK(ZE(zeCommandListAppendEventReset)(list, only));
	}
	launch(list, kernel, only, NULL);
	run(queue_of(device, 0), list);
	printf("kernels=4\n");
}

/* Events as SYCL makes them, by a function of the driver's own: used again without a reset. */
static void extension(void)
{
	struct {
		uint32_t stype;
		const void *next;
		uint32_t flags, signal, wait;
	} desc = { .flags = 1 | 4 };
	ze_result_t (*create)(ze_context_handle_t, ze_device_handle_t, const void *, ze_event_handle_t *);
	ze_command_list_handle_t list = immediate_of(device, IN_ORDER_IMMEDIATE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_kernel_handle_t kernel = spinning(1000);
	ze_event_handle_t event[2];
	void *address, *other = NULL;

	OK(ZE(zeDriverGetExtensionFunctionAddress)(driver, "zexCounterBasedEventCreate2", &address));
	printf("unknown=%d\n", ZE(zeDriverGetExtensionFunctionAddress)(driver, "zexOther", &other) != 0 && !other);
	create = (ze_result_t (*)(ze_context_handle_t, ze_device_handle_t, const void *, ze_event_handle_t *))address;
	for (int i = 0; i < 2; i++)
		OK(create(context, device, &desc, &event[i]));
	for (int i = 0; i < 10; i++) {
		launch(list, kernel, event[i % 2], NULL);
		OK(ZE(zeEventHostSynchronize)(event[i % 2], UINT64_MAX));
	}
	printf("kernels=10\nflags=%u\n", desc.flags);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*play)(void);
	} scenario[] = {
		{ "copies", copies }, { "memory", memory },
		{ "images", images }, { "builds", builds }, { "devices", devices },
		{ "failing", failing }, { "resets", resets },
		{ "extension", extension },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(scenario) / sizeof(scenario[0]); i++)
		if (strcmp(argv[1], scenario[i].name) == 0) {
			start();
			scenario[i].play();
			return 0;
		}
	fprintf(stderr, "no such scenario\n");
	return 2;
}
