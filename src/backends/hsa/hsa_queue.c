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
#define CHAINS 1024u

/* A place stays in its chain for good: it may be looked at without a lock, and is taken again for a doorbell there. */
struct followed {
	struct followed *next, *beside; /* of all places, of the chain */
	const struct hsa_queue *queue;  /* NULL: it is not to be read */
	const struct hsa_queue *leaving; /* is being destroyed: the place is to be kept */
	rec_word doorbell;              /* 0: it is not followed */
	rec_word agent;
	uint64_t at;   /* packets before it have been looked at, */
	uint64_t seen; /* and these ones after it: bit i is packet at + i */
	uint64_t top;  /* as far as doorbells have told of */
	uint32_t lock;
	uint32_t device, recorded; /* rec_device(), rec_queue() */
	bool profiled;
};
static struct followed *chains[CHAINS], *all;
static uint32_t all_lock, live, named, stopping;

static struct followed **chain_of(rec_word doorbell)
{
	return &chains[((uint64_t)doorbell * 0x9e3779b97f4a7c15u) >> 54];
}

/*
 * Every store of a signal asks this. No lock: a handler may store while its thread is in here. Who takes the queue's
 * lock then looks whether it is still this one.
 */
static struct followed *find(rec_word doorbell)
{
	struct followed *queue = __atomic_load_n(chain_of(doorbell), __ATOMIC_ACQUIRE);

	while (queue && (__atomic_load_n(&queue->doorbell, __ATOMIC_ACQUIRE) != doorbell || !doorbell))
		queue = queue->beside;
	return queue;
}

/* By its address alone: what is there may be gone. */
static struct followed *find_queue(const struct hsa_queue *queue)
{
	struct followed *found = queue ? __atomic_load_n(&all, __ATOMIC_ACQUIRE) : NULL;

	while (found && __atomic_load_n(&found->queue, __ATOMIC_ACQUIRE) != queue)
		found = found->next;
	return found;
}

bool hsa_queues_live(void)
{
	return __atomic_load_n(&live, __ATOMIC_ACQUIRE);
}

/* all_lock is held. */
static struct followed *take_place(rec_word doorbell)
{
	struct followed **chain = chain_of(doorbell), *queue;

	for (queue = *chain; queue && (queue->queue || queue->leaving); queue = queue->beside)
		;
	if (!queue && (queue = rec_keep(NULL, sizeof(*queue)))) {
		queue->next = all;
		queue->beside = *chain;
		__atomic_store_n(&all, queue, __ATOMIC_RELEASE);
		__atomic_store_n(chain, queue, __ATOMIC_RELEASE);
	}
	return queue;
}

/* The lock of the queue is held: nobody reads it. */
static void follow(struct followed *place, const struct hsa_queue *queue)
{
	__atomic_store_n(&place->queue, queue, __ATOMIC_RELEASE);
	__atomic_store_n(&place->doorbell, queue->doorbell, __ATOMIC_RELEASE);
	__atomic_add_fetch(&live, 1, __ATOMIC_RELEASE);
}

/* keep: it may have to be followed again */
static void follow_no_more(struct followed *place, bool keep)
{
	rec_lock(&place->lock);
	place->leaving = keep ? place->queue : NULL;
	if (place->queue) {
		__atomic_store_n(&place->doorbell, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&place->queue, NULL, __ATOMIC_RELEASE);
		__atomic_sub_fetch(&live, 1, __ATOMIC_RELEASE);
	}
	rec_unlock(&place->lock);
}

static void make_place(rec_word agent, uint32_t device, const struct hsa_queue *queue)
{
	uint32_t (*profile)(const struct hsa_queue *, int) =
		HSA_REAL(hsa_amd_profiling_set_profiler_enabled, const struct hsa_queue *, int);
	struct followed *made = take_place(queue->doorbell);
	char name[32];

	if (!made)
		return;
	snprintf(name, sizeof(name), "queue %u", ++named);
	rec_lock(&made->lock);
	made->agent = agent;
	made->at = made->seen = made->top = 0;
	made->device = device;
	made->recorded = rec_queue(&hsa_backend, device, (rec_word)queue, name);
	made->profiled = profile && profile(queue, 1) == HSA_SUCCESS;
	follow(made, queue);
	rec_unlock(&made->lock);
}

void hsa_queue_made(rec_word agent, const struct hsa_queue *queue)
{
	struct hsa_place place = hsa_place_of(agent);
	struct followed *known;
	uint32_t token;

	if (place.device == UINT32_MAX)
		return;
	token = rec_guard_enter();
	hsa_clock_start();
	rec_lock(&all_lock);
	known = find(queue->doorbell);
	if (known && known->top) { /* one that went unseen was at the same place */
		follow_no_more(known, false);
		known = NULL;
	}
	if (!known) /* else it came through two wrappers */
		make_place(agent, place.device, queue);
	rec_unlock(&all_lock);
	rec_guard_leave(token);
}

