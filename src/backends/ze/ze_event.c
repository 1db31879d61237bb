/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events: pools of ours for commands that the program gives none, and the program's own, whose pools get kernel
 * timestamps where they may have them. The program does not see that: its description of the pool stays as it is.
 */
#include <errno.h>
#include <string.h>

#include "ze.h"

#define POOL_EVENTS 256u

typedef uint32_t create_pool_call(zed_handle, const struct zed_pool_desc *, uint32_t, const zed_handle *, zed_handle *);
typedef uint32_t create_event_call(zed_handle, const struct zed_event_desc *, zed_handle *);
typedef uint32_t create_counter_call(zed_handle, zed_handle, const struct zed_counter_desc *, zed_handle *);
typedef uint32_t get_flags_call(zed_handle, uint32_t *);
typedef uint32_t handle_call(zed_handle);

/* ---- events of ours ------------------------------------------------------------------------------ */

struct own_pool {
	struct own_pool *next;
	zed_handle handle;
	uint32_t made;
	struct zed_own event[POOL_EVENTS];
};
/* Of a context; never freed, taken by the next one. */
struct zed_owner {
	struct zed_owner *next;
	zed_handle context; /* 0: free */
	uint32_t lock;
	struct own_pool *pools;
	struct zed_own *unused;
};
static struct zed_owner *owners;
static struct own_pool *spare_pools;
static uint32_t owners_lock; /* of both */

static struct zed_owner *owner_of(zed_handle context, bool create)
{
	struct zed_owner *owner, *unused = NULL;

	rec_lock(&owners_lock);
	for (owner = owners; owner && owner->context != context; owner = owner->next)
		if (!owner->context)
			unused = owner;
	if (!owner && create) {
		owner = unused;
		if (!owner) {
			owner = rec_keep(NULL, sizeof(*owner));
			if (owner) {
				owner->next = owners;
				owners = owner;
			}
		}
		if (owner)
			owner->context = context;
	}
	rec_unlock(&owners_lock);
	return owner;
}

static struct own_pool *pool_memory(void)
{
	struct own_pool *pool;

	rec_lock(&owners_lock);
	pool = spare_pools;
	if (pool)
		spare_pools = pool->next;
	rec_unlock(&owners_lock);
	return pool ? pool : rec_keep(NULL, sizeof(*pool));
}

static void give_pool_memory(struct own_pool *pool)
{
	rec_lock(&owners_lock);
	pool->next = spare_pools;
	spare_pools = pool;
	rec_unlock(&owners_lock);
}

/* The owner is locked, inside a guard. */
static struct own_pool *add_pool(struct zed_owner *owner)
{
	create_pool_call *create = (create_pool_call *)ZED_REAL(zeEventPoolCreate);
	const struct zed_pool_desc desc = { ZED_STYPE_EVENT_POOL, NULL, ZED_POOL_HOST_VISIBLE | ZED_POOL_TIMESTAMP,
					    POOL_EVENTS };
	struct own_pool *pool = create ? pool_memory() : NULL;

	if (!pool)
		return NULL;
	pool->handle = 0;
	pool->made = 0;
	if (create(owner->context, &desc, 0, NULL, &pool->handle) != ZED_SUCCESS || !pool->handle) {
		give_pool_memory(pool);
		return NULL;
	}
	pool->next = owner->pools;
	owner->pools = pool;
	return pool;
}

/* Likewise. Without a scope: the event is visible to the host because its pool is, and no caches are flushed for it. */
static struct zed_own *make_event(struct zed_owner *owner)
{
	create_event_call *create = (create_event_call *)ZED_REAL(zeEventCreate);
	struct own_pool *pool = owner->pools;
	struct zed_event_desc desc = { .stype = ZED_STYPE_EVENT };
	struct zed_own *own;

	if (!pool || pool->made == POOL_EVENTS)
		pool = add_pool(owner);
	if (!pool || !create)
		return NULL;
	desc.index = pool->made;
	own = &pool->event[pool->made];
	*own = (struct zed_own){ .owner = owner };
	if (create(pool->handle, &desc, &own->event) != ZED_SUCCESS || !own->event)
		return NULL;
	pool->made++;
	return own;
}

struct zed_own *zed_own_take(zed_handle context)
{
	struct zed_owner *owner = owner_of(context, true);
	struct zed_own *own;
	uint32_t token;

