/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated HIP: devices, streams, events, kernels. See hip.h. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIM_HIP_INSIDE
#include "hip.h"

#define DEVICES 8
#define REGISTERED 64

struct sim_hip_event {
	struct sim_event *event; /* of the last time that it was recorded */
	uint64_t timed;
};
struct sim_hip_module {
	int unused;
};
struct sim_hip_program {
	char name[64];
};

static __thread hipError_t last_error;
static __thread int current;
static __thread hipStream_t of_thread[DEVICES];
static hipStream_t null_stream[DEVICES], streams;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	const void *host;
	const struct sim_kernel *kernel;
	const char *name;
} registered[REGISTERED];
static unsigned registered_count, capturing;
static bool spoilt;

hipError_t sim_hip_answer(hipError_t error)
{
	const char *when = getenv("SIM_LAST_ERROR");

	if ((error && error != hipErrorNotReady) || (when && strcmp(when, "always") == 0))
		last_error = error;
	return error;
}

#define ANSWER(error) return sim_hip_answer(error)

/* ---- devices ----------------------------------------------------------------------------------------- */

hipError_t hipInit(unsigned flags)
{
	SIM_HIP(hipErrorNoDevice);
	ANSWER(flags ? hipErrorInvalidValue : hipSuccess);
}

hipError_t hipGetDeviceCount(int *count)
{
	SIM_HIP(hipErrorNoDevice);
	*count = (int)sim_devices();
	ANSWER(*count ? hipSuccess : hipErrorNoDevice);
}

hipError_t hipDriverGetVersion(int *version)
{
	*version = 50200000;
	ANSWER(hipSuccess);
}

hipError_t hipGetDevice(int *device)
{
	SIM_HIP(hipErrorInvalidDevice);
	*device = current;
	ANSWER(hipSuccess);
}

hipError_t hipSetDevice(int device)
{
	SIM_HIP(hipErrorInvalidDevice);
	if (device < 0 || device >= (int)sim_devices() || device >= DEVICES)
		ANSWER(hipErrorInvalidDevice);
	current = device;
	ANSWER(hipSuccess);
}

hipError_t hipDeviceGetName(char *name, int bytes, int device)
{
	snprintf(name, (size_t)bytes, "Simulated AMD %d", device);
	ANSWER(hipSuccess);
}

hipError_t hipDeviceGetPCIBusId(char *name, int bytes, int device)
{
	snprintf(name, (size_t)bytes, "0000:%02x:00.0", device + 0x41);
	ANSWER(hipSuccess);
}

hipError_t hipGetLastError(void)
{
	hipError_t error = last_error;

	last_error = hipSuccess;
	return error;
}

hipError_t hipPeekAtLastError(void)
{
	return last_error;
}

const char *hipGetErrorName(hipError_t error)
{
	if (error == hipSuccess)
		return "hipSuccess";
	return error == hipErrorOutOfMemory ? "hipErrorOutOfMemory" : "hipErrorUnknown";
}

hipError_t hipProfilerStart(void)
{
	ANSWER(hipSuccess);
}

hipError_t hipProfilerStop(void)
{
	ANSWER(hipSuccess);
}

hipError_t hipGetProcAddress(const char *name, void **address, int version, uint64_t flags, int *status)
{
	static const struct {
		const char *name;
		void *plain, *thread;
	} known[] = {
		{ "hipMalloc", (void *)hipMalloc, NULL }, { "hipFree", (void *)hipFree, NULL },
		{ "hipMemcpy", (void *)hipMemcpy, (void *)hipMemcpy_spt },
		{ "hipLaunchKernel", (void *)hipLaunchKernel, (void *)hipLaunchKernel_spt },
		{ "hipDeviceSynchronize", (void *)hipDeviceSynchronize, NULL },
		{ "hipStreamSynchronize", (void *)hipStreamSynchronize, (void *)hipStreamSynchronize_spt },
		{ "hipGetProcAddress", (void *)hipGetProcAddress, NULL },
	};
	const char *missing = getenv("SIM_NO");

	(void)version;
	*address = NULL;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i].name) == 0 && !(missing && strcmp(missing, name) == 0))
			*address = (flags & 2) && known[i].thread ? known[i].thread : known[i].plain;
	if (status)
		*status = *address ? 0 : 1;
	ANSWER(*address ? hipSuccess : hipErrorNotFound);
}

/* ---- streams ----------------------------------------------------------------------------------------- */

static hipStream_t new_stream(void)
{
	hipStream_t stream = calloc(1, sizeof(*stream));

	stream->device = (unsigned)current;
	stream->queue = sim_queue_create(stream->device, true);
	pthread_mutex_lock(&lock);
	stream->next = streams;
	streams = stream;
	pthread_mutex_unlock(&lock);
	return stream;
}

