/* SPDX-License-Identifier: BSD-3-Clause */
/* A portability layer: it computes nothing, but reports what such a layer does, as its callers tell it to. */
#include SONDE_LAYER_HEADER

#include <time.h>

#include "app.h"
#include "demo.h"

#define FN(name) SONDE_LAYER_JOIN(SONDE_LAYER_PREFIX, name)
#define TEXT2(name) #name
#define TEXT(name) TEXT2(name)

static struct sonde_layer self = {
	.size = sizeof(self), .version = SONDE_LAYER_VERSION, .name = TEXT(SONDE_LAYER_PREFIX), .release = "1.5",
	.events = (1u << SONDE_LAYER_EVENTS) - 1, .complete = 1u << SONDE_LAYER_LAUNCH
};
static struct {
	struct sonde_layer_span span;
	uint64_t begin_ns[3], device;
	long ms;
} started;

static void begin_of_use(void)
{
	sonde_layer_start(&self);
}

static void set_up(uint32_t api)
{
	struct sonde_layer_device info;
	struct sonde_layer_span span;

	begin_of_use();
	span.tools = 0;
	if (SONDE_LAYER_ON(SONDE_LAYER_DEVICE)) {
		sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_CREATE, "Fancy");
		info.op.device = 1;
		info.api = api;
		info.ordinal = 7;
		sonde_layer_begin(SONDE_LAYER_DEVICE, &info.op, &span);
	}
	app_pause_ms(2);
	if (span.tools)
		sonde_layer_end(SONDE_LAYER_DEVICE, &info.op, &span, 0);
}

static void launch(const char *kernel, unsigned flags, int64_t status, void (*work)(void *), void *context)
{
	struct sonde_layer_launch info;
	struct sonde_layer_span span;

	begin_of_use();
	span.tools = 0;
	if (SONDE_LAYER_ON(SONDE_LAYER_LAUNCH)) {
		sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_RUN, kernel);
		info.op.flags = (uint16_t)flags;
		info.op.device = 1;
		sonde_layer_begin(SONDE_LAYER_LAUNCH, &info.op, &span);
	}
	work(context);
	if (span.tools)
		sonde_layer_end(SONDE_LAYER_LAUNCH, &info.op, &span, status);
}

static void pause_for(void *context)
{
	if (*(long *)context)
		app_pause_ms(*(long *)context);
}

static void run(const char *kernel, long ms, unsigned flags)
{
	launch(kernel, flags, 0, pause_for, &ms);
}

struct parts {
	const char *kernel;
	int count;
	long ms;
};

static void run_each(void *context)
{
	const struct parts *parts = context;

	for (int i = 0; i < parts->count; i++)
		run("part", parts->ms, SONDE_LAYER_PART);
}

static void run_parts(const char *kernel, int count, long ms)
{
	struct parts parts = {kernel, count, ms};

	launch(kernel, 0, 0, run_each, &parts);
}

static void run_around(const char *kernel, void (*inside)(void *), void *context)
{
	launch(kernel, SONDE_LAYER_ON_HOST, 0, inside, context);
}

static int fail(const char *kernel)
{
	long none = 0;

	launch(kernel, 0, -7, pause_for, &none);
	return -7;
}

static void copy(uint16_t what, const char *name, uint64_t bytes)
{
	struct sonde_layer_copy info;
	struct sonde_layer_span span;

	begin_of_use();
	span.tools = 0;
	if (SONDE_LAYER_ON(SONDE_LAYER_COPY)) {
		sonde_layer_fill(&info, sizeof(info), what, name);
		info.bytes = bytes;
		sonde_layer_begin(SONDE_LAYER_COPY, &info.op, &span);
	}
	app_pause_ms(1);
	if (span.tools)
		sonde_layer_end(SONDE_LAYER_COPY, &info.op, &span, 0);
}

static void memory(uint16_t what, void *address, uint64_t bytes, unsigned flags)
{
	struct sonde_layer_memory info;
	struct sonde_layer_span span;

	begin_of_use();
	span.tools = 0;
	if (!SONDE_LAYER_ON(SONDE_LAYER_MEMORY))
		return;
	sonde_layer_fill(&info, sizeof(info), what, NULL);
	info.op.flags = (uint16_t)flags;
	info.op.device = 1;
	info.bytes = bytes;
	info.address = address;
	sonde_layer_begin(SONDE_LAYER_MEMORY, &info.op, &span);
	sonde_layer_end(SONDE_LAYER_MEMORY, &info.op, &span, 0);
}

static void allocate(void *address, uint64_t bytes, unsigned flags)
{
	memory(SONDE_LAYER_ALLOCATE, address, bytes, flags);
}

static void release(void *address)
{
	memory(SONDE_LAYER_FREE, address, 0, 0);
}

static void pool(void *address, uint64_t bytes)
{
	memory(SONDE_LAYER_POOL_RESERVE, address, bytes, 0);
	memory(SONDE_LAYER_POOL_RELEASE, address, bytes, 0);
}

static void build_part(uint16_t what, const char *kernel, long ms)
{
	struct sonde_layer_build info;
	struct sonde_layer_span span;

	span.tools = 0;
	if (SONDE_LAYER_ON(SONDE_LAYER_BUILD)) {
		sonde_layer_fill(&info, sizeof(info), what, kernel);
		sonde_layer_begin(SONDE_LAYER_BUILD, &info.op, &span);
	}
	app_pause_ms(ms);
	if (span.tools)
		sonde_layer_end(SONDE_LAYER_BUILD, &info.op, &span, 0);
}

