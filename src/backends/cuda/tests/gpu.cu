/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tests/gpu.py traces: one mode per word of the command line. Prints what it did as key=value lines, from its own
 * counts and from CUDA's own events.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>

#define MUST(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d: %s: %s\n", \
	__FILE__, __LINE__, #call, cudaGetErrorString(e_)); exit(3); } } while (0)
#define STREAMS 4

__global__ void empty(int *p) { if (p && threadIdx.x == 99999) *p = 1; }
__global__ void spin(long long cycles) { long long from = clock64(); while (clock64() - from < cycles) { } }
/* keeps a stream busy until what follows is in it, too: events then measure kernels, not the host */
__global__ void delay(long long cycles) { long long from = clock64(); while (clock64() - from < cycles) { } }
__global__ void touch(char *p, size_t n) { for (size_t i = threadIdx.x; i < n; i += blockDim.x) p[i]++; }

static cudaStream_t streams[STREAMS];

static void make_streams()
{
	for (int i = 0; i < STREAMS; i++)
		MUST(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
}

/* kernels and copies of known sizes on several streams. */
static void counts(long kernels, long copies, bool wait)
{
	uint64_t bytes[3] = {0, 0, 0};
	char *device, *other, *host;

	make_streams();
	MUST(cudaMalloc(&device, 1 << 20));
	MUST(cudaMalloc(&other, 1 << 20));
	MUST(cudaMallocHost(&host, 1 << 20));
	for (long i = 0; i < kernels; i++)
		empty<<<1, 32, 0, streams[i % STREAMS]>>>(NULL);
	MUST(cudaGetLastError());
	for (long i = 0; i < copies; i++) {
		size_t size = 64 + 64 * (i % 100);
		cudaStream_t stream = streams[i % STREAMS];

		if (i % 3 == 0)
			MUST(cudaMemcpyAsync(device, host, size, cudaMemcpyHostToDevice, stream));
		else if (i % 3 == 1)
			MUST(cudaMemcpyAsync(host, device, size, cudaMemcpyDeviceToHost, stream));
		else
			MUST(cudaMemcpyAsync(other, device, size, cudaMemcpyDeviceToDevice, stream));
		bytes[i % 3] += size;
	}
	printf("kernels=%ld\ncopies=%ld\nh2d=%llu\nd2h=%llu\nd2d=%llu\n", kernels, copies, (unsigned long long)bytes[0],
	       (unsigned long long)bytes[1], (unsigned long long)bytes[2]);
	fflush(stdout);
	if (wait)
		MUST(cudaDeviceSynchronize());
}

/* kernels of a millisecond and more, each between two events and launched in a range of its own. */
static void times(int kernels)
{
	cudaEvent_t begin, end;
	double sum = 0;

	MUST(cudaEventCreate(&begin));
	MUST(cudaEventCreate(&end));
	for (int i = 0; i < kernels; i++) {
		float ms;

		delay<<<1, 1>>>(400000);
		MUST(cudaEventRecord(begin));
		nvtxRangePushA("around");
		spin<<<1, 1>>>(4000000);
		nvtxRangePop();
		MUST(cudaEventRecord(end));
		MUST(cudaEventSynchronize(end));
		MUST(cudaEventElapsedTime(&ms, begin, end));
		sum += ms;
	}
	printf("kernels=%d\nevents_ns=%.0f\n", kernels, sum * 1e6);
}

static void graph(int nodes, int replays)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	make_streams();
	MUST(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < nodes; i++)
		empty<<<1, 32, 0, streams[0]>>>(NULL);
	MUST(cudaStreamEndCapture(streams[0], &graph));
	MUST(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < replays; i++)
		MUST(cudaGraphLaunch(exec, streams[0]));
	MUST(cudaStreamSynchronize(streams[0]));
	printf("nodes=%d\nreplays=%d\nkernels=%ld\n", nodes, replays, (long)nodes * replays);
}

/* managed memory, memory of pools, pinned memory; 3 MiB stay allocated. */
static void memory(void)
{
	char *managed, *device, *pinned, *kept;
	void *pooled[8];

	make_streams();
	MUST(cudaMallocManaged(&managed, 8 << 20));
	memset(managed, 1, 8 << 20);
	touch<<<1, 256>>>(managed, 8 << 20);
	MUST(cudaDeviceSynchronize());
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 8; i++)
			MUST(cudaMallocAsync(&pooled[i], 1 << 20, streams[0]));
		for (int i = 0; i < 8; i++)
			MUST(cudaFreeAsync(pooled[i], streams[0]));
	}
	MUST(cudaStreamSynchronize(streams[0]));
	MUST(cudaMalloc(&device, 5 << 20));
	MUST(cudaMallocHost(&pinned, 2 << 20));
	MUST(cudaMalloc(&kept, 3 << 20));
	MUST(cudaMemset(device, 0, 5 << 20));
	MUST(cudaMemcpy(pinned, device, 2 << 20, cudaMemcpyDeviceToHost));
	MUST(cudaFree(device));
	MUST(cudaFree(managed));
	MUST(cudaFreeHost(pinned));
	printf("live=%d\npool_allocs=80\n", 3 << 20);
}