	if (!owner)
		return NULL;
	token = rec_guard_enter();
	rec_lock(&owner->lock);
	own = owner->unused;
	if (own)
		owner->unused = own->next;
	else
		own = make_event(owner);
	rec_unlock(&owner->lock);
	rec_guard_leave(token);
	return own;
}

void zed_own_give(struct zed_own *own)
{
	if (!own->event)
		return;
	rec_lock(&own->owner->lock);
	own->next = own->owner->unused;
	own->owner->unused = own;
	rec_unlock(&own->owner->lock);
}

static void destroy_pool(struct own_pool *pool)
{
	handle_call *destroy_event = (handle_call *)ZED_REAL(zeEventDestroy);
	handle_call *destroy = (handle_call *)ZED_REAL(zeEventPoolDestroy);

	for (uint32_t i = 0; i < pool->made; i++) {
		if (destroy_event)
			destroy_event(pool->event[i].event);
		pool->event[i].event = 0;
	}
	if (destroy)
		destroy(pool->handle);
}

/* What is made in a context goes before it. */
void zed_context_destroy_enter(const struct zed_call *view)
{
	zed_handle context = zed_arg(view, ZE_ARG_OBJECT);
	struct zed_owner *owner = context ? owner_of(context, false) : NULL;
	uint32_t token;

	if (!owner)
		return;
	zed_streams_drop(context);
	token = rec_guard_enter();
	rec_lock(&owner->lock);
	while (owner->pools) {
		struct own_pool *pool = owner->pools;

		owner->pools = pool->next;
		destroy_pool(pool);
		give_pool_memory(pool);
	}
	owner->unused = NULL;
	rec_unlock(&owner->lock);
	rec_guard_leave(token);
	__atomic_store_n(&owner->context, 0, __ATOMIC_RELEASE);
}

/* ---- events of the program's ------------------------------------------------------------------------ */

/* As the program has asked for them; timed: they have times, and more flags than that. */
struct asked {
	uint32_t flags, timed;
};
static struct rec_map pools = REC_MAP(struct asked);
static struct rec_map events = REC_MAP(struct asked);

/* In place of zeEventPoolCreate: with times first, as the program has asked for where that is refused. */
static uint32_t create_timed(zed_handle context, const struct zed_pool_desc *desc, uint32_t devices,
			     const zed_handle *device, zed_handle *out)
{
	create_pool_call *create = (create_pool_call *)ZED_REAL(zeEventPoolCreate);
	struct asked asked = { .flags = desc->flags, .timed = 1 };
	struct zed_pool_desc timed = *desc;
	uint32_t token = rec_guard_enter(), result;

	timed.flags |= ZED_POOL_HOST_VISIBLE | ZED_POOL_TIMESTAMP;
	result = create(context, &timed, devices, device, out);
	if (result != ZED_SUCCESS && timed.flags != desc->flags) {
		asked.timed = 0;
		result = create(context, desc, devices, device, out);
	}
	if (result == ZED_SUCCESS && *out)
		rec_map_put(&pools, *out, &asked);
	rec_guard_leave(token);
	return result;
}

/* rec_call.user of calls that the loader's layer tells of, whose description was changed: what it was, 0: it was not */
enum { USER_CHANGED, USER_ASKED };

static void change_desc(const struct zed_call *view, uint32_t flags)
{
	view->call->user[USER_CHANGED] = 1;
	view->call->user[USER_ASKED] = flags;
	view->args[view->role->arg[ZE_ARG_DESC]] = (rec_word)zed_layer_desc(view);
}

static void note_changed(const struct zed_call *view, struct rec_map *map)
{
	struct asked asked = { .flags = (uint32_t)view->call->user[USER_ASKED], .timed = 1 };
	zed_handle made = zed_made(view);

	if (zed_is_told(view) && view->call->user[USER_CHANGED] && made)
		rec_map_put(map, made, &asked);
}

/* The layer calls the function once, with what it is to be called with: whether that is refused is tried before. */
static void change_pool(const struct zed_call *view, const struct zed_pool_desc *desc)
{
	struct zed_pool_desc *timed = &zed_layer_desc(view)->pool;
	create_pool_call *create = (create_pool_call *)ZED_REAL(zeEventPoolCreate);
	handle_call *destroy = (handle_call *)ZED_REAL(zeEventPoolDestroy);
	uint32_t token = rec_guard_enter(), result;
	zed_handle made = 0;

	*timed = *desc;
	timed->flags |= ZED_POOL_HOST_VISIBLE | ZED_POOL_TIMESTAMP;
	result = create && destroy ? create(view->args[0], timed, (uint32_t)view->args[2],
					    (const zed_handle *)view->args[3], &made) : ZED_NOT_READY;
	if (result == ZED_SUCCESS && made)
		destroy(made);
	rec_guard_leave(token);
	if (result == ZED_SUCCESS)
		change_desc(view, desc->flags);
}

