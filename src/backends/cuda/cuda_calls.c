/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that CUPTI reports: of programs that hold the runtime themselves (nvcc links it statically), of libraries that
 * got the driver's functions by cuGetProcAddress(). A call that a wrapper sees is not reported again, and a call of the
 * runtime hides those that it makes into the driver. Reports are asked for only where they matter, unless queries are
 * to be timed: one costs as much as five calls of a cheap function. Where wrappers see the runtime's launches, the
 * driver's part of these is asked for alone, which has the number of the operation too and costs the least.
 */
#include <stdio.h>
#include <string.h>

#include "cupti.h"

#define IDS_MOST 2048u
#define CALLS_AT_ONCE 1024u
#define STARTS (1u << 18) /* calls whose operations may be on their way: a power of 2 */

enum flag {
	STARTS_WORK = 1u << 0,
	LAUNCHES = 1u << 1,       /* one kernel */
	CAPTURE_BEGINS = 1u << 2, /* a stream turns launches into nodes of a graph */
	CAPTURE_ENDS = 1u << 3,
	POLLS = 1u << 4,
	MAY_BLOCK = 1u << 5,
	SWITCHES = 1u << 6,       /* recording on or off */
	BUILDS = 1u << 7          /* may compile */
};

/* By CUPTI's number of a function. */
static struct target {
	uint16_t symbol; /* 1 + symbol; 0: not asked for */
	uint16_t flags;
} targets[CUPTI_DOMAINS][IDS_MOST];
static uint32_t capturing; /* streams */
static bool no_records;    /* will come of what is started from now on */

/* By correlation, which counts up: the number in the upper half, then what is known of it, then the context. */
static uint64_t starts[STARTS];
#define START_SEEN (1u << 31)
#define START_PAUSED (1u << 30) /* recording was */
#define START_CONTEXT (START_PAUSED - 1)

/* A reported call, from its beginning to its end. */
static struct reported {
	struct rec_call call;
	uint32_t correlation;
	uint32_t next; /* 1 + index of the next free one */
	struct reported *outer; /* around it, of the same thread */
} reported[CALLS_AT_ONCE];
/*
 * Without a lock, which a handler that leaves by a jump would keep. The child of a fork goes on with what is there: its
 * record is opened inside a report, and the fork may have been inside one.
 */
static uint64_t reported_free; /* 1 + index of the first free one; the upper half counts changes */
static uint32_t reported_used;

static struct reported *take_reported(void)
{
	uint64_t first = __atomic_load_n(&reported_free, __ATOMIC_ACQUIRE);
	uint32_t fresh;

