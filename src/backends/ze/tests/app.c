/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in every way: app SCENARIO ARGUMENTS... says what it has done as key=value. */
#include "app.h"

static int data[ITEMS];

/* ---- N kernels between two copies ---- */

static void matrix_regular(int count, const char *way, int *on_device, ze_kernel_handle_t kernel)
{
	bool each = strcmp(way, "sync") == 0;
	ze_command_queue_handle_t queue = queue_of(device, 0);
	ze_command_list_handle_t list = list_of(device, 0, strcmp(way, "inorder") == 0 ? IN_ORDER_LIST : 0);

	copy(list, on_device, data, sizeof(data));
	if (each)
		run(queue, list);
	for (int i = 0; i < count; i++) {
		if (each)
			OK(ZE(zeCommandListReset)(list));
		launch(list, kernel, NULL, NULL);
		if (each)
			run(queue, list);
	}
	if (each)
		OK(ZE(zeCommandListReset)(list));
	copy(list, data, on_device, sizeof(data));
	run(queue, list);
	OK(ZE(zeCommandListDestroy)(list));
	OK(ZE(zeCommandQueueDestroy)(queue));
}

static void matrix_immediate(int count, const char *way, int *on_device, ze_kernel_handle_t kernel)
{
	bool each = strcmp(way, "sync") == 0;
	ze_command_list_handle_t list = immediate_of(device, strcmp(way, "inorder") == 0 ? IN_ORDER_IMMEDIATE : 0,
						     each ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS :
							    ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_event_pool_handle_t pool = pool_of(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
	ze_event_handle_t done = event_of(pool, 0);

	copy(list, on_device, data, sizeof(data));
	for (int i = 0; i < count; i++)
		launch(list, kernel, NULL, NULL);
	OK(ZE(zeCommandListAppendMemoryCopy)(list, data, on_device, sizeof(data), done, 0, NULL));
	OK(ZE(zeEventHostSynchronize)(done, UINT64_MAX));
	OK(ZE(zeEventDestroy)(done));
	OK(ZE(zeEventPoolDestroy)(pool));
	OK(ZE(zeCommandListDestroy)(list));
}

static void matrix(char **word)
{
	int count = atoi(word[0]), *on_device = device_memory(sizeof(data));
	ze_kernel_handle_t kernel = adding(on_device);

	(strcmp(word[1], "regular") == 0 ? matrix_regular : matrix_immediate)(count, word[2], on_device, kernel);
	for (unsigned i = 0; i < ITEMS; i++)
		if (data[i] != count)
			exit(4);
	OK(ZE(zeKernelDestroy)(kernel));
	OK(ZE(zeMemFree)(context, on_device));
	printf("kernels=%d\nbytes=%zu\n", count, sizeof(data));
}

/* ---- a program's own event, again and again: event COUNT POOL_FLAGS ---- */

static void event(char **word)
{
	int count = atoi(word[0]), *on_device = device_memory(sizeof(data));
	uint32_t flags = (uint32_t)atoi(word[1]);
	ze_kernel_handle_t kernel = adding(on_device);
	ze_command_list_handle_t list = immediate_of(device, IN_ORDER_IMMEDIATE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_event_handle_t only = event_of(pool_of(1, flags), 0);
	ze_kernel_timestamp_result_t times;
	uint64_t ticks = 0;

	for (int i = 0; i < count; i++) {
		launch(list, kernel, only, NULL);
		while (ZE(zeEventHostSynchronize)(only, 1000) == ZE_RESULT_NOT_READY)
			;
		if (flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP) {
			OK(ZE(zeEventQueryKernelTimestamp)(only, &times));
			ticks += times.global.kernelEnd - times.global.kernelStart;
		}
		OK(ZE(zeEventHostReset)(only));
	}
	printf("kernels=%d\nticks=%llu\n", count, (unsigned long long)ticks);
}

/* ---- one list, executed again and again: reuse COUNT sync|fence|async ---- */

static void reuse(char **word)
{
	int count = atoi(word[0]), *on_device = device_memory(sizeof(data));
	ze_kernel_handle_t kernel = adding(on_device);
	ze_command_queue_handle_t queue = queue_of(device, 0);
	ze_command_list_handle_t list = list_of(device, 0, 0);
	ze_fence_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_FENCE_DESC };
	ze_event_handle_t own = event_of(pool_of(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE), 0);
	ze_fence_handle_t fence = NULL;

	copy(list, on_device, data, sizeof(data));
	launch(list, kernel, NULL, NULL);
	launch(list, kernel, own, NULL);
	OK(ZE(zeCommandListClose)(list));
	if (strcmp(word[1], "fence") == 0)
		OK(ZE(zeFenceCreate)(queue, &desc, &fence));
	for (int i = 0; i < count; i++) {
		OK(ZE(zeCommandQueueExecuteCommandLists)(queue, 1, &list, fence));
		if (fence) {
			OK(ZE(zeFenceHostSynchronize)(fence, UINT64_MAX));
			OK(ZE(zeFenceReset)(fence));
		} else if (strcmp(word[1], "sync") == 0) {
			OK(ZE(zeCommandQueueSynchronize)(queue, UINT64_MAX));
		}
		if (strcmp(word[1], "async") != 0)
			OK(ZE(zeEventHostReset)(own));
	}
	OK(ZE(zeCommandQueueSynchronize)(queue, UINT64_MAX));
	printf("kernels=%d\ncopies=%d\n", 2 * count, count);
}

/* ---- spins of SPIN_NS each, with a wait after each: spins COUNT SPIN_NS ---- */

static void spins(char **word)
{
	int count = atoi(word[0]);
	ze_kernel_handle_t kernel = spinning(strtoull(word[1], NULL, 10));
	ze_command_list_handle_t list = immediate_of(device, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
	uint64_t begin = now_ns();

	for (int i = 0; i < count; i++)
		launch(list, kernel, NULL, NULL);
	printf("kernels=%d\nran_ns=%llu\n", count, (unsigned long long)(now_ns() - begin));
}

/* ---- kernels behind an event that nobody signals: gate COUNT exit|destroy|signal ---- */

static void gate(char **word)
{
	int count = atoi(word[0]), *on_device = device_memory(sizeof(data));
	ze_kernel_handle_t kernel = adding(on_device);
	ze_command_list_handle_t list = immediate_of(device, IN_ORDER_IMMEDIATE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_event_handle_t closed = event_of(pool_of(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE), 0);
	const struct timespec moment = { .tv_nsec = 50000000 };

	launch(list, kernel, NULL, NULL);
	launch(list, kernel, NULL, closed);
	for (int i = 2; i < count; i++)
		launch(list, kernel, NULL, NULL);
	nanosleep(&moment, NULL);
	if (strcmp(word[1], "signal") == 0) {
		OK(ZE(zeEventHostSignal)(closed));
		nanosleep(&moment, NULL);
	}
	printf("kernels=%d\n", count);
}

/* ---- ends: exits COUNT; kills; forks ---- */

static void exits(char **word)
{
	int count = atoi(word[0]);
	ze_kernel_handle_t kernel = spinning(1000000);
	ze_command_list_handle_t list = immediate_of(device, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);

	for (int i = 0; i < count; i++)
		launch(list, kernel, NULL, NULL);
	printf("kernels=%d\n", count);
}

static void kills(char **word)
{
	ze_kernel_handle_t kernel = spinning(1000000);
	ze_command_list_handle_t list = immediate_of(device, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);

	(void)word;
	for (int i = 0; i < 20; i++)
		launch(list, kernel, NULL, NULL);
	printf("kernels=20\n");
	fflush(stdout);
	kill(getpid(), SIGKILL);
}

/* ---- threads COUNT KERNELS: with lists, kernels and events of their own ---- */

static void *one_thread(void *user)
{
	int count = *(int *)user, own[ITEMS] = { 0 }, *on_device = device_memory(sizeof(own));
	ze_kernel_handle_t kernel = adding(on_device);
	ze_command_list_handle_t list = immediate_of(device, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_event_pool_handle_t pool = pool_of(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
	ze_event_handle_t done = event_of(pool, 0);

	copy(list, on_device, own, sizeof(own));
	for (int i = 0; i < count; i++)
		launch(list, kernel, NULL, NULL);
	OK(ZE(zeCommandListAppendMemoryCopy)(list, own, on_device, sizeof(own), done, 0, NULL));
	OK(ZE(zeEventHostSynchronize)(done, UINT64_MAX));
	if (own[0] != count || own[ITEMS - 1] != count)
		exit(4);
	OK(ZE(zeEventDestroy)(done));
	OK(ZE(zeEventPoolDestroy)(pool));
	OK(ZE(zeCommandListDestroy)(list));
	OK(ZE(zeMemFree)(context, on_device));
	return NULL;
}

static void threads(char **word)
{
	int count = atoi(word[0]), kernels = atoi(word[1]);
	pthread_t thread[64];

	for (int i = 0; i < count && i < 64; i++)
		pthread_create(&thread[i], NULL, one_thread, &kernels);
	for (int i = 0; i < count && i < 64; i++)
		pthread_join(thread[i], NULL);
	printf("kernels=%d\ncopies=%d\n", count * kernels, 2 * count);
}

/* ---- shared COUNT EXECUTIONS: threads with lists and fences of their own on one queue ---- */

static ze_command_queue_handle_t shared_queue;

static void *one_of_a_queue(void *user)
{
	int count = *(int *)user;
	ze_kernel_handle_t kernel = spinning(1000);
	ze_command_list_handle_t list = list_of(device, 0, 0);
	ze_fence_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_FENCE_DESC };
	ze_event_handle_t event = event_of(pool_of(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE), 0);
	ze_fence_handle_t fence;

	OK(ZE(zeFenceCreate)(shared_queue, &desc, &fence));
	launch(list, kernel, NULL, NULL);
	launch(list, kernel, event, NULL);
	OK(ZE(zeCommandListClose)(list));
	for (int i = 0; i < count; i++) {
		OK(ZE(zeCommandQueueExecuteCommandLists)(shared_queue, 1, &list, fence));
		while (ZE(zeFenceQueryStatus)(fence) == ZE_RESULT_NOT_READY)
			;
		OK(ZE(zeFenceReset)(fence));
		OK(ZE(zeEventHostReset)(event));
	}
	OK(ZE(zeCommandListDestroy)(list));
	return NULL;
}

static void shared(char **word)
{
	int count = atoi(word[0]), executions = atoi(word[1]);
	pthread_t thread[64];

	shared_queue = queue_of(device, 0);
	for (int i = 0; i < count && i < 64; i++)
		pthread_create(&thread[i], NULL, one_of_a_queue, &executions);
	for (int i = 0; i < count && i < 64; i++)
		pthread_join(thread[i], NULL);
	printf("kernels=%d\n", 2 * count * executions);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*play)(char **word);
		int words;
	} scenario[] = {
		{ "matrix", matrix, 3 }, { "event", event, 2 }, { "reuse", reuse, 2 }, { "spins", spins, 2 },
		{ "gate", gate, 2 }, { "exits", exits, 1 }, { "kills", kills, 0 }, { "threads", threads, 2 },
		{ "shared", shared, 2 },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(scenario) / sizeof(scenario[0]); i++)
		if (strcmp(argv[1], scenario[i].name) == 0 && argc == 2 + scenario[i].words) {
			start();
			scenario[i].play(argv + 2);
			return 0;
		}
	fprintf(stderr, "no such scenario\n");
	return 2;
}
