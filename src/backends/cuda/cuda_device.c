/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices and streams by CUPTI's numbers. */
#include <stdio.h>

#include "cupti.h"

#define DEVICES 64u

struct known {
	uint32_t index; /* rec_device() + 1 */
};
static struct known devices[DEVICES];

struct queue {
	uint32_t index;
};
static struct rec_map queues = REC_MAP(struct queue);

static bool ask_name(int device, char *name, int size)
{
	int (*get)(char *, int, int) = (int (*)(char *, int, int))rec_provider_symbol(&cuda_backend, "cuDeviceGetName");

	return get && get(name, size, device) == 0;
}

/* The UUID, which is the same in all processes and whatever CUDA_VISIBLE_DEVICES says. */
static bool ask_key(int device, char *key, size_t size)
{
	int (*get)(unsigned char *, int) =
		(int (*)(unsigned char *, int))rec_provider_symbol(&cuda_backend, "cuDeviceGetUuid_v2");
	unsigned char uuid[16];
	size_t used = 0;

	if (!get || get(uuid, device) != 0)
		return false;
	for (size_t i = 0; i < sizeof(uuid); i++)
		used += (size_t)snprintf(key + used, size - used, "%02x", uuid[i]);
	return true;
}

static uint32_t add(uint32_t ordinal)
{
	uint32_t token = rec_guard_enter(), index;
	char name[256], key[64];

	if (!ask_name((int)ordinal, name, sizeof(name)))
		snprintf(name, sizeof(name), "CUDA device %u", ordinal);
	if (!ask_key((int)ordinal, key, sizeof(key)))
		snprintf(key, sizeof(key), "cuda:%u", ordinal);
	index = rec_device(&cuda_backend, key, name, ordinal);
	rec_guard_leave(token);
	return index;
}

uint32_t cuda_device(uint32_t ordinal)
{
	uint32_t index;

	if (ordinal >= DEVICES)
		return UINT32_MAX;
	index = __atomic_load_n(&devices[ordinal].index, __ATOMIC_ACQUIRE);
	if (!index) {
		index = add(ordinal) + 1;
		__atomic_store_n(&devices[ordinal].index, index, __ATOMIC_RELEASE);
	}
	return index - 1;
}

uint32_t cuda_queue(uint32_t ordinal, uint32_t context, uint32_t stream)
{
	rec_word key = ((rec_word)(context + 1) << 32) | stream;
	struct queue queue;
	char name[32];

	if (rec_map_get(&queues, key, &queue))
		return queue.index;
	snprintf(name, sizeof(name), "stream %u", stream);
	queue.index = rec_queue(&cuda_backend, cuda_device(ordinal), key, name);
	if (queue.index != UINT32_MAX)
		rec_map_put(&queues, key, &queue);
	return queue.index;
}

void cuda_devices_forget(void)
{
	for (uint32_t i = 0; i < DEVICES; i++)
		devices[i].index = 0;
	queues = (struct rec_map)REC_MAP(struct queue);
}
