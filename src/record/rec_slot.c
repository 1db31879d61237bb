/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which row a function has: a slot is given at the first call of a symbol and is the same for all
 * threads; all symbols of a function (language bindings, PMPI_ names) share its row. The slot tables
 * are wiped by a fork, so that one compare in the fast path also notices that. Locked slow path.
 */
#include <string.h>
#include <sys/mman.h>

#include "record/rec_state.h"

struct slot_key {
	uint32_t slot;
};
static struct rec_map rows = REC_MAP(struct slot_key); /* (backend, function) -> slot */

static rec_word row_key(const struct rec_backend *backend, uint32_t function)
{
	return ((rec_word)(backend->index + 1) << 32) | (function + 1);
}

/* The new function's slot; 0: no room. */
static uint32_t function_add(const struct rec_backend *backend, uint64_t name, uint32_t kind, uint32_t flags)
{
	struct fmt_function *item;
	uint64_t index;

	item = rec_area_add(FMT_SECTION_FUNCTIONS, &index);
	if (!item || !name)
		return 0;
	item->name = name;
	item->backend = backend->index;
	item->kind = kind;
	item->flags = flags;
	item->layer = backend->layer;
	rec_area_publish(FMT_SECTION_FUNCTIONS);
	return (uint32_t)index + 1;
}

static uint32_t row_add(struct rec_backend *backend, uint32_t function)
{
	const struct rec_function *described = &backend->function[function];
	const char *name = backend->pool + described->name;
	bool counted = (described->flags & REC_QUERY) && !rec_state.time_queries;
	struct slot_key key;

	key.slot = function_add(backend, rec_name(name, strlen(name)), described->kind,
				counted ? FMT_FUNCTION_COUNTED : 0);
	if (!key.slot)
		return 0;
	rec_meta_function(key.slot, backend, function, counted);
	rec_map_put(&rows, row_key(backend, function), &key);
	return key.slot;
}

uint32_t rec_slot_assign(struct rec_backend *backend, uint32_t symbol)
{
	uint32_t function = backend->symbol[symbol].function;
	struct slot_key key = {0};

	if (backend->slot[symbol])
		return backend->slot[symbol];
	if (!rec_map_get(&rows, row_key(backend, function), &key))
		key.slot = row_add(backend, function);
	/* with a second provider in the process no symbol may take the fast path */
	if (key.slot && !(backend->state & REC_BACKEND_MULTI))
		__atomic_store_n(&backend->slot[symbol], (uint16_t)key.slot, __ATOMIC_RELEASE);
	return key.slot;
}

/* Both parts of a label, one behind the other; what has no name is called so. */
static uint64_t label_name(const struct rec_label *label)
{
	static char text[16384];
	size_t group = label->group_length < sizeof(text) ? label->group_length : sizeof(text);
	size_t rest = label->length < sizeof(text) - group ? label->length : sizeof(text) - group;

	if (!label->group_length)
		return label->length ? rec_name(label->name, label->length) : rec_name("unnamed", 7);
	memcpy(text, label->group, group);
	memcpy(text + group, label->name, rest);
	return rec_name(text, group + rest);
}

uint32_t rec_slot_dynamic(struct rec_backend *backend, const struct rec_label *label, enum sonde_kind kind)
{
	uint64_t name = label_name(label);
	uint32_t slot = function_add(backend, name, kind, FMT_FUNCTION_DYNAMIC);

	if (slot)
		rec_meta_dynamic(slot, backend, rec_state.area[FMT_SECTION_STRINGS].base + name, kind);
	return slot;
}

void rec_slots_forget(void)
{
	rec_map_clear(&rows);
}

void rec_slots_clear(struct rec_backend *backend)
{
	for (uint32_t i = 0; i < backend->symbols; i++)
		if (backend->slot[i]) /* pages that nobody wrote to stay shared */
			__atomic_store_n(&backend->slot[i], 0, __ATOMIC_RELAXED);
}

void rec_layer_live(struct rec_backend *backend)
{
	__atomic_store_n(&backend->layered, 1, __ATOMIC_RELEASE);
	rec_slots_clear(backend); /* exported wrappers do not take the inline paths any more */
}

void rec_told_as_well(void)
{
	rec_state.told_as_well = true;
}

static bool is_wanted(const struct rec_backend *backend)
{
	const char *list = rec_state.backends_wanted;
	size_t length = strlen(backend->name);

	while (list && *list) {
		size_t item = strcspn(list, ",");

		if (item == length && strncmp(list, backend->name, item) == 0)
			return true;
		list += item + (list[item] == ',');
		if (!*list)
			return false;
	}
	return true;
}

bool rec_backend_wanted(const struct rec_backend *backend)
{
	return (backend->state & REC_BACKEND_ON) && !rec_is_off();
}

static const struct rec_backend *backend_find(const char *name)
{
	const struct rec_backend *backend = __atomic_load_n(&rec_state.backends, __ATOMIC_ACQUIRE);

	while (backend && strcmp(backend->name, name) != 0)
		backend = backend->next;
	return backend;
}

bool rec_backend_seen(const char *name)
{
	const struct rec_backend *backend = backend_find(name);

	return backend && rec_ready() && (backend->state & REC_BACKEND_OPENED);
}

bool rec_backend_there(const char *name)
{
	const struct rec_backend *backend = backend_find(name);

	return backend && rec_backend_wanted(backend);
}

/* Listed in any case: its wrappers stand in the way, and must be told from the real functions. */
static void backend_list(struct rec_backend *backend)
{
	do
		backend->next = rec_state.backends;
	while (!__sync_bool_compare_and_swap(&rec_state.backends, backend->next, backend));
}

bool rec_backend_add(struct rec_backend *backend, const struct rec_backend *within)
{
	if (backend_find(backend->name))
		return false;
	backend->low = within->low;
	backend->high = within->high;
	backend->index = UINT32_MAX;
	if (rec_backend_wanted(within) || (!rec_state.off && is_wanted(backend)))
		backend->state = REC_BACKEND_ON;
	backend_list(backend);
	return true;
}

void rec_backend_register(struct rec_backend *backend, const void *ehdr, const void *end)
{
	uint64_t bytes = rec_round_up(backend->symbols * sizeof(backend->slot[0]), REC_PAGE);

	rec_construct();
	if (backend->low || backend->size != sizeof(*backend))
		return;
	backend->low = (uintptr_t)ehdr;
	backend->high = (uintptr_t)end;
	backend->index = UINT32_MAX;
	if (!rec_state.off && is_wanted(backend) &&
	    (!bytes || madvise(backend->slot, bytes, MADV_WIPEONFORK) == 0))
		backend->state = REC_BACKEND_ON;
	backend_list(backend);
}
