/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work that is on its way, between two events of ours on the same stream. Events are asked whether they are over where
 * the program has waited itself, where much is pending, and at the end: nobody waits for one. All that is over tells
 * of the device's clock before any of it gets its times, and where that is not enough they wait for more, for a while.
 * Pairs of events are used again and again.
 */
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include "hip.h"
#include "record/rec_hot.h"

#define WORKS_MOST (1u << 17)      /* at once */
#define PAIRS_FIRST 1024
#define BASE_FOR_NS 250000000      /* how far from the base a float of milliseconds tells 15 ns */
#define UNTOLD_MOST 4096           /* works of a stream that wait for times which are not told though they are over */
#define HELD_MOST 256              /* works of a stream that are over and wait for a clock that is better known, */
#define HELD_FOR_NS 5000000000u    /* how long they do, */
#define HELD_FROM_NS 20000000u     /* and how wide it is then where nothing is about to tell of it */
#define MOMENT_NS 200000           /* for the event after a call that has waited, while the clock is not narrow */
#define MOMENTS_IN_VAIN 16
#define EVENT_TO_DEVICE 0x40000000u /* no more caches are flushed for the event than must be */

static struct rec_pool works = REC_POOL(struct hip_pending, WORKS_MOST);
static uint64_t waiting; /* works of all streams */

/* ---- events -------------------------------------------------------------------------------------------------- */

static bool create_event(hip_handle *event_out)
{
	int (*create)(hip_handle *, unsigned) = HIP_REAL(hipEventCreateWithFlags, hip_handle *, unsigned);

	return create && (create(event_out, EVENT_TO_DEVICE) == HIP_SUCCESS || create(event_out, 0) == HIP_SUCCESS);
}

/* Events belong to the device that is current when they are made. */
static bool create_pair(const struct hip_device *device, struct hip_pair *pair_out)
{
	int (*set)(int) = HIP_REAL(hipSetDevice, int);
	int current = hip_current_device();
	bool made;

	if (current != (int)device->ordinal && (current < 0 || !set || set((int)device->ordinal) != HIP_SUCCESS))
		return false;
	made = create_event(&pair_out->start) && create_event(&pair_out->stop);
	if (current != (int)device->ordinal)
		set(current);
	return made;
}

static bool take_pair(struct hip_device *device, struct hip_pair *pair_out)
{
	bool taken = false;

	rec_lock(&device->lock);
	if (device->pairs) {
		*pair_out = device->pair[--device->pairs];
		taken = true;
	}
	rec_unlock(&device->lock);
	return taken || (!hip_is_capturing() && create_pair(device, pair_out));
}

/* Locked. */
static bool has_room(struct hip_device *device)
{
	uint32_t room = device->room ? device->room * 2 : PAIRS_FIRST;
	size_t bytes = room * sizeof(*device->pair);
	void *pages;

	if (device->pairs < device->room)
		return true;
	pages = device->room ? mremap(device->pair, device->room * sizeof(*device->pair), bytes, MREMAP_MAYMOVE)
			     : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return false;
	device->pair = pages;
	device->room = room;
	return true;
}

static void give_pair(struct hip_device *device, struct hip_pair pair)
{
	rec_lock(&device->lock);
	if (has_room(device))
		device->pair[device->pairs++] = pair;
	rec_unlock(&device->lock);
}

struct hip_pending *hip_pending_take(struct hip_stream *stream)
{
	struct hip_pending *work = rec_pool_take(&works);

	if (!work)
		return NULL;
	if (!take_pair(stream->device, &work->pair)) {
		rec_pool_give(&works, work);
		return NULL;
	}
	work->stream = stream;
	work->host_end = 0;
	work->placed = work->told = false;
	return work;
}

void hip_pending_give(struct hip_pending *work)
{
	give_pair(work->stream->device, work->pair);
	rec_pool_give(&works, work);
}

/* ---- times --------------------------------------------------------------------------------------------------- */

/* Nanoseconds from one event to another, both over. HIP_NOT_READY: not told yet. */
static int elapsed(hip_handle from, hip_handle to, int64_t *ns_out)
{
	int (*get)(float *, hip_handle, hip_handle) = HIP_REAL(hipEventElapsedTime, float *, hip_handle, hip_handle);
	float ms = 0;
	int error = get ? get(&ms, from, to) : -1;

	if (error != HIP_SUCCESS)
		return error;
	if (!(ms > -1e12f && ms < 1e12f))
		return -1;
	*ns_out = (int64_t)((double)ms * 1e6);
	return HIP_SUCCESS;
}

