/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulated CUPTI: see sim.h. How it behaves, from the environment:
 *	SIM_VERSION=N     its version
 *	SIM_SUBSCRIBE=N   what cuptiSubscribe() answers
 *	SIM_ORDER=back    full buffers are kept until a flush and then delivered from the last to the first
 *	SIM_HANG=S        a flush takes S seconds
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

#define IDS 512
#define KINDS 64
#define FULL_MOST 65536
#define WRONG 1
#define NO_MORE 12
#define UNKNOWN 999

struct buffer {
	uint8_t *bytes;
	size_t size, used;
};

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	cupti_callback callback;
	void *data;
	bool enabled[CUPTI_DOMAINS + 1][IDS];
	bool kind[KINDS];
	cupti_buffer_wanted wanted;
	cupti_buffer_done done;
	uint64_t (*clock)(void);
	struct buffer current, full[FULL_MOST];
	size_t fulls, out, dropped, delivering;
	unsigned reports[CUPTI_DOMAINS + 1];
	bool worker, asked;
} cupti_of_sim = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
#define own cupti_of_sim

static uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t now(void)
{
	return own.clock ? own.clock() : wall_ns();
}

static bool keeps_order(void)
{
	return !getenv("SIM_ORDER");
}

/* ---- buffers ---- */

static void deliver(struct buffer buffer)
{
	cupti_buffer_done done = own.done;

	own.delivering++;
	own.out--;
	pthread_mutex_unlock(&own.mutex);
	done(NULL, 0, buffer.bytes, buffer.size, buffer.used);
	pthread_mutex_lock(&own.mutex);
	own.delivering--;
	pthread_cond_broadcast(&own.changed);
}

static void *work(void *data)
{
	pthread_mutex_lock(&own.mutex);
	for (;;) {
		while (!own.fulls || (!keeps_order() && !own.asked))
			pthread_cond_wait(&own.changed, &own.mutex);
		while (own.fulls) {
			struct buffer next = keeps_order() ? own.full[0] : own.full[own.fulls - 1];

			own.fulls--;
			if (keeps_order())
				memmove(own.full, own.full + 1, own.fulls * sizeof(own.full[0]));
			deliver(next);
		}
		own.asked = false;
		pthread_cond_broadcast(&own.changed);
	}
	return data;
}

static void put_away_current(void)
{
	if (!own.current.bytes || own.fulls == FULL_MOST)
		return;
	own.full[own.fulls++] = own.current;
	own.current = (struct buffer){0};
	pthread_cond_broadcast(&own.changed);
}

static bool make_room(size_t bytes)
{
	size_t most = 0;

	if (own.current.bytes && own.current.size - own.current.used >= bytes)
		return true;
	put_away_current();
	if (!own.wanted)
		return false;
	own.wanted(&own.current.bytes, &own.current.size, &most);
	if (!own.current.bytes || own.current.size < bytes)
		return false;
	own.out++;
	return true;
}

static void record(const struct cupti_record *item, size_t bytes)
{
	pthread_mutex_lock(&own.mutex);
	if (own.kind[item->kind] && make_room(bytes)) {
		memcpy(own.current.bytes + own.current.used, item, bytes);
		own.current.used += bytes;
	} else if (own.kind[item->kind]) {
		own.dropped++;
	}
	pthread_mutex_unlock(&own.mutex);
}

static void drop(size_t records)
{
	pthread_mutex_lock(&own.mutex);
	own.dropped += records;
	pthread_mutex_unlock(&own.mutex);
}

static void hand_out(void)
{
	pthread_mutex_lock(&own.mutex);
	make_room(0);
	put_away_current();
	pthread_mutex_unlock(&own.mutex);
}

static size_t size_of(const struct cupti_record *item)
{
	switch (item->kind) {
	case CUPTI_KERNEL:
		return sizeof(struct cupti_kernel);
	case CUPTI_MEMCPY:
		return sizeof(struct cupti_memcpy);
	case CUPTI_MEMCPY_PEER:
		return sizeof(struct cupti_memcpy_peer);
	case CUPTI_MEMSET:
		return sizeof(struct cupti_memset);
	default:
		return sizeof(struct cupti_memory);
	}
}

/* ---- calls ---- */

static void call(int domain, uint32_t id, const struct cupti_call *report)
{
	cupti_callback callback = own.callback;

	if (!callback || !own.enabled[domain][id])
		return;
	__atomic_fetch_add(&own.reports[domain], 1, __ATOMIC_RELAXED);
	callback(own.data, domain, id, report);
}