hipStream_t sim_hip_stream(hipStream_t stream, bool thread)
{
	hipStream_t *place = stream == hipStreamPerThread || (!stream && thread) ? of_thread : null_stream;

	if (stream && stream != hipStreamPerThread)
		return stream;
	if (place == of_thread) {
		if (!place[current])
			place[current] = new_stream();
		return place[current];
	}
	if (!__atomic_load_n(&place[current], __ATOMIC_ACQUIRE)) {
		hipStream_t made = new_stream(), expected = NULL;

		__atomic_compare_exchange_n(&place[current], &expected, made, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE);
	}
	return place[current];
}

hipError_t sim_hip_put(hipStream_t stream, struct sim_work *work)
{
	struct sim_event *own = work->signals, *end = own ? own : sim_event_create();

	if (stream->graph) {
		if (!own)
			sim_event_destroy(end);
		work->signals = NULL;
		sim_hip_add(stream->graph, work, NULL);
		return hipSuccess;
	}
	work->signals = end;
	sim_submit(stream->queue, work);
	if (!own)
		sim_event_destroy(end);
	if (getenv("HIP_LAUNCH_BLOCKING") && *getenv("HIP_LAUNCH_BLOCKING") == '1' && work->kind == SIM_KERNEL)
		sim_queue_wait(stream->queue, SIM_FOREVER);
	return hipSuccess;
}

bool sim_hip_spoils(void)
{
	if (!__atomic_load_n(&capturing, __ATOMIC_RELAXED))
		return false;
	spoilt = true;
	return true;
}

static unsigned long waits;

void sim_hip_count_wait(void)
{
	__atomic_add_fetch(&waits, 1, __ATOMIC_RELAXED);
}

__attribute__((destructor)) static void tell_waits(void)
{
	const char *path = getenv("SIM_HIP_WAITS");
	FILE *file = path ? fopen(path, "we") : NULL;

	if (!file)
		return;
	fprintf(file, "%lu\n", waits);
	fclose(file);
}

hipError_t sim_hip_wait(hipStream_t stream)
{
	sim_hip_count_wait();
	if (sim_hip_spoils())
		return hipErrorStreamCaptureUnsupported;
	sim_queue_wait(stream->queue, SIM_FOREVER);
	return hipSuccess;
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags)
{
	SIM_HIP(hipErrorOutOfMemory);
	if (flags > 1)
		ANSWER(hipErrorInvalidValue);
	*stream = new_stream();
	ANSWER(hipSuccess);
}

hipError_t hipStreamCreate(hipStream_t *stream)
{
	SIM_HIP(hipErrorOutOfMemory);
	*stream = new_stream();
	ANSWER(hipSuccess);
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
	hipStream_t *at = &streams;

	pthread_mutex_lock(&lock);
	while (*at && *at != stream)
		at = &(*at)->next;
	if (*at)
		*at = stream->next;
	pthread_mutex_unlock(&lock);
	sim_queue_destroy(stream->queue);
	free(stream);
	ANSWER(hipSuccess);
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
	SIM_HIP(hipErrorLaunchFailure);
	ANSWER(sim_hip_wait(sim_hip_stream(stream, false)));
}

hipError_t hipStreamSynchronize_spt(hipStream_t stream)
{
	SIM_HIP(hipErrorLaunchFailure);
	ANSWER(sim_hip_wait(sim_hip_stream(stream, true)));
}

hipError_t hipStreamQuery(hipStream_t stream)
{
	if (sim_hip_spoils())
		ANSWER(hipErrorStreamCaptureUnsupported);
	ANSWER(sim_queue_wait(sim_hip_stream(stream, false)->queue, 0) ? hipSuccess : hipErrorNotReady);
}

int hipGetStreamDeviceId(hipStream_t stream)
{
	return stream && stream != hipStreamPerThread ? (int)stream->device : current;
}

hipStream_t sim_hip_streams(void)
{
	return __atomic_load_n(&streams, __ATOMIC_ACQUIRE);
}

hipError_t hipDeviceSynchronize(void)
{
	SIM_HIP(hipErrorLaunchFailure);
	sim_hip_count_wait();
	if (sim_hip_spoils())
		ANSWER(hipErrorStreamCaptureUnsupported);
	for (hipStream_t stream = sim_hip_streams(); stream; stream = stream->next)
		if (stream->device == (unsigned)current)
			sim_queue_wait(stream->queue, SIM_FOREVER);
	ANSWER(hipSuccess);
}

