/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does with a (simulated) HIP what its words say, and tells on standard output what it saw of the API. Words:
 *   stream N            later words use the stream N (made when it is first named; 0: the null stream; t: the thread's)
 *   device N            hipSetDevice
 *   add N, spin NS N    N kernels: one that adds 1 to the data, one that takes so long; spin-each also synchronises
 *   loop NS N           likewise with a millisecond of the host's after each, waiting within; loop-wait-after NS N
 *   module NAME N       likewise with hipModuleLaunchKernel, after looking the kernel up
 *   ext N               by the function of C++, hipExtModuleLaunchKernel
 *   thread N            hipLaunchKernel_spt
 *   address N           by functions that hipGetProcAddress gave
 *   copy DIR N, copy-async DIR N, copy-pinned DIR N, copy-registered DIR N   of N bytes;
 *                       DIR: h2d d2h d2d h2h any-h2d any-d2h
 *   fill N, fill32 N    of N bytes, of N words
 *   alloc N, alloc-async N, managed N, host N; free, free-async, host-free: the newest of them
 *   graph N, capture N  a graph of two kernels and a copy, launched N times: explicit, or captured
 *   in-capture          works on another stream while one is captured
 *   reset-in-capture    resets the device while a stream is captured
 *   capture-open        begins to capture a stream
 *   build NAME          hiprtc
 *   sync, sync-stream, sleep MS, threads N M, fork, exit, _exit, abort, kill, errno, last-error, profiler on|off
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hip.h"

#define ITEMS 256
#define MOST 64

static int data[ITEMS], *on_device;
static void *made[MOST], *pinned;
static unsigned count;
static hipStream_t streams[MOST], stream;
static const dim3 grid = { 4, 1, 1 }, block = { 64, 1, 1 };

/* what a compiler would make of kernels: a function of the host for each, told to the runtime before main() */
static void add_one_host(void) {}
static void spin_host(void) {}

__attribute__((constructor)) static void register_kernels(void)
{
	void **modules = __hipRegisterFatBinary("");

	__hipRegisterFunction(modules, (const void *)add_one_host, "add_one", "_Z7add_onePi", 0, NULL, NULL, NULL, NULL,
			      NULL);
	__hipRegisterFunction(modules, (const void *)spin_host, "spin", "spin", 0, NULL, NULL, NULL, NULL, NULL);
}

static void expect(int error, const char *what)
{
	if (!error)
		return;
	printf("failed=1\n");
	fprintf(stderr, "%s: %d\n", what, error);
}
#define CALL(call) expect(call, #call)

static void spin(uint64_t ns, int times, int each)
{
	void *arguments[] = { &ns };

	for (int i = 0; i < times; i++) {
		CALL(hipLaunchKernel((const void *)spin_host, grid, block, arguments, 0, stream));
		if (each)
			CALL(hipStreamSynchronize(stream));
	}
}

static void loop(uint64_t ns, int times, int within)
{
	for (int i = 0; i < times; i++) {
		spin(ns, 1, within);
		usleep(1000);
	}
	if (!within)
		CALL(hipStreamSynchronize(stream));
}

static void add(int times)
{
	void *arguments[] = { &on_device };

	for (int i = 0; i < times; i++)
		CALL(hipLaunchKernel((const void *)add_one_host, grid, block, arguments, 128, stream));
}

static void module(const char *name, int times)
{
	uint64_t ns = 1000;
	void *arguments[] = { strcmp(name, "spin") == 0 ? (void *)&ns : (void *)&on_device };
	hipModule_t loaded;
	hipFunction_t function;

	CALL(hipModuleLoadData(&loaded, "image"));
	CALL(hipModuleGetFunction(&function, loaded, name));
	for (int i = 0; i < times; i++)
		CALL(hipModuleLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, stream, arguments, NULL));
}

static void by_extension(int times)
{
	void *arguments[] = { &on_device };
	hipModule_t loaded;
	hipFunction_t function;

	CALL(hipModuleLoadData(&loaded, "image"));
	CALL(hipModuleGetFunction(&function, loaded, "add_one"));
	for (int i = 0; i < times; i++)
		CALL(hipExtModuleLaunchKernel(function, 256, 1, 1, 64, 1, 1, 32, stream, arguments, NULL, NULL, NULL,
					      0));
}

