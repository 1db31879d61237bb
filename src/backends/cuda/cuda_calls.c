/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that CUPTI reports: of programs that hold the runtime themselves (nvcc links it statically), of libraries that
 * got the driver's functions by cuGetProcAddress(). A call that a wrapper sees is not reported again, and a call of the
 * runtime hides those that it makes into the driver. Reports are asked for only where they matter: one costs as much
 * as five calls of a cheap function.
 */
#include <stdio.h>
#include <string.h>

#include "cupti.h"

#define IDS_MOST 2048u
#define CALLS_AT_ONCE 1024u
#define GRAPHS 4096u /* launches of graphs whose operations may be on their way */

static uint16_t symbols[CUPTI_DOMAINS + 1][IDS_MOST]; /* 1 + symbol, by CUPTI's number */
static uint32_t capturing; /* streams that turn launches into nodes of a graph */

static struct rec_map starts = REC_MAP(struct cuda_start); /* by correlation */
static struct {
	uint32_t correlation;
	struct cuda_start start;
} graphs[GRAPHS];

/* A reported call, from its beginning to its end. */
static struct reported {
	struct rec_call call;
	uint32_t correlation;
	uint32_t next; /* 1 + index of the next free one */
	struct reported *outer; /* around it, of the same thread */
} reported[CALLS_AT_ONCE];
static uint32_t reported_lock, reported_free, reported_used;

static struct reported *take_reported(void)
{
	struct reported *report = NULL;

	rec_lock(&reported_lock);
	if (reported_free) {
		report = &reported[reported_free - 1];
		reported_free = report->next;
	} else if (reported_used < CALLS_AT_ONCE) {
		report = &reported[reported_used++];
	}
	rec_unlock(&reported_lock);
	return report;
}

static void give_reported(struct reported *report)
{
	rec_lock(&reported_lock);
	report->next = reported_free;
	reported_free = (uint32_t)(report - reported) + 1;
	rec_unlock(&reported_lock);
}

static const struct rec_function *function_of(uint32_t symbol)
{
	return &cuda_backend.function[cuda_backend.symbol[symbol].function];
}

/* ---- what is started ---- */

static bool is_graph(uint32_t kind)
{
	return kind == SONDE_KIND_graph_launch;
}

/* While a stream is being captured, launches may never run: they are counted when they have. */
static void note_start(uint32_t symbol, uint32_t correlation)
{
	uint32_t kind = function_of(symbol)->kind;
	struct cuda_start start = {.seen = 0};

	cuda_thread.correlation = correlation;
	if (!rec_on())
		return;
	start.context = rec_context();
	if (is_graph(kind)) {
		graphs[correlation % GRAPHS].start = start;
		__atomic_store_n(&graphs[correlation % GRAPHS].correlation, correlation, __ATOMIC_RELEASE);
		return;
	}
	start.seen = kind == SONDE_KIND_launch && !__atomic_load_n(&capturing, __ATOMIC_RELAXED);
	if (start.seen)
		rec_device_seen(&cuda_backend);
	if (start.seen || start.context)
		rec_map_put(&starts, correlation, &start);
}

bool cuda_start_take(uint32_t correlation, bool keep, struct cuda_start *start_out)
{
	const uint32_t slot = correlation % GRAPHS;

	if (!keep && rec_map_take(&starts, correlation, start_out))
		return true;
	if (__atomic_load_n(&graphs[slot].correlation, __ATOMIC_ACQUIRE) != correlation)
		return false;
	*start_out = graphs[slot].start;
	return true;
}

void cuda_start_failed(uint32_t correlation)
{
	struct cuda_start start;

	if (rec_map_take(&starts, correlation, &start) && start.seen)
		rec_device_unseen(&cuda_backend);
}

void cuda_starts_forget(void)
{
	starts = (struct rec_map)REC_MAP(struct cuda_start);
	memset(graphs, 0, sizeof(graphs));
	reported_free = reported_used = reported_lock = 0;
	cuda_thread = (struct cuda_thread){0};
	capturing = 0;
}

