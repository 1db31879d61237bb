/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constructs that run on the host: parallel regions, the work of their threads, tasks, and waiting for each other. HOT.
 *
 * A thread other than the primary one hears of the end of a region only when it gets its next one, or at the end of the
 * program: what it does till then is none of the region's. So each thread notes when it is done, and its waiting is
 * recorded afterwards, until the region's end.
 */
#include <string.h>

#include "ompt.h"

/* ---- names ---------------------------------------------------------------------------------------- */

/*
 * A construct that is the last thing its function does begins by a jump, and its return address is in the runtime. It
 * is then called after the region that it is in.
 */
#define NAME(what) what "\0" what " in parallel"

static const char *inner_name(const char *name)
{
	return name + strlen(name) + 1;
}

static bool is_unknown(const struct rec_label *label)
{
	static const char unknown[] = " unknown";

	return label->length >= sizeof(unknown) && !memcmp(label->name + label->length - sizeof(unknown) + 1, unknown,
							   sizeof(unknown));
}

static struct rec_label region_label(const char *name, const struct region *region)
{
	return rec_code_label(&ompt_backend, region->inner ? inner_name(name) : name, region->code);
}

static struct rec_label place_label(const char *name, const void *code, const struct region *region)
{
	struct rec_label label = rec_code_label(&ompt_backend, name, code);

	if (unlikely(region && is_unknown(&label)))
		label = rec_code_label(&ompt_backend, inner_name(name), region->code);
	return label;
}

/* ---- parallel regions ----------------------------------------------------------------------------- */

#define REGIONS 1024u

/* Taken in turn, so that what a region leaves behind can be read by threads that hear of its end late. */
static struct region regions[REGIONS];
static uint64_t serials;

static struct region *region_take(const void *code, bool inner)
{
	for (unsigned probe = 0; probe < REGIONS; probe++) {
		uint64_t serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED), none = 0;
		struct region *region = &regions[serial % REGIONS];