static void by_address(int times)
{
	hipError_t (*launch)(const void *, dim3, dim3, void **, size_t, hipStream_t) = NULL, (*own)(const void *, dim3,
		dim3, void **, size_t, hipStream_t) = NULL;
	void *arguments[] = { &on_device };

	CALL(hipGetProcAddress("hipLaunchKernel", (void **)&launch, 60100000, 0, NULL));
	CALL(hipGetProcAddress("hipLaunchKernel", (void **)&own, 60100000, 2, NULL));
	for (int i = 0; i < times; i++) {
		CALL(launch((const void *)add_one_host, grid, block, arguments, 0, stream));
		CALL(own((const void *)add_one_host, grid, block, arguments, 0, NULL));
	}
}

static void copy(const char *how, const char *direction, size_t bytes)
{
	static const char *const names[] = { "h2h", "h2d", "d2h", "d2d" };
	char *host = how[4] == '-' && how[5] == 'p' ? pinned : calloc(1, bytes), *device = NULL, *to, *from;
	int kind = hipMemcpyDefault;
	const char *plain = strncmp(direction, "any-", 4) ? direction : direction + 4;

	if (how[4] == '-' && how[5] == 'p')
		CALL(hipHostMalloc((void **)&host, bytes, 0));
	if (how[4] == '-' && how[5] == 'r')
		CALL(hipHostRegister(host, bytes, 0));
	CALL(hipMalloc((void **)&device, bytes));
	for (int i = 0; i < 4 && plain == direction; i++)
		if (strcmp(names[i], direction) == 0)
			kind = i;
	to = plain[2] == 'd' ? device : host;
	from = plain[0] == 'd' ? device : host;
	if (strcmp(how, "copy-async") == 0) {
		CALL(hipMemcpyAsync(to, from, bytes, kind, stream));
		CALL(hipStreamSynchronize(stream));
	} else {
		CALL(hipMemcpy(to, from, bytes, kind));
	}
	CALL(hipFree(device));
	if (how[4] == '-' && how[5] == 'r')
		CALL(hipHostUnregister(host));
	if (how[4] == '-' && how[5] == 'p')
		CALL(hipHostFree(host));
	else
		free(host);
}

static void fill(const char *how, size_t n)
{
	void *device;

	CALL(hipMalloc(&device, n * 4));
	CALL(how[4] ? hipMemsetD32Async(device, 7, n, stream) : hipMemsetAsync(device, 7, n, stream));
	CALL(hipDeviceSynchronize());
	CALL(hipFree(device));
}

