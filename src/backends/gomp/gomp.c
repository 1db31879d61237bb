/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GCC's OpenMP runtime, which has no tool interface: wrappers of the functions that the compiler calls. As calls they
 * say little, so they are recorded as constructs by their place in the code, with the names that OMPT's have.
 */
#include <stddef.h>

#include "gomp.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

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
static void *real[GOMP_SYMBOLS];

static void *absent(uint32_t symbol)
{
	(void)symbol;
	return NULL;
}

struct rec_backend gomp_backend = {
	.size = sizeof(struct rec_backend), .functions = GOMP_SYMBOLS, .symbols = GOMP_SYMBOLS, .name = "gomp",
	.pool = (const char *)&pool, .function = functions, .symbol = symbols, .front = "libgomp.so\0libgomp-\0",
	.runtimes = "libgomp\0", .layer = 5, .slot = slots, .real = real, .absent = absent
};

__attribute__((constructor)) static void start(void)
{
	rec_backend_register(&gomp_backend, __ehdr_start, _end);
}

void gomp_enter(struct rec_call *call, bool recorded, const char *what, enum sonde_kind kind, const void *code,
		uintptr_t frame)
{
	struct rec_label label;

	call->slot = 0;
	if (unlikely(!recorded))
		return;
	label = rec_code_label(&gomp_backend, what, code);
	rec_enter_dynamic(call, &gomp_backend, &label, kind, frame);
}

/* ---- parallel regions ------------------------------------------------------------------------------- */

typedef void (*body)(void *data);

struct gomp_team {
	const void *reductions; /* GOMP_parallel_reductions() takes the first word of its data for where they are */
	uint64_t serial;      /* 0: free */
	body function;
	void *data;
	const void *code;
	const void *primary;  /* what the thread has that came to the region */
	struct rec_team threads;
} __attribute__((aligned(64)));

/* They last, since a thread keeps its team until its next region, which we need not see. Taken in turn. */
#define TEAMS 256u
static struct gomp_team teams[TEAMS];
static uint64_t serials;

static struct gomp_team *team_take(enum gomp_symbol symbol, body function, void *data)
{
	for (unsigned probe = 0; probe < TEAMS; probe++) {
		uint64_t serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED), none = 0;
		struct gomp_team *team = &teams[serial % TEAMS];

		if (!__atomic_compare_exchange_n(&team->serial, &none, serial, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		team->function = function;
		team->data = data;
		team->reductions = symbol == symbol_GOMP_parallel_reductions ? *(void **)data : NULL;
		team->code = gomp_place((rec_word)function);
		team->primary = &gomp_self;
		team->threads = (struct rec_team){.begin = rec_now_ticks()};
		return team;
	}
	return NULL;
}

/* The thread's, as long as its region lasts. */
static struct gomp_team *team_of(const struct gomp_self *self)
{
	struct gomp_team *team = self->team;