static void build(const char *kernel, int hit, int fails, long ms)
{
	struct sonde_layer_build info;
	struct sonde_layer_span span;

	begin_of_use();
	span.tools = 0;
	if (SONDE_LAYER_ON(SONDE_LAYER_BUILD)) {
		sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_BUILD_ALL, kernel);
		sonde_layer_begin(SONDE_LAYER_BUILD, &info.op, &span);
	}
	build_part(hit ? SONDE_LAYER_LOAD : SONDE_LAYER_COMPILE, kernel, ms);
	if (span.tools) {
		info.op.flags = hit ? SONDE_LAYER_CACHE_HIT : 0;
		info.processes = hit ? 0 : 2;
		sonde_layer_end(SONDE_LAYER_BUILD, &info.op, &span, fails ? -1 : 0);
	}
}

static void wait(long ms)
{
	struct sonde_layer_sync info;
	struct sonde_layer_span span;

	begin_of_use();
	span.tools = 0;
	if (SONDE_LAYER_ON(SONDE_LAYER_SYNC)) {
		sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_WAIT_DEVICE, "finish");
		sonde_layer_begin(SONDE_LAYER_SYNC, &info.op, &span);
	}
	app_pause_ms(ms);
	if (span.tools)
		sonde_layer_end(SONDE_LAYER_SYNC, &info.op, &span, 0);
}

/* ---- regions: beginning and end are functions of their own, so that the span lies elsewhere ---------------- */

static struct sonde_layer_span region[64];
static unsigned regions;

static void push(const char *name)
{
	struct sonde_layer_region info;

	begin_of_use();
	region[regions].tools = 0;
	if (SONDE_LAYER_ON(SONDE_LAYER_REGION)) {
		sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_RANGE, name);
		sonde_layer_open(SONDE_LAYER_REGION, &info.op, &region[regions]);
	}
	regions++;
}

static void pop(void)
{
	struct sonde_layer_region info;

	if (!region[--regions].tools)
		return;
	sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_RANGE, NULL);
	info.op.id = region[regions].id;
	sonde_layer_end(SONDE_LAYER_REGION, &info.op, &region[regions], 0);
}

static void mark(const char *name)
{
	struct sonde_layer_region info;

	begin_of_use();
	if (!SONDE_LAYER_ON(SONDE_LAYER_REGION))
		return;
	sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_RANGE, name);
	sonde_layer_point(SONDE_LAYER_REGION, &info.op);
}

/* ---- what runs when the call is over -------------------------------------------------------------------- */

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_MONOTONIC_RAW};

static void async(const char *kernel, uint64_t device, long ms)
{
	struct sonde_layer_launch info;

	begin_of_use();
	started.span.tools = 0;
	if (SONDE_LAYER_ON(SONDE_LAYER_LAUNCH)) {
		sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_RUN, kernel);
		info.op.flags = SONDE_LAYER_ASYNC;
		info.op.device = device;
		sonde_layer_begin(SONDE_LAYER_LAUNCH, &info.op, &started.span);
	}
	for (int i = 0; i < 3; i++)
		started.begin_ns[i] = now(clocks[i]);
	started.ms = ms;
	if (started.span.tools)
		sonde_layer_end(SONDE_LAYER_LAUNCH, &info.op, &started.span, 0);
}

static void complete(uint32_t clock)
{
	struct sonde_layer_times times = {.clock = clock};

	app_pause_ms(started.ms);
	times.begin_ns = clock < 3 ? started.begin_ns[clock] : 1000;
	times.end_ns = clock < 3 ? now(clocks[clock]) : 2000;
	if (started.span.tools)
		sonde_layer_complete(SONDE_LAYER_LAUNCH, &times, &started.span);
}

static void instant(const char *kernel, uint64_t device, uint32_t clock)
{
	struct sonde_layer_times times = {.clock = clock};
	struct sonde_layer_launch info;
	struct sonde_layer_span span;

	begin_of_use();
	if (!SONDE_LAYER_ON(SONDE_LAYER_LAUNCH))
		return;
	sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_RUN, kernel);
	info.op.flags = SONDE_LAYER_ASYNC;
	info.op.device = device;
	sonde_layer_begin(SONDE_LAYER_LAUNCH, &info.op, &span);
	sonde_layer_end(SONDE_LAYER_LAUNCH, &info.op, &span, 0);
	times.begin_ns = now(clocks[clock]) - 100;
	times.end_ns = times.begin_ns + 100;
	sonde_layer_complete(SONDE_LAYER_LAUNCH, &times, &span);
}

static int add_tool(const struct sonde_layer_tool *tool)
{
	begin_of_use();
	return sonde_layer_add(tool);
}

static void remove_tool(const struct sonde_layer_tool *tool)
{
	sonde_layer_remove(tool);
}

__attribute__((visibility("default"))) const struct demo FN(api) = {
	set_up, run, run_parts, run_around, fail, copy, allocate, release, pool, build, wait, push, pop, mark, async,
	complete, instant, add_tool, remove_tool
};