/* kernels side by side on all streams, with copies beneath them. */
static void overlap(int rounds)
{
	char *device, *host;

	make_streams();
	MUST(cudaMalloc(&device, 64 << 20));
	MUST(cudaMallocHost(&host, 64 << 20));
	for (int i = 0; i < rounds; i++) {
		for (int s = 0; s + 1 < STREAMS; s++)
			spin<<<1, 1, 0, streams[s]>>>(4000000);
		MUST(cudaMemcpyAsync(device, host, 64 << 20, cudaMemcpyHostToDevice, streams[STREAMS - 1]));
	}
	MUST(cudaDeviceSynchronize());
	printf("kernels=%d\nh2d=%llu\n", rounds * (STREAMS - 1), (unsigned long long)rounds * (64 << 20));
}

static void peer(void)
{
	char *from, *to;

	MUST(cudaSetDevice(0));
	MUST(cudaMalloc(&from, 32 << 20));
	MUST(cudaDeviceEnablePeerAccess(1, 0));
	empty<<<1, 32>>>(NULL);
	MUST(cudaSetDevice(1));
	MUST(cudaMalloc(&to, 32 << 20));
	for (int i = 0; i < 10; i++) {
		MUST(cudaMemcpyPeer(to, 1, from, 0, 32 << 20));
		empty<<<1, 32>>>(NULL);
	}
	MUST(cudaDeviceSynchronize());
	MUST(cudaSetDevice(0));
	MUST(cudaDeviceSynchronize());
	printf("p2p=%llu\nkernels=11\n", 10ull * (32 << 20));
}

/* kernels before, in and after a pause of the program's own. */
static void paused(int before, int after)
{
	for (int i = 0; i < before; i++)
		empty<<<1, 32>>>(NULL);
	MUST(cudaProfilerStop());
	for (int i = 0; i < 1000; i++)
		empty<<<1, 32>>>(NULL);
	MUST(cudaDeviceSynchronize());
	MUST(cudaProfilerStart());
	for (int i = 0; i < after; i++)
		empty<<<1, 32>>>(NULL);
	MUST(cudaDeviceSynchronize());
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* CPU and wall time of a launch, in a loop that the host bounds; if it waits, once for each line that comes. */
static void rate(int kernels, bool waits)
{
	char line[8];
	double from;

	empty<<<1, 32>>>(NULL);
	MUST(cudaDeviceSynchronize());
	if (waits)
		printf("ready\n");
	fflush(stdout);
	while (!waits || fgets(line, sizeof(line), stdin)) {
		from = now_ns();
		for (int i = 0; i < kernels; i++)
			empty<<<1, 32>>>(NULL);
		MUST(cudaDeviceSynchronize());
		printf("launch_ns=%.1f\n", (now_ns() - from) / kernels);
		fflush(stdout);
		if (!waits)
			break;
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	long a = argc > 2 ? atol(argv[2]) : 0, b = argc > 3 ? atol(argv[3]) : 0;

	if (!strcmp(mode, "counts"))
		counts(a, b, true);
	else if (!strcmp(mode, "nowait"))
		counts(a, b, false);
	else if (!strcmp(mode, "kill")) {
		counts(a, b, true);
		for (int i = 0; i < 100; i++)
			empty<<<1, 32>>>(NULL);
		raise(SIGKILL);
	} else if (!strcmp(mode, "_exit")) {
		counts(a, b, true);
		_exit(0);
	} else if (!strcmp(mode, "times"))
		times((int)a);
	else if (!strcmp(mode, "graph"))
		graph((int)a, (int)b);
	else if (!strcmp(mode, "memory"))
		memory();
	else if (!strcmp(mode, "overlap"))
		overlap((int)a);
	else if (!strcmp(mode, "peer"))
		peer();
	else if (!strcmp(mode, "paused"))
		paused((int)a, (int)b);
	else if (!strcmp(mode, "rate"))
		rate((int)a, argc > 3);
	else
		return 2;
	return 0;
}
