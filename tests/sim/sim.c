/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The core of simulated devices. One lock for all of it: what is simulated is behaviour, not speed. An in-order queue
 * has one worker that looks at its head alone; another queue has several, which take the first command that may begin.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim.h"

#define WORKERS 4 /* of a queue that is not in order */
#define VALUE_BYTES 64

struct sim_event {
	bool signalled, dead;
	unsigned users; /* commands that will signal it or wait for it */
	struct sim_times times;
	uint64_t known_at_ns; /* by the host's clock */
};

struct command {
	struct sim_work work;
	unsigned char value[SIM_ARGUMENTS][VALUE_BYTES];
	struct sim_event **waits;
	struct command *next;
	bool begun;
};

struct sim_queue {
	unsigned device;
	bool in_order, ending;
	unsigned workers;
	struct command *first;
};

enum times_fault { TIMES_RIGHT, TIMES_ZERO, TIMES_NEGATIVE, TIMES_MISSING };

static struct {
	pthread_once_t once;
	unsigned devices, bits;
	uint64_t hz, late_ns;
	int64_t offset_ns, drift_ppm;
	enum times_fault fault;
	char failing[128];
	uint64_t failing_at;
	FILE *log;
	uint64_t raw_at_start;
} settings = { .once = PTHREAD_ONCE_INIT };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;

/* ---- settings -------------------------------------------------------------------------------------- */

static int64_t number(const char *name, int64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoll(text, NULL, 0) : otherwise;
}

uint64_t sim_raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void read_settings(void)
{
	const char *times = getenv("SIM_TIMES"), *fail = getenv("SIM_FAIL"), *log = getenv("SIM_LOG");
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attributes);
	settings.devices = (unsigned)number("SIM_DEVICES", 1);
	settings.bits = (unsigned)number("SIM_CLOCK_BITS", 64);
	settings.hz = (uint64_t)number("SIM_CLOCK_HZ", 1000000000);
	settings.offset_ns = number("SIM_CLOCK_OFFSET", 12345678901);
	settings.drift_ppm = number("SIM_CLOCK_DRIFT", 0);
	settings.raw_at_start = sim_raw_ns();
	if (times && strcmp(times, "zero") == 0)
		settings.fault = TIMES_ZERO;
	else if (times && strcmp(times, "negative") == 0)
		settings.fault = TIMES_NEGATIVE;
	else if (times && strcmp(times, "missing") == 0)
		settings.fault = TIMES_MISSING;
	else if (times && strncmp(times, "late:", 5) == 0)
		settings.late_ns = strtoull(times + 5, NULL, 10) * 1000000u;
	if (fail && strchr(fail, ':') && strlen(fail) < sizeof(settings.failing)) {
		strcpy(settings.failing, fail);
		*strchr(settings.failing, ':') = '\0';
		settings.failing_at = strtoull(strchr(fail, ':') + 1, NULL, 10);
	}
	if (log)
		settings.log = fopen(log, "ae");
}

static void start(void)
{
	pthread_once(&settings.once, read_settings);
}

unsigned sim_devices(void)
{
	start();
	return settings.devices;
}

uint64_t sim_clock_hz(void)
{
	start();
	return settings.hz;
}

unsigned sim_clock_bits(void)
{
	start();
	return settings.bits;
}

uint64_t sim_clock(uint64_t raw_ns)
{
	__int128 ns, ticks;

	start();
	ns = (__int128)raw_ns + settings.offset_ns +
	     (__int128)((int64_t)(raw_ns - settings.raw_at_start)) * settings.drift_ppm / 1000000;
	ticks = ns * (__int128)settings.hz / 1000000000;
	return settings.bits >= 64 ? (uint64_t)ticks : (uint64_t)ticks & ((1ull << settings.bits) - 1);
}

bool sim_fails(const char *function)
{
	static uint64_t calls;

	start();
	if (!settings.failing[0] || strcmp(function, settings.failing) != 0)
		return false;
	return settings.failing_at == 0 || __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == settings.failing_at;
}

/* ---- events ---------------------------------------------------------------------------------------- */

static void *zeroed(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory)
		abort();
	return memory;
}

struct sim_event *sim_event_create(void)
{
	start();
	return zeroed(sizeof(struct sim_event));
}

/* Locked. */
static void unuse(struct sim_event *event)
{
	if (event->users)
		event->users--;
	if (event->dead && !event->users)
		free(event);
}

void sim_event_destroy(struct sim_event *event)
{
	pthread_mutex_lock(&lock);
	event->dead = true;
	if (!event->users)
		free(event);
	pthread_mutex_unlock(&lock);
}