static const char *facts(void)
{
	static char text[256];

	const char *clock = !own.clock ? "none" : own.clock() > 1000000000000000000u ? "wall" : "raw";
	int kinds = 0;

	for (int i = 0; i < KINDS; i++)
		kinds += own.kind[i];
	snprintf(text, sizeof(text),
		 "cupti_buffers_out=%zu\ncupti_clock=%s\ncupti_kinds=%d\ncupti_subscribers=%d\n"
		 "cupti_driver_reports=%u\ncupti_runtime_reports=%u\n", own.out, clock, kinds, own.callback != NULL,
		 own.reports[CUPTI_DRIVER], own.reports[CUPTI_RUNTIME]);
	return text;
}

static struct sim_tools tools = {call, record, now, drop, hand_out, facts};

/* Into the driver, which has to be there. */
static int plug_in(void)
{
	void *object = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	struct sim_driver *(*driver)(void) =
		object ? (struct sim_driver * (*)(void))(uintptr_t)dlsym(object, "sim_driver") : NULL;
	pthread_t thread;

	if (!driver)
		return UNKNOWN;
	driver()->tools = &tools;
	if (!own.worker)
		own.worker = pthread_create(&thread, NULL, work, NULL) == 0;
	return own.worker ? 0 : UNKNOWN;
}

/* ---- its interface ---- */

SIM_EXPORT int cuptiGetVersion(uint32_t *version)
{
	const char *wanted = getenv("SIM_VERSION");

	*version = wanted ? (uint32_t)atoi(wanted) : SIM_VERSION;
	return 0;
}

SIM_EXPORT int cuptiGetCallbackName(int domain, uint32_t id, const char **name)
{
#define D_NAME(name, arguments, action) #name,
#define R_NAME(name, arguments, reported, values, driver) reported,
	static const char *const of_driver[] = {"INVALID", SIM_DRIVER(D_NAME)};
	static const char *const of_runtime[] = {"INVALID", SIM_RUNTIME(R_NAME)};

	if (domain == CUPTI_DRIVER && id < SIM_DRIVER_END)
		*name = of_driver[id];
	else if (domain == CUPTI_RUNTIME && id < SIM_RUNTIME_END)
		*name = of_runtime[id];
	else
		return WRONG;
	return 0;
}

SIM_EXPORT int cuptiSubscribe(void **subscriber, cupti_callback callback, void *data)
{
	const char *answer = getenv("SIM_SUBSCRIBE");

	if (answer)
		return atoi(answer);
	if (own.callback)
		return CUPTI_MULTIPLE_SUBSCRIBERS;
	own.callback = callback;
	own.data = data;
	*subscriber = &own.callback;
	return plug_in();
}

SIM_EXPORT int cuptiUnsubscribe(void *subscriber)
{
	if (subscriber != &own.callback || !own.callback)
		return WRONG;
	own.callback = NULL;
	memset(own.enabled, 0, sizeof(own.enabled));
	return 0;
}

SIM_EXPORT int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id)
{
	if (subscriber != &own.callback || domain < CUPTI_DRIVER || domain > CUPTI_RUNTIME || id >= IDS)
		return WRONG;
	own.enabled[domain][id] = enable;
	return 0;
}

SIM_EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void))
{
	own.clock = clock;
	return 0;
}

SIM_EXPORT int cuptiActivityRegisterCallbacks(cupti_buffer_wanted wanted, cupti_buffer_done done)
{
	pthread_mutex_lock(&own.mutex);
	own.wanted = wanted;
	own.done = done;
	pthread_mutex_unlock(&own.mutex);
	return plug_in();
}

static int set_kind(int kind, bool on)
{
	if (kind < 0 || kind >= KINDS)
		return WRONG;
	pthread_mutex_lock(&own.mutex);
	own.kind[kind] = on;
	pthread_mutex_unlock(&own.mutex);
	return 0;
}

SIM_EXPORT int cuptiActivityEnable(int kind)
{
	return set_kind(kind, true);
}

SIM_EXPORT int cuptiActivityDisable(int kind)
{
	return set_kind(kind, false);
}

SIM_EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t filled, struct cupti_record **item)
{
	uint8_t *next = *item ? (uint8_t *)*item + size_of(*item) : buffer;

	if (next >= buffer + filled)
		return NO_MORE;
	*item = (struct cupti_record *)next;
	return 0;
}

SIM_EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped)
{
	(void)context;
	(void)stream;
	pthread_mutex_lock(&own.mutex);
	*dropped = own.dropped;
	own.dropped = 0;
	pthread_mutex_unlock(&own.mutex);
	return 0;
}

#ifndef SIM_WITHOUT_FLUSH
SIM_EXPORT int cuptiActivityFlushAll(uint32_t how)
{
	const char *hang = getenv("SIM_HANG");

	if (hang)
		sleep((unsigned)atoi(hang));
	pthread_mutex_lock(&own.mutex);
	if (how & 1)
		put_away_current();
	own.asked = true;
	pthread_cond_broadcast(&own.changed);
	while (own.fulls || own.delivering)
		pthread_cond_wait(&own.changed, &own.mutex);
	pthread_mutex_unlock(&own.mutex);
	return 0;
}
#endif