static void launch_graph(hipGraph_t graph, int times)
{
	hipGraphExec_t exec;
	size_t nodes = 0;

	CALL(hipGraphGetNodes(graph, NULL, &nodes));
	printf("nodes=%zu\n", nodes);
	CALL(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	for (int i = 0; i < times; i++)
		CALL(hipGraphLaunch(exec, stream));
	CALL(hipStreamSynchronize(stream));
	CALL(hipGraphExecDestroy(exec));
	CALL(hipGraphDestroy(graph));
}

static void explicit_graph(int times)
{
	uint64_t ns = 2000000;
	void *spin_arguments[] = { &ns }, *add_arguments[] = { &on_device };
	hipKernelNodeParams params = { block, NULL, (void *)spin_host, grid, spin_arguments, 0 };
	hipGraphNode_t node;
	hipGraph_t graph;

	CALL(hipGraphCreate(&graph, 0));
	CALL(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
	params.func = (void *)add_one_host;
	params.kernelParams = add_arguments;
	CALL(hipGraphAddKernelNode(&node, graph, &node, 1, &params));
	CALL(hipGraphAddMemcpyNode1D(&node, graph, &node, 1, data, on_device, sizeof(data), hipMemcpyDeviceToHost));
	launch_graph(graph, times);
}

static void captured_graph(int times, int with_others)
{
	hipStream_t kept = stream, other;
	hipGraph_t graph = NULL;

	CALL(hipStreamCreate(&stream));
	CALL(hipStreamCreate(&other));
	CALL(hipStreamBeginCapture(stream, 0));
	spin(2000000, 1, 0);
	add(1);
	CALL(hipMemcpyAsync(data, on_device, sizeof(data), hipMemcpyDeviceToHost, stream));
	if (with_others) {
		hipStream_t captured = stream;
		hipGraph_t none;

		hipStreamEndCapture(other, &none); /* refused: it is not captured, and nothing has ended */
		stream = other;
		add(3);
		stream = captured;
	}
	CALL(hipStreamEndCapture(stream, &graph));
	launch_graph(graph, times);
	CALL(hipStreamSynchronize(other));
	CALL(hipStreamDestroy(stream));
	CALL(hipStreamDestroy(other));
	stream = kept;
}

static void reset_in_capture(void)
{
	hipStream_t captured;
	hipGraph_t none;

	CALL(hipStreamCreate(&captured));
	CALL(hipStreamBeginCapture(captured, 0));
	CALL(hipDeviceReset());
	hipStreamEndCapture(captured, &none); /* refused: there is none any more */
}

static void capture_open(void)
{
	hipStream_t captured;

	CALL(hipStreamCreate(&captured));
	CALL(hipStreamBeginCapture(captured, 0));
}

static void build(const char *name)
{
	hiprtcProgram program;

	CALL(hiprtcCreateProgram(&program, "source", strcmp(name, "-") ? name : NULL, 0, NULL, NULL));
	CALL(hiprtcCompileProgram(program, 0, NULL));
	CALL(hiprtcDestroyProgram(&program));
}

static int thread_launches;
static void *in_thread(void *unused)
{
	void *arguments[] = { &on_device };

	(void)unused;
	for (int i = 0; i < thread_launches; i++)
		CALL(hipLaunchKernel((const void *)add_one_host, grid, block, arguments, 0, hipStreamPerThread));
	CALL(hipStreamSynchronize(hipStreamPerThread));
	return NULL;
}

static void threads(int n, int launches)
{
	pthread_t thread[MOST];

	thread_launches = launches;
	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, in_thread, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

static void end(const char *word)
{
	fflush(stdout);
	if (strcmp(word, "exit") == 0)
		exit(7);
	if (strcmp(word, "_exit") == 0)
		_exit(7);
	if (strcmp(word, "abort") == 0)
		abort();
	kill(getpid(), SIGKILL);
}

static void in_child(void)
{
	pid_t child;
	int state = 0;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		hipDriverGetVersion(&state); /* one of the calls that a child may make */
		_exit(state ? 0 : 1);
	}
	waitpid(child, &state, 0);
	printf("child=%d\n", WEXITSTATUS(state));
}

static void use_stream(const char *word)
{
	int n = atoi(word);

	if (n > 0 && !streams[n])
		CALL(hipStreamCreateWithFlags(&streams[n], 1));
	stream = *word == 't' ? hipStreamPerThread : streams[n];
}

/* A failed call, one that goes well, then what the program is told of the last error. */
static void last_error(void)
{
	void *unused;

	printf("malloc=%d\n", hipMalloc(&unused, (size_t)1 << 50));
	printf("peek=%d\n", hipPeekAtLastError());
	add(1);
	printf("after_launch=%d\n", hipGetLastError());
	add(1);
	CALL(hipDeviceSynchronize());
	printf("then=%d\n", hipGetLastError());
	errno = 77;
	add(1);
	printf("errno=%d\n", errno);
	CALL(hipDeviceSynchronize());
}

/* One word and what follows it; how many words that were. */
static int memory(char **word)
{
	size_t bytes = word[1] ? strtoull(word[1], NULL, 0) : 0;

	if (strcmp(*word, "alloc") == 0)
		expect(hipMalloc(&made[count++], bytes), *word);
	else if (strcmp(*word, "alloc-async") == 0)
		expect(hipMallocAsync(&made[count++], bytes, stream), *word);
	else if (strcmp(*word, "managed") == 0)
		expect(hipMallocManaged(&made[count++], bytes, 1), *word);
	else if (strcmp(*word, "host") == 0)
		expect(hipHostMalloc(&made[count++], bytes, 0), *word);
	else if (strcmp(*word, "free") == 0)
		return expect(hipFree(made[--count]), *word), 1;
	else if (strcmp(*word, "free-async") == 0)
		return expect(hipFreeAsync(made[--count], stream), *word), 1;
	else if (strcmp(*word, "host-free") == 0)
		return expect(hipHostFree(made[--count]), *word), 1;
	else
		return 0;
	return 2;
}

static int simple(char **word)
{
	if (strcmp(*word, "sync") == 0)
		CALL(hipDeviceSynchronize());
	else if (strcmp(*word, "sync-stream") == 0)
		CALL(hipStreamSynchronize(stream));
	else if (strcmp(*word, "fork") == 0)
		in_child();
	else if (strcmp(*word, "last-error") == 0)
		last_error();
	else if (strcmp(*word, "reset-in-capture") == 0)
		reset_in_capture();
	else if (strcmp(*word, "capture-open") == 0)
		capture_open();
	else if (strcmp(*word, "in-capture") == 0)
		captured_graph(1, 1);
	else if (strcmp(*word, "exit") == 0 || strcmp(*word, "_exit") == 0 || strcmp(*word, "abort") == 0 ||
		 strcmp(*word, "kill") == 0)
		end(*word);
	else
		return 0;
	return 1;
}

static int one(char **word)
{
	int n = word[1] ? atoi(word[1]) : 0;

	if (strcmp(*word, "stream") == 0)
		use_stream(word[1]);
	else if (strcmp(*word, "device") == 0)
		CALL(hipSetDevice(n));
	else if (strcmp(*word, "add") == 0)
		add(n);
	else if (strcmp(*word, "ext") == 0)
		by_extension(n);
	else if (strcmp(*word, "address") == 0)
		by_address(n);
	else if (strcmp(*word, "thread") == 0)
		for (void *arguments[] = { &on_device }; n > 0; n--)
			CALL(hipLaunchKernel_spt((const void *)add_one_host, grid, block, arguments, 0, NULL));
	else if (strncmp(*word, "fill", 4) == 0)
		fill(*word, (size_t)n);
	else if (strcmp(*word, "graph") == 0)
		explicit_graph(n);
	else if (strcmp(*word, "capture") == 0)
		captured_graph(n, 0);
	else if (strcmp(*word, "build") == 0)
		build(word[1]);
	else if (strcmp(*word, "sleep") == 0)
		usleep((useconds_t)n * 1000);
	else if (strcmp(*word, "profiler") == 0)
		CALL(strcmp(word[1], "on") == 0 ? hipProfilerStart() : hipProfilerStop());
	else
		return 0;
	return 2;
}

static int two(char **word)
{
	if (strncmp(*word, "spin", 4) == 0)
		spin(strtoull(word[1], NULL, 0), atoi(word[2]), word[0][4] == '-');
	else if (strncmp(*word, "loop", 4) == 0)
		loop(strtoull(word[1], NULL, 0), atoi(word[2]), !word[0][4]);
	else if (strcmp(*word, "module") == 0)
		module(word[1], atoi(word[2]));
	else if (strncmp(*word, "copy", 4) == 0)
		copy(*word, word[1], strtoull(word[2], NULL, 0));
	else if (strcmp(*word, "threads") == 0)
		threads(atoi(word[1]), atoi(word[2]));
	else
		return 0;
	return 3;
}

int main(int argc, char **argv)
{
	int devices = 0;

	(void)argc;
	on_device = data;
	CALL(hipInit(0));
	CALL(hipGetDeviceCount(&devices));
	for (char **word = argv + 1; *word;) {
		int used = simple(word);

		if (!used)
			used = memory(word);
		if (!used)
			used = one(word);
		if (!used)
			used = two(word);
		if (!used) {
			fprintf(stderr, "what is %s?\n", *word);
			return 2;
		}
		word += used;
	}
	printf("data=%d\n", data[0]);
	return 0;
}