hipError_t hipStreamBeginCapture(hipStream_t stream, unsigned mode)
{
	SIM_HIP(hipErrorInvalidValue);
	if (mode > 2 || !stream || stream->graph)
		ANSWER(hipErrorInvalidValue);
	hipGraphCreate(&stream->graph, 0);
	spoilt = false;
	__atomic_add_fetch(&capturing, 1, __ATOMIC_RELAXED);
	ANSWER(hipSuccess);
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph)
{
	if (!stream || !stream->graph)
		ANSWER(hipErrorInvalidValue);
	*graph = stream->graph;
	stream->graph = NULL;
	__atomic_sub_fetch(&capturing, 1, __ATOMIC_RELAXED);
	ANSWER(spoilt ? hipErrorStreamCaptureInvalidated : hipSuccess);
}

hipError_t hipStreamIsCapturing(hipStream_t stream, unsigned *status)
{
	*status = 0;
	if (!stream && __atomic_load_n(&capturing, __ATOMIC_RELAXED))
		ANSWER(hipErrorStreamCaptureImplicit);
	*status = stream && stream != hipStreamPerThread && stream->graph;
	ANSWER(hipSuccess);
}

/* ---- events ------------------------------------------------------------------------------------------ */

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags)
{
	SIM_HIP(hipErrorOutOfMemory);
	*event = calloc(1, sizeof(**event));
	(*event)->timed = !(flags & 2);
	ANSWER(hipSuccess);
}

hipError_t hipEventCreate(hipEvent_t *event)
{
	return hipEventCreateWithFlags(event, 0);
}

hipError_t hipEventDestroy(hipEvent_t event)
{
	if (event->event)
		sim_event_destroy(event->event);
	free(event);
	ANSWER(hipSuccess);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
	struct sim_work work = { .kind = SIM_MARKER, .name = "event" };
	const char *least = getenv("SIM_EVENT_NS");

	SIM_HIP(hipErrorInvalidHandle);
	if (!event)
		ANSWER(hipErrorInvalidHandle);
	if (event->event)
		sim_event_destroy(event->event);
	work.signals = event->event = sim_event_create();
	work.least_ns = least ? strtoull(least, NULL, 10) : 0;
	ANSWER(sim_hip_put(sim_hip_stream(stream, false), &work));
}

hipError_t hipEventQuery(hipEvent_t event)
{
	if (sim_hip_spoils())
		ANSWER(hipErrorStreamCaptureUnsupported);
	ANSWER(!event->event || sim_event_wait(event->event, 0) ? hipSuccess : hipErrorNotReady);
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
	sim_hip_count_wait();
	if (sim_hip_spoils())
		ANSWER(hipErrorStreamCaptureUnsupported);
	if (event->event)
		sim_event_wait(event->event, SIM_FOREVER);
	ANSWER(hipSuccess);
}

hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop)
{
	struct sim_times first, second;
	unsigned unused = 64 - sim_clock_bits();
	int64_t ticks;

	SIM_HIP(hipErrorInvalidHandle);
	if (!start || !stop || !start->event || !stop->event || !start->timed || !stop->timed)
		ANSWER(hipErrorInvalidHandle);
	first = sim_event_times(start->event);
	second = sim_event_times(stop->event);
	if (!first.known || !second.known)
		ANSWER(hipErrorNotReady);
	ticks = (int64_t)((second.end - first.end) << unused) >> unused;
	*ms = (float)((double)ticks * 1e3 / (double)sim_clock_hz());
	if (getenv("SIM_TIMES") && strcmp(getenv("SIM_TIMES"), "negative") == 0)
		*ms = -*ms;
	ANSWER(hipSuccess);
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags)
{
	struct sim_work work = { .kind = SIM_MARKER, .name = "wait" };

	(void)flags;
	if (!event->event)
		ANSWER(hipSuccess);
	work.waits = &event->event;
	work.wait_count = 1;
	ANSWER(sim_hip_put(sim_hip_stream(stream, false), &work));
}

/* ---- kernels ----------------------------------------------------------------------------------------- */

void **__hipRegisterFatBinary(const void *data)
{
	static void *module;

	(void)data;
	return &module;
}

void __hipUnregisterFatBinary(void **modules)
{
	(void)modules;
}

/* Names are as a C++ compiler makes them of a function without a namespace, or plain. */
static const struct sim_kernel *find_kernel(const char *name)
{
	char plain[64] = "";
	unsigned length = 0;
	int used = 0;

	if (sscanf(name, "_Z%u%n", &length, &used) == 1 && length < sizeof(plain))
		strncat(plain, name + used, length);
	return sim_kernel_find(plain[0] ? plain : name);
}

