/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What backends keep, and how they wait: clocks, tables, blocks and ranges of memory, places, locks, the end. No
 * allocator is used, since the program may be inside its own; what is said of forks in rec.h holds here.
 */
#ifndef SONDE_RECORD_REC_TOOLS_H
#define SONDE_RECORD_REC_TOOLS_H

#include "record/rec.h"

/* A runtime's clock that can be read. hz: ticks in a second, 0: a thousand million. raw: give or take error. */
struct rec_foreign_clock {
	uint64_t hz;
	struct rec_foreign_reading { uint64_t theirs, raw, error; } first, newest;
	uint32_t lock, reserved;
};
/* Unless it was read so short a time ago. ask() answers false where there is no clock any more, and so does this. */
REC_EXPORT bool rec_foreign_read(struct rec_foreign_clock *clock, bool (*ask)(uint64_t *theirs_out), uint64_t age_ns);
/*
 * When a device did something: begin and end by the clock become those of the span, with the bound of their error.
 * handed_ns: when it was handed to the device, CLOCK_MONOTONIC_RAW; 0: not known. False: such times cannot be right.
 */
REC_EXPORT bool rec_foreign_span(struct rec_foreign_clock *clock, uint64_t begin, uint64_t end, uint64_t handed_ns,
				 struct rec_span *span);

/*
 * Table word -> struct of `item_bytes`, for handles: open addressing in anonymous pages, spin-locked. Empty again in a
 * forked child only if the backend clears it. No item moves while the lock is held.
 */
struct rec_map {
	uint32_t lock, item_bytes;
	uint64_t used, capacity;
	void *cells;
};
#define REC_MAP(type) { .item_bytes = sizeof(type) }
/* NULL: absent or no memory (then unlocked) */
REC_EXPORT void *rec_map_lock(struct rec_map *map, rec_word key, bool create);
REC_EXPORT void rec_map_unlock(struct rec_map *map);
REC_EXPORT bool rec_map_take(struct rec_map *map, rec_word key, void *item_out); /* removes; item_out may be NULL */
REC_EXPORT bool rec_map_get(struct rec_map *map, rec_word key, void *item_out);  /* copies */
REC_EXPORT bool rec_map_put(struct rec_map *map, rec_word key, const void *item); /* inserts or replaces */

/* A block of memory that the runtime gave out. device UINT32_MAX: host memory. */
struct rec_block {
	uint64_t bytes;
	uint32_t device, memory; /* rec_device(), enum sonde_memory_kind */
};
/*
 * For leave hooks of calls that make a block, and both hooks of those that free one, which take call->user[0] to [3]:
 * REC_MAP(struct rec_block) by address or handle, memory in use, and bytes of the call that made it. 0: no block.
 */
REC_EXPORT void rec_block_made(struct rec_backend *backend, const struct rec_call *call, struct rec_map *blocks,
			       rec_word key, const struct rec_block *block);
REC_EXPORT void rec_block_freeing(struct rec_call *call, struct rec_map *blocks, rec_word key);
REC_EXPORT void rec_block_freed(struct rec_backend *backend, const struct rec_call *call, struct rec_map *blocks,
				rec_word key);

/*
 * May this thread ask the runtime, at the end? A program that aborts inside a call, or on a thread of the runtime, may
 * hold the runtime's locks.
 */
REC_EXPORT bool rec_may_ask(void);
/*
 * For flush hooks. left() collects what it can and says how much is to come; it is asked as long as that gets less, or
 * 0.2 s long. What is left then.
 */
REC_EXPORT uint64_t rec_flush_wait(uint64_t deadline_raw_ns, uint64_t (*left)(void));
/* Calls run(), which may hang, on a thread of its own, and waits for it until the deadline. */
struct rec_flusher {
	void (*run)(void);
	uint32_t wanted, done;
	bool there;
};
REC_EXPORT void rec_flusher_start(struct rec_flusher *flusher); /* not in a signal handler */
REC_EXPORT void rec_flusher_run(struct rec_flusher *flusher, uint64_t deadline_raw_ns);

/* An address range; flags and device are as the backend has them. */
struct rec_extent {
	uint64_t base, bytes;
	uint64_t flags;
	void *device;
	uint32_t memory; /* enum sonde_memory_kind */
	uint32_t count;  /* how often it was added */
};
/* Ranges that do not overlap, found by any address in them. Zero: empty. */
struct rec_extents {
	uint32_t lock;
	uint32_t used, capacity;
	struct rec_extent *extent;
};
REC_EXPORT bool rec_extents_add(struct rec_extents *extents, const struct rec_extent *extent);
REC_EXPORT bool rec_extents_find(struct rec_extents *extents, uint64_t address, struct rec_extent *extent_out);
/* Takes one of exactly this base away. */
REC_EXPORT bool rec_extents_take(struct rec_extents *extents, uint64_t base, struct rec_extent *extent_out);
REC_EXPORT void rec_extents_clear(struct rec_extents *extents);
/* All of which gone() says so; it is called with the lock held. */
REC_EXPORT void rec_extents_drop(struct rec_extents *extents,
				 bool (*gone)(const struct rec_extent *extent, void *user), void *user);

/* Memory for the rest of the process, a copy of `bytes` or zeros; NULL: none. For handles, not for events. */
REC_EXPORT void *rec_keep(const void *bytes, size_t size);

/*
 * Places of one type that are used again and never given back: what a backend knows of work that is on its way. The
 * first word of a place is the pool's while it is free, the rest stays as it was left; a new place is zero.
 * REC_POOL(type, of that many at once; 0: no limit)
 */
struct rec_pool {
	void *unused;
	uint32_t item_bytes, most, made, lock;
};
#define REC_POOL(type, count) { .item_bytes = sizeof(type), .most = count }

REC_EXPORT void *rec_pool_take(struct rec_pool *pool); /* NULL: there are too many, or no memory */
REC_EXPORT void rec_pool_give(struct rec_pool *pool, void *place);
REC_EXPORT void rec_pool_forget(struct rec_pool *pool); /* in the child of a fork: all places that there are */

REC_EXPORT void rec_lock(uint32_t *lock);   /* spin, yields; a lock inherited through fork is taken over */
REC_EXPORT void rec_unlock(uint32_t *lock);
/* For a while: where the program ends out of a handler, another thread that holds the lock may never go on. */
REC_EXPORT bool rec_try_lock(uint32_t *lock);

#endif
