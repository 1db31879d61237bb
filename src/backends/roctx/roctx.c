/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ROCTX, the ranges of AMD's tools: eight functions, too few and too odd for generated wrappers, since a call of them
 * is none to be counted. The real function is called first, so that the program gets its answers; a range is told
 * afterwards when it begins and before when it ends. Where there is none, levels and numbers are ours.
 */
#include <stddef.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "record/rec.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

enum symbol { MARK, NAME_THREAD, PAUSE, RESUME, POP, PUSH, START, STOP, SYMBOLS };

#define NAMES(X) X(MARK, roctxMarkA) X(NAME_THREAD, roctxNameOsThread) X(PAUSE, roctxProfilerPause) \
	X(RESUME, roctxProfilerResume) X(POP, roctxRangePop) X(PUSH, roctxRangePushA) X(START, roctxRangeStartA) \
	X(STOP, roctxRangeStop)

/* One behind the other; offsets into it are names. */
#define MEMBER(symbol, name) char name[sizeof(#name)];
static const struct {
	char none[1];
	NAMES(MEMBER)
} pool = {
	"",
#define TEXT(symbol, name) #name,
	NAMES(TEXT)
};

static const struct rec_function functions[] = {
#define FUNCTION(symbol, function) [symbol] = {.name = offsetof(__typeof__(pool), function), .kind = SONDE_KIND_range},
	NAMES(FUNCTION)
};

static const struct rec_symbol symbols[] = {
#define SYMBOL(symbol, function_) [symbol] = {.name = offsetof(__typeof__(pool), function_), .function = symbol},
	NAMES(SYMBOL)
};

/* Sorted by name; addresses are relative to the table, so that nothing has to be relocated. */
extern const struct rec_export roctx_exports[] __attribute__((visibility("hidden")));
__asm__(".section .rodata.roctx_exports, \"a\"\n.balign 4\n.globl roctx_exports\n.hidden roctx_exports\n"
	"roctx_exports:\n"
	".long 1, 0, roctx_wrap_roctxMarkA - roctx_exports\n"
	".long 12, 1, roctx_wrap_roctxNameOsThread - roctx_exports\n"
	".long 30, 2, roctx_wrap_roctxProfilerPause - roctx_exports\n"
	".long 49, 3, roctx_wrap_roctxProfilerResume - roctx_exports\n"
	".long 69, 4, roctx_wrap_roctxRangePop - roctx_exports\n"
	".long 83, 5, roctx_wrap_roctxRangePushA - roctx_exports\n"
	".long 99, 6, roctx_wrap_roctxRangeStartA - roctx_exports\n"
	".long 116, 7, roctx_wrap_roctxRangeStop - roctx_exports\n"
	".previous\n");
_Static_assert(offsetof(__typeof__(pool), roctxRangeStop) == 116, "the table's numbers are those of the pool");

static uint16_t slots[2048] __attribute__((aligned(4096)));
static void *real[SYMBOLS];

static __thread int depth __attribute__((tls_model("initial-exec"))); /* of ranges, where no library counts them */

static void *absent(uint32_t symbol)
{
	(void)symbol;
	return NULL;
}

static struct rec_backend roctx_backend = {
	.size = sizeof(struct rec_backend), .functions = SYMBOLS, .symbols = SYMBOLS, .exports = SYMBOLS,
	.name = "roctx", .pool = (const char *)&pool, .function = functions, .symbol = symbols,
	.export_table = roctx_exports, .front = "libroctx64.so\0librocprofiler-sdk-roctx.so\0",
	.runtimes = "libroctx64\0librocprofiler-sdk-roctx\0", .layer = 9, .slot = slots, .real = real, .absent = absent
};

__attribute__((constructor)) static void start(void)
{
	rec_backend_register(&roctx_backend, __ehdr_start, _end);
}

/* The library is looked for once; one that is opened later tells itself (dlsym). */
static void *real_of(enum symbol symbol)
{
	static bool asked[SYMBOLS];

	if (real[symbol] || asked[symbol])
		return real[symbol];
	asked[symbol] = true;
	return rec_real(&roctx_backend, symbol);
}

REC_EXPORT void roctxMarkA(const char *name)
{
	void (*call)(const char *) = (void (*)(const char *))real_of(MARK);
	struct rec_label label = rec_label(NULL, name);

	if (call)
		call(name);
	rec_mark(&roctx_backend, &label);
}

REC_EXPORT int roctxRangePushA(const char *name)
{
	int (*call)(const char *) = (int (*)(const char *))real_of(PUSH);
	struct rec_label label = rec_label(NULL, name);
	int level = call ? call(name) : depth++;

	rec_range_push(&roctx_backend, &label, 0);
	return level;
}

REC_EXPORT int roctxRangePop(void)
{
	int (*call)(void) = (int (*)(void))real_of(POP);

	rec_range_pop(&roctx_backend, 0);
	return call ? call() : depth ? --depth : -1;
}

REC_EXPORT uint64_t roctxRangeStartA(const char *name)
{
	static uint64_t keys;
	uint64_t (*call)(const char *) = (uint64_t (*)(const char *))real_of(START);
	struct rec_label label = rec_label(NULL, name);
	uint64_t key = call ? call(name) : __atomic_add_fetch(&keys, 1, __ATOMIC_RELAXED);

	rec_range_start(&roctx_backend, &label, key);
	return key;
}

REC_EXPORT void roctxRangeStop(uint64_t key)
{
	void (*call)(uint64_t) = (void (*)(uint64_t))real_of(STOP);

	rec_range_end(&roctx_backend, key);
	if (call)
		call(key);
}

/* Of the library of rocprofiler-sdk. */
REC_EXPORT int roctxNameOsThread(const char *name)
{
	int (*call)(const char *) = (int (*)(const char *))real_of(NAME_THREAD);

	rec_named(&roctx_backend, FMT_NAMED_THREAD, 0, (uint32_t)syscall(SYS_gettid), name);
	return call ? call(name) : 0;
}

/* thread 0: of all. Of a single thread we could not pause the devices; that is left to its library. */
REC_EXPORT int roctxProfilerPause(uint64_t thread)
{
	int (*call)(uint64_t) = (int (*)(uint64_t))real_of(PAUSE);

	if (!thread)
		rec_pause();
	return call ? call(thread) : 0;
}

REC_EXPORT int roctxProfilerResume(uint64_t thread)
{
	int (*call)(uint64_t) = (int (*)(uint64_t))real_of(RESUME);

	if (!thread)
		rec_resume();
	return call ? call(thread) : 0;
}

/* Hidden names for the table: what may bind elsewhere cannot stand in it. */
#define HIDDEN(symbol, name) \
	extern __typeof__(name) roctx_wrap_##name __attribute__((alias(#name), visibility("hidden")));
NAMES(HIDDEN)