/* Pools that are shared with other processes may not have times. */
void zed_pool_enter(const struct zed_call *view)
{
	view->call->user[USER_CHANGED] = 0;
	const struct zed_pool_desc *desc = (const struct zed_pool_desc *)zed_arg(view, ZE_ARG_DESC);

	if (zed_is_followed(view->call) && zed_arg(view, ZE_ARG_MADE) && rec_readable(desc, sizeof(*desc)) &&
	    !(desc->flags & ZED_POOL_IPC)) {
		if (zed_is_told(view))
			change_pool(view, desc);
		else
			view->call->real = (void *)create_timed;
	}
}

void zed_pool_leave(const struct zed_call *view)
{
	note_changed(view, &pools);
}

static uint32_t asked_flags(struct rec_map *map, get_flags_call *get, zed_handle handle, uint32_t *flags)
{
	uint32_t token = rec_guard_enter(), result = get(handle, flags);
	struct asked asked;

	if (result == ZED_SUCCESS && rec_map_get(map, handle, &asked) && asked.timed)
		*flags = asked.flags;
	rec_guard_leave(token);
	return result;
}

/* In place of zeEventPoolGetFlags and zeEventGetCounterBasedFlags. */
static uint32_t pool_flags(zed_handle pool, uint32_t *flags)
{
	return asked_flags(&pools, (get_flags_call *)ZED_REAL(zeEventPoolGetFlags), pool, flags);
}

static uint32_t counter_flags(zed_handle event, uint32_t *flags)
{
	return asked_flags(&events, (get_flags_call *)ZED_REAL(zeEventGetCounterBasedFlags), event, flags);
}

void zed_pool_flags_enter(const struct zed_call *view)
{
	if (!zed_is_told(view))
		view->call->real = (void *)pool_flags;
}

void zed_counter_flags_enter(const struct zed_call *view)
{
	if (!zed_is_told(view))
		view->call->real = (void *)counter_flags;
}

/* The layer's call has told what we made of it: the program is to see what it has asked for. */
static void restore_flags(const struct zed_call *view, struct rec_map *map)
{
	uint32_t *flags = (uint32_t *)view->args[1];
	struct asked asked;

	if (zed_is_told(view) && (uint32_t)view->call->result == ZED_SUCCESS && flags &&
	    rec_map_get(map, zed_arg(view, ZE_ARG_OBJECT), &asked) && asked.timed)
		*flags = asked.flags;
}

void zed_pool_flags_leave(const struct zed_call *view)
{
	restore_flags(view, &pools);
}

void zed_counter_flags_leave(const struct zed_call *view)
{
	restore_flags(view, &events);
}

void zed_pool_destroy_enter(const struct zed_call *view)
{
	rec_map_take(&pools, zed_arg(view, ZE_ARG_OBJECT), NULL);
}

void zed_event_leave(const struct zed_call *view)
{
	zed_handle event = zed_made(view);
	struct asked asked;

	if (event && rec_map_get(&pools, zed_arg(view, ZE_ARG_OBJECT), &asked) && asked.timed)
		rec_map_put(&events, event, &asked);
}

/* ---- events without a pool ------------------------------------------------------------------------- */

/* Those whose times are in the host's domain have no others. */
static bool may_be_timed(const struct zed_counter_desc *desc, const zed_handle *out)
{
	return desc && out && !(desc->flags & (ZED_COUNTER_IPC | ZED_COUNTER_HOST_TIMESTAMP));
}

static uint32_t create_by(create_counter_call *create, zed_handle context, zed_handle device,
			  const struct zed_counter_desc *desc, zed_handle *out)
{
	struct asked asked = { .flags = desc->flags, .timed = 1 };
	struct zed_counter_desc timed = *desc;
	uint32_t token = rec_guard_enter(), result;

	timed.flags |= ZED_COUNTER_HOST_VISIBLE | ZED_COUNTER_DEVICE_TIMESTAMP;
	result = create(context, device, &timed, out);
	if (result != ZED_SUCCESS && timed.flags != desc->flags) {
		asked.timed = 0;
		result = create(context, device, desc, out);
	}
	if (result == ZED_SUCCESS && *out && asked.timed)
		rec_map_put(&events, *out, &asked);
	rec_guard_leave(token);
	return result;
}