		if (!__atomic_compare_exchange_n(&region->serial, &none, serial, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		region->code = code;
		region->inner = inner;
		region->threads = 1;
		region->team = (struct rec_team){.begin = rec_now_ticks()};
		return region;
	}
	return NULL;
}

static void on_parallel_begin(ompt_word *task, const void *frame, ompt_word *parallel, unsigned wanted, int flags,
			      const void *code)
{
	struct self *self = ompt_self();
	struct region *region, *outer;
	struct rec_label label;
	struct rec_call call;
	bool inner;

	(void)task;
	(void)frame;
	(void)wanted;
	(void)flags;
	parallel->ptr = NULL;
	if (!self || self->mute)
		return;
	outer = ompt_region(self);
	label = rec_code_label(&ompt_backend, NAME("parallel"), code);
	inner = is_unknown(&label);
	if (inner && !outer) /* the runtime's own, for threads that it wants to have */
		return;
	region = region_take(inner ? outer->code : code, inner);
	parallel->ptr = region;
	if (!region)
		return;
	label = region_label(NAME("parallel"), region);
	ompt_open(self, IN_PARALLEL, region, &label, SONDE_KIND_compute, &call);
}

static void on_parallel_end(ompt_word *parallel, ompt_word *task, int flags, const void *code)
{
	struct region *region = parallel->ptr;
	struct self *self = ompt_self();
	struct rec_call call;
	bool recorded;

	(void)task;
	(void)flags;
	(void)code;
	if (!region || !self)
		return;
	region->end = rec_now_ticks();
	__atomic_store_n(&region->ended, region->serial, __ATOMIC_RELEASE);
	recorded = ompt_close(self, IN_PARALLEL, region, &call);
	if (recorded) {
		rec_call_members(&call, region->threads);
		rec_call_team(&call, region->threads * (region->end - region->team.begin),
			      rec_team_waited(&region->team, region->end));
		rec_leave(&call);
	}
	__atomic_store_n(&region->serial, 0, __ATOMIC_RELEASE);
}

/* ---- threads of a region --------------------------------------------------------------------------- */

/*
 * Work that is cancelled has an end for some schedules alone: LLVM's runtime tells of none for those that it hands out.
 * The thread has then left it when it comes to the barrier behind, or to the end of its share where there is none.
 */
static void leave_work(struct self *self, const void *task)
{
	const struct open *last = self->depth ? &self->open[self->depth - 1] : NULL;
	struct rec_call call;

	if (last && unlikely(last->construct == IN_WORK && last->id == task) &&
	    ompt_close(self, IN_WORK, task, &call))
		rec_leave(&call);
}

static void worker_wait_until(struct self *self, uint64_t end)
{
	struct rec_label label = region_label(NAME("parallel end"), self->joined);

	if (self->waits_since && self->waits_since < end)
		rec_call_past(&ompt_backend, &label, SONDE_KIND_sync, self->waits_since, end);
	self->waits_since = 0;
}

/*
 * It hears that all are done: late, or, where there were tasks, before the primary thread is told of the region's end.
 * Not known: another region has had the room since.
 */
static void worker_released(struct self *self)
{
	struct region *region = self->joined;

	if (region) {
		uint64_t ended = __atomic_load_n(&region->ended, __ATOMIC_ACQUIRE);

		if (ended <= self->joined_serial)
			worker_wait_until(self, ended == self->joined_serial ? region->end : rec_now_ticks());
	}
	self->joined = NULL;
	self->helps = NULL;
}

static void worker_done(struct self *self, struct region *region)
{
	struct rec_call call;

	rec_team_arrive(&region->team);
	if (ompt_close(self, IN_WORKER, region, &call))
		rec_leave(&call);
	self->joined = region;
	self->joined_serial = region->serial;
	self->helps = &region->team.helped;
	self->helps_depth = self->depth;
	self->waits_since = rec_past_begin();
}

static void worker_begin(struct self *self, struct region *region)
{
	struct rec_label label;
	struct rec_call call;

	worker_released(self);
	if (!region) { /* of a kernel on the host, of the runtime's own, or of one that found no room */
		self->mute++;
		return;
	}
	label = region_label(NAME("worker"), region);
	ompt_open(self, IN_WORKER, region, &label, SONDE_KIND_compute, &call);
}

static void on_implicit_task(int endpoint, ompt_word *parallel, ompt_word *task, unsigned threads, unsigned index,
			     int flags)
{
	struct self *self = ompt_self();
	struct rec_call call;

	if (!self || (flags & OMPT_TASK_INITIAL))
		return;
	if (endpoint == OMPT_BEGIN) {
		struct region *region = parallel ? parallel->ptr : NULL;

		task->ptr = NULL;
		if (index)
			worker_begin(self, region);
		else if (region)
			region->threads = threads;
		return;
	}
	leave_work(self, task);
	if (!index)
		return;
	worker_released(self);
	if (self->mute) {
		self->mute--;
		return;
	}
	/* no barrier came in between: the region was left in another way */
	while (self->depth && self->open[self->depth - 1].construct != IN_WORKER)
		self->depth--;
	if (self->depth && ompt_close(self, IN_WORKER, self->open[self->depth - 1].id, &call))
		rec_leave(&call);
}

static void on_thread_end(ompt_word *thread)
{
	(void)thread;
	ompt_self_end();
}

/* ---- waiting for each other -------------------------------------------------------------------------- */

static const char *wait_name(int kind)
{
	switch (kind) {
	case OMPT_TASKWAIT:
		return NAME("taskwait");
	case OMPT_TASKGROUP:
		return NAME("taskgroup end");
	case OMPT_REDUCTION:
		return NAME("reduction");
	case OMPT_BARRIER_IMPLICIT_OLD:
	case OMPT_BARRIER_WORK:
		return NAME("implicit barrier");
	case OMPT_BARRIER_PARALLEL:
		return NAME("parallel end");
	case OMPT_BARRIER_TEAMS:
		return NAME("teams end");
	default:
		return NAME("barrier");
	}
}

/* Does the region end with this barrier? Runtimes of OpenMP 5.0 do not say it, and tell workers no place. */
static bool ends_region(int kind, const struct self *self, const struct region *region, const void *code)
{
	if (kind == OMPT_BARRIER_PARALLEL)
		return true;
	if (kind != OMPT_BARRIER_IMPLICIT_OLD || !region)
		return false;
	return ompt_is_open(self, IN_WORKER, region) ? !code : code == region->code;
}

static bool is_barrier(int kind)
{
	return kind != OMPT_TASKWAIT && kind != OMPT_TASKGROUP;
}

/* One that no thread comes to before it has left its share of the work. */
static bool ends_work(int kind)
{
	return is_barrier(kind) && kind != OMPT_REDUCTION;
}

static void wait_begin(struct self *self, int kind, struct region *region, const void *task, const void *code)
{
	bool ends = ends_region(kind, self, region, code);
	struct rec_label label;
	struct rec_call call;

	if (ends_work(kind))
		leave_work(self, task);
	if (!region && is_barrier(kind)) /* of the runtime's own region, or of no region */
		return;
	if (ends && ompt_is_open(self, IN_WORKER, region)) {
		worker_done(self, region);
		return;
	}
	if (ends)
		rec_team_arrive(&region->team);
	if (ends)
		label = region_label(NAME("parallel end"), region);
	else
		label = place_label(wait_name(kind), code, region ? region : ompt_region(self));
	ompt_open(self, IN_WAIT, task, &label, SONDE_KIND_sync, &call);
	if (!is_barrier(kind))
		return;
	self->helped = 0;
	self->helps = ends ? &region->team.helped : &self->helped;
	self->helps_depth = self->depth;
}

static void wait_end(struct self *self, int kind, struct region *region, struct rec_call *call)
{
	rec_leave(call);
	if (!is_barrier(kind))
		return;
	/* at the region's end this has been reckoned with already */
	if (region && self->helps == &self->helped && call->duration > self->helped)
		__atomic_fetch_add(&region->team.waited, call->duration - self->helped, __ATOMIC_RELAXED);
	self->helps = NULL;
}

static void on_wait(int kind, int endpoint, ompt_word *parallel, ompt_word *task, const void *code)
{
	struct self *self = ompt_self();
	struct rec_call call;

	if (!self || self->mute)
		return;
	if (endpoint == OMPT_BEGIN)
		wait_begin(self, kind, parallel ? parallel->ptr : NULL, task, code);
	else if (self->joined && !ompt_is_open(self, IN_WAIT, task))
		worker_released(self);
	else if (endpoint == OMPT_END && ompt_close(self, IN_WAIT, task, &call))
		wait_end(self, kind, parallel ? parallel->ptr : NULL, &call);
}

static const char *mutex_name(int kind)
{
	switch (kind) {
	case OMPT_CRITICAL:
		return NAME("critical");
	case OMPT_ATOMIC:
		return NAME("atomic");
	case OMPT_ORDERED:
		return NAME("ordered");
	default:
		return NAME("lock");
	}
}

/* What only tests a lock does not wait, and has no end where it fails. */
static bool mutex_waits(int kind)
{
	return kind != OMPT_TEST_LOCK && kind != OMPT_TEST_NEST_LOCK;
}

static void on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t which, const void *code)
{
	struct self *self = ompt_self();
	struct rec_label label;
	struct rec_call call;

	(void)hint;
	(void)implementation;
	if (!self || self->mute || !mutex_waits(kind))
		return;
	label = place_label(mutex_name(kind), code, ompt_region(self));
	ompt_open(self, IN_MUTEX, (const void *)(uintptr_t)which, &label, SONDE_KIND_sync, &call);
}

