/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of libgomp that the compiler calls and that are wrapped here, and what the files of this folder share. */
#ifndef SONDE_BACKENDS_GOMP_GOMP_H
#define SONDE_BACKENDS_GOMP_GOMP_H

#include "record/rec_tools.h"

/* PARALLEL: function, data, threads, then words. SYNC: a name, at most one word. TARGET: device, then words. */
#define PARALLELS(X) X(GOMP_parallel, 1) X(GOMP_parallel_sections, 2) X(GOMP_parallel_loop_static, 5) \
	X(GOMP_parallel_loop_dynamic, 5) X(GOMP_parallel_loop_guided, 5) X(GOMP_parallel_loop_runtime, 4) \
	X(GOMP_parallel_loop_nonmonotonic_dynamic, 5) X(GOMP_parallel_loop_nonmonotonic_guided, 5) \
	X(GOMP_parallel_loop_nonmonotonic_runtime, 4) X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, 4)
#define WAITS(X) X(GOMP_critical_start, "critical") X(GOMP_critical_name_start, "critical") \
	X(GOMP_taskwait, "taskwait") X(GOMP_taskwait_depend, "taskwait") X(GOMP_taskgroup_end, "taskgroup end") \
	X(GOMP_ordered_start, "ordered") X(omp_set_lock, "lock") X(omp_set_nest_lock, "lock")
/* All of the team wait, at the end of shared work but for the first two. */
#define BARRIERS(X) X(GOMP_barrier, "barrier") X(GOMP_barrier_cancel, "barrier") \
	X(GOMP_loop_end, "implicit barrier") X(GOMP_loop_end_cancel, "implicit barrier") \
	X(GOMP_sections_end, "implicit barrier") X(GOMP_sections_end_cancel, "implicit barrier") \
	X(GOMP_single_copy_end, "implicit barrier")
/* Shared work begins, in each thread that comes to it; what ends it, apart from barriers. */
#define LOOPS(X, set) X(set##_start, "loop") X(set##_ordered_start, "loop") X(set##_runtime_start, "loop") \
	X(set##_static_start, "loop") X(set##_dynamic_start, "loop") X(set##_guided_start, "loop") \
	X(set##_nonmonotonic_dynamic_start, "loop") X(set##_nonmonotonic_guided_start, "loop") \
	X(set##_nonmonotonic_runtime_start, "loop") X(set##_maybe_nonmonotonic_runtime_start, "loop") \
	X(set##_ordered_static_start, "loop") X(set##_ordered_dynamic_start, "loop") \
	X(set##_ordered_guided_start, "loop") X(set##_ordered_runtime_start, "loop") \
	X(set##_doacross_start, "loop") X(set##_doacross_static_start, "loop") \
	X(set##_doacross_dynamic_start, "loop") X(set##_doacross_guided_start, "loop") \
	X(set##_doacross_runtime_start, "loop")
#define WORKS(X) LOOPS(X, GOMP_loop) LOOPS(X, GOMP_loop_ull) X(GOMP_sections_start, "sections") \
	X(GOMP_sections2_start, "sections")
#define ENDS(X) X(GOMP_loop_end_nowait, 0) X(GOMP_sections_end_nowait, 0)
#define TARGETS(X) X(GOMP_target_ext, 2) X(GOMP_target_data_ext, 1) X(GOMP_target_update_ext, 1) \
	X(GOMP_target_enter_exit_data, 1)
#define OTHERS(X) X(GOMP_task, 0) X(GOMP_taskloop, 0) X(GOMP_taskloop_ull, 0) X(GOMP_parallel_reductions, 1) \
	X(GOMP_single_copy_start, 0) X(GOMP_target_end_data, 0)
#define ALL(X) PARALLELS(X) WAITS(X) BARRIERS(X) WORKS(X) ENDS(X) TARGETS(X) OTHERS(X)

enum gomp_symbol {
#define NUMBER(name, what) symbol_##name,
	ALL(NUMBER)
	GOMP_SYMBOLS
};

extern struct rec_backend gomp_backend __attribute__((visibility("hidden")));

#define WORDS rec_word a, rec_word b, rec_word c, rec_word d, rec_word e, rec_word f, rec_word g, rec_word h, \
	rec_word i, rec_word j
typedef rec_word (*gomp_ten)(WORDS);

/* What a thread is in. Put by and taken back around regions and tasks. */
#define GOMP_WORKS 8u

struct gomp_self {
	struct gomp_team *team;      /* of the innermost region that we have seen; NULL: none */
	uint64_t serial;             /* of that: a thread does not hear that a region has ended */
	uint64_t *helped;            /* not NULL: it waits for its team; ticks of tasks that it runs meanwhile */
	uint64_t wait_since;         /* such waiting that is recorded when it is over: since then; 0: none */
	const char *wait_what;
	const void *wait_code;
	bool joined;                 /* done with its share of the region */
	uint16_t base, depth;        /* shared work that is open: what is below base is not of this region or task */
	uint64_t open[GOMP_WORKS];   /* rec_call_token() */
};

extern __thread struct gomp_self gomp_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A caller's own function; what is not recorded is called as if we were not there. */
struct gomp_real {
	void *function;
	bool recorded;
};

/* gomp_runtime.c: the code of one object that calls the runtime */
struct gomp_object {
	uintptr_t low, bytes;
	const void *caller; /* an address in it */
	struct gomp_object *next;
	struct gomp_real real[GOMP_SYMBOLS];
};
extern __thread const struct gomp_object *gomp_last __attribute__((tls_model("initial-exec"), visibility("hidden")));
struct gomp_real gomp_find(enum gomp_symbol symbol, const void *caller);

/* caller: an address in the code that calls, the return address or, since a call may be the last one, a body's. */
static inline struct gomp_real gomp_real(enum gomp_symbol symbol, const void *caller)
{
	const struct gomp_object *object = gomp_last;

	if (likely(object && (uintptr_t)caller - object->low < object->bytes &&
		   __atomic_load_n(&object->real[symbol].function, __ATOMIC_ACQUIRE)))
		return object->real[symbol];
	return gomp_find(symbol, caller);
}

void gomp_enter(struct rec_call *call, bool recorded, const char *what, enum sonde_kind kind, const void *code,
		uintptr_t frame);
/* A thread that waited for its team, as `waiting` says, has run a task meanwhile. */
void gomp_helped(const struct gomp_self *waiting, uint64_t ticks);
/*
 * The place of a construct whose code the compiler has put into a function of its own: that begins at the construct's
 * line, the call that hands it over may have any before it. As rec_code_label() takes a return address.
 */
static inline const void *gomp_place(rec_word body)
{
	return body ? (const char *)body + 1 : NULL;
}

static inline void gomp_leave(struct rec_call *call)
{
	if (call->slot)
		rec_leave(call);
}

/* Waiting that is recorded when it is over, or when a task is run meanwhile. */
static inline void gomp_wait_begin(struct gomp_self *self, const char *what, const void *code)
{
	self->wait_what = what;
	self->wait_code = code;
	self->wait_since = rec_past_begin();
}

static inline void gomp_wait_end(struct gomp_self *self, uint64_t now)
{
	struct rec_label label;

	if (!self->wait_since)
		return;
	label = rec_code_label(&gomp_backend, self->wait_what, self->wait_code);
	rec_call_past(&gomp_backend, &label, SONDE_KIND_sync, self->wait_since, now);
	self->wait_since = 0;
}

#endif