void __hipRegisterFunction(void **modules, const void *host, char *device, const char *name, unsigned threads,
			   void *tid, void *bid, void *block, void *grid, int *size)
{
	(void)modules, (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
	if (registered_count == REGISTERED)
		return;
	registered[registered_count].host = host;
	registered[registered_count].name = name;
	registered[registered_count++].kernel = find_kernel(name);
}

const struct sim_kernel *sim_hip_registered(const void *host)
{
	for (unsigned i = registered_count; i > 0; i--)
		if (registered[i - 1].host == host)
			return registered[i - 1].kernel;
	return NULL;
}

const char *hipKernelNameRefByPtr(const void *host, hipStream_t stream)
{
	(void)stream;
	for (unsigned i = registered_count; i > 0; i--)
		if (registered[i - 1].host == host)
			return registered[i - 1].name;
	return NULL;
}

const char *hipKernelNameRef(hipFunction_t function)
{
	return function ? function->name : NULL;
}

hipError_t hipModuleLoadData(hipModule_t *module, const void *image)
{
	SIM_HIP(hipErrorInvalidImage);
	if (!image)
		ANSWER(hipErrorInvalidValue);
	*module = calloc(1, sizeof(**module));
	ANSWER(hipSuccess);
}

hipError_t hipModuleUnload(hipModule_t module)
{
	free(module);
	ANSWER(hipSuccess);
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name)
{
	SIM_HIP(hipErrorNotFound);
	*function = module ? find_kernel(name) : NULL;
	ANSWER(*function ? hipSuccess : hipErrorNotFound);
}

void sim_hip_kernel(struct sim_work *work, const struct sim_kernel *kernel, void **arguments, uint64_t items)
{
	*work = (struct sim_work){ .kind = SIM_KERNEL, .name = kernel->name, .kernel = kernel, .items = items };
	for (unsigned i = 0; i < kernel->arguments && arguments; i++) {
		work->argument[i] = arguments[i];
		work->argument_bytes[i] = sizeof(uint64_t);
		if (strcmp(kernel->name, "scale") == 0 && i == 1)
			work->argument_bytes[i] = sizeof(float);
	}
}

static hipError_t launch(const struct sim_kernel *kernel, uint64_t items, void **arguments, hipStream_t stream)
{
	struct sim_work work;

	if (!kernel)
		return hipErrorInvalidDeviceFunction;
	sim_hip_kernel(&work, kernel, arguments, items);
	return sim_hip_put(stream, &work);
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
				 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
				 hipStream_t stream, void **arguments, void **extra)
{
	(void)shared;
	(void)extra;
	SIM_HIP(hipErrorLaunchFailure);
	ANSWER(launch(function, (uint64_t)grid_x * grid_y * grid_z * block_x * block_y * block_z, arguments,
		      sim_hip_stream(stream, false)));
}

hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t x, uint32_t y, uint32_t z, uint32_t block_x,
				    uint32_t block_y, uint32_t block_z, size_t shared, hipStream_t stream,
				    void **arguments, void **extra, hipEvent_t start, hipEvent_t stop, uint32_t flags)
{
	(void)shared, (void)extra;
	if (start || stop || flags || !block_x || !block_y || !block_z)
		ANSWER(hipErrorInvalidValue);
	ANSWER(launch(function, (uint64_t)x * y * z, arguments, sim_hip_stream(stream, false)));
}

static uint64_t items_of(dim3 grid, dim3 block)
{
	return (uint64_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;
}

hipError_t hipLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments, size_t shared, hipStream_t stream)
{
	(void)shared;
	SIM_HIP(hipErrorLaunchFailure);
	ANSWER(launch(sim_hip_registered(host), items_of(grid, block), arguments, sim_hip_stream(stream, false)));
}

hipError_t hipLaunchKernel_spt(const void *host, dim3 grid, dim3 block, void **arguments, size_t shared,
			       hipStream_t stream)
{
	(void)shared;
	SIM_HIP(hipErrorLaunchFailure);
	ANSWER(launch(sim_hip_registered(host), items_of(grid, block), arguments, sim_hip_stream(stream, true)));
}

int hiprtcCreateProgram(hiprtcProgram *program, const char *source, const char *name, int headers, const char **texts,
			const char **names)
{
	(void)source, (void)headers, (void)texts, (void)names;
	*program = calloc(1, sizeof(**program));
	snprintf((*program)->name, sizeof((*program)->name), "%s", name ? name : "");
	return 0;
}

int hiprtcCompileProgram(hiprtcProgram program, int options, const char **option)
{
	(void)options, (void)option;
	return sim_fails(__func__) || !program ? 6 : 0;
}

int hiprtcDestroyProgram(hiprtcProgram *program)
{
	free(*program);
	*program = NULL;
	return 0;
}