static void on_mutex_acquired(int kind, uint64_t which, const void *code)
{
	struct self *self = ompt_self();
	struct rec_call call;

	(void)code;
	if (self && !self->mute && mutex_waits(kind) &&
	    ompt_close(self, IN_MUTEX, (const void *)(uintptr_t)which, &call))
		rec_leave(&call);
}

/* ---- work and tasks -------------------------------------------------------------------------------- */

static const char *work_name(int kind)
{
	switch (kind) {
	case OMPT_SECTIONS:
		return NAME("sections");
	case OMPT_SINGLE_EXECUTOR:
		return NAME("single");
	case OMPT_WORKSHARE:
		return NAME("workshare");
	case OMPT_DISTRIBUTE:
		return NAME("distribute");
	case OMPT_TASKLOOP:
		return NAME("taskloop");
	case OMPT_SCOPE:
		return NAME("scope");
	default:
		return NAME("loop");
	}
}

static void on_work(int kind, int endpoint, ompt_word *parallel, ompt_word *task, uint64_t count, const void *code)
{
	struct self *self = ompt_self();
	struct rec_label label;
	struct rec_call call;

	(void)parallel;
	(void)count;
	if (!self || self->mute || kind == OMPT_SINGLE_OTHER)
		return;
	if (endpoint == OMPT_BEGIN) {
		label = place_label(work_name(kind), code, ompt_region(self));
		ompt_open(self, IN_WORK, task, &label, SONDE_KIND_compute, &call);
	} else if (endpoint == OMPT_END && ompt_close(self, IN_WORK, task, &call)) {
		rec_leave(&call);
	}
}