	return team && __atomic_load_n(&team->serial, __ATOMIC_ACQUIRE) == self->serial ? team : NULL;
}

void gomp_helped(const struct gomp_self *waiting, uint64_t ticks)
{
	struct gomp_team *team = waiting->joined ? team_of(waiting) : NULL;

	if (waiting->helped || team)
		__atomic_fetch_add(team ? &team->threads.helped : waiting->helped, ticks, __ATOMIC_RELAXED);
}

__thread struct gomp_self gomp_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* What each thread of the region runs instead of the program's function. Tasks may follow, in the same thread. */
static void share(void *at)
{
	struct gomp_team *team = at;
	struct gomp_self *self = &gomp_self;
	struct rec_call call;

	self->team = team;
	self->serial = team->serial;
	self->joined = false;
	self->helped = NULL;
	self->wait_since = 0;
	if (team->primary == self) {
		self->base = self->depth;
		team->function(team->data);
		rec_team_arrive(&team->threads);
		self->depth = self->base;
		gomp_wait_begin(self, "parallel end", team->code);
	} else {
		self->base = self->depth = 0;
		gomp_enter(&call, true, "worker", SONDE_KIND_compute, team->code, (uintptr_t)__builtin_dwarf_cfa());
		team->function(team->data);
		gomp_leave(&call);
		rec_team_arrive(&team->threads);
		self->base = self->depth = 0;
	}
	self->joined = true;
}

static void region_end(struct gomp_team *team, struct rec_call *call)
{
	uint64_t now = rec_now_ticks();

	if (!call->slot)
		return;
	gomp_wait_end(&gomp_self, now);
	rec_call_members(call, team->threads.arrived);
	rec_call_team(call, team->threads.arrived * (now - team->threads.begin), rec_team_waited(&team->threads, now));
	rec_leave(call);
}

/* Up to five words behind function, data and threads: those that a function does not have are not looked at. */
typedef unsigned (*parallel)(body function, void *data, unsigned threads, rec_word a, rec_word b, rec_word c,
			     rec_word d, rec_word e);

/* The program's own function, where so many regions are open that there is no room for this one's threads. */
static unsigned region_alone(parallel call_real, body function, void *data, unsigned threads, const rec_word *words)
{
	gomp_self.team = NULL;
	gomp_self.helped = NULL;
	gomp_self.base = gomp_self.depth;
	return call_real(function, data, threads, words[0], words[1], words[2], words[3], words[4]);
}

static unsigned region(enum gomp_symbol symbol, body function, void *data, unsigned threads, const rec_word *words,
		       uintptr_t frame)
{
	const struct gomp_real real = gomp_real(symbol, (const void *)function);
	parallel call_real = (parallel)real.function;
	struct gomp_self outer = gomp_self;
	struct gomp_team *team;
	struct rec_call call;
	unsigned result;

	if (unlikely(!real.recorded))
		return call_real(function, data, threads, words[0], words[1], words[2], words[3], words[4]);
	gomp_enter(&call, true, "parallel", SONDE_KIND_compute, gomp_place((rec_word)function), frame);
	team = team_take(symbol, function, data);
	if (unlikely(!team)) {
		result = region_alone(call_real, function, data, threads, words);
		gomp_leave(&call);
	} else {
		result = call_real(share, team, threads, words[0], words[1], words[2], words[3], words[4]);
		region_end(team, &call);
		__atomic_store_n(&team->serial, 0, __ATOMIC_RELEASE);
	}
	gomp_self = outer;
	return result;
}

#define PARALLEL(name, count) \
	REC_EXPORT unsigned name(body routine, void *data, unsigned threads, rec_word a, rec_word b, rec_word c, \
				 rec_word d, rec_word e); \
	unsigned name(body routine, void *data, unsigned threads, rec_word a, rec_word b, rec_word c, rec_word d, \
		      rec_word e) \
	{ \
		const rec_word words[5] = {a, b, c, d, e}; \
\
		return region(symbol_##name, routine, data, threads, words, (uintptr_t)__builtin_dwarf_cfa()); \
	}
PARALLELS(PARALLEL)
PARALLEL(GOMP_parallel_reductions, 1)

/* ---- work that is shared ------------------------------------------------------------------------------ */

/* It lasts until the thread's end of it; that of `parallel for` has no beginning, it is one with its region. */
static void work_begin(const char *what, const void *code)
{
	struct gomp_self *self = &gomp_self;
	struct rec_call call;

	if (self->depth == GOMP_WORKS)
		return;
	gomp_enter(&call, true, what, SONDE_KIND_compute, code, 0);
	self->open[self->depth++] = call.slot ? rec_call_token(&call) : 0;
}

static void work_end(void)
{
	struct gomp_self *self = &gomp_self;
	struct rec_call call;
	uint64_t token;

	if (self->depth <= self->base)
		return;
	token = self->open[--self->depth];
	if (token && rec_call_resume(&call, &gomp_backend, token))
		rec_leave(&call);
}

#define WORK(name, what) \
	REC_EXPORT rec_word name(WORDS); \
	rec_word name(WORDS) \
	{ \
		const void *code = __builtin_return_address(0); \
		struct gomp_real real = gomp_real(symbol_##name, code); \
\
		if (likely(real.recorded)) \
			work_begin(what, code); \
		return ((gomp_ten)real.function)(a, b, c, d, e, f, g, h, i, j); \
	}
WORKS(WORK)

#define END(name, unused) \
	REC_EXPORT void name(void); \
	void name(void) \
	{ \
		struct gomp_real real = gomp_real(symbol_##name, __builtin_return_address(0)); \
\
		if (likely(real.recorded)) \
			work_end(); \
		((void (*)(void))real.function)(); \
	}
ENDS(END)

/* ---- waiting for each other ------------------------------------------------------------------------- */

/*
 * What is recorded stands in functions of its own: without it a wrapper goes on by a jump, and another runtime of the
 * same functions, as LLVM's, which may tell of them itself, finds the program's place behind its own.
 */
typedef rec_word (*gomp_one)(rec_word word); /* or returns nothing */

static __attribute__((noinline)) void wait_recorded(gomp_one call_real, const char *what, const void *code,
						    uintptr_t frame, rec_word word)
{
	struct rec_call call;

	gomp_enter(&call, true, what, SONDE_KIND_sync, code, frame);
	call_real(word);
	gomp_leave(&call);
}

#define WAIT(name, what) \
	REC_EXPORT void name(rec_word a); \
	void name(rec_word a) \
	{ \
		const void *code = __builtin_return_address(0); \
		struct gomp_real real = gomp_real(symbol_##name, code); \
\
		if (likely(real.recorded)) \
			wait_recorded((gomp_one)real.function, what, code, (uintptr_t)__builtin_dwarf_cfa(), a); \
		else \
			((gomp_one)real.function)(a); \
	}
WAITS(WAIT)

static void team_waited(const struct gomp_self *self, uint64_t ticks, uint64_t helped)
{
	struct gomp_team *team = team_of(self);

	if (team && ticks > helped)
		__atomic_fetch_add(&team->threads.waited, ticks - helped, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) rec_word barrier_recorded(gomp_one call_real, const char *what, const void *code,
							   uintptr_t frame, rec_word word)
{
	struct gomp_self *self = &gomp_self;
	uint64_t helped = 0;
	struct rec_call call;
	rec_word result;

	gomp_enter(&call, true, what, SONDE_KIND_sync, code, frame);
	self->helped = &helped;
	result = call_real(word);
	self->helped = NULL;
	if (call.slot) {
		rec_leave(&call);
		team_waited(self, call.duration, helped);
	}
	return result;
}

#define BARRIER(name, what) \
	REC_EXPORT rec_word name(rec_word a); \
	rec_word name(rec_word a) \
	{ \
		const void *code = __builtin_return_address(0); \
		struct gomp_real real = gomp_real(symbol_##name, code); \
\
		if (unlikely(!real.recorded)) \
			return ((gomp_one)real.function)(a); \
		if (symbol_##name > symbol_GOMP_barrier_cancel) \
			work_end(); \
		return barrier_recorded((gomp_one)real.function, what, code, (uintptr_t)__builtin_dwarf_cfa(), a); \
	}
BARRIERS(BARRIER)

/* One thread gets NULL and does the work, others wait until it hands over what came of it. */
REC_EXPORT void *GOMP_single_copy_start(void);
void *GOMP_single_copy_start(void)
{
	const void *code = __builtin_return_address(0);
	struct gomp_real real = gomp_real(symbol_GOMP_single_copy_start, code);
	void *(*start)(void) = (void *(*)(void))real.function;
	struct gomp_self *self = &gomp_self;
	uint64_t helped = 0, begin;
	void *result;

	if (unlikely(!real.recorded))
		return start();
	gomp_wait_begin(self, "implicit barrier", code);
	begin = self->wait_since;
	self->helped = &helped;
	result = start();
	self->helped = NULL;
	if (result) {
		uint64_t now = rec_now_ticks();

		gomp_wait_end(self, now);
		if (begin)
			team_waited(self, now - begin, helped);
	} else {
		self->wait_since = 0;
		work_begin("single", code);
	}
	return result;
}
