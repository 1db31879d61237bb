/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals, queues and times of the stand-in. A queue's thread is its packet processor: it takes one packet after the
 * other, each when the one before it is over, and makes its header invalid. The system's clock is that of the devices.
 *
 *   SIM_HSA_EARLY=1    packets are taken when they are valid, whether or not a doorbell has told of them
 *   SIM_HSA_HANG=N     the Nth packet of each queue never ends
 *   SIM_HSA_SLOW_COPY=MS, SIM_HSA_SLOW_DESTROY=MS    the calls return so much later, when all is done
 *   SIM_HSA_SLOW_SHUT_DOWN=MS    who asks for anything while HSA goes so slowly aborts
 *   sim_ring()         exported: rings a doorbell past the API
 *   sim_misuse         exported: questions about signals that are gone, or after the end of HSA
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "hsa.h"
#include "sim_hsa.h"

#define KIND(packet) (__atomic_load_n(&(packet)->header, __ATOMIC_ACQUIRE) & 0xff)

int sim_misuse;
void sim_ring(rec_word doorbell, int64_t index);

struct signal {
	int64_t value;
	uint64_t kernel[2], copy[2]; /* times */
	bool gone, copied, doorbell;
};

struct queue {
	struct hsa_queue told; /* what the program sees */
	uint64_t write, read;
	struct signal doorbell;
	struct sim_queue *device;
	pthread_t processor;
	rec_word agent;
	bool profiled, ending;
	uint64_t over; /* packets */
};

struct operation {
	struct queue *queue; /* NULL: a copy */
	struct sim_event *event;
	struct signal *signal;
};

static bool copies_profiled;

static void nap(void)
{
	const struct timespec time = {0, 20000};

	nanosleep(&time, NULL);
}

void sim_late(const char *name)
{
	for (long i = getenv(name) ? 50 * atol(getenv(name)) : 0; i > 0; i--)
		nap();
}

static struct signal *alive(rec_word word)
{
	struct signal *signal = (struct signal *)word;

	if (sim_closing)
		abort();
	if (!sim_users || !signal || signal->gone)
		__atomic_add_fetch(&sim_misuse, 1, __ATOMIC_RELAXED);
	return signal;
}

/* ---- signals: they stay where they are, so that misuse is seen ---- */

uint32_t sim_hsa_signal_create(int64_t value, uint32_t count, const rec_word *consumers, rec_word *made)
{
	struct signal *signal = calloc(1, sizeof(*signal));

	(void)count;
	(void)consumers;
	signal->value = value;
	*made = (rec_word)signal;
	return SUCCESS;
}

uint32_t sim_hsa_signal_destroy(rec_word signal)
{
	alive(signal)->gone = true;
	return SUCCESS;
}

int64_t hsa_signal_load_relaxed(rec_word signal)
{
	return __atomic_load_n(&alive(signal)->value, __ATOMIC_ACQUIRE);
}

uint32_t hsa_amd_signal_value_pointer(rec_word signal, int64_t **pointer)
{
	*pointer = &alive(signal)->value;
	return SUCCESS;
}

int64_t hsa_signal_load_scacquire(rec_word signal)
{
	return hsa_signal_load_relaxed(signal);
}

