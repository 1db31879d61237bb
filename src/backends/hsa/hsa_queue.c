/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues that the program itself made, and the packets that it writes into them. A packet is looked at when the program
 * rings the queue's doorbell for it, before the device hears of that: nothing in the queue is changed.
 *
 * Where threads share a queue, one's ring may wake the device for another's packet, which then is taken before its own
 * ring. Such places are holes until the device has passed them; what was there is told by the rest of the packet, which
 * stays, but it has no times.
 */
#include <stdio.h>
#include <string.h>

#include "hsa.h"

#define WINDOW 64u /* packets that may be ahead of a hole */

struct followed {
	struct followed *next;
	const struct hsa_queue *queue; /* NULL: it is gone, and the place is free */
	rec_word doorbell, agent;
	uint64_t at;   /* packets before it have been looked at, */
	uint64_t seen; /* and these ones after it: bit i is packet at + i */
	uint64_t top;  /* as far as doorbells have told of */
	uint32_t lock;
	uint32_t device, recorded; /* rec_device(), rec_queue() */
	bool profiled;
};
static struct rec_map doorbells = REC_MAP(struct followed *); /* by signal */
static struct followed *all;
static uint32_t all_lock, live, named;

static struct followed *find(rec_word doorbell)
{
	struct followed *queue;

	if (!__atomic_load_n(&live, __ATOMIC_ACQUIRE) || !rec_map_get(&doorbells, doorbell, &queue))
		return NULL;
	return queue;
}

bool hsa_queues_live(void)
{
	return __atomic_load_n(&live, __ATOMIC_ACQUIRE);
}

static struct followed *take_place(void)
{
	struct followed *queue;

	for (queue = all; queue && queue->queue; queue = queue->next)
		;
	if (!queue && (queue = rec_keep(NULL, sizeof(*queue)))) {
		queue->next = all;
		__atomic_store_n(&all, queue, __ATOMIC_RELEASE);
	}
	return queue;
}

void hsa_queue_made(rec_word agent, const struct hsa_queue *queue)
{
	uint32_t (*profile)(const struct hsa_queue *, int) =
		HSA_REAL(hsa_amd_profiling_set_profiler_enabled, const struct hsa_queue *, int);
	struct hsa_place place = hsa_place_of(agent);
	struct followed *made;
	uint32_t token;
	char name[32];

	if (place.device == UINT32_MAX || find(queue->doorbell))
		return;
	token = rec_guard_enter();
	hsa_clock_start();
	rec_lock(&all_lock);
	made = take_place();
	if (made) {
		snprintf(name, sizeof(name), "queue %u", ++named);
		made->queue = queue;
		made->doorbell = queue->doorbell;
		made->agent = agent;
		made->at = made->seen = made->top = 0;
		made->device = place.device;
		made->recorded = rec_queue(&hsa_backend, place.device, (rec_word)queue, name);
		made->profiled = profile && profile(queue, 1) == HSA_SUCCESS;
		if (rec_map_put(&doorbells, queue->doorbell, &made))
			__atomic_add_fetch(&live, 1, __ATOMIC_RELEASE);
		else
			made->queue = NULL;
	}
	rec_unlock(&all_lock);
	rec_guard_leave(token);
}

void hsa_queue_profiled(const struct hsa_queue *queue, bool profiled)
{
	struct followed *found = queue ? find(queue->doorbell) : NULL;

	if (found)
		found->profiled = profiled;
}

/* ---- packets ---- */

static void untimed(void)
{
	rec_device_seen(&hsa_backend);
	rec_device_untimed(&hsa_backend);
}

static bool is_recorded(void)
{
	return rec_on() && !rec_is_paused();
}

/* It may have been a kernel. */
static void lost(void)
{
	if (!is_recorded())
		return;
	rec_device_seen(&hsa_backend);
	rec_device_lost(&hsa_backend);
}

static struct fmt_shape shape_of(const struct hsa_packet *packet)
{
	struct fmt_shape shape = {.known = FMT_SHAPE_GRID | FMT_SHAPE_BLOCK};

	for (int i = 0; i < 3; i++) {
		uint32_t group = packet->group[i] ? packet->group[i] : 1, items = packet->grid[i] ? packet->grid[i] : 1;

		shape.block[i] = group;
		shape.grid[i] = items / group + (items % group != 0);
	}
	return shape;
}

static uint32_t header_kind(uint16_t header)
{
	return header & 0xff;
}

typedef uint64_t index_function(const struct hsa_queue *queue);

static uint64_t read_index(const struct hsa_queue *queue)
{
	index_function *load =
		(index_function *)rec_real(&hsa_backend, hsa_sym_hsa_queue_load_read_index_scacquire);

	return load ? load(queue) : 0;
}

static uint64_t write_index(const struct hsa_queue *queue)
{
	index_function *load =
		(index_function *)rec_real(&hsa_backend, hsa_sym_hsa_queue_load_write_index_relaxed);

	return load ? load(queue) : 0;
}