static void note_capture(uint32_t symbol, int32_t result)
{
	const char *name = cuda_backend.pool + cuda_backend.symbol[symbol].name;

	if (strstr(name, "StreamBeginCapture") && !result)
		__atomic_fetch_add(&capturing, 1, __ATOMIC_RELAXED);
	else if (strstr(name, "StreamEndCapture") && capturing)
		__atomic_fetch_sub(&capturing, 1, __ATOMIC_RELAXED);
}

static bool is_capture(uint32_t symbol)
{
	return strstr(cuda_backend.pool + cuda_backend.symbol[symbol].name, "Capture") &&
	       function_of(symbol)->kind != SONDE_KIND_query;
}

static bool is_start(uint32_t symbol)
{
	return cuda_role[cuda_backend.symbol[symbol].function].family == CUDA_FAMILY_START;
}

/* ---- reports ---- */

static void begin(uint32_t symbol, const struct cupti_call *call)
{
	struct reported *report;

	*call->kept = 0;
	if (cuda_thread.current && cuda_thread.current->correlation == call->correlation)
		return; /* the driver's part of a call of the runtime */
	if (is_start(symbol)) {
		if (cuda_thread.correlation != call->correlation) /* else noted with the call of the runtime */
			note_start(symbol, call->correlation);
		if (cuda_thread.wrapped)
			return;
	}
	report = take_reported();
	if (!report) {
		rec_lost(&cuda_backend);
		return;
	}
	report->correlation = call->correlation;
	report->outer = cuda_thread.current;
	*call->kept = (uintptr_t)report;
	rec_enter(&report->call, &cuda_backend, symbol, NULL, (uintptr_t)__builtin_frame_address(0), NULL);
	cuda_thread.current = report;
}

static void end(uint32_t symbol, const struct cupti_call *call)
{
	struct reported *report = (struct reported *)(uintptr_t)*call->kept;
	struct rec_call *recorded;

	if (is_capture(symbol) && (!cuda_thread.current || cuda_thread.current == report))
		note_capture(symbol, *call->result);
	if (!report)
		return;
	if (*call->result != 0 && is_start(symbol))
		cuda_start_failed(report->correlation);
	recorded = &report->call;
	if (recorded->slot) {
		recorded->failed = *call->result != 0 && function_of(symbol)->kind != SONDE_KIND_poll;
		recorded->result = (rec_word)(intptr_t)*call->result;
		rec_leave(recorded);
		if (recorded->slot && is_start(symbol))
			rec_call_link(recorded, report->correlation);
	}
	cuda_thread.current = report->outer;
	give_reported(report);
}

void cuda_calls_report(void *data, int domain, uint32_t id, const struct cupti_call *call)
{
	uint32_t symbol;

	(void)data;
	if (domain < CUPTI_DRIVER || domain > CUPTI_RUNTIME || id >= IDS_MOST || !symbols[domain][id] || !cupti_live())
		return;
	symbol = symbols[domain][id] - 1u;
	if (call->site == CUPTI_ENTER)
		begin(symbol, call);
	else
		end(symbol, call);
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

static bool matters(uint32_t symbol)
{
	switch (function_of(symbol)->kind) {
	case SONDE_KIND_query:
	case SONDE_KIND_other:
	case SONDE_KIND_setup:
		return is_capture(symbol);
	default:
		return true;
	}
}

bool cuda_calls_start(void)
{
	static const char reported_by[] = "";
	bool any = false;

	for (uint32_t i = 0; i < cuda_backend.symbols; i++)
		if (cuda_backend.symbol[i].variant == CUDA_VARIANT_REPORTED)
			cuda_real[i] = (void *)(uintptr_t)reported_by; /* never called: it only says that it is there */
	for (int domain = CUPTI_DRIVER; domain <= CUPTI_RUNTIME; domain++)
		for (uint32_t id = 1; id < IDS_MOST; id++) {
			const char *name = NULL;
			uint32_t symbol;

			if (cupti.GetCallbackName(domain, id, &name) != 0 || !name)
				continue;
			symbol = symbol_of(name);
			if (!symbol || !matters(symbol - 1))
				continue;
			symbols[domain][id] = (uint16_t)symbol;
			any |= cupti.EnableCallback(1, cupti.subscriber, domain, id) == 0;
		}
	return any;
}