/* The first event of all is where time begins; its pair gets another. False: none is to be had. */
static bool begin_time(struct hip_device *device, struct hip_pending *work)
{
	int (*destroy)(hip_handle) = HIP_REAL(hipEventDestroy, hip_handle);
	struct hip_pair fresh;

	if (!create_pair(device, &fresh))
		return false;
	device->clock.base = work->pair.start;
	work->pair.start = fresh.start;
	if (destroy)
		destroy(fresh.stop);
	return true;
}

/*
 * Finds out when a work that is over began, after the device's first event, and how long it took. The device's lock is
 * held. An event that is later takes the base's place, which goes where that one came from: so it is done once.
 */
static int place_in_time(struct hip_device *device, struct hip_pending *work)
{
	struct hip_clock *clock = &device->clock;
	int64_t since = 0;
	int error = elapsed(work->pair.start, work->pair.stop, &work->duration_ns);

	if (error != HIP_SUCCESS)
		return error;
	if (clock->base)
		error = elapsed(clock->base, work->pair.start, &since);
	else
		error = begin_time(device, work) ? HIP_SUCCESS : -1;
	if (error != HIP_SUCCESS)
		return error;
	work->start_ns = clock->base_ns + since;
	work->placed = true;
	if (since > BASE_FOR_NS) {
		hip_handle later = work->pair.start;

		work->pair.start = clock->base;
		clock->base = later;
		clock->base_ns = work->start_ns;
	}
	return HIP_SUCCESS;
}

/*
 * Where several threads use a stream, one's work comes between another's and its first event: a stream does one thing
 * after the other, so that an operation begins when the one before it has ended.
 */
static void follow(struct hip_pending *work)
{
	struct hip_stream *stream = work->stream;
	int64_t late;

	if (work->duration_ns <= 0) /* no time at all */
		return;
	if (stream->stopped_ns > work->start_ns) {
		late = stream->stopped_ns - work->start_ns;
		late = late < work->duration_ns ? late : work->duration_ns - 1;
		work->start_ns += late;
		work->duration_ns -= late;
	}
	stream->stopped_ns = work->start_ns + work->duration_ns;
}

static struct hip_stamps stamps_of(const struct hip_pending *work)
{
	return (struct hip_stamps){ .start_ns = work->start_ns, .duration_ns = work->duration_ns,
				    .host_begin = work->host_begin, .host_call = work->host_call,
				    .host_return = work->host_return, .host_end = work->host_end,
				    .follows = work->stream->ended, .follows_error = work->stream->ended_error };
}

static void add_blocked(const struct hip_pending *work)
{
	uint64_t device_ns = work->span.end_ns - work->span.begin_ns;
	uint64_t call_ns = hip_ns(work->ticks);

	if (!work->row)
		return;
	__atomic_fetch_add(&work->row->blocked, work->ticks, __ATOMIC_RELAXED);
	__atomic_fetch_add(&work->row->device_ns, device_ns < call_ns ? device_ns : call_ns, __ATOMIC_RELAXED);
}

/* It is over, and has told what it can. */
static void deliver(struct hip_pending *work)
{
	struct hip_device *device = work->stream->device;
	struct hip_stamps stamps;
	bool valid;

	rec_lock(&device->lock);
	if (work->placed)
		follow(work);
	stamps = stamps_of(work);
	valid = work->placed && hip_clock_convert(&device->clock, &stamps, &work->span);
	rec_unlock(&device->lock);
	if (!valid) {
		rec_device_untimed(&hip_backend);
		return;
	}
	rec_device_span(&hip_backend, &work->span);
	add_blocked(work);
	if (work->span.end_ns > work->stream->ended) {
		__atomic_store_n(&work->stream->ended, work->span.end_ns, __ATOMIC_RELAXED);
		work->stream->ended_error = work->span.error_ns;
	}
}

/* ---- collecting ---------------------------------------------------------------------------------------------- */