static uint32_t create_counter(zed_handle context, zed_handle device, const struct zed_counter_desc *desc,
			       zed_handle *out)
{
	return create_by((create_counter_call *)ZED_REAL(zeEventCounterBasedCreate), context, device, desc, out);
}

/* As change_pool(). */
static void change_counter(const struct zed_call *view, const struct zed_counter_desc *desc)
{
	struct zed_counter_desc *timed = &zed_layer_desc(view)->counter;
	create_counter_call *create = (create_counter_call *)ZED_REAL(zeEventCounterBasedCreate);
	handle_call *destroy = (handle_call *)ZED_REAL(zeEventDestroy);
	uint32_t token = rec_guard_enter(), result;
	zed_handle made = 0;

	*timed = *desc;
	timed->flags |= ZED_COUNTER_HOST_VISIBLE | ZED_COUNTER_DEVICE_TIMESTAMP;
	result = create && destroy ? create(view->args[0], view->args[1], timed, &made) : ZED_NOT_READY;
	if (result == ZED_SUCCESS && made)
		destroy(made);
	rec_guard_leave(token);
	if (result == ZED_SUCCESS)
		change_desc(view, desc->flags);
}

void zed_counter_enter(const struct zed_call *view)
{
	const struct zed_counter_desc *desc = (const struct zed_counter_desc *)zed_arg(view, ZE_ARG_DESC);

	view->call->user[USER_CHANGED] = 0;
	if (!zed_is_followed(view->call) || !may_be_timed(desc, (const zed_handle *)zed_arg(view, ZE_ARG_MADE)))
		return;
	if (zed_is_told(view))
		change_counter(view, desc);
	else
		view->call->real = (void *)create_counter;
}

void zed_counter_leave(const struct zed_call *view)
{
	note_changed(view, &events);
}

/*
 * Before the standard had such events Intel's drivers did, with the same structure and flags: SYCL asks for this
 * function by its name. The program gets one of ours, which is no call that counts.
 */
static create_counter_call *drivers_own;

static uint32_t create_drivers_own(zed_handle context, zed_handle device, const struct zed_counter_desc *desc,
				   zed_handle *out)
{
	create_counter_call *create = __atomic_load_n(&drivers_own, __ATOMIC_ACQUIRE);
	int saved = errno;
	uint32_t result;

	if (!(rec_on() || rec_is_paused()) || !may_be_timed(desc, out))
		return create(context, device, desc, out);
	result = create_by(create, context, device, desc, out);
	errno = saved;
	return result;
}

/* Of two drivers with such a function the first one's is ours. */
void zed_extension_leave(const struct zed_call *view)
{
	const char *name = (const char *)zed_arg(view, ZE_ARG_NAME);
	void **address = (void **)zed_arg(view, ZE_ARG_MADE);
	create_counter_call *expected = NULL, *real;

	if (!name || !address || (uint32_t)view->call->result != ZED_SUCCESS || !*address ||
	    strcmp(name, "zexCounterBasedEventCreate2") != 0)
		return;
	real = (create_counter_call *)*address;
	if (__atomic_compare_exchange_n(&drivers_own, &expected, real, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
	    expected == real)
		*address = (void *)create_drivers_own;
}

bool zed_event_is_timed(zed_handle event)
{
	struct asked asked;

	return rec_map_get(&events, event, &asked);
}

/* ---- their use --------------------------------------------------------------------------------------- */

/* The times in it are gone afterwards. */
void zed_event_reset_enter(const struct zed_call *view)
{
	zed_pending_settle_event(zed_arg(view, ZE_ARG_OBJECT));
}

void zed_event_destroy_enter(const struct zed_call *view)
{
	zed_handle event = zed_arg(view, ZE_ARG_OBJECT);

	zed_pending_settle_event(event);
	zed_pending_forget_event(event);
	rec_map_take(&events, event, NULL);
}

void zed_event_wait_leave(const struct zed_call *view)
{
	if (view->call->slot && (uint32_t)view->call->result == ZED_SUCCESS)
		zed_pending_seen(zed_arg(view, ZE_ARG_OBJECT));
}

void zed_events_reset(void)
{
	owners = NULL;
	spare_pools = NULL;
	owners_lock = 0;
	pools = (struct rec_map)REC_MAP(struct asked);
	events = (struct rec_map)REC_MAP(struct asked);
}