	while ((uint32_t)first) {
		struct reported *report = &reported[(uint32_t)first - 1];
		uint64_t next = ((first >> 32) + 1) << 32 | __atomic_load_n(&report->next, __ATOMIC_RELAXED);

		if (__atomic_compare_exchange_n(&reported_free, &first, next, true, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
			return report;
	}
	if (__atomic_load_n(&reported_used, __ATOMIC_RELAXED) >= CALLS_AT_ONCE)
		return NULL;
	fresh = __atomic_fetch_add(&reported_used, 1, __ATOMIC_RELAXED);
	return fresh < CALLS_AT_ONCE ? &reported[fresh] : NULL;
}

static void give_reported(struct reported *report)
{
	uint64_t first = __atomic_load_n(&reported_free, __ATOMIC_RELAXED), next;

	do {
		__atomic_store_n(&report->next, (uint32_t)first, __ATOMIC_RELAXED);
		next = ((first >> 32) + 1) << 32 | (uint64_t)(report - reported + 1);
	} while (!__atomic_compare_exchange_n(&reported_free, &first, next, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static const struct rec_function *function_of(uint32_t symbol)
{
	return &cuda_backend.function[cuda_backend.symbol[symbol].function];
}

bool cuda_is_blocking(uint32_t symbol)
{
	return cuda_role[cuda_backend.symbol[symbol].function].family == CUDA_FAMILY_BLOCKING;
}

/* ---- what is started ---- */

/*
 * While a stream is being captured, launches may never run, and while CUPTI is being given up their records may not
 * come: they are counted when they have.
 */
static void note_start(uint32_t flags, uint32_t correlation)
{
	uint32_t start;

	cuda_thread.correlation = correlation;
	if (!rec_on())
		return;
	start = rec_is_paused() ? START_PAUSED : rec_context(&cuda_backend) & START_CONTEXT;
	if ((flags & LAUNCHES) && !(start & START_PAUSED) && !__atomic_load_n(&capturing, __ATOMIC_RELAXED) &&
	    !__atomic_load_n(&no_records, __ATOMIC_RELAXED)) {
		rec_device_seen(&cuda_backend);
		start |= START_SEEN;
	}
	__atomic_store_n(&starts[correlation % STARTS], (uint64_t)correlation << 32 | start, __ATOMIC_RELEASE);
	if (flags & MAY_BLOCK)
		cuda_blocking_begins(correlation);
}

/* The record of what it compiles comes later. */
static void note_build(uint32_t correlation)
{
	if (rec_on())
		__atomic_store_n(&starts[correlation % STARTS],
				 (uint64_t)correlation << 32 | (rec_is_paused() ? START_PAUSED : 0), __ATOMIC_RELEASE);
}

static void tell_forgotten(void)
{
	static bool told;

	if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		rec_backend_note(&cuda_backend,
				 "more than 262,144 calls came between some operations and their records: calls and "
				 "ranges around these lack their time on the device");
}

struct cuda_start cuda_start_of(uint32_t correlation)
{
	uint64_t start = __atomic_load_n(&starts[correlation % STARTS], __ATOMIC_ACQUIRE);

	/* so many have come since: nearly all are seen when they are made */
	if (start && (int32_t)((uint32_t)(start >> 32) - correlation) > 0) {
		tell_forgotten();
		return (struct cuda_start){.seen = true};
	}
	if (start >> 32 != correlation)
		return (struct cuda_start){.seen = false};
	return (struct cuda_start){.context = (uint32_t)start & START_CONTEXT, .seen = !!(start & START_SEEN),
				   .paused = !!(start & START_PAUSED)};
}

void cuda_start_failed(uint32_t correlation)
{
	uint64_t start = __atomic_load_n(&starts[correlation % STARTS], __ATOMIC_RELAXED);

	if (cuda_start_of(correlation).seen)
		rec_device_unseen(&cuda_backend);
	/* not that of a later call; the number stays: by it records of far older calls are known to be seen */
	if (start >> 32 == correlation)
		__atomic_compare_exchange_n(&starts[correlation % STARTS], &start, (uint64_t)correlation << 32, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void cuda_starts_give_up(void)
{
	__atomic_store_n(&no_records, true, __ATOMIC_SEQ_CST);
}

void cuda_starts_forget(void)
{
	for (uint32_t i = 0; i < STARTS; i++)
		if (starts[i])
			starts[i] = 0;
	cuda_blocking_forget();
	cuda_thread = (struct cuda_thread){0};
	capturing = 0;
	no_records = false;
}

/* ---- reports ---- */

/* Opens the record, where this is the process's first call. */
static void enter(uint32_t symbol, const struct cupti_call *call)
{
	struct reported *report = take_reported();

	if (!report) {
		rec_lost(&cuda_backend);
		return;
	}
	report->correlation = call->correlation;
	*call->kept = (uintptr_t)report;
	rec_enter(&report->call, &cuda_backend, symbol, NULL, (uintptr_t)__builtin_frame_address(0), NULL);
	report->outer = cuda_thread.current;
	cuda_thread.current = report;
}

static void begin(struct target target, const struct cupti_call *call)
{
	*call->kept = 0;
	if (cuda_thread.current && cuda_thread.current->correlation == call->correlation)
		return; /* the driver's part of a call of the runtime */
	if (!(target.flags & STARTS_WORK) || !cuda_thread.wrapped)
		enter(target.symbol - 1u, call);
	if ((target.flags & STARTS_WORK) && cuda_thread.correlation != call->correlation)
		note_start(target.flags, call->correlation); /* else noted with the call of the runtime */
	else if (target.flags & BUILDS)
		note_build(call->correlation);
}

static void note_capture(struct target target, int32_t result)
{
	if ((target.flags & CAPTURE_BEGINS) && !result)
		__atomic_fetch_add(&capturing, 1, __ATOMIC_RELAXED);
	else if ((target.flags & CAPTURE_ENDS) && capturing)
		__atomic_fetch_sub(&capturing, 1, __ATOMIC_RELAXED);
}

static void end(struct target target, const struct cupti_call *call)
{
	struct reported *report = (struct reported *)(uintptr_t)*call->kept;
	struct rec_call *recorded;

	if (!cuda_thread.current || cuda_thread.current == report)
		note_capture(target, *call->result);
	if (!report)
		return;
	if (*call->result != 0 && (target.flags & STARTS_WORK))
		cuda_start_failed(report->correlation);
	recorded = &report->call;
	if (recorded->slot) {
		recorded->failed = *call->result != 0 && !(target.flags & POLLS);
		recorded->result = (rec_word)(intptr_t)*call->result;
		rec_leave(recorded);
		if (recorded->slot && (target.flags & STARTS_WORK))
			rec_call_link(recorded, report->correlation);
	}
	if (target.flags & MAY_BLOCK)
		cuda_blocking_ends(report->correlation, recorded);
	if (target.flags & SWITCHES)
		cuda_switch(recorded->symbol);
	cuda_thread.current = report->outer;
	give_reported(report);
}

void cuda_calls_report(void *data, int domain, uint32_t id, const struct cupti_call *call)
{
	struct target target;

	(void)data;
	if (domain < CUPTI_DRIVER || domain >= CUPTI_DOMAINS || id >= IDS_MOST || !cupti.owner)
		return;
	target = targets[domain][id];
	if (!target.symbol)
		return;
	if (call->site == CUPTI_ENTER)
		begin(target, call);
	else
		end(target, call);
}

/* ---- which ---- */

static uint32_t reported_symbol(uint32_t function)
{
	for (uint32_t i = function; i < cuda_backend.symbols; i++)
		if (cuda_backend.symbol[i].function == function &&
		    cuda_backend.symbol[i].variant == CUDA_VARIANT_REPORTED)
			return i + 1;
	return 0;
}

/* 1 + its symbol, or 0. Functions stand in the order of their names. */
static uint32_t find_symbol(const char *name, size_t length)
{
	uint32_t low = 0, high = cuda_backend.functions;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const char *known = cuda_backend.pool + cuda_backend.function[middle].name;
		int order = strncmp(known, name, length);

		if (!order && known[length])
			order = 1;
		if (!order)
			return reported_symbol(middle);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* An older form of a function, as newer headers have it: the first of those with a number that is known. */
static uint32_t find_newer(const char *name, size_t length)
{
	char newer[128];
	uint32_t symbol = 0;

	for (int version = 2; version <= 4 && !symbol; version++) {
		int used = snprintf(newer, sizeof(newer), "%.*s_v%d", (int)length, name, version);

		symbol = used < (int)sizeof(newer) ? find_symbol(newer, (size_t)used) : 0;
	}
	return symbol;
}

/* CUPTI's names of the runtime end in a version, cudaMalloc_v3020; both have forms for a stream of each thread. */
static uint32_t symbol_of(const char *name)
{
	size_t length = strlen(name), digits = 0;
	uint32_t symbol;

	while (digits < length && name[length - digits - 1] >= '0' && name[length - digits - 1] <= '9')
		digits++;
	if (digits >= 4 && length > digits + 2 && !strncmp(name + length - digits - 2, "_v", 2))
		length -= digits + 2;
	if (length > 5 && (!strncmp(name + length - 5, "_ptsz", 5) || !strncmp(name + length - 5, "_ptds", 5)))
		length -= 5;
	symbol = find_symbol(name, length);
	if (!symbol && length > 3 && name[length - 3] == '_' && name[length - 2] == 'v')
		length -= 3;
	return symbol ? symbol : find_newer(name, length);
}

static uint16_t flags_of(uint32_t symbol)
{
	const struct rec_function *function = function_of(symbol);
	const char *name = cuda_backend.pool + function->name;
	unsigned family = cuda_role[cuda_backend.symbol[symbol].function].family;
	uint16_t flags = 0;

	if (family == CUDA_FAMILY_START || family == CUDA_FAMILY_BLOCKING)
		flags |= STARTS_WORK;
	if (family == CUDA_FAMILY_RESUME || family == CUDA_FAMILY_PAUSE)
		flags |= SWITCHES;
	if (family == CUDA_FAMILY_BLOCKING)
		flags |= MAY_BLOCK;
	if (function->kind == SONDE_KIND_launch)
		flags |= LAUNCHES;
	if (function->kind == SONDE_KIND_poll)
		flags |= POLLS;
	if (function->kind == SONDE_KIND_load || function->kind == SONDE_KIND_build)
		flags |= BUILDS;
	if (strstr(name, "StreamBeginCapture"))
		flags |= CAPTURE_BEGINS;
	if (strstr(name, "StreamEndCapture"))
		flags |= CAPTURE_ENDS;
	return flags;
}

static bool matters(struct target target)
{
	if (rec_times_queries())
		return true;
	switch (function_of(target.symbol - 1u)->kind) {
	case SONDE_KIND_query:
	case SONDE_KIND_other:
	case SONDE_KIND_setup:
		return target.flags & (CAPTURE_BEGINS | CAPTURE_ENDS | SWITCHES);
	default:
		return true;
	}
}

/* Do wrappers see the launches of a runtime? Whatever has kernels has registered them before, and so by a wrapper. */
static bool runtime_is_wrapped(void)
{
	return cuda_real[cuda_sym___cudaRegisterFatBinary];
}

enum asked { ASKED, SKIPPED, WRAPPED, UNKNOWN };

static enum asked ask_for(int domain, uint32_t id, bool wrapped)
{
	struct target target = {0};
	const char *name = NULL;

	if (cupti.GetCallbackName(domain, id, &name) != 0 || !name)
		return UNKNOWN;
	target.symbol = (uint16_t)symbol_of(name);
	if (!target.symbol)
		return UNKNOWN;
	target.flags = flags_of(target.symbol - 1u);
	if (!matters(target))
		return SKIPPED;
	if (wrapped && domain == CUPTI_RUNTIME && (target.flags & LAUNCHES) && !rec_times_queries())
		return WRAPPED;
	targets[domain][id] = target;
	return cupti.EnableCallback(1, cupti.subscriber, domain, id) == 0 ? ASKED : UNKNOWN;
}

bool cuda_calls_start(uint32_t *skipped_out)
{
	static const char reported_by[] = "";
	uint32_t count[UNKNOWN + 1] = {0};
	bool wrapped = runtime_is_wrapped();

	for (uint32_t i = 0; i < cuda_backend.symbols; i++)
		if (cuda_backend.symbol[i].variant == CUDA_VARIANT_REPORTED)
			cuda_real[i] = (void *)(uintptr_t)reported_by; /* never called: it only says that it is there */
	for (int domain = CUPTI_DRIVER; domain < CUPTI_DOMAINS; domain++)
		for (uint32_t id = 1; id < IDS_MOST; id++)
			count[ask_for(domain, id, wrapped)]++;
	*skipped_out = count[SKIPPED];
	return count[ASKED];
}