void hsa_signal_store_relaxed(rec_word word, int64_t value)
{
	struct signal *signal = alive(word);
	int64_t before = __atomic_load_n(&signal->value, __ATOMIC_RELAXED);

	while (!(signal->doorbell && before >= value) &&
	       !__atomic_compare_exchange_n(&signal->value, &before, value, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

void sim_ring(rec_word doorbell, int64_t index)
{
	hsa_signal_store_relaxed(doorbell, index);
}

void hsa_signal_store_screlease(rec_word signal, int64_t value)
{
	hsa_signal_store_relaxed(signal, value);
}

void hsa_signal_add_screlease(rec_word signal, int64_t value)
{
	__atomic_add_fetch(&alive(signal)->value, value, __ATOMIC_RELEASE);
}

int64_t hsa_signal_cas_scacq_screl(rec_word signal, int64_t expected, int64_t value)
{
	__atomic_compare_exchange_n(&alive(signal)->value, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return expected;
}

int64_t sim_hsa_signal_wait_scacquire(rec_word word, uint32_t condition, int64_t value, uint64_t limit, uint32_t hint)
{
	int64_t now;

	(void)condition; /* less than */
	(void)limit;
	(void)hint;
	while ((now = hsa_signal_load_relaxed(word)) >= value)
		nap();
	return now;
}

uint32_t sim_hsa_amd_signal_wait_any(uint32_t count, const rec_word *signals, const uint32_t *conditions,
				     const int64_t *values, uint64_t limit, uint32_t hint, int64_t *value_out)
{
	(void)conditions;
	(void)limit;
	(void)hint;
	for (;; nap()) {
		for (uint32_t i = 0; i < count; i++) {
			*value_out = hsa_signal_load_relaxed(signals[i]);
			if (*value_out < values[i])
				return i;
		}
	}
}

/* ---- what devices do ---- */

static void ended(void *user)
{
	struct operation *operation = user;
	struct sim_times times = sim_event_times(operation->event);
	struct signal *signal = operation->signal;

	if (signal) {
		uint64_t *to = operation->queue ? signal->kernel : signal->copy;

		if (operation->queue ? operation->queue->profiled : signal->copied) {
			to[0] = times.known ? times.begin : 0;
			to[1] = times.known ? times.end : 0;
		}
		__atomic_sub_fetch(&signal->value, 1, __ATOMIC_RELEASE);
	}
	if (operation->queue)
		__atomic_add_fetch(&operation->queue->over, 1, __ATOMIC_RELEASE);
	sim_event_destroy(operation->event);
	free(operation);
}

static void start(struct sim_queue *device, struct queue *queue, rec_word signal, struct sim_work *work)
{
	struct operation *operation = calloc(1, sizeof(*operation));

	operation->queue = queue;
	operation->event = sim_event_create();
	operation->signal = (struct signal *)signal;
	work->signals = operation->event;
	work->done = ended;
	work->user = operation;
	sim_submit(device, work);
}

uint32_t sim_hsa_amd_memory_async_copy(void *to, rec_word to_agent, const void *from, rec_word from_agent, size_t bytes,
				       uint32_t count, const rec_word *waits, rec_word word)
{
	static struct sim_queue *device;
	struct sim_work work = {.kind = SIM_COPY, .to = to, .from = from, .bytes = bytes, .least_ns = 3000000};
	struct signal *signal = alive(word);

	(void)to_agent;
	(void)from_agent;
	(void)count;
	(void)waits;
	if (sim_fails("hsa_amd_memory_async_copy"))
		return OUT_OF_RESOURCES;
	if (!device)
		device = sim_queue_create(0, true);
	signal->copied = copies_profiled;
	memset(signal->copy, 0, sizeof(signal->copy));
	start(device, NULL, word, &work);
	sim_late("SIM_HSA_SLOW_COPY");
	return SUCCESS;
}

/* A box of bytes that lies without gaps; pitched pointers begin with their address. */
uint32_t hsa_amd_memory_async_copy_rect(void *const *to, const uint32_t *to_offset, void *const *from,
					const uint32_t *from_offset, const uint32_t *box, rec_word agent, uint32_t way,
					uint32_t count, const rec_word *waits, rec_word signal)
{
	(void)to_offset;
	(void)from_offset;
	(void)way;
	return sim_hsa_amd_memory_async_copy(*to, agent, *from, CPU, (size_t)box[0] * box[1] * box[2], count, waits,
					     signal);
}

static void run_packet(struct queue *queue, const struct hsa_packet *packet, bool is_kernel)
{
	struct sim_work work = {.kind = SIM_MARKER};

	if (is_kernel) {
		uint64_t *arguments = (uint64_t *)packet->arguments;

		work.kind = SIM_KERNEL;
		work.kernel = (const struct sim_kernel *)packet->kernel;
		work.name = work.kernel->name;
		work.items = packet->grid[0];
		for (unsigned i = 0; i < work.kernel->arguments; i++) {
			work.argument[i] = &arguments[i];
			work.argument_bytes[i] = sizeof(arguments[i]);
		}
	}
	start(queue->device, queue, packet->signal, &work);
}

static void *process(void *user)
{
	static const char *const names[] = {"SIM_HSA_EARLY", "SIM_HSA_HANG"};
	struct hsa_packet *packets = ((struct queue *)user)->told.packets, packet;
	bool early = getenv(names[0]);
	uint64_t hangs = getenv(names[1]) ? strtoull(getenv(names[1]), NULL, 10) : UINT64_MAX;
	struct queue *queue = user;

	while (!__atomic_load_n(&queue->ending, __ATOMIC_ACQUIRE)) {
		struct hsa_packet *place = &packets[queue->read & (queue->told.size - 1)];
		int64_t told = __atomic_load_n(&queue->doorbell.value, __ATOMIC_ACQUIRE);

		if ((!early && told < (int64_t)queue->read) || KIND(place) == HSA_PACKET_INVALID ||
		    (!early && __atomic_load_n(&queue->over, __ATOMIC_ACQUIRE) < queue->read) || queue->read >= hangs) {
			nap();
			continue;
		}
		packet = *place;
		__atomic_store_n(&place->header, HSA_PACKET_INVALID, __ATOMIC_RELEASE);
		__atomic_store_n(&queue->read, queue->read + 1, __ATOMIC_RELEASE);
		run_packet(queue, &packet, (packet.header & 0xff) == HSA_PACKET_KERNEL);
	}
	return NULL;
}

/* ---- queues ---- */

uint32_t sim_hsa_queue_create(rec_word agent, uint32_t size, uint32_t type, void *callback, void *data,
			      uint32_t private_bytes, uint32_t group_bytes, void **made)
{
	static uint64_t ids;
	struct queue *queue = mmap(NULL, sizeof(*queue), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct hsa_packet *packets = calloc(size, sizeof(*packets));

	(void)callback;
	(void)data;
	(void)private_bytes;
	(void)group_bytes;
	if (!sim_users || sim_fails("hsa_queue_create"))
		return OUT_OF_RESOURCES;
	for (uint32_t i = 0; i < size; i++)
		packets[i].header = HSA_PACKET_INVALID;
	queue->agent = agent;
	queue->doorbell.value = -1;
	queue->doorbell.doorbell = true;
	queue->told = (struct hsa_queue){.type = type, .features = 1, .packets = packets, .size = size,
					 .doorbell = (rec_word)&queue->doorbell,
					 .id = __atomic_add_fetch(&ids, 1, __ATOMIC_RELAXED)};
	queue->device = sim_queue_create((unsigned)(agent - CPU - 1), true);
	pthread_create(&queue->processor, NULL, process, queue);
	*made = queue;
	return SUCCESS;
}

/* What was not taken never runs. The queue's memory is gone: who looks there faults. */
uint32_t sim_hsa_queue_destroy(void *word)
{
	struct queue *queue = word;

	if (!sim_users)
		return NOT_INITIALIZED;
	if (sim_fails("hsa_queue_destroy"))
		return ERROR;
	__atomic_store_n(&queue->ending, true, __ATOMIC_RELEASE);
	pthread_join(queue->processor, NULL);
	sim_queue_destroy(queue->device);
	free(queue->told.packets);
	munmap(queue, sizeof(*queue));
	sim_late("SIM_HSA_SLOW_DESTROY");
	return SUCCESS;
}

uint64_t hsa_queue_add_write_index_scacq_screl(const void *queue, uint64_t value)
{
	return __atomic_fetch_add(&((struct queue *)queue)->write, value, __ATOMIC_ACQ_REL);
}

uint64_t hsa_queue_load_read_index_relaxed(const void *queue)
{
	if (sim_closing)
		abort();
	return __atomic_load_n(&((const struct queue *)queue)->read, __ATOMIC_ACQUIRE);
}

uint64_t hsa_queue_load_write_index_relaxed(const void *queue)
{
	return __atomic_load_n(&((const struct queue *)queue)->write, __ATOMIC_ACQUIRE);
}

uint64_t hsa_queue_load_read_index_scacquire(const void *queue)
{
	return hsa_queue_load_read_index_relaxed(queue);
}

/* Symbols are kernels' names, objects the kernels. */
uint32_t sim_hsa_executable_symbol_get_info(rec_word symbol, uint32_t what, void *value)
{
	const char *name = (const char *)symbol;

	switch (what) {
	case HSA_SYMBOL_INFO_NAME_LENGTH:
		*(uint32_t *)value = (uint32_t)strlen(name) + 3;
		return SUCCESS;
	case HSA_SYMBOL_INFO_NAME:
		memcpy(value, name, strlen(name));
		memcpy((char *)value + strlen(name), ".kd", 3);
		return SUCCESS;
	case HSA_SYMBOL_INFO_KERNEL_OBJECT:
		*(uint64_t *)value = (uint64_t)sim_kernel_find(name);
		return SUCCESS;
	default:
		return INVALID_ARGUMENT;
	}
}

/* ---- times ---- */

uint32_t sim_hsa_system_get_info(uint32_t what, void *value)
{
	if (sim_closing)
		abort();
	if (!sim_users)
		return NOT_INITIALIZED;
	if (what == HSA_SYSTEM_INFO_TIMESTAMP)
		*(uint64_t *)value = sim_clock(sim_raw_ns());
	else if (what == HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY)
		*(uint64_t *)value = sim_clock_hz();
	else
		return INVALID_ARGUMENT;
	return SUCCESS;
}

uint32_t sim_hsa_amd_profiling_set_profiler_enabled(void *queue, int enable)
{
	if (sim_fails("hsa_amd_profiling_set_profiler_enabled"))
		return ERROR;
	((struct queue *)queue)->profiled = enable;
	return SUCCESS;
}

uint32_t sim_hsa_amd_profiling_async_copy_enable(bool enable)
{
	if (sim_fails("hsa_amd_profiling_async_copy_enable"))
		return ERROR;
	copies_profiled = enable;
	return SUCCESS;
}

uint32_t sim_hsa_amd_profiling_get_dispatch_time(rec_word agent, rec_word signal, uint64_t *times)
{
	if (sim_fails("hsa_amd_profiling_get_dispatch_time"))
		return ERROR;
	if (agent == CPU)
		return INVALID_AGENT;
	memcpy(times, alive(signal)->kernel, sizeof(alive(signal)->kernel));
	return SUCCESS;
}

uint32_t sim_hsa_amd_profiling_get_async_copy_time(rec_word signal, uint64_t *times)
{
	if (!alive(signal)->copied)
		return ERROR;
	memcpy(times, alive(signal)->copy, sizeof(alive(signal)->copy));
	return SUCCESS;
}
