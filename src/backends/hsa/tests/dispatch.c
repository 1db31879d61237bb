/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that dispatches kernels through queues of its own. Says how many it dispatched, and how often it asked
 * for what is gone (misuse, by the stand-in).
 *   reuse N       one signal, waited for and set again each time
 *   own N         a signal each, waited for at the end and destroyed
 *   polls N       a signal each, asked for its value until it is over, and destroyed
 *   any N         two signals, the first that is over waited for
 *   batch N       N packets, and the doorbell once
 *   silent N      no signals but that of a barrier behind them
 *   shared N      one signal that all of them count down
 *   counted N     one signal, raised by one before each
 *   barrier N     each with a barrier before it that counts the same signal down
 *   exits N       nothing is waited for, HSA not shut down
 *   stops N       likewise, and shut down
 *   destroyed N   the queue is destroyed with them in it
 *   queues N      two queues
 *   threads N     four threads with a queue each
 *   together N    four threads in one queue
 *   off N         the program turns profiling of its queue off
 *   pieces N      copies, with the signal of a kernel before
 *   boxes N       copies of boxes
 *   again N       queues made and destroyed, HSA shut down in between
 *   past N        one signal, polled and set in memory, past the API
 *   unheard N     doorbells are rung past the API
 *   paused N      recording is paused in every second round
 *   forks N       a child that ends at once, with kernels on their way
 *   pairs N       two copies that count one signal down
 *   handler N     rings a doorbell and stores a signal N times while a handler stores signals
 *   late N        destroys a queue after HSA was shut down
 *   leaving N     ends while a thread destroys a queue
 *   closing N     ends while a thread shuts HSA down
 *   same N        N in a queue that is made where another thread has not quite destroyed one
 *   kept N        a queue that the runtime did not destroy
 *   swaps N       one signal, set by the comparison that finds it at rest
 *   bare N        likewise as reuse, and tells the times itself
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <sys/wait.h>

#include SONDE_HEADER
#include "app.h"

typedef uint64_t handle;
struct queue {
	uint32_t type, features;
	void *packets;
	handle doorbell;
	uint32_t size, reserved;
	uint64_t id;
};
struct packet {
	uint16_t header, dimensions, group[3], reserved0;
	uint32_t grid[3], private_bytes, group_bytes;
	uint64_t kernel;
	void *arguments;
	uint64_t reserved1;
	handle signal;
};
uint32_t hsa_init(void);
uint32_t hsa_shut_down(void);
uint32_t hsa_iterate_agents(uint32_t (*tell)(handle, void *), void *data);
uint32_t hsa_agent_get_info(handle agent, uint32_t what, void *value);
uint32_t hsa_queue_create(handle agent, uint32_t size, uint32_t type, void *callback, void *data,
			  uint32_t private_bytes, uint32_t group_bytes, struct queue **made);
uint32_t hsa_queue_destroy(struct queue *queue);
uint64_t hsa_queue_add_write_index_scacq_screl(const struct queue *queue, uint64_t value);
uint64_t hsa_queue_load_read_index_scacquire(const struct queue *queue);
uint32_t hsa_signal_create(int64_t value, uint32_t count, const handle *consumers, handle *made);
uint32_t hsa_signal_destroy(handle signal);
int64_t hsa_signal_load_scacquire(handle signal);
void hsa_signal_add_screlease(handle signal, int64_t value);
void hsa_signal_store_screlease(handle signal, int64_t value);
int64_t hsa_signal_cas_scacq_screl(handle signal, int64_t expected, int64_t value);
int64_t hsa_signal_wait_scacquire(handle signal, uint32_t condition, int64_t value, uint64_t limit, uint32_t hint);
uint32_t hsa_amd_signal_wait_any(uint32_t count, const handle *signals, const uint32_t *conditions,
				 const int64_t *values, uint64_t limit, uint32_t hint, int64_t *value_out);
uint32_t hsa_amd_signal_value_pointer(handle signal, volatile int64_t **pointer);
uint32_t hsa_executable_symbol_get_info(handle symbol, uint32_t what, void *value);
uint32_t hsa_amd_profiling_set_profiler_enabled(struct queue *queue, int enable);
uint32_t hsa_amd_profiling_get_dispatch_time(handle agent, handle signal, uint64_t *times);
uint32_t hsa_amd_memory_async_copy(void *to, handle to_agent, const void *from, handle from_agent, size_t bytes,
				   uint32_t count, const handle *waits, handle signal);
uint32_t hsa_amd_memory_async_copy_rect(void *const *to, const uint32_t *to_offset, void *const *from,
					const uint32_t *from_offset, const uint32_t *box, handle agent, uint32_t way,
					uint32_t count, const handle *waits, handle signal);
