/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that are on their way. Each holds a reference to its event and waits for the runtime's
 * callback; nobody waits for an event. A place is used again only after the callback has come, because
 * the runtime still knows its address until then.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "opencl.h"
#include "record/rec_hot.h"

#define ORDERED_QUEUES 256 /* of which the latest end is known */

enum pending_state {
	PENDING_FREE = 0,
	PENDING_WAITING,   /* for the callback */
	PENDING_BUSY,      /* being delivered; its reference is about to go */
	PENDING_COLLECTED  /* delivered at the end of the program, the callback may still come */
};

struct place {
	void *pool;
	struct place *also; /* the one that was made before */
	uint32_t known;     /* 1: it is among them */
	uint32_t state;
	struct opencl_pending command;
};

static struct rec_pool pool = REC_POOL(struct place, 0);
static struct place *places;          /* all that were ever used; grows at the head, read without a lock */
static uint64_t waiting;              /* commands in the pool; how many, for the flush */
static uint64_t ended[ORDERED_QUEUES]; /* by rec_queue(): the latest end of a command of a queue that is in order */

static struct place *first_place(void)
{
	return __atomic_load_n(&places, __ATOMIC_ACQUIRE);
}

static struct place *take_place(void)
{
	struct place *place = rec_pool_take(&pool);

	if (place && !place->known) {
		place->known = 1;
		place->also = first_place();
		while (!__atomic_compare_exchange_n(&places, &place->also, place, true, __ATOMIC_RELEASE,
						    __ATOMIC_RELAXED))
			;
	}
	return place;
}

static void give_place(struct place *place)
{
	__atomic_store_n(&place->state, PENDING_FREE, __ATOMIC_RELEASE);
	rec_pool_give(&pool, place);
}

static void release_event(enum opencl_variant level, cl_handle event)
{
	int32_t (*release)(cl_handle) = opencl_own_call(level, OPENCL_OWN_clReleaseEvent);
	uint32_t token = rec_guard_enter();

	if (release)
		release(event);
	rec_guard_leave(token);
}

