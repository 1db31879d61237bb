/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GCC's OpenMP runtime, which has no tool interface: wrappers of the functions that the compiler calls. As calls they
 * say little, so they are recorded as constructs by their place in the code, with the names that OMPT's have.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "record/rec.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* PARALLEL: function, data, threads, then words. SYNC: a name, at most one word. TARGET: device, then words. */
#define PARALLELS(X) X(GOMP_parallel, 1) X(GOMP_parallel_sections, 2) X(GOMP_parallel_loop_static, 5) \
	X(GOMP_parallel_loop_dynamic, 5) X(GOMP_parallel_loop_guided, 5) X(GOMP_parallel_loop_runtime, 4) \
	X(GOMP_parallel_loop_nonmonotonic_dynamic, 5) X(GOMP_parallel_loop_nonmonotonic_guided, 5) \
	X(GOMP_parallel_loop_nonmonotonic_runtime, 4) X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, 4)
#define SYNCS(X) X(GOMP_barrier, "barrier") X(GOMP_loop_end, "implicit barrier") \
	X(GOMP_sections_end, "implicit barrier") X(GOMP_critical_start, "critical") \
	X(GOMP_critical_name_start, "critical") X(GOMP_taskwait, "taskwait") X(GOMP_taskgroup_end, "taskgroup end") \
	X(GOMP_ordered_start, "ordered") X(omp_set_lock, "lock") X(omp_set_nest_lock, "lock")
#define TARGETS(X) X(GOMP_target_ext, "target") X(GOMP_target_data_ext, "target data") \
	X(GOMP_target_update_ext, "target update") X(GOMP_target_enter_exit_data, "target enter or exit data")
#define OTHERS(X) X(GOMP_task, "task creation") X(GOMP_parallel_reductions, "parallel")
#define ALL(X) PARALLELS(X) SYNCS(X) TARGETS(X) OTHERS(X)

enum symbol {
#define NUMBER(name, what) symbol_##name,
	ALL(NUMBER)
	SYMBOLS
};

static const struct {
	char none[1];
#define MEMBER(name, what) char name[sizeof(#name)];
	ALL(MEMBER)
} pool = {
	"",
#define TEXT(name, what) #name,
	ALL(TEXT)
};

static const struct rec_function functions[] = {
#define FUNCTION(name_, what) {.name = offsetof(__typeof__(pool), name_), .kind = SONDE_KIND_other},
	ALL(FUNCTION)
};

static const struct rec_symbol symbols[] = {
#define SYMBOL(name_, what) {.name = offsetof(__typeof__(pool), name_), .function = symbol_##name_},
	ALL(SYMBOL)
};

static uint16_t slots[2048] __attribute__((aligned(4096)));
static void *real[SYMBOLS];

static void *absent(uint32_t symbol)
{
	(void)symbol;
	return NULL;
}

static struct rec_backend gomp_backend = {
	.size = sizeof(struct rec_backend), .functions = SYMBOLS, .symbols = SYMBOLS, .name = "gomp",
	.pool = (const char *)&pool, .function = functions, .symbol = symbols, .front = "libgomp.so\0",
	.runtimes = "libgomp\0", .layer = 5, .slot = slots, .real = real, .absent = absent
};

__attribute__((constructor)) static void start(void)
{
	rec_backend_register(&gomp_backend, __ehdr_start, _end);
}

static void *function[SYMBOLS];  /* the real ones */
static bool elsewhere[SYMBOLS];  /* of another runtime that has these names, and a tool interface */

static void *real_of(enum symbol symbol)
{
	void *found = __atomic_load_n(&function[symbol], __ATOMIC_ACQUIRE);
	Dl_info info;

	if (unlikely(!found)) {
		found = rec_real(&gomp_backend, symbol);
		elsewhere[symbol] = !found || !dladdr(found, &info) || !info.dli_fname ||
				    !strstr(info.dli_fname, "libgomp");
		__atomic_store_n(&function[symbol], found, __ATOMIC_RELEASE);
	}
	return found;
}

static void enter(struct rec_call *call, enum symbol symbol, const char *what, enum sonde_kind kind, const void *code,
		  uintptr_t frame)
{
	struct rec_label label;

	call->slot = 0;
	real_of(symbol);
	if (unlikely(elsewhere[symbol]))
		return;
	label = rec_code_label(&gomp_backend, what, code);
	rec_enter_dynamic(call, &gomp_backend, &label, kind, frame);
}

static void leave(struct rec_call *call)
{
	if (call->slot)
		rec_leave(call);
}

/* ---- parallel regions ------------------------------------------------------------------------------- */

typedef void (*body)(void *data);

struct team {
	enum symbol symbol;
	body function;
	void *data;
	const void *code;
	const void *primary;  /* a word of the thread that came to the region */
	uint64_t begin;       /* ticks */
	uint64_t arrived_sum; /* ticks from the beginning to when threads were done, of `arrived` threads; the latest */
	uint64_t arrived_last;
	uint32_t arrived;
	uint64_t primary_done;
};

static __thread char own __attribute__((tls_model("initial-exec")));

static void arrive(struct team *team)
{
	uint64_t now = rec_now_ticks(), ticks = now - team->begin;
	uint64_t last = __atomic_load_n(&team->arrived_last, __ATOMIC_RELAXED);

	__atomic_fetch_add(&team->arrived_sum, ticks, __ATOMIC_RELAXED);
	while (last < ticks && !__atomic_compare_exchange_n(&team->arrived_last, &last, ticks, true, __ATOMIC_RELAXED,
							    __ATOMIC_RELAXED))
		;
	__atomic_fetch_add(&team->arrived, 1, __ATOMIC_RELEASE);
}