/* The device has not taken it: nothing has counted its signal down before this reading of the value. */
static void handed_over(const struct followed *queue, const struct hsa_packet *packet, int64_t value)
{
	struct hsa_pending kernel = {.signal = packet->signal, .agent = queue->agent, .value = value};
	bool is_kernel = header_kind(packet->header) == HSA_PACKET_KERNEL && is_recorded();

	if (!is_kernel || !packet->signal || !queue->profiled) {
		if (is_kernel)
			untimed();
		if (packet->signal)
			hsa_pending_shared(packet->signal);
		return;
	}
	kernel.span = (struct rec_span){
		.name = hsa_kernel_name(packet->kernel), .device = queue->device, .queue = queue->recorded,
		.kind = SONDE_KIND_launch, .context = rec_context(&hsa_backend), .details = {.shape = shape_of(packet)},
	};
	rec_device_seen(&hsa_backend);
	hsa_pending_add(&kernel);
}

/*
 * The device has taken it, and it may be over. Of its header nothing may be left: a dispatch alone has dimensions and
 * sizes. Nothing at all is left where the program had room for another packet in its place.
 */
static void was_taken(const struct followed *queue, const struct hsa_packet *packet, uint64_t index)
{
	if (write_index(queue->queue) > index + queue->queue->size) {
		lost();
		return;
	}
	if (packet->dimensions >= 1 && packet->dimensions <= 3 && packet->group[0] && packet->grid[0] &&
	    packet->kernel && is_recorded())
		untimed();
	if (packet->signal)
		hsa_pending_unknown(packet->signal);
}

/* False: there is nothing yet. */
static bool look_at(const struct followed *queue, uint64_t index)
{
	const struct hsa_packet *packets = queue->queue->packets, *place = &packets[index & (queue->queue->size - 1)];
	struct hsa_packet packet;
	int64_t value = 0;
	uint16_t header;

	if (index >= read_index(queue->queue) + queue->queue->size) /* another packet is in its place still */
		return false;
	header = __atomic_load_n(&place->header, __ATOMIC_ACQUIRE);
	packet = *place;
	packet.header = header;
	if (header_kind(header) != HSA_PACKET_INVALID && packet.signal && read_index(queue->queue) <= index)
		value = hsa_signal_value(packet.signal);
	/* packets are taken in order: what was read was this packet's if it is there still */
	if (read_index(queue->queue) > index)
		was_taken(queue, &packet, index);
	else if (header_kind(header) != HSA_PACKET_INVALID)
		handed_over(queue, &packet, value);
	else
		return false;
	return true;
}

static void move_on(struct followed *queue)
{
	for (; queue->seen & 1; queue->at++)
		queue->seen >>= 1;
}

/* The queue's lock is held, in a guard. */
static void look_around(struct followed *queue)
{
	for (uint64_t i = queue->at; i < queue->top; i++) {
		if (i >= queue->at + WINDOW) { /* a hole that nobody fills: what it was is not known */
			lost();
			queue->seen |= 1;
			move_on(queue);
		}
		if (i < queue->at || queue->seen >> (i - queue->at) & 1 || !look_at(queue, i))
			continue;
		queue->seen |= (uint64_t)1 << (i - queue->at);
		if (i == queue->at)
			move_on(queue);
	}
}

bool hsa_queue_rung(rec_word doorbell, uint64_t index)
{
	struct followed *queue = find(doorbell);
	uint32_t token;

	if (!queue)
		return false;
	token = rec_guard_enter();
	rec_lock(&queue->lock);
	/* further on there can be none */
	if (queue->queue && (int64_t)(index - queue->at) < (int64_t)queue->queue->size + WINDOW) {
		if ((int64_t)(index + 1 - queue->top) > 0)
			queue->top = index + 1;
		look_around(queue);
	}
	rec_unlock(&queue->lock);
	rec_guard_leave(token);
	return true;
}

/* The device has taken packets that no doorbell told of here: it was rung by a device, or past the exported names. */
static void note_unheard(const struct followed *queue)
{
	if (read_index(queue->queue) > queue->top)
		rec_backend_note(&hsa_backend, "doorbells of queues were rung past the wrappers of hsa_signal_store_*: "
					       "kernels that were dispatched so are missing");
}

static void read_queue(struct followed *queue)
{
	uint32_t token = rec_guard_enter();

	if (rec_try_lock(&queue->lock)) { /* who holds it does the same */
		if (queue->queue) {
			look_around(queue);
			note_unheard(queue);
		}
		rec_unlock(&queue->lock);
	}
	rec_guard_leave(token);
}

void hsa_queues_read(void)
{
	for (struct followed *queue = __atomic_load_n(&all, __ATOMIC_ACQUIRE); queue; queue = queue->next)
		read_queue(queue);
}

rec_word hsa_queue_leaving(const struct hsa_queue *queue)
{
	struct followed *found = queue ? find(queue->doorbell) : NULL;

	if (!found)
		return 0;
	read_queue(found);
	hsa_pending_collect();
	return found->doorbell;
}

void hsa_queue_gone(rec_word doorbell)
{
	struct followed *found = find(doorbell);

	if (!found || !rec_map_take(&doorbells, doorbell, NULL))
		return;
	rec_lock(&found->lock);
	found->queue = NULL;
	rec_unlock(&found->lock);
	__atomic_sub_fetch(&live, 1, __ATOMIC_RELEASE);
}

/* The runtime is gone, and its queues with it. */
void hsa_queues_drop(void)
{
	for (struct followed *queue = __atomic_load_n(&all, __ATOMIC_ACQUIRE); queue; queue = queue->next)
		if (queue->queue)
			hsa_queue_gone(queue->doorbell);
}

void hsa_queues_forget(void)
{
	doorbells = (struct rec_map)REC_MAP(struct followed *);
	all = NULL;
	all_lock = live = 0;
}