void sim_event_reset(struct sim_event *event)
{
	pthread_mutex_lock(&lock);
	event->signalled = false;
	event->times = (struct sim_times){ 0 };
	pthread_mutex_unlock(&lock);
}

void sim_event_signal(struct sim_event *event)
{
	pthread_mutex_lock(&lock);
	event->signalled = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

struct sim_times sim_event_times(struct sim_event *event)
{
	struct sim_times times;

	pthread_mutex_lock(&lock);
	times = event->times;
	if (times.known && sim_raw_ns() < event->known_at_ns)
		times = (struct sim_times){ 0 };
	pthread_mutex_unlock(&lock);
	return times;
}

/* Locked. The time by which pthread_cond_timedwait() gives up. */
static struct timespec until(uint64_t timeout_ns)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_sec += (time_t)(timeout_ns / 1000000000u);
	time.tv_nsec += (long)(timeout_ns % 1000000000u);
	if (time.tv_nsec >= 1000000000) {
		time.tv_nsec -= 1000000000;
		time.tv_sec++;
	}
	return time;
}

/* Locked: waits until the condition holds or time is over. */
static bool await(bool (*holds)(const void *), const void *what, uint64_t timeout_ns)
{
	struct timespec end;
	int code = 0;

	if (timeout_ns == 0 || holds(what))
		return holds(what);
	if (timeout_ns / 1000000000u < 1000000)
		end = until(timeout_ns);
	while (!holds(what) && code == 0)
		code = timeout_ns / 1000000000u < 1000000 ? pthread_cond_timedwait(&changed, &lock, &end)
							 : pthread_cond_wait(&changed, &lock);
	return holds(what);
}

static bool is_signalled(const void *event)
{
	return ((const struct sim_event *)event)->signalled;
}

bool sim_event_wait(struct sim_event *event, uint64_t timeout_ns)
{
	bool done;

	pthread_mutex_lock(&lock);
	event->users++;
	done = await(is_signalled, event, timeout_ns);
	unuse(event);
	pthread_mutex_unlock(&lock);
	return done;
}

/* ---- kernels --------------------------------------------------------------------------------------- */

static void add_one(void *const *argument, uint64_t items)
{
	int *data = *(int **)argument[0];

	for (uint64_t i = 0; i < items; i++)
		data[i]++;
}

static void scale(void *const *argument, uint64_t items)
{
	float *data = *(float **)argument[0], by = *(float *)argument[1];

	for (uint64_t i = 0; i < items; i++)
		data[i] *= by;
}

static void spin(void *const *argument, uint64_t items)
{
	uint64_t end = sim_raw_ns() + *(uint64_t *)argument[0];
	const struct timespec nap = { .tv_nsec = 20000 };

	(void)items;
	while (sim_raw_ns() < end)
		nanosleep(&nap, NULL);
}

const struct sim_kernel *sim_kernel_find(const char *name)
{
	static const struct sim_kernel kernel[] = {
		{ "add_one", 1, add_one }, { "scale", 2, scale }, { "spin", 1, spin },
	};

	for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++)
		if (strcmp(name, kernel[i].name) == 0)
			return &kernel[i];
	return NULL;
}

/* ---- commands -------------------------------------------------------------------------------------- */

static void carry_out(struct command *command)
{
	struct sim_work *work = &command->work;
	void *argument[SIM_ARGUMENTS];

	switch (work->kind) {
	case SIM_KERNEL:
		for (unsigned i = 0; i < SIM_ARGUMENTS; i++)
			argument[i] = command->value[i];
		work->kernel->run(argument, work->items);
		break;
	case SIM_COPY:
		memmove(work->to, work->from, work->bytes);
		break;
	case SIM_FILL:
		for (uint64_t i = 0, at = 0; i < work->bytes; i++, at = at + 1 < work->pattern_bytes ? at + 1 : 0)
			((unsigned char *)work->to)[i] = work->pattern[at];
		break;
	case SIM_MARKER:
		break;
	}
}

static struct sim_times told(uint64_t begin_ns, uint64_t end_ns)
{
	struct sim_times times = { .begin = sim_clock(begin_ns), .end = sim_clock(end_ns), .known = true };

	switch (settings.fault) {
	case TIMES_ZERO:
		times.begin = times.end = 0;
		break;
	case TIMES_NEGATIVE:
		times.begin = sim_clock(end_ns + 1000);
		times.end = sim_clock(begin_ns);
		break;
	case TIMES_MISSING:
		times = (struct sim_times){ 0 };
		break;
	case TIMES_RIGHT:
		break;
	}
	return times;
}