/* What each thread of the region runs instead of the program's function. */
static void share(void *at)
{
	struct team *team = at;
	struct rec_call call;

	if (team->primary == &own) {
		team->function(team->data);
		arrive(team);
		team->primary_done = rec_past_begin();
		return;
	}
	enter(&call, team->symbol, "worker", SONDE_KIND_compute, team->code, (uintptr_t)__builtin_dwarf_cfa());
	team->function(team->data);
	leave(&call);
	arrive(team);
}

static void region_end(struct team *team, struct rec_call *call)
{
	struct rec_label label = rec_code_label(&gomp_backend, "parallel end", team->code);
	uint64_t now = rec_now_ticks();

	if (!call->slot)
		return;
	if (team->primary_done)
		rec_call_past(&gomp_backend, &label, SONDE_KIND_sync, team->primary_done, now);
	rec_call_members(call, team->arrived);
	rec_call_team(call, team->arrived * (now - team->begin),
		      team->arrived * team->arrived_last - team->arrived_sum);
	rec_leave(call);
}

/* Up to five words behind function, data and threads: those that a function does not have are not looked at. */
typedef unsigned (*parallel)(body function, void *data, unsigned threads, rec_word a, rec_word b, rec_word c,
			     rec_word d, rec_word e);

static unsigned region(enum symbol symbol, struct team *team, unsigned threads, const rec_word *words,
		       uintptr_t frame)
{
	parallel call_real = (parallel)real_of(symbol);
	struct rec_call call;
	unsigned result;

	enter(&call, symbol, "parallel", SONDE_KIND_compute, team->code, frame);
	team->begin = rec_now_ticks();
	result = call_real(share, team, threads, words[0], words[1], words[2], words[3], words[4]);
	region_end(team, &call);
	return result;
}

#define PARALLEL(name, count) \
	REC_EXPORT unsigned name(body routine, void *data, unsigned threads, rec_word a, rec_word b, rec_word c, \
				 rec_word d, rec_word e); \
	unsigned name(body routine, void *data, unsigned threads, rec_word a, rec_word b, rec_word c, rec_word d, \
		      rec_word e) \
	{ \
		struct team team = {.symbol = symbol_##name, .function = routine, .data = data, \
				    .code = __builtin_return_address(0), .primary = &own}; \
		const rec_word words[5] = {a, b, c, d, e}; \
\
		return region(symbol_##name, &team, threads, words, (uintptr_t)__builtin_dwarf_cfa()); \
	}
PARALLELS(PARALLEL)
PARALLEL(GOMP_parallel_reductions, 1)

/* ---- waiting for each other ------------------------------------------------------------------------- */

#define SYNC(name, what) \
	REC_EXPORT void name(rec_word a); \
	void name(rec_word a) \
	{ \
		struct rec_call call; \
\
		enter(&call, symbol_##name, what, SONDE_KIND_sync, __builtin_return_address(0), \
		      (uintptr_t)__builtin_dwarf_cfa()); \
		((void (*)(rec_word))real_of(symbol_##name))(a); \
		leave(&call); \
	}
SYNCS(SYNC)

/* ---- tasks and target constructs --------------------------------------------------------------------- */

typedef void (*ten)(rec_word, rec_word, rec_word, rec_word, rec_word, rec_word, rec_word, rec_word, rec_word,
		    rec_word);

#define WORDS rec_word a, rec_word b, rec_word c, rec_word d, rec_word e, rec_word f, rec_word g, rec_word h, \
	rec_word i, rec_word j

/* Tasks are counted where they are made: the runtime copies what they work on, with nobody between it and them. */
REC_EXPORT void GOMP_task(WORDS);
void GOMP_task(WORDS)
{
	struct rec_call call;

	enter(&call, symbol_GOMP_task, "task creation", SONDE_KIND_other, __builtin_return_address(0),
	      (uintptr_t)__builtin_dwarf_cfa());
	((ten)real_of(symbol_GOMP_task))(a, b, c, d, e, f, g, h, i, j);
	leave(&call);
}

/* Without a device of the runtime's, target constructs run on the host. */
static bool has_devices(void)
{
	static int known; /* 1: none, 2: some */
	int (*count)(void);

	if (!__atomic_load_n(&known, __ATOMIC_RELAXED)) {
		count = (int (*)(void))rec_provider_symbol(&gomp_backend, "omp_get_num_devices");
		__atomic_store_n(&known, count && count() > 0 ? 2 : 1, __ATOMIC_RELAXED);
	}
	return known == 2;
}

#define TARGET(name, what) \
	REC_EXPORT void name(WORDS); \
	void name(WORDS) \
	{ \
		bool devices = has_devices(); \
		struct rec_call call; \
		enum sonde_kind kind = symbol_##name == symbol_GOMP_target_ext ? SONDE_KIND_launch : SONDE_KIND_map; \
\
		enter(&call, symbol_##name, devices ? what : what " on the host", \
		      devices ? kind : SONDE_KIND_compute, \
		      __builtin_return_address(0), (uintptr_t)__builtin_dwarf_cfa()); \
		((ten)real_of(symbol_##name))(a, b, c, d, e, f, g, h, i, j); \
		leave(&call); \
	}
TARGETS(TARGET)