static bool claim(struct place *place, uint32_t state)
{
	uint32_t expected = PENDING_WAITING;

	return __atomic_compare_exchange_n(&place->state, &expected, state, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

/* Called by the runtime, on any thread; once per command. */
static void command_done(cl_handle event, int32_t status, void *data)
{
	struct place *place = data;
	uint64_t now = rec_raw_ns(), device_ns;

	if (claim(place, PENDING_BUSY)) {
		opencl_pending_deliver(&place->command, status, now, &device_ns);
		__atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
	} else {
		__atomic_store_n(&place->state, PENDING_BUSY, __ATOMIC_RELEASE);
	}
	release_event(place->command.level, event);
	give_place(place);
}

/* Two threads may deliver at once: an older end is as true. */
static void note_end(const struct opencl_pending *command, uint64_t end_ns)
{
	uint32_t queue = command->queue;

	if (command->in_order && queue < ORDERED_QUEUES && end_ns > __atomic_load_n(&ended[queue], __ATOMIC_RELAXED))
		__atomic_store_n(&ended[queue], end_ns, __ATOMIC_RELAXED);
}

static uint64_t event_stamp(enum opencl_variant level, cl_handle event, uint32_t param)
{
	return opencl_info_word(level, OPENCL_OWN_clGetEventProfilingInfo, event, param);
}

bool opencl_pending_deliver(const struct opencl_pending *command, int32_t status, uint64_t end_raw,
			    uint64_t *device_ns_out)
{
	enum opencl_variant level = command->level;
	struct rec_span span = {
		.name = command->name,
		.bytes = command->transfer.bytes,
		.correlation = command->correlation,
		.queue = command->queue,
		.device = command->device->recorded,
		.kind = command->kind,
		.direction = command->transfer.direction,
		.memory = command->transfer.memory,
		.context = command->context,
		.waited = command->waited
	};
	struct opencl_stamps stamps = { .host_begin = command->begin_raw, .host_end = end_raw };
	bool valid = false;

	if (command->transfer.freed)
		rec_memory(&opencl_backend, command->device->recorded, SONDE_MEMORY_svm,
			   -(int64_t)command->transfer.freed);
	if (status == CL_COMPLETE) { /* else the command ended with an error */
		stamps.queued = event_stamp(level, command->event, CL_PROFILING_COMMAND_QUEUED);
		stamps.start = event_stamp(level, command->event, CL_PROFILING_COMMAND_START);
		stamps.end = event_stamp(level, command->event, CL_PROFILING_COMMAND_END);
		opencl_device_span(command->device, &stamps, &span, &valid);
	}
	if (!valid || span.device == UINT32_MAX) {
		rec_device_untimed(&opencl_backend);
		return false;
	}
	rec_device_span(&opencl_backend, &span);
	note_end(command, span.end_ns);
	*device_ns_out = span.end_ns - span.begin_ns;
	return true;
}

bool opencl_pending_add(const struct opencl_pending *command)
{
	int32_t (*set)(cl_handle, int32_t, void (*)(cl_handle, int32_t, void *), void *) =
		opencl_own_call(command->level, OPENCL_OWN_clSetEventCallback);
	struct place *place = set ? take_place() : NULL;
	uint32_t token;
	int32_t error;

	if (!place)
		return false;
	place->command = *command;
	__atomic_store_n(&place->state, PENDING_WAITING, __ATOMIC_RELEASE);
	__atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
	token = rec_guard_enter();
	error = set(command->event, CL_COMPLETE, command_done, place);
	rec_guard_leave(token);
	if (error == CL_SUCCESS)
		return true;
	__atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
	give_place(place);
	return false;
}

/* Does it hold a reference? One that is just going is waited for, so that the answer is sharp. */
static bool holds(const struct place *place)
{
	uint32_t state = __atomic_load_n(&place->state, __ATOMIC_ACQUIRE);

	for (int i = 0; i < 100000 && state == PENDING_BUSY; i++) {
		sched_yield();
		state = __atomic_load_n(&place->state, __ATOMIC_ACQUIRE);
	}
	return state != PENDING_FREE;
}

uint32_t opencl_pending_references(cl_handle event)
{
	uint32_t references = 0;

	for (struct place *place = first_place(); place; place = place->also)
		if (__atomic_load_n(&place->command.event, __ATOMIC_RELAXED) == event)
			references += holds(place);
	return references;
}

/*
 * The earliest time at which the command can have begun. A program may fill a queue that is in order long before its
 * commands run.
 */
static uint64_t earliest_begin(const struct opencl_pending *command)
{
	uint64_t end = command->in_order && command->queue < ORDERED_QUEUES ?
			       __atomic_load_n(&ended[command->queue], __ATOMIC_RELAXED) : 0;

	return end > command->begin_raw ? end : command->begin_raw;
}

uint64_t opencl_pending_oldest(void)
{
	uint64_t oldest = UINT64_MAX;

	for (struct place *place = first_place(); place; place = place->also) {
		uint64_t begin;

		if (__atomic_load_n(&place->state, __ATOMIC_ACQUIRE) != PENDING_WAITING)
			continue;
		begin = earliest_begin(&place->command);
		if (begin < oldest)
			oldest = begin;
	}
	return oldest;
}

/* In the child of a fork: the parent's commands are not ours, and no callback comes here. */
void opencl_pending_reset(void)
{
	rec_pool_forget(&pool);
	waiting = 0;
	memset(ended, 0, sizeof(ended));
	for (struct place *place = places; place; place = place->also)
		give_place(place);
}

/* ---- the end of the program ----------------------------------------------------------------------- */

/* Commands whose end the runtime knows but has not told yet. */
static void collect_finished(void)
{
	for (struct place *place = first_place(); place; place = place->also) {
		const struct opencl_pending *command = &place->command;
		uint64_t device_ns;
		int32_t status = 1;

		if (__atomic_load_n(&place->state, __ATOMIC_ACQUIRE) != PENDING_WAITING)
			continue;
		if (!opencl_info(command->level, OPENCL_OWN_clGetEventInfo, command->event,
				 CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status))
			continue;
		if (status > CL_COMPLETE || !claim(place, PENDING_COLLECTED))
			continue;
		opencl_pending_deliver(command, status, rec_raw_ns(), &device_ns);
		__atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
	}
}

static uint64_t commands_waiting(void)
{
	return __atomic_load_n(&waiting, __ATOMIC_RELAXED);
}

void opencl_pending_flush(uint64_t deadline_raw_ns)
{
	int saved = errno;

	if (rec_flush_wait(deadline_raw_ns, commands_waiting) && rec_may_ask())
		collect_finished();
	errno = saved;
}