static void run(unsigned device, struct command *command)
{
	static const char *const kind[] = { "kernel", "copy", "fill", "marker" };
	struct sim_work *work = &command->work;
	uint64_t begin = sim_raw_ns(), end;

	carry_out(command);
	for (end = sim_raw_ns(); end < begin + work->least_ns; end = sim_raw_ns()) {
		const struct timespec nap = { .tv_nsec = 20000 };

		nanosleep(&nap, NULL);
	}
	pthread_mutex_lock(&lock);
	if (settings.log) {
		fprintf(settings.log, "%s %s %u %llu %llu %llu\n", kind[work->kind], work->name ? work->name : "-",
			device, (unsigned long long)begin, (unsigned long long)end, (unsigned long long)work->bytes);
		fflush(settings.log);
	}
	if (work->signals) {
		work->signals->times = told(begin, end);
		work->signals->known_at_ns = end + settings.late_ns;
		work->signals->signalled = true;
		unuse(work->signals);
	}
	pthread_mutex_unlock(&lock);
	if (work->done)
		work->done(work->user);
}

/* ---- queues ---------------------------------------------------------------------------------------- */

static bool may_begin(const struct command *command)
{
	for (size_t i = 0; i < command->work.wait_count; i++)
		if (!command->waits[i]->signalled)
			return false;
	return true;
}

static struct command *next_command(const struct sim_queue *queue)
{
	struct command *command = queue->first;

	if (queue->in_order)
		return command && !command->begun && may_begin(command) ? command : NULL;
	while (command && (command->begun || !may_begin(command)))
		command = command->next;
	return command;
}

/* Locked. */
static void take_out(struct sim_queue *queue, struct command *command)
{
	struct command **at = &queue->first;

	while (*at != command)
		at = &(*at)->next;
	*at = command->next;
	free(command->waits);
	free(command);
}

static void *work_off(void *user)
{
	struct sim_queue *queue = user;
	struct command *command;

	pthread_mutex_lock(&lock);
	while (!queue->ending || queue->first) {
		command = next_command(queue);
		if (!command) {
			pthread_cond_wait(&changed, &lock);
			continue;
		}
		command->begun = true;
		for (size_t i = 0; i < command->work.wait_count; i++)
			unuse(command->waits[i]);
		pthread_mutex_unlock(&lock);
		run(queue->device, command);
		pthread_mutex_lock(&lock);
		take_out(queue, command);
		pthread_cond_broadcast(&changed);
	}
	queue->workers--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

struct sim_queue *sim_queue_create(unsigned device, bool in_order)
{
	struct sim_queue *queue = zeroed(sizeof(*queue));

	start();
	queue->device = device;
	queue->in_order = in_order;
	queue->workers = in_order ? 1 : WORKERS;
	for (unsigned i = 0; i < (in_order ? 1 : WORKERS); i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work_off, queue) != 0)
			abort();
		pthread_detach(thread);
	}
	return queue;
}

static bool is_empty(const void *queue)
{
	return !((const struct sim_queue *)queue)->first;
}

static bool is_left(const void *queue)
{
	return !((const struct sim_queue *)queue)->workers;
}

bool sim_queue_wait(struct sim_queue *queue, uint64_t timeout_ns)
{
	bool empty;

	pthread_mutex_lock(&lock);
	empty = await(is_empty, queue, timeout_ns);
	pthread_mutex_unlock(&lock);
	return empty;
}

void sim_queue_destroy(struct sim_queue *queue)
{
	pthread_mutex_lock(&lock);
	queue->ending = true;
	pthread_cond_broadcast(&changed);
	await(is_left, queue, SIM_FOREVER);
	pthread_mutex_unlock(&lock);
	free(queue);
}

void sim_submit(struct sim_queue *queue, const struct sim_work *work)
{
	struct command *command = zeroed(sizeof(*command)), **at = &queue->first;

	command->work = *work;
	for (unsigned i = 0; i < SIM_ARGUMENTS; i++)
		if (work->argument[i] && work->argument_bytes[i] <= VALUE_BYTES)
			memcpy(command->value[i], work->argument[i], work->argument_bytes[i]);
	command->waits = zeroed((work->wait_count + 1) * sizeof(struct sim_event *));
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < work->wait_count; i++) {
		command->waits[i] = work->waits[i];
		command->waits[i]->users++;
	}
	if (work->signals)
		work->signals->users++;
	while (*at)
		at = &(*at)->next;
	*at = command;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}