extern int sim_misuse __attribute__((weak));
void sim_ring(handle doorbell, int64_t index);

#define FOREVER UINT64_MAX
#define SPIN_NS 300000

static handle agents[2]; /* CPU, GPU */
static uint64_t kernel;
static uint64_t spin_ns = SPIN_NS;
static long dispatched;

static uint32_t take_agent(handle agent, void *data)
{
	uint32_t type = 0;

	(void)data;
	hsa_agent_get_info(agent, 17, &type);
	if (!agents[type])
		agents[type] = agent;
	return 0;
}

static struct queue *make_queue(uint32_t size)
{
	struct queue *queue = NULL;

	if (hsa_queue_create(agents[1], size, 0, NULL, NULL, 0, 0, &queue))
		app_die("hsa_queue_create", 1);
	return queue;
}

static handle make_signal(int64_t value)
{
	handle signal = 0;

	hsa_signal_create(value, 0, NULL, &signal);
	return signal;
}

/* A kernel, or a barrier; into the queue, without telling it. Its index. */
static uint64_t put(struct queue *queue, int is_kernel, handle signal)
{
	uint64_t index = hsa_queue_add_write_index_scacq_screl(queue, 1);
	struct packet *packet;

	while (index >= hsa_queue_load_read_index_scacquire(queue) + queue->size)
		app_pause_ms(1);
	packet = (struct packet *)queue->packets + (index & (queue->size - 1));
	packet->dimensions = 0;
	memset((char *)packet + 4, 0, sizeof(*packet) - 4);
	packet->signal = signal;
	if (is_kernel) {
		packet->dimensions = 1;
		packet->group[0] = 64;
		packet->group[1] = packet->group[2] = 1;
		packet->grid[0] = 100;
		packet->grid[1] = packet->grid[2] = 1;
		packet->kernel = kernel;
		packet->arguments = &spin_ns;
		__atomic_add_fetch(&dispatched, 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&packet->header, is_kernel ? 2 : 3, __ATOMIC_RELEASE);
	return index;
}

static void dispatch(struct queue *queue, handle signal)
{
	hsa_signal_store_screlease(queue->doorbell, (int64_t)put(queue, 1, signal));
}

static void await(handle signal)
{
	hsa_signal_wait_scacquire(signal, 2, 1, FOREVER, 0);
}

static void reuse(struct queue *queue, long times)
{
	handle signal = make_signal(0);

	for (long i = 0; i < times; i++) {
		hsa_signal_store_screlease(signal, 1);
		dispatch(queue, signal);
		await(signal);
	}
	hsa_signal_destroy(signal);
}

static void own(struct queue *queue, long times, const char *how)
{
	handle *signals = calloc((size_t)times, sizeof(*signals));
	uint64_t index = 0;

	for (long i = 0; i < times; i++) {
		signals[i] = make_signal(1);
		index = put(queue, 1, signals[i]);
		if (strcmp(how, "batch") != 0)
			hsa_signal_store_screlease(queue->doorbell, (int64_t)index);
	}
	hsa_signal_store_screlease(queue->doorbell, (int64_t)index);
	for (long i = 0; i < times && strcmp(how, "left") != 0; i++) {
		if (!strcmp(how, "polls"))
			while (hsa_signal_load_scacquire(signals[i]) >= 1)
				app_pause_ms(1);
		else
			await(signals[i]);
		hsa_signal_destroy(signals[i]);
	}
	free(signals);
}

static void any(struct queue *queue, long times)
{
	handle signals[2] = {make_signal(1), make_signal(1)};
	const uint32_t conditions[2] = {2, 2};
	const int64_t values[2] = {1, 1};
	int64_t value;

	for (long i = 0; i < times; i++) {
		hsa_signal_store_screlease(signals[0], 1);
		dispatch(queue, signals[0]);
		app_say("any", hsa_amd_signal_wait_any(2, signals, conditions, values, FOREVER, 0, &value));
	}
}

static void barriers(struct queue *queue, long times, const char *how)
{
	handle signal = make_signal(!strcmp(how, "silent") ? 1 : !strcmp(how, "shared") ? times : 0);

	for (long i = 0; i < times; i++) {
		if (!strcmp(how, "silent"))
			dispatch(queue, 0);
		else if (!strcmp(how, "barrier")) {
			hsa_signal_store_screlease(signal, 2);
			hsa_signal_store_screlease(queue->doorbell, (int64_t)put(queue, 0, signal));
			dispatch(queue, signal);
			await(signal);
		} else {
			if (!strcmp(how, "counted"))
				hsa_signal_add_screlease(signal, 1);
			dispatch(queue, signal);
		}
	}
	if (!strcmp(how, "silent"))
		hsa_signal_store_screlease(queue->doorbell, (int64_t)put(queue, 0, signal));
	await(signal);
	hsa_signal_destroy(signal);
}

static void bare(struct queue *queue, long times)
{
	handle signal = make_signal(0);
	uint64_t time[2];
	long sum = 0;

	for (long i = 0; i < times; i++) {
		hsa_signal_store_screlease(signal, 1);
		dispatch(queue, signal);
		await(signal);
		if (hsa_amd_profiling_get_dispatch_time(agents[1], signal, time) == 0)
			sum += (long)(time[1] - time[0]);
	}
	app_say("told_ns", sum);
}

static void past(struct queue *queue, long times)
{
	handle signal = make_signal(0);
	volatile int64_t *value;

	hsa_amd_signal_value_pointer(signal, &value);
	for (long i = 0; i < times; i++) {
		*value = 1;
		dispatch(queue, signal);
		while (*value >= 1)
			app_pause_ms(1);
	}
}

static void unheard(struct queue *queue, long times)
{
	for (long i = 0; i < times; i++) {
		handle signal = make_signal(1);

		sim_ring(queue->doorbell, (int64_t)put(queue, 1, signal));
		await(signal);
	}
}

static void paused(struct queue *queue, long times)
{
	for (long i = 0; i < times; i++) {
		if (i % 2)
			sonde_pause();
		reuse(queue, 1);
		if (i % 2)
			sonde_resume();
	}
}

static void forks(struct queue *queue, long times)
{
	own(queue, times, "left");
	if (fork() == 0)
		_exit(0);
	wait(NULL);
	reuse(queue, 1);
}

static void pieces(struct queue *queue, long times)
{
	static char from[4096], to[4096];
	handle signal = make_signal(0);

	for (long i = 0; i < times; i++) {
		hsa_signal_store_screlease(signal, 1);
		dispatch(queue, signal);
		await(signal);
		hsa_signal_store_screlease(signal, 1);
		hsa_amd_memory_async_copy(to, agents[i % 2], from, agents[1 - i % 2], sizeof(from), 0, NULL, signal);
		await(signal);
	}
}

/* Into the device, by a call that copies boxes */
static void boxes(long times)
{
	static char from[64], to[64];
	void *const there[3] = {to}, *const here[3] = {from};
	const uint32_t zero[3] = {0, 0, 0}, box[3] = {8, 4, 2};

	for (long i = 0; i < times; i++) {
		handle signal = make_signal(1);

		hsa_amd_memory_async_copy_rect(there, zero, here, zero, box, agents[1], 1, 0, NULL, signal);
		await(signal);
	}
}

/* From the device to itself */
static void within(long times)
{
	static char from[64], to[64];

	for (long i = 0; i < times; i++) {
		handle signal = make_signal(1);

		hsa_amd_memory_async_copy(to, agents[1], from, agents[1], sizeof(from), 0, NULL, signal);
		await(signal);
	}
}

static struct queue *common;
static long of_thread;

static void *in_thread(void *shared)
{
	struct queue *queue = shared ? shared : make_queue(16);

	own(queue, of_thread, "waits");
	if (!shared)
		hsa_queue_destroy(queue);
	return NULL;
}

static void threads(struct queue *queue, long times)
{
	pthread_t thread[4];

	of_thread = times;
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, in_thread, queue);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void again(long times)
{
	for (long i = 0; i < times; i++) {
		struct queue *queue = make_queue(16);

		reuse(queue, 2);
		own(queue, 1, "left"); /* in flight still */
		hsa_queue_destroy(queue);
		hsa_shut_down();
		hsa_init();
	}
}

static void pairs(long times)
{
	static char from[4096], to[4096];
	handle signal = make_signal(0);

	for (long i = 0; i < times; i++) {
		hsa_signal_store_screlease(signal, 2);
		for (int j = 0; j < 2; j++)
			hsa_amd_memory_async_copy(to, agents[1], from, agents[0], sizeof(from), 0, NULL, signal);
		await(signal);
	}
}

static handle of_handler;
static volatile long handled;

static void handle_alarm(int number)
{
	(void)number;
	hsa_signal_store_screlease(of_handler, 1);
	handled++;
}

/* As often as not the handler comes while the thread is in a store. */
static void handler(struct queue *queue, long times)
{
	const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	const struct sigaction action = {.sa_handler = handle_alarm, .sa_flags = SA_RESTART};
	handle signal = make_signal(0);

	of_handler = make_signal(0);
	dispatch(queue, make_signal(1)); /* there is something to look for */
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < times || handled < times / 1000; i++) {
		hsa_signal_store_screlease(signal, 0);
		hsa_signal_store_screlease(queue->doorbell, 0);
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

static void *destroyer(void *queue)
{
	if (queue)
		hsa_queue_destroy(queue);
	else
		hsa_shut_down();
	return NULL;
}

/* The thread is in hsa_queue_destroy() still, where the queue is gone, or in hsa_shut_down(). */
static void leaving(struct queue *queue, long times, const char *how)
{
	struct queue *other;
	pthread_t thread;

	reuse(queue, 1);
	if (!strcmp(how, "closing"))
		own(queue, times, "left");
	pthread_create(&thread, NULL, destroyer, strcmp(how, "closing") ? queue : NULL);
	app_pause_ms(200);
	if (strcmp(how, "same") != 0) {
		app_say("dispatched", dispatched);
		app_say("misuse", &sim_misuse ? sim_misuse : 0);
		fflush(stdout);
		exit(0);
	}
	other = make_queue(16);
	app_say("same", other == queue);
	pthread_join(thread, NULL);
	reuse(other, times);
}

static void late(void)
{
	struct queue *queue = make_queue(16);

	hsa_queue_destroy(queue); /* its memory is gone */
	hsa_shut_down();
	app_say("late", hsa_queue_destroy(queue));
	hsa_init();
}

static void swaps(struct queue *queue, long times)
{
	handle signal = make_signal(1);

	for (long i = 0; i < times; i++) {
		dispatch(queue, signal);
		while (hsa_signal_cas_scacq_screl(signal, 0, 1) != 0)
			app_pause_ms(1);
	}
}

static int run_hard(const char *mode, struct queue *queue, long times)
{
	if (!strcmp(mode, "pairs"))
		pairs(times);
	else if (!strcmp(mode, "handler"))
		handler(queue, times);
	else if (strstr("leaving closing same", mode))
		leaving(queue, times, mode);
	else if (!strcmp(mode, "late"))
		late();
	else if (!strcmp(mode, "swaps"))
		swaps(queue, times);
	else if (!strcmp(mode, "kept")) {
		app_say("kept", hsa_queue_destroy(queue));
		reuse(queue, times);
	} else
		return 0;
	return 1;
}

static void run(const char *mode, struct queue *queue, long times)
{
	if (run_hard(mode, queue, times))
		return;
	if (!strcmp(mode, "reuse"))
		reuse(queue, times);
	else if (!strcmp(mode, "any"))
		any(queue, times);
	else if (!strcmp(mode, "queues"))
		for (int i = 0; i < 2; i++)
			own(i ? queue : common, times, "waits");
	else if (!strcmp(mode, "threads"))
		threads(NULL, times);
	else if (!strcmp(mode, "together"))
		threads(queue, times);
	else if (!strcmp(mode, "pieces"))
		pieces(queue, times);
	else if (!strcmp(mode, "boxes"))
		boxes(times);
	else if (!strcmp(mode, "within"))
		within(times);
	else if (!strcmp(mode, "bare"))
		bare(queue, times);
	else if (!strcmp(mode, "again"))
		again(times);
	else if (!strcmp(mode, "past"))
		past(queue, times);
	else if (!strcmp(mode, "unheard"))
		unheard(queue, times);
	else if (!strcmp(mode, "paused"))
		paused(queue, times);
	else if (!strcmp(mode, "forks"))
		forks(queue, times);
	else if (strstr("silent shared counted barrier", mode))
		barriers(queue, times, mode);
	else
		own(queue, times, strstr("exits stops destroyed", mode) ? "left" : mode);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "reuse";
	struct queue *queue;

	if (hsa_init())
		app_die("hsa_init", 1);
	hsa_iterate_agents(take_agent, NULL);
	hsa_executable_symbol_get_info((handle)"spin", 22, &kernel);
	queue = make_queue(16);
	common = make_queue(64);
	if (!strcmp(mode, "off"))
		hsa_amd_profiling_set_profiler_enabled(queue, 0);
	run(mode, queue, argc > 2 ? atol(argv[2]) : 1);
	if (!strcmp(mode, "destroyed"))
		app_say("destroyed", hsa_queue_destroy(queue));
	if (strcmp(mode, "exits") != 0)
		app_say("shut_down", hsa_shut_down());
	app_say("dispatched", dispatched);
	fflush(stdout);
	if (&sim_misuse)
		app_say("misuse", sim_misuse);
	return 0;
}