/*
 * A task's word is where in the code it was made, with a mark on untied ones; 0: none of the program's tasks. Those may
 * go on in another thread wherever they are suspended, so that of them each part is a call.
 */
#define UNTIED ((uint64_t)1 << 63) /* no address of a program's has it */

static void on_task_create(ompt_word *parent, const void *frame, ompt_word *task, int flags, int dependences,
			   const void *code)
{
	struct self *self = ompt_self();

	(void)parent;
	(void)frame;
	(void)dependences;
	if (!task)
		return;
	task->value = (flags & OMPT_TASK_EXPLICIT) && self && !self->mute ? (uintptr_t)code | !code : 0;
	if (task->value && flags & OMPT_TASK_UNTIED)
		task->value |= UNTIED;
}

static void task_begin(struct self *self, const ompt_word *task)
{
	const void *code = (const void *)(uintptr_t)(task->value & ~UNTIED);
	struct rec_label label;
	struct rec_call call;

	if (self->joined) /* a worker that is done with a region helps with what others left */
		worker_wait_until(self, rec_now_ticks());
	label = place_label(task->value & UNTIED ? NAME("part of untied task") : NAME("task"),
			    (uintptr_t)code > 1 ? code : NULL, ompt_region(self));
	ompt_open(self, IN_TASK, task, &label, SONDE_KIND_compute, &call);
}

static void task_end(struct self *self, const ompt_word *task)
{
	struct rec_call call;

	if (!ompt_is_open(self, IN_TASK, task)) /* one that is thrown away, as its group was cancelled */
		return;
	if (ompt_close(self, IN_TASK, task, &call)) {
		rec_leave(&call);
		if (self->helps && self->depth == self->helps_depth)
			__atomic_fetch_add(self->helps, call.duration, __ATOMIC_RELAXED);
	}
	if (self->joined)
		self->waits_since = rec_past_begin();
}

/* One that is suspended stays on the thread's stack beneath the next one, but where that has been there before. */
static bool leaves_thread(const struct self *self, const ompt_word *prior, int status, const ompt_word *next)
{
	if (status == OMPT_TASK_COMPLETE || status == OMPT_TASK_CANCEL || status == OMPT_TASK_DETACH)
		return true;
	return prior->value & UNTIED && (!next || !next->value || ompt_is_open(self, IN_TASK, next));
}

static void on_task_schedule(ompt_word *prior, int status, ompt_word *next)
{
	struct self *self = ompt_self();

	if (!self || self->mute || status == OMPT_TASK_EARLY_FULFILL || status == OMPT_TASK_LATE_FULFILL ||
	    status == OMPT_TASK_TASKWAIT_COMPLETE)
		return;
	if (prior && prior->value && leaves_thread(self, prior, status, next))
		task_end(self, prior);
	if (next && next->value && !ompt_is_open(self, IN_TASK, next))
		task_begin(self, next);
}

void ompt_host_start(ompt_set_callback set)
{
	set(OMPT_THREAD_END, (ompt_function)on_thread_end);
	set(OMPT_PARALLEL_BEGIN, (ompt_function)on_parallel_begin);
	set(OMPT_PARALLEL_END, (ompt_function)on_parallel_end);
	set(OMPT_IMPLICIT_TASK, (ompt_function)on_implicit_task);
	set(OMPT_SYNC_REGION_WAIT, (ompt_function)on_wait);
	set(OMPT_MUTEX_ACQUIRE, (ompt_function)on_mutex_acquire);
	set(OMPT_MUTEX_ACQUIRED, (ompt_function)on_mutex_acquired);
	set(OMPT_WORK, (ompt_function)on_work);
	set(OMPT_TASK_CREATE, (ompt_function)on_task_create);
	set(OMPT_TASK_SCHEDULE, (ompt_function)on_task_schedule);
}
