/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that does what its arguments say, one word after another, see words[] at the end. What the following
 * operations are like (device, stream, name, times) is kept until it is said anew.
 * With SIM_STATIC it holds the runtime itself, and has the driver's functions by cuGetProcAddress().
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "sim.h"

#define LONG_NAME 4096

static struct sim_operation *op; /* of the initial thread */
static char **word;              /* the next one */
static uint64_t base;            /* of given times */
static struct sim_grid one = {1, 1, 1};
static uint64_t late;

static uint64_t raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static const char *text(void)
{
	if (!*word) {
		fprintf(stderr, "a word is missing at the end\n");
		exit(2);
	}
	return *word++;
}

static uint64_t number(void)
{
	return strtoull(text(), NULL, 0);
}

/* The driver's function as the program has it. */
static void *by_address(const char *name)
{
	void *function = NULL;

	cuGetProcAddress_v2(name, &function, 13000, 0, NULL);
	return function;
}
#ifdef SIM_STATIC
#define DRIVER(name) ((__typeof__(&name))(uintptr_t)by_address(#name))
#else
#define DRIVER(name) ((void)by_address, name)
#endif

/* ---- what operations are like ---- */

static void do_name(void)
{
	op->name = text();
}

/* null; long: 4 KiB; longer: 9 KiB; bad: not UTF-8, and what JSON and terminals take for something else */
static void do_odd_name(void)
{
	static char long_name[LONG_NAME + 1], longest[2 * LONG_NAME + 1000];
	const char *kind = text();

	memset(long_name, 'n', sizeof(long_name) - 1);
	memset(longest, 'n', sizeof(longest) - 1);
	if (!strcmp(kind, "null"))
		op->name = NULL;
	else if (!strcmp(kind, "bad"))
		op->name = "bad\xff\xc3(\"\\\x1b[31m\n";
	else
		op->name = strcmp(kind, "long") ? longest : long_name;
}

static void do_at(void)
{
	op->begin = base + number();
	op->end = op->begin + number();
}

static void do_backwards(void)
{
	op->begin = base + 1000;
	op->end = base;
}

static void do_now(void)
{
	op->begin = op->end = 0;
}

#define SET(member)                  \
	static void do_##member(void) \
	{                            \
		op->member = (__typeof__(op->member))number(); \
	}
SET(device)
SET(context)
SET(stream)
SET(bytes)
SET(memory)
SET(answer)
SET(silent)
SET(untimed)
SET(took)
SET(starts_more)

/* ---- calls of the runtime ---- */

#define LAUNCH(word, function)                                 \
	static void word(void)                                 \
	{                                                      \
		for (uint64_t count = number(); count; count--) \
			function("", one, one, NULL, 0, NULL); \
	}
LAUNCH(do_launch, cudaLaunchKernel)
LAUNCH(do_launch_ptsz, cudaLaunchKernel_ptsz)
LAUNCH(do_launch_handle, __cudaLaunchKernel)
LAUNCH(do_launch_handle_ptsz, __cudaLaunchKernel_ptsz)

/* COPY FROM TO BYTES, by CUPTI's numbers */
static void say_copy(void)
{
	op->copy = (uint8_t)number();
	op->from = (uint8_t)number();
	op->to = (uint8_t)number();
	op->bytes = number();
}

static void do_copy(void)
{
	say_copy();
	op->asynchronous = false;
	cudaMemcpy(NULL, NULL, op->bytes, 0);
}

static void do_copy_async(void)
{
	say_copy();
	op->asynchronous = true;
	cudaMemcpyAsync(NULL, NULL, op->bytes, 0, NULL);
}

static void do_peer(void)
{
	op->bytes = number();
	cudaMemcpyPeerAsync(NULL, 1, NULL, 0, op->bytes, NULL);
}

static void do_fill(void)
{
	op->bytes = number();
	cudaMemsetAsync(NULL, 0, op->bytes, NULL);
}

static void do_alloc(void)
{
	void *pointer = NULL;

	op->bytes = number();
	cudaMalloc(&pointer, op->bytes);
}

static void do_free(void)
{
	op->bytes = number();
	cudaFree(NULL);
}

static void do_alloc_host(void)
{
	void *pointer = NULL;

	op->bytes = number();
	cudaMallocHost(&pointer, op->bytes);
}

static void do_free_host(void)
{
	op->bytes = number();
	cudaFreeHost(NULL);
}

static struct sim_grid extent(void)
{
	unsigned x = (unsigned)number(), y = (unsigned)number(), z = (unsigned)number();

	return (struct sim_grid){x, y, z};
}

static void do_grid(void)
{
	op->grid = extent();
}