void hsa_queue_profiled(const struct hsa_queue *queue, bool profiled)
{
	struct followed *found = find_queue(queue);

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

/* The device has not taken it when it was entered with its signal: nothing has counted that down before. */
static void handed_over(const struct followed *queue, const struct hsa_packet *packet, uint64_t ticket)
{
	struct rec_span span = {.device = queue->device, .queue = queue->recorded, .kind = SONDE_KIND_launch};
	bool is_kernel = header_kind(packet->header) == HSA_PACKET_KERNEL && is_recorded();

	if (!is_kernel || !packet->signal || !queue->profiled) {
		if (is_kernel)
			untimed();
		hsa_pending_leave(packet->signal, ticket, 0, NULL);
		return;
	}
	span.name = hsa_kernel_name(packet->kernel);
	span.context = rec_context(&hsa_backend);
	span.details = (struct fmt_details){.shape = shape_of(packet)};
	rec_device_seen(&hsa_backend);
	hsa_pending_leave(packet->signal, ticket, queue->agent, &span);
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
	uint64_t ticket = 0;
	uint16_t header;

	if (index >= read_index(queue->queue) + queue->queue->size) /* another packet is in its place still */
		return false;
	header = __atomic_load_n(&place->header, __ATOMIC_ACQUIRE);
	packet = *place;
	packet.header = header;
	if (header_kind(header) != HSA_PACKET_INVALID && packet.signal && read_index(queue->queue) <= index)
		ticket = hsa_pending_enter(packet.signal);
	/* packets are taken in order: what was read was this packet's if it is there still */
	if (read_index(queue->queue) <= index && header_kind(header) != HSA_PACKET_INVALID) {
		handed_over(queue, &packet, ticket);
		return true;
	}
	hsa_pending_cancel(packet.signal, ticket);
	if (read_index(queue->queue) <= index)
		return false;
	was_taken(queue, &packet, index);
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
	if (queue->queue && queue->doorbell == doorbell &&
	    (int64_t)(index - queue->at) < (int64_t)queue->queue->size + WINDOW) {
		if ((int64_t)(index + 1 - queue->top) > 0)
			queue->top = index + 1;
		look_around(queue);
	}
	rec_unlock(&queue->lock);
	rec_guard_leave(token);
	return true;
}

/* The device has taken packets that no doorbell told of here: it was rung by a device, or past the exported names. */
static void read_unheard(struct followed *queue)
{
	uint64_t taken = read_index(queue->queue);
	struct hsa_packet packet;

	if (taken <= queue->top)
		return;
	rec_backend_note(&hsa_backend, "doorbells of queues were rung past the wrappers of hsa_signal_store_*: "
				       "kernels that were dispatched so have no times");
	for (uint64_t i = queue->top; i < taken; i++) {
		packet = ((const struct hsa_packet *)queue->queue->packets)[i & (queue->queue->size - 1)];
		was_taken(queue, &packet, i);
	}
	queue->at = queue->top = taken; /* all before it have been looked at */
	queue->seen = 0;
}

static void read_queue(struct followed *queue)
{
	uint32_t token = rec_guard_enter();

	if (rec_try_lock(&queue->lock)) { /* who holds it does the same */
		if (queue->queue && !__atomic_load_n(&stopping, __ATOMIC_ACQUIRE)) {
			look_around(queue);
			read_unheard(queue);
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

/* Nobody reads them from here on unless the program uses them. */
void hsa_queues_stopping(void)
{
	uint32_t token = rec_guard_enter();

	__atomic_add_fetch(&stopping, 1, __ATOMIC_SEQ_CST);
	for (struct followed *queue = __atomic_load_n(&all, __ATOMIC_ACQUIRE); queue; queue = queue->next) {
		rec_lock(&queue->lock);
		rec_unlock(&queue->lock);
	}
	rec_guard_leave(token);
}

void hsa_queues_stopped(bool are_gone)
{
	if (are_gone)
		for (struct followed *queue = __atomic_load_n(&all, __ATOMIC_ACQUIRE); queue; queue = queue->next)
			follow_no_more(queue, false);
	__atomic_sub_fetch(&stopping, 1, __ATOMIC_RELEASE);
}

void *hsa_queue_leaving(const struct hsa_queue *queue)
{
	struct followed *found = find_queue(queue);
	uint32_t token;

	if (!found)
		return NULL;
	read_queue(found);
	hsa_pending_collect();
	token = rec_guard_enter();
	follow_no_more(found, true);
	rec_guard_leave(token);
	return found;
}

void hsa_queue_left(void *place, bool failed)
{
	struct followed *found = place;
	uint32_t token;

	if (!found)
		return;
	token = rec_guard_enter();
	rec_lock(&found->lock);
	if (failed && found->leaving)
		follow(found, found->leaving);
	found->leaving = NULL;
	rec_unlock(&found->lock);
	rec_guard_leave(token);
}

void hsa_queues_forget(void)
{
	memset(chains, 0, sizeof(chains));
	all = NULL;
	all_lock = live = stopping = 0;
}