/* rec_lock() takes a lock over that another than itself has set, as that of a parent; this one may be tried as well. */
static bool try_lock_stream(struct hip_stream *stream)
{
	uint32_t expected = 0;

	return __atomic_compare_exchange_n(&stream->lock, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void lock_stream(struct hip_stream *stream)
{
	while (!try_lock_stream(stream))
		sched_yield();
}

static void unlock_stream(struct hip_stream *stream)
{
	__atomic_store_n(&stream->lock, 0, __ATOMIC_RELEASE);
}

/* The stream's lock is held. */
static void note_first(struct hip_stream *stream)
{
	__atomic_store_n(&stream->oldest, stream->first ? stream->first->host_begin : UINT64_MAX, __ATOMIC_RELEASE);
}

void hip_pending_add(struct hip_pending *work)
{
	struct hip_stream *stream = work->stream;

	work->next = NULL;
	lock_stream(stream);
	if (stream->last)
		stream->last->next = work;
	else
		stream->first = work;
	stream->last = work;
	note_first(stream);
	__atomic_add_fetch(&stream->count, 1, __ATOMIC_RELEASE);
	unlock_stream(stream);
	__atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
}

/*
 * The stream's lock is held. The last of its works that is over; NULL: none is. Works of a stream are over in their
 * order, so that one tells of all before it.
 */
static struct hip_pending *last_ended(struct hip_stream *stream, int (*query)(hip_handle))
{
	struct hip_pending *ended = NULL;

	if (stream->last && (stream->last->host_end || query(stream->last->pair.stop) == HIP_SUCCESS))
		return stream->last;
	for (struct hip_pending *work = stream->first; work != stream->last; work = work->next) {
		int state = work->host_end ? HIP_SUCCESS : query(work->pair.stop);

		if (state == HIP_SUCCESS)
			ended = work;
		else if (state == HIP_NOT_READY)
			break;
	}
	return ended;
}

/* The stream's lock is held. */
static void drop_first(struct hip_stream *stream)
{
	struct hip_pending *work = stream->first;

	stream->first = work->next;
	if (!stream->first)
		stream->last = NULL;
	note_first(stream);
	give_pair(stream->device, work->pair);
	if (work->told)
		__atomic_sub_fetch(&stream->told, 1, __ATOMIC_RELAXED);
	rec_pool_give(&works, work);
	__atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&stream->count, 1, __ATOMIC_RELEASE);
}

static uint64_t width_of(struct hip_device *device)
{
	uint64_t width;

	rec_lock(&device->lock);
	width = hip_clock_width(&device->clock);
	rec_unlock(&device->lock);
	return width;
}

/* The stream's lock is held. A call that waited has returned, and the event after it is not over. */
static bool is_about_to_tell(const struct hip_stream *stream)
{
	return stream->last && stream->last->span.waited && !stream->last->host_end;
}

/*
 * The stream's lock is held. The event after a call that waited is over as soon as the device comes to it, and nothing
 * else tells as well how late the device's clock can be. As long as that is needed it has a moment.
 */
static void spend_moment(struct hip_stream *stream, int (*query)(hip_handle))
{
	uint32_t *vain = &stream->device->clock.vain;
	uint64_t until;

	if (!is_about_to_tell(stream) || __atomic_load_n(vain, __ATOMIC_RELAXED) >= MOMENTS_IN_VAIN ||
	    width_of(stream->device) <= HIP_NARROW_NS)
		return;
	until = rec_raw_ns() + MOMENT_NS;
	while (query(stream->last->pair.stop) == HIP_NOT_READY) {
		if (rec_raw_ns() > until) {
			__atomic_add_fetch(vain, 1, __ATOMIC_RELAXED);
			return;
		}
		sched_yield();
	}
}

/* The stream's lock is held. What a work that is over tells of the clock. False: its times are not told yet. */
static bool hear(struct hip_stream *stream, struct hip_pending *work)
{
	struct hip_device *device = stream->device;
	int error;

	rec_lock(&device->lock);
	error = place_in_time(device, work);
	if (error == HIP_SUCCESS) {
		struct hip_stamps stamps = stamps_of(work);

		hip_clock_narrow(&device->clock, &stamps);
	}
	rec_unlock(&device->lock);
	work->told = error != HIP_NOT_READY;
	if (work->told)
		__atomic_add_fetch(&stream->told, 1, __ATOMIC_RELAXED);
	return work->told;
}

/* Another thread that does the same just now, or adds to it, need not be waited for. */
static void hear_stream(struct hip_stream *stream, bool final)
{
	int (*query)(hip_handle) = HIP_REAL(hipEventQuery, hip_handle);
	struct hip_pending *last;
	bool more = true;
	uint64_t end;

	if (!query || !__atomic_load_n(&stream->count, __ATOMIC_ACQUIRE) || !try_lock_stream(stream))
		return;
	spend_moment(stream, query);
	last = last_ended(stream, query);
	end = rec_raw_ns();
	for (struct hip_pending *work = last ? stream->first : NULL; work; work = work == last ? NULL : work->next) {
		if (!work->host_end)
			work->host_end = end;
		if (!work->told && more)
			more = hear(stream, work) || final;
	}
	unlock_stream(stream);
}

/* The stream's lock is held. What is over is told to the record. */
static void deliver_ended(struct hip_stream *stream, bool final)
{
	while (stream->first && stream->first->host_end) {
		if (!stream->first->told && !final && stream->count <= UNTOLD_MOST)
			return;
		deliver(stream->first);
		drop_first(stream);
	}
}

/* The stream's lock is held. Is what is over worth more when more is known of the clock? */
static bool is_held(struct hip_stream *stream)
{
	return stream->first && stream->told <= HELD_MOST && rec_raw_ns() < stream->first->host_end + HELD_FOR_NS &&
	       width_of(stream->device) > (is_about_to_tell(stream) ? HIP_NARROW_NS : HELD_FROM_NS);
}

static void deliver_stream(struct hip_stream *stream, bool final)
{
	if (!__atomic_load_n(&stream->count, __ATOMIC_ACQUIRE) || !try_lock_stream(stream))
		return;
	if (final || !is_held(stream))
		deliver_ended(stream, final);
	unlock_stream(stream);
}

/* What is over is delivered where nothing may be asked as well. */
static void collect(struct hip_stream *stream, bool final)
{
	struct hip_stream *first = stream ? stream : hip_streams();
	struct hip_ask ask;
	uint32_t token;

	if (!__atomic_load_n(&waiting, __ATOMIC_RELAXED))
		return;
	if (hip_collect_begin()) {
		if (hip_ask_begin(&ask)) {
			for (struct hip_stream *each = first; each; each = stream ? NULL : each->next)
				hear_stream(each, final);
			hip_ask_end(&ask);
		}
		hip_collect_end();
	}
	token = rec_guard_enter();
	for (struct hip_stream *each = first; each; each = stream ? NULL : each->next)
		deliver_stream(each, final);
	rec_guard_leave(token);
}

void hip_pending_collect(struct hip_stream *stream)
{
	collect(stream, false);
}

/* The device has been reset, and with it our events: what has not told its times by now has none. */
void hip_pending_reset(struct hip_device *device)
{
	for (struct hip_stream *stream = hip_streams(); stream; stream = stream->next) {
		if (stream->device != device)
			continue;
		lock_stream(stream);
		deliver_ended(stream, true);
		while (stream->first) {
			struct hip_pending *work = stream->first;

			stream->first = work->next;
			rec_device_untimed(&hip_backend);
			rec_pool_give(&works, work);
			__atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
			__atomic_sub_fetch(&stream->count, 1, __ATOMIC_RELEASE);
		}
		stream->last = NULL;
		stream->stopped_ns = HIP_NOT_YET;
		note_first(stream);
		unlock_stream(stream);
	}
	rec_lock(&device->lock);
	device->pairs = 0;
	device->clock = (struct hip_clock){ 0 };
	rec_unlock(&device->lock);
}

/* ---- the end of the program ---------------------------------------------------------------------------------- */

static uint64_t operations_waiting(void)
{
	uint64_t left = 0;

	collect(NULL, false);
	for (struct hip_stream *stream = hip_streams(); stream; stream = stream->next)
		left += __atomic_load_n(&stream->count, __ATOMIC_ACQUIRE) -
			__atomic_load_n(&stream->told, __ATOMIC_RELAXED);
	return left;
}

void hip_pending_flush(uint64_t deadline_raw_ns)
{
	int saved = errno;

	if (!__atomic_load_n(&waiting, __ATOMIC_RELAXED) || !rec_may_ask())
		return;
	rec_flush_wait(deadline_raw_ns, operations_waiting);
	collect(NULL, true);
	errno = saved;
}

/* The earliest time at which what is first on a stream can have begun. */
uint64_t hip_pending_oldest(void)
{
	uint64_t oldest = UINT64_MAX;

	for (struct hip_stream *stream = hip_streams(); stream; stream = stream->next) {
		uint64_t begin = __atomic_load_n(&stream->oldest, __ATOMIC_ACQUIRE);
		uint64_t ended = __atomic_load_n(&stream->ended, __ATOMIC_RELAXED);

		if (begin != UINT64_MAX && begin < ended)
			begin = ended;
		oldest = begin < oldest ? begin : oldest;
	}
	return oldest;
}

/* In the child of a fork: the parent's work and events are not ours. */
void hip_pending_forget(void)
{
	rec_pool_forget(&works);
	waiting = 0;
}