static void do_block(void)
{
	op->block = extent();
}

static void do_registers(void)
{
	op->registers = (uint32_t)number();
}

static void do_shared(void)
{
	op->static_shared = (uint32_t)number();
	op->dynamic_shared = (uint32_t)number();
}

static void do_graph_number(void)
{
	op->graph = (uint32_t)number();
}

static void do_graph(void)
{
	op->nodes = number();
	cudaGraphLaunch(NULL, NULL);
}

static void do_capture(void)
{
	cudaStreamBeginCapture(NULL, 0);
}

static void do_captured(void)
{
	void *graph = NULL;

	cudaStreamEndCapture(NULL, &graph);
}

static void do_sync(void)
{
	cudaDeviceSynchronize();
}

/* ---- calls of the driver ---- */

static void do_init(void)
{
	DRIVER(cuInit)(0);
}

static void do_driver(void)
{
	for (uint64_t count = number(); count; count--)
		DRIVER(cuLaunchKernel)(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

static void do_driver_ptsz(void)
{
	for (uint64_t count = number(); count; count--)
		DRIVER(cuLaunchKernel_ptsz)(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

static void do_driver_alloc(void)
{
	uint64_t pointer = 0;

	op->bytes = number();
	DRIVER(cuMemAlloc_v2)(&pointer, op->bytes);
}

static void do_old_alloc(void)
{
	unsigned pointer = 0;

	op->bytes = number();
	DRIVER(cuMemAlloc)(&pointer, (unsigned)op->bytes);
}

static void do_ask(void)
{
	void *context;

	for (uint64_t count = number(); count; count--)
		DRIVER(cuCtxGetCurrent)(&context);
}

/* WHAT, by CUPTI's numbers, became of the code */
static void do_load(void)
{
	void *module;

	op->jit = (uint32_t)number();
	DRIVER(cuModuleLoadData)(&module, "");
}

/* ---- what CUPTI does ---- */

static void do_drop(void)
{
	sim_driver()->tools->drop(number());
}

static void do_hand_out(void)
{
	for (uint64_t count = number(); count; count--)
		sim_driver()->tools->hand_out();
}

/* 1: no more memory for anybody; 0: as before */
static void do_starve(void)
{
	static struct rlimit before;
	struct rlimit limit;

	if (number()) {
		getrlimit(RLIMIT_AS, &before);
		limit = (struct rlimit){1 << 20, before.rlim_max};
	} else {
		limit = before;
	}
	setrlimit(RLIMIT_AS, &limit);
}

static void do_facts(void)
{
	fputs(sim_driver()->tools ? sim_driver()->tools->facts() : "cupti=none\n", stdout);
	fflush(stdout);
}

static void do_client(void)
{
	void *client = dlopen(CLIENT, RTLD_NOW);
	int (*start)(const char *) = (int (*)(const char *))(uintptr_t)dlsym(client, "sim_client_start");

	printf("client_error=%d\n", start(text()));
}

static void do_client_print(void)
{
	void (*print)(void) = (void (*)(void))(uintptr_t)dlsym(dlopen(CLIENT, RTLD_NOW), "sim_client_print");

	print();
	fflush(stdout);
}

static void do_open(void)
{
	const char *library = text();

	if (!dlopen(library, RTLD_NOW)) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
}

/* ---- lives ---- */

static int joining;

/* op: of the program's first thread */
static void *launch_many(void *data)
{
	sim_driver()->operation()->name = "threaded";
	sim_driver()->operation()->answer = op->answer;
	for (uint64_t count = (uint64_t)(uintptr_t)data; count; count--)
		cudaLaunchKernel("", one, one, NULL, 0, NULL);
	return NULL;
}

static void *launch_until_joined(void *data)
{
	sim_driver()->operation()->name = "threaded";
	while (!__atomic_load_n(&joining, __ATOMIC_RELAXED))
		cudaLaunchKernel("", one, one, NULL, 0, NULL);
	return data;
}

static pthread_t thread[64];
static unsigned threads;

static void do_start_threads(void)
{
	uint64_t count = number(), each = number();

	while (threads < count && threads < 64)
		pthread_create(&thread[threads++], NULL, launch_many, (void *)(uintptr_t)each);
}

static void do_start_endless(void)
{
	uint64_t count = number();

	while (threads < count && threads < 64)
		pthread_create(&thread[threads++], NULL, launch_until_joined, NULL);
}

static void do_join_threads(void)
{
	__atomic_store_n(&joining, 1, __ATOMIC_RELAXED);
	while (threads)
		pthread_join(thread[--threads], NULL);
}

static void do_threads(void)
{
	do_start_threads();
	do_join_threads();
}

/* To be said before "init": handlers run backwards, so this one runs when the tool has had its end. */
static void launch_late(void)
{
	for (; late; late--)
		cudaLaunchKernel("", one, one, NULL, 0, NULL);
	sim_driver()->tools->hand_out();
	usleep(50000);
}

static void do_late(void)
{
	late = number();
	atexit(launch_late);
}

static void skip_to(const char *end)
{
	while (strcmp(text(), end) != 0)
		;
}

/* The child goes on with the next word, its parent behind the word "parent" when the child has ended. */
static void do_fork(void)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		return;
	waitpid(child, &status, 0);
	printf("child=%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	skip_to("parent");
}

static void do_profiler_start(void)
{
	cudaProfilerStart();
}

static void do_profiler_stop(void)
{
	cudaProfilerStop();
}

static void do_exit(void)
{
	exit((int)number());
}

static void do_quick(void)
{
	_exit((int)number());
}

static void end_in_handler(int signal)
{
	_exit(signal == SIGALRM ? 3 : 4);
}

/* A handler that ends the program, most likely while the allocator is at work. */
static void do_handler_exit(void)
{
	struct itimerval soon = {.it_value = {.tv_usec = 20000}};
	void *kept[64] = {NULL};

	signal(SIGALRM, end_in_handler);
	setitimer(ITIMER_REAL, &soon, NULL);
	for (unsigned i = 0;; i++) {
		free(kept[i % 64]);
		kept[i % 64] = calloc(1, 1500 + i * 37 % 3000);
	}
}

static void do_kill(void)
{
	raise(SIGKILL);
}

static void do_sleep(void)
{
	usleep((useconds_t)number() * 1000);
}

static const struct {
	const char *word;
	void (*act)(void);
} words[] = {
	{"name", do_name}, {"odd-name", do_odd_name}, {"at", do_at}, {"backwards", do_backwards}, {"now", do_now},
	{"device", do_device}, {"context", do_context}, {"stream", do_stream}, {"bytes", do_bytes},
	{"memory", do_memory}, {"answer", do_answer}, {"silent", do_silent}, {"untimed", do_untimed},
	{"took", do_took}, {"starts-more", do_starts_more}, {"launch", do_launch}, {"launch-ptsz", do_launch_ptsz},
	{"launch-handle", do_launch_handle}, {"launch-handle-ptsz", do_launch_handle_ptsz},
	{"copy", do_copy}, {"copy-async", do_copy_async}, {"peer", do_peer}, {"fill", do_fill}, {"alloc", do_alloc},
	{"free", do_free}, {"alloc-host", do_alloc_host}, {"free-host", do_free_host}, {"graph", do_graph},
	{"grid", do_grid}, {"block", do_block}, {"registers", do_registers}, {"shared", do_shared},
	{"graph-number", do_graph_number},
	{"capture", do_capture}, {"captured", do_captured}, {"sync", do_sync}, {"init", do_init},
	{"driver", do_driver}, {"driver-ptsz", do_driver_ptsz}, {"driver-alloc", do_driver_alloc},
	{"ask", do_ask}, {"load", do_load},
	{"old-alloc", do_old_alloc}, {"drop", do_drop}, {"hand-out", do_hand_out}, {"starve", do_starve},
	{"facts", do_facts}, {"client", do_client}, {"client-print", do_client_print}, {"open", do_open},
	{"threads", do_threads}, {"start-threads", do_start_threads}, {"start-endless", do_start_endless},
	{"join-threads", do_join_threads}, {"late", do_late}, {"fork", do_fork}, {"exit", do_exit},
	{"quick-exit", do_quick},
	{"handler-exit", do_handler_exit}, {"abort", abort},
	{"kill", do_kill}, {"sleep", do_sleep}, {"start", do_profiler_start}, {"stop", do_profiler_stop},
};

/* As nvcc has it of each program with kernels. */
__attribute__((constructor)) static void register_kernels(void)
{
	static int code;

	__cudaRegisterFatBinary(&code);
}

int main(int argc, char **argv)
{
	(void)argc;
	op = sim_driver()->operation();
	op->name = "kernel";
	op->grid = op->block = one;
	op->graph = 1;
	op->memory = CUPTI_DEVICE;
	base = raw_ns();
	for (word = argv + 1; *word;) {
		const char *next = text();
		size_t i = 0;

		while (i < sizeof(words) / sizeof(words[0]) && strcmp(words[i].word, next) != 0)
			i++;
		if (i == sizeof(words) / sizeof(words[0])) {
			fprintf(stderr, "no word %s\n", next);
			return 2;
		}
		words[i].act();
	}
	fflush(stdout);
	return 0;
}
