/* SPDX-License-Identifier: BSD-3-Clause */
/* Agents, and pools and regions of memory: all of them are asked for once, when the first of them is seen. */
#include <stdio.h>
#include <string.h>

#include "hsa.h"

static struct rec_map places = REC_MAP(struct hsa_place); /* by handle */
static uint32_t epoch = 1, asked;

#define ASK(name, ...) ((uint32_t (*)(__VA_ARGS__))rec_real(&hsa_backend, hsa_sym_##name))

static uint32_t take_place(rec_word place, void *of)
{
	rec_map_put(&places, place, of);
	return HSA_SUCCESS;
}

/* The device by its PCI address, which is the same in all processes and in all of AMD's runtimes. */
static uint32_t device_of(rec_word agent, uint32_t ordinal)
{
	uint32_t (*get)(rec_word, uint32_t, void *) = ASK(hsa_agent_get_info, rec_word, uint32_t, void *);
	char name[256] = "", product[256] = "", key[64]; /* the API writes 64 bytes */
	uint32_t bdf = 0, domain = 0;

	get(agent, HSA_AGENT_INFO_NAME, name);
	if (get(agent, HSA_AGENT_INFO_PRODUCT_NAME, product) == HSA_SUCCESS && *product)
		memcpy(name, product, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	get(agent, HSA_AGENT_INFO_DOMAIN, &domain);
	if (get(agent, HSA_AGENT_INFO_BDFID, &bdf) == HSA_SUCCESS)
		snprintf(key, sizeof(key), "pci %04x:%02x:%02x.%x", domain, bdf >> 8 & 0xff, bdf >> 3 & 0x1f, bdf & 7);
	else
		snprintf(key, sizeof(key), "hsa:%u", ordinal);
	return rec_device(&hsa_backend, key, *name ? name : "HSA agent", ordinal);
}

static uint32_t take_agent(rec_word agent, void *devices)
{
	uint32_t (*get)(rec_word, uint32_t, void *) = ASK(hsa_agent_get_info, rec_word, uint32_t, void *);
	uint32_t (*pools)(rec_word, uint32_t (*)(rec_word, void *), void *) =
		ASK(hsa_amd_agent_iterate_memory_pools, rec_word, uint32_t (*)(rec_word, void *), void *);
	uint32_t (*regions)(rec_word, uint32_t (*)(rec_word, void *), void *) =
		ASK(hsa_agent_iterate_regions, rec_word, uint32_t (*)(rec_word, void *), void *);
	struct hsa_place place = {UINT32_MAX, SONDE_MEMORY_pinned, __atomic_load_n(&epoch, __ATOMIC_ACQUIRE), 0};
	uint32_t type = HSA_DEVICE_CPU;

	if (get && get(agent, HSA_AGENT_INFO_DEVICE, &type) == HSA_SUCCESS && type != HSA_DEVICE_CPU) {
		place.device = device_of(agent, *(uint32_t *)devices);
		place.memory = SONDE_MEMORY_device;
		++*(uint32_t *)devices;
	}
	rec_map_put(&places, agent, &place);
	if (pools)
		pools(agent, take_place, &place);
	if (regions)
		regions(agent, take_place, &place);
	return HSA_SUCCESS;
}

static void ask(void)
{
	uint32_t (*agents)(uint32_t (*)(rec_word, void *), void *) =
		ASK(hsa_iterate_agents, uint32_t (*)(rec_word, void *), void *);
	uint32_t token = rec_guard_enter(), devices = 0;

	if (agents)
		agents(take_agent, &devices);
	rec_guard_leave(token);
}

struct hsa_place hsa_place_of(rec_word handle)
{
	const struct hsa_place unknown = {.device = UINT32_MAX, .memory = SONDE_MEMORY_unknown};
	uint32_t now = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
	struct hsa_place place;

	if (__atomic_exchange_n(&asked, now, __ATOMIC_ACQ_REL) != now)
		ask();
	return rec_map_get(&places, handle, &place) && place.epoch == now ? place : unknown;
}

void hsa_places_forget(void)
{
	__atomic_add_fetch(&epoch, 1, __ATOMIC_ACQ_REL);
}
