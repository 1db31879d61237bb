/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a portability layer tells tools what it does. A layer hides device APIs behind its own; a tool wants to see the
 * layer's operations, by the names that users know. This header is both sides, in C99 and in C++ from C++98 on.
 * Nothing has to be linked (but -ldl where dlopen is not in libc). More in docs/LAYER-INTERFACE.md. The rules:
 *
 * The layer finds the tools. At its first use it calls sonde_layer_attach(), which a tool that is preloaded or linked
 * defines, and the function of that name in each library of SONDE_LAYER_TOOLS (separated by colons). SONDE_LAYER=off
 * turns that off. Tools that come later are added by a function that the layer exports, NAME_add_tool().
 * Tools (callbacks)
 *  T1 call neither the layer nor what lies below it: all that is useful is in the structure.
 *  T2 return soon; do not wait for another thread of the program, throw, longjmp, fork or change errno. They run in the
 *     program's threads, several at once.
 *  T3 keep no pointer: a structure and what it points to are valid during the callback. But the name of a kernel lives
 *     until its DESTROY.
 *  T4 read a member only if `size` covers it: SONDE_LAYER_HAS(). Members are only ever added, at the end.
 *  T5 take values that they do not know for OTHER.
 * Layers
 *  L1 BEGIN and END come from one thread, nested, and END on every path: errors and exceptions, too (status < 0).
 *  L2 BEGIN and END enclose the call on the host. With ASYNC, END means started; without it, done.
 *  L3 COMPLETE gives an ASYNC operation's times on the device: from any thread, after END, at most once. Only where no
 *     tool can see the device by the API below, or as a help to it; of a launch with parts, for the parts alone.
 *  L4 No callback holds a lock that another thread's callback could need; none comes from a signal handler.
 *  L5 Without a tool an event costs a load and a branch: a structure is filled only where SONDE_LAYER_ON() says so.
 *  L6 Layers read no clock: a tool has one for all of them. Only COMPLETE carries times.
 *  L7 What an operation calls below, it calls in its own thread between BEGIN and END, where that can be: so tools know
 *     what belongs to it. Where it cannot, `parent` names the operation.
 *  L8 A layer that is built on a layer: both tell.
 *  L9 finalize() is the last that a tool hears.
 */
#ifndef SONDE_LAYER_H
#define SONDE_LAYER_H

#include <stddef.h>
#include <stdint.h>
#ifdef SONDE_LAYER_IMPLEMENT
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SONDE_LAYER_VERSION 1u /* grows only when old and new no longer understand each other */
/* May `member` of the structure at `at` be read? */
#define SONDE_LAYER_HAS(at, type, member) \
	((at)->size >= offsetof(struct type, member) + sizeof(((const struct type *)0)->member))

enum sonde_layer_phase {
	SONDE_LAYER_BEGIN = 0,
	SONDE_LAYER_END = 1,
	SONDE_LAYER_POINT = 2,   /* a moment: no END follows */
	SONDE_LAYER_COMPLETE = 3 /* L3; the structure is a struct sonde_layer_times */
};

/* What an operation is about, and which structure it has: bit numbers of masks. */
enum sonde_layer_event {
	SONDE_LAYER_DEVICE = 0, /* set up, released: struct sonde_layer_device */
	SONDE_LAYER_STREAM = 1, /* struct sonde_layer_op */
	SONDE_LAYER_MEMORY = 2, /* struct sonde_layer_memory */
	SONDE_LAYER_COPY = 3,   /* struct sonde_layer_copy */
	SONDE_LAYER_BUILD = 4,  /* of device code: struct sonde_layer_build */
	SONDE_LAYER_KERNEL = 5, /* what is known of one, once: POINT, struct sonde_layer_kernel */
	SONDE_LAYER_LAUNCH = 6, /* struct sonde_layer_launch */
	SONDE_LAYER_SYNC = 7,   /* waiting: struct sonde_layer_sync */
	SONDE_LAYER_REGION = 8, /* what the program names: struct sonde_layer_region */
	SONDE_LAYER_EVENTS = 9
};

enum sonde_layer_what {
	SONDE_LAYER_OTHER = 0,
	/* DEVICE, STREAM, KERNEL */
	SONDE_LAYER_CREATE = 1,
	SONDE_LAYER_DESTROY = 2,
	SONDE_LAYER_WRAP = 3, /* made of one of the API below; also of MEMORY, which then is not the layer's */
	SONDE_LAYER_SET_CURRENT = 4,
	/* MEMORY. POOL_*: inside of a block that was allocated before */
	SONDE_LAYER_ALLOCATE = 16,
	SONDE_LAYER_FREE = 17,
	SONDE_LAYER_POOL_RESERVE = 18,
	SONDE_LAYER_POOL_RELEASE = 19,
	/* COPY: where from, where to */
	SONDE_LAYER_H2D = 32,
	SONDE_LAYER_D2H = 33,
	SONDE_LAYER_D2D = 34,
	SONDE_LAYER_H2H = 35,
	SONDE_LAYER_P2P = 36,
	SONDE_LAYER_FILL = 37,
	/* BUILD: all of it, and nested in it its parts */
	SONDE_LAYER_BUILD_ALL = 48,
	SONDE_LAYER_PARSE = 49,
	SONDE_LAYER_COMPILE = 50,
	SONDE_LAYER_LOAD = 51,
	/* LAUNCH: which pattern */
	SONDE_LAYER_RUN = 64,
	SONDE_LAYER_FOR = 65,
	SONDE_LAYER_REDUCE = 66,
	SONDE_LAYER_SCAN = 67,
	/* SYNC: what for */
	SONDE_LAYER_WAIT_DEVICE = 80,
	SONDE_LAYER_WAIT_STREAM = 81,
	SONDE_LAYER_WAIT_EVENT = 82,
	SONDE_LAYER_RECORD_EVENT = 83, /* does not wait: something to wait for is put into a stream */
	/* REGION. A RANGE nests in its thread; a SECTION need not, and may end in another one; POINT: a mark */
	SONDE_LAYER_RANGE = 96,
	SONDE_LAYER_SECTION = 97
};

enum sonde_layer_flag {
	SONDE_LAYER_ASYNC = 1 << 0,     /* L2 */
	SONDE_LAYER_ON_HOST = 1 << 1,   /* the program's own threads do the work, or hold the memory */
	SONDE_LAYER_CACHE_HIT = 1 << 2, /* BUILD, known at END */
	SONDE_LAYER_INTERNAL = 1 << 3,  /* by the layer for itself */
	SONDE_LAYER_PART = 1 << 4,      /* LAUNCH: one of several of the launch around it: not to be added up */
	SONDE_LAYER_PINNED = 1 << 5,    /* MEMORY of the host that devices reach */
	SONDE_LAYER_MANAGED = 1 << 6,   /* MEMORY that moves */
	SONDE_LAYER_LEFT = 1 << 7,      /* at END, late: an exception left it, some time ago */
	SONDE_LAYER_LOST = 1 << 8       /* POINT, in place of BEGIN and END: the layer has no room to follow it */
};

enum sonde_layer_api { /* what lies below a device */
	SONDE_LAYER_API_OTHER = 0,
	SONDE_LAYER_API_SERIAL = 1,
	SONDE_LAYER_API_THREADS = 2,
	SONDE_LAYER_API_OPENMP = 3,
	SONDE_LAYER_API_OPENMP_TARGET = 4,
	SONDE_LAYER_API_CUDA = 5,
	SONDE_LAYER_API_HIP = 6,
	SONDE_LAYER_API_OPENCL = 7,
	SONDE_LAYER_API_LEVEL_ZERO = 8,
	SONDE_LAYER_API_SYCL = 9,
	SONDE_LAYER_API_METAL = 10
};

enum sonde_layer_clock {
	SONDE_LAYER_MONOTONIC = 0, /* CLOCK_MONOTONIC, and so on */
	SONDE_LAYER_REALTIME = 1,
	SONDE_LAYER_MONOTONIC_RAW = 2,
	SONDE_LAYER_DEVICE_CLOCK = 3 /* of unknown origin: the difference alone means something */
};

/*
 * What every operation has, first. Objects (device, stream, kernel) are numbers that the layer chooses, unique among
 * living ones; 0: none. name: of the kernel for LAUNCH, BUILD and KERNEL (never NULL); of the range for REGION; else
 * of the layer's function ("copyFrom", "finish"), or NULL: the tool then says what it is. Any bytes, any length. At END
 * all is as at BEGIN, or known by then; the name may be NULL where no COMPLETE follows.
 */
struct sonde_layer_op {
	uint32_t size;  /* of the structure that this one begins */
	uint16_t what;  /* enum sonde_layer_what */
	uint16_t flags; /* enum sonde_layer_flag */
	uint64_t id;     /* not 0, unique in the layer and process */
	uint64_t parent; /* operation around it, where that is in another thread (L7), or 0 */
	const char *name;
	uint64_t device, stream;
	void *native_stream;   /* CUstream, hipStream_t, cl_command_queue, or NULL */
	int64_t status;        /* at END: 0, or a negative error */
	const void *call_site; /* return address into the program, or NULL */
	const void *frame;     /* the stack from here up outlives the operation; or NULL */
};

struct sonde_layer_device {
	struct sonde_layer_op op; /* op.device: this one; name: the layer's mode */
	uint32_t api;             /* enum sonde_layer_api */
	uint32_t ordinal;         /* of the API's device */
	void *native_device, *native_context;
	const char *properties; /* as the layer has them, or NULL */
};

struct sonde_layer_memory {
	struct sonde_layer_op op;
	uint64_t bytes;
	const void *address;   /* what FREE is told of, too; of an allocation: known at END. Opaque */
	const void *pool;      /* address of the block that it lies in, or NULL */
	uint64_t in_use;       /* by the layer's own count, after; or 0 */
	const char *label;     /* the user's name of it, or NULL */
	const char *space;     /* "HostPinned", or NULL */
};

struct sonde_layer_copy {
	struct sonde_layer_op op;
	uint64_t bytes;
	const void *to, *from;
	uint64_t from_device; /* P2P */
	const char *to_label, *from_label;
};

struct sonde_layer_kernel {
	struct sonde_layer_op op;
	uint64_t kernel;  /* what LAUNCH and BUILD refer to */
	const char *file; /* of the program, or NULL */
	uint32_t line;
	uint32_t parts; /* kernels of the device that it consists of */
	const char *const *part_names; /* as the API below knows them, or NULL */
	const char *hash; /* the layer's key of it, or NULL */
};

struct sonde_layer_build {
	struct sonde_layer_op op;
	uint64_t kernel;  /* at END; 0: failed */
	const char *file; /* source, or NULL */
	uint32_t line;
	uint32_t processes; /* that were started for it, at END */
	const char *hash;   /* may be known only at END */
	const char *binary; /* in the cache, at END */
};

struct sonde_layer_launch {
	struct sonde_layer_op op;
	uint64_t kernel; /* or 0 */
	uint64_t grid[3], block[3]; /* 0: not known at BEGIN */
	uint64_t shared_bytes;
	uint32_t arguments, reserved;
};

struct sonde_layer_sync {
	struct sonde_layer_op op;
	uint64_t event;
};

struct sonde_layer_region {
	struct sonde_layer_op op;
	uint64_t payload;
	uint32_t color, reserved;
};

/* With COMPLETE, in place of the above. */
struct sonde_layer_times {
	uint32_t size;
	uint16_t what, flags;
	uint64_t id; /* of the operation */
	uint64_t begin_ns, end_ns;
	uint64_t error_ns; /* how far off they may be, where the layer converted them */
	uint32_t clock;    /* enum sonde_layer_clock */
	uint32_t reserved;
	uint64_t device, stream;
};

/* A word for the tool, for each operation: the tool writes it at BEGIN, or at END for COMPLETE, and finds it again. */
union sonde_layer_word {
	uint64_t value;
	void *pointer;
};

struct sonde_layer_tool;

/* The layer, to the tool; lives as long as the layer is loaded. */
struct sonde_layer {
	uint32_t size;
	uint32_t version;    /* SONDE_LAYER_VERSION of the layer */
	const char *name;    /* "occa", "kokkos": letters, digits, '_' */
	const char *release; /* "2.0.0", or NULL */
	uint64_t events;     /* bit e: enum sonde_layer_event e is told */
	uint64_t complete;   /* likewise: whose ASYNC operations get their COMPLETE */
	int (*add)(const struct sonde_layer_tool *tool);     /* another tool; 0: added */
	void (*remove)(const struct sonde_layer_tool *tool); /* callbacks that run may end after it */
};

/* The tool, to the layer; never moves, and stays also when it was removed. */
struct sonde_layer_tool {
	uint32_t size;
	uint32_t version;
	const char *name;
	void *data;      /* handed to the functions */
	uint64_t events; /* bit e: wants to hear of enum sonde_layer_event e */
	void (*callback)(uint32_t event, uint32_t phase, const struct sonde_layer_op *op, union sonde_layer_word *word,
			 void *data);
	void (*finalize)(const struct sonde_layer *layer, void *data); /* or NULL; L9 */
};

typedef const struct sonde_layer_tool *(*sonde_layer_attach_function)(const struct sonde_layer *layer);

/* The tool's one symbol. NULL: not interested. May be called again for a layer: the answer is the same. */
#pragma GCC visibility push(default)
extern const struct sonde_layer_tool *sonde_layer_attach(const struct sonde_layer *layer) __attribute__((weak));
#pragma GCC visibility pop

/* ---- the layer's side -------------------------------------------------------------------------------------
 *
 *	#define SONDE_LAYER_PREFIX occa		in each file, so that two layers of a process share nothing
 *	#define SONDE_LAYER_IMPLEMENT		in one file
 *	#include <sonde/sonde_layer.h>
 *
 *	sonde_layer_start(&layer);		at the first use
 *
 *	struct sonde_layer_launch info;
 *	struct sonde_layer_span span;
 *
 *	span.tools = 0;
 *	if (SONDE_LAYER_ON(SONDE_LAYER_LAUNCH)) {
 *		sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_RUN, kernel_name);
 *		sonde_layer_begin(SONDE_LAYER_LAUNCH, &info.op, &span);
 *	}
 *	... the work ...
 *	if (span.tools)
 *		sonde_layer_end(SONDE_LAYER_LAUNCH, &info.op, &span, status);
 *
 * In C++, sonde_layer_scope ends the operation also when an exception leaves it.
 */
#if defined(SONDE_LAYER_PREFIX)
#define SONDE_LAYER_JOIN2(a, b) a##_##b
#define SONDE_LAYER_JOIN(a, b) SONDE_LAYER_JOIN2(a, b)
#define sonde_layer_mask SONDE_LAYER_JOIN(SONDE_LAYER_PREFIX, sonde_layer_mask)
#define sonde_layer_next SONDE_LAYER_JOIN(SONDE_LAYER_PREFIX, sonde_layer_next)
#define sonde_layer_start SONDE_LAYER_JOIN(SONDE_LAYER_PREFIX, sonde_layer_start)
#define sonde_layer_add SONDE_LAYER_JOIN(SONDE_LAYER_PREFIX, sonde_layer_add)
#define sonde_layer_remove SONDE_LAYER_JOIN(SONDE_LAYER_PREFIX, sonde_layer_remove)
#define sonde_layer_open SONDE_LAYER_JOIN(SONDE_LAYER_PREFIX, sonde_layer_open)
#define sonde_layer_end SONDE_LAYER_JOIN(SONDE_LAYER_PREFIX, sonde_layer_end)
#define sonde_layer_point SONDE_LAYER_JOIN(SONDE_LAYER_PREFIX, sonde_layer_point)
#define sonde_layer_complete SONDE_LAYER_JOIN(SONDE_LAYER_PREFIX, sonde_layer_complete)
#define SONDE_LAYER_TOOLS_MAX 4 /* in a layer's life; one that is added again keeps its place */

/* An operation between BEGIN and END, and up to its COMPLETE. May be copied and kept for the latter. */
struct sonde_layer_span {
	uint32_t tools; /* bit t: tool t has heard of its BEGIN; 0: nobody has. The rest is unset before BEGIN */
	uint32_t reserved;
	uint64_t id;
	union sonde_layer_word word[SONDE_LAYER_TOOLS_MAX];
};

#pragma GCC visibility push(hidden)
extern uint64_t sonde_layer_mask; /* of all tools */
uint64_t sonde_layer_next(void);
/* Looks for tools. layer: static; its `add` and `remove` are filled in. Cheap when it was called before. */
void sonde_layer_start(struct sonde_layer *layer);
int sonde_layer_add(const struct sonde_layer_tool *tool);
void sonde_layer_remove(const struct sonde_layer_tool *tool);
/* The span may lie anywhere. Gives the operation its id, unless it has one. */
void sonde_layer_open(uint32_t event, struct sonde_layer_op *op, struct sonde_layer_span *span);
/* To those who have heard of its beginning. */
void sonde_layer_end(uint32_t event, struct sonde_layer_op *op, struct sonde_layer_span *span, int64_t status);
void sonde_layer_point(uint32_t event, struct sonde_layer_op *op);
/* `times` but for size and id, which are the span's. */
void sonde_layer_complete(uint32_t event, struct sonde_layer_times *times, struct sonde_layer_span *span);
#pragma GCC visibility pop

/* Does anybody want to hear of it? The only thing that is paid without a tool. */
#define SONDE_LAYER_ON(event) \
	(__builtin_expect((int)(__atomic_load_n(&sonde_layer_mask, __ATOMIC_RELAXED) >> (event)) & 1, 0))

static inline void sonde_layer_fill(void *info, size_t size, uint16_t what, const char *name)
{
	struct sonde_layer_op *op = (struct sonde_layer_op *)info;

	op->size = (uint32_t)size; /* one by one: to clear more than a few words at once takes longer */
	op->what = what;
	op->flags = 0;
	op->id = op->parent = op->device = op->stream = 0;
	op->name = name;
	op->native_stream = 0;
	op->status = 0;
	op->call_site = op->frame = 0;
	__builtin_memset((char *)info + sizeof(*op), 0, size - sizeof(*op));
}

/*
 * The span is an automatic variable of the function that does the operation: what lies below it on the stack is gone
 * when a longjmp leaves that function, and tools then know that the operation is over. Else: sonde_layer_open().
 */
static inline void sonde_layer_begin(uint32_t event, struct sonde_layer_op *op, struct sonde_layer_span *span)
{
	op->frame = span + 1;
	sonde_layer_open(event, op, span);
}

#endif /* SONDE_LAYER_PREFIX */
#if defined(SONDE_LAYER_PREFIX) && defined(SONDE_LAYER_IMPLEMENT)
uint64_t sonde_layer_mask;
static const struct sonde_layer_tool *sonde_layer_tools_[SONDE_LAYER_TOOLS_MAX]; /* one that is there stays */
#define sonde_layer_tool_(t) __atomic_load_n(&sonde_layer_tools_[t], __ATOMIC_RELAXED)
static uint32_t sonde_layer_live_; /* bit t: tool t was not removed */
static struct sonde_layer *sonde_layer_self_;
static int sonde_layer_ends_; /* 1: finalize() will be called; 2: it was */

uint64_t sonde_layer_next(void) /* in blocks, so that threads share nothing */
{
	static uint64_t blocks;
	static __thread uint64_t next, end;

	if (__builtin_expect(next == end, 0)) {
		next = __atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED) << 16;
		end = next + 65536;
	}
	return next++;
}

void sonde_layer_open(uint32_t event, struct sonde_layer_op *op, struct sonde_layer_span *span)
{
	uint32_t live = __atomic_load_n(&sonde_layer_live_, __ATOMIC_ACQUIRE), told = 0, t;

	if (!op->id)
		op->id = sonde_layer_next();
	span->id = op->id;
	for (t = 0; live >> t; t++) {
		const struct sonde_layer_tool *tool = sonde_layer_tool_(t);

		if (!(live >> t & 1) || !(tool->events >> event & 1))
			continue;
		told |= (uint32_t)1 << t;
		span->word[t].value = 0;
		tool->callback(event, SONDE_LAYER_BEGIN, op, &span->word[t], tool->data);
	}
	span->tools = told;
}

static void sonde_layer_rest_(uint32_t event, uint32_t phase, const struct sonde_layer_op *op,
			      struct sonde_layer_span *span)
{
	uint32_t told = span->tools & __atomic_load_n(&sonde_layer_live_, __ATOMIC_ACQUIRE), t;

	for (t = 0; told >> t; t++)
		if (told >> t & 1)
			sonde_layer_tool_(t)->callback(event, phase, op, &span->word[t], sonde_layer_tool_(t)->data);
}

void sonde_layer_end(uint32_t event, struct sonde_layer_op *op, struct sonde_layer_span *span, int64_t status)
{
	op->status = status;
	sonde_layer_rest_(event, SONDE_LAYER_END, op, span);
}

void sonde_layer_point(uint32_t event, struct sonde_layer_op *op)
{
	uint32_t live = __atomic_load_n(&sonde_layer_live_, __ATOMIC_ACQUIRE), t;
	union sonde_layer_word none;

	if (!op->id)
		op->id = sonde_layer_next();
	for (t = 0; live >> t; t++) {
		const struct sonde_layer_tool *tool = sonde_layer_tool_(t);

		none.value = 0;
		if (live >> t & 1 && tool->events >> event & 1)
			tool->callback(event, SONDE_LAYER_POINT, op, &none, tool->data);
	}
}

void sonde_layer_complete(uint32_t event, struct sonde_layer_times *times, struct sonde_layer_span *span)
{
	times->size = sizeof(*times);
	times->id = span->id;
	sonde_layer_rest_(event, SONDE_LAYER_COMPLETE, (const struct sonde_layer_op *)times, span);
	span->tools = 0; /* once */
}

static uint64_t sonde_layer_union_(void)
{
	uint32_t live = __atomic_load_n(&sonde_layer_live_, __ATOMIC_ACQUIRE), t;
	uint64_t events = 0;

	for (t = 0; live >> t; t++)
		if (live >> t & 1)
			events |= sonde_layer_tool_(t)->events;
	return events;
}

static void sonde_layer_finish_(void) /* at exit, or when the layer is unloaded */
{
	uint32_t live = __atomic_exchange_n(&sonde_layer_live_, 0, __ATOMIC_ACQ_REL), t;

	__atomic_store_n(&sonde_layer_ends_, 2, __ATOMIC_RELEASE);
	__atomic_store_n(&sonde_layer_mask, 0, __ATOMIC_RELEASE);
	for (t = 0; live >> t; t++) {
		const struct sonde_layer_tool *tool = sonde_layer_tool_(t);

		if (live >> t & 1 && SONDE_LAYER_HAS(tool, sonde_layer_tool, finalize) && tool->finalize)
			tool->finalize(sonde_layer_self_, tool->data);
	}
}

int sonde_layer_add(const struct sonde_layer_tool *tool)
{
	uint32_t t;
	int none = 0;

	if (!tool || !SONDE_LAYER_HAS(tool, sonde_layer_tool, callback) || tool->version != SONDE_LAYER_VERSION ||
	    !tool->callback || __atomic_load_n(&sonde_layer_ends_, __ATOMIC_ACQUIRE) == 2)
		return -1;
	if (__atomic_compare_exchange_n(&sonde_layer_ends_, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		atexit(sonde_layer_finish_);
	for (t = 0; t < SONDE_LAYER_TOOLS_MAX; t++) {
		const struct sonde_layer_tool *here = 0;

		if (!__atomic_compare_exchange_n(&sonde_layer_tools_[t], &here, tool, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE) && here != tool)
			continue;
		__atomic_fetch_or(&sonde_layer_live_, (uint32_t)1 << t, __ATOMIC_ACQ_REL);
		__atomic_fetch_or(&sonde_layer_mask, tool->events, __ATOMIC_ACQ_REL);
		return 0;
	}
	return -1;
}

void sonde_layer_remove(const struct sonde_layer_tool *tool)
{
	uint64_t known;
	uint32_t t;

	for (t = 0; t < SONDE_LAYER_TOOLS_MAX; t++)
		if (tool && sonde_layer_tool_(t) == tool)
			__atomic_fetch_and(&sonde_layer_live_, ~((uint32_t)1 << t), __ATOMIC_ACQ_REL);
	known = __atomic_load_n(&sonde_layer_mask, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&sonde_layer_mask, &known, sonde_layer_union_(), 0, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE))
		;
	__atomic_fetch_or(&sonde_layer_mask, sonde_layer_union_(), __ATOMIC_ACQ_REL); /* of one that came meanwhile */
}

/* The tool of a library that the user has named; one that is not interested is let go. */
static void sonde_layer_try_(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *symbol = handle ? dlsym(handle, "sonde_layer_attach") : 0;
	sonde_layer_attach_function attach;

	memcpy(&attach, &symbol, sizeof(attach)); /* ISO C has no such cast */
	if (handle && (!symbol || attach == sonde_layer_attach || sonde_layer_add(attach(sonde_layer_self_)) != 0))
		dlclose(handle);
}

static void sonde_layer_search_(struct sonde_layer *layer)
{
	const char *off = getenv("SONDE_LAYER"), *list = getenv("SONDE_LAYER_TOOLS");
	char path[4096];

	layer->add = sonde_layer_add;
	layer->remove = sonde_layer_remove;
	sonde_layer_self_ = layer;
	if (off && !strcmp(off, "off"))
		return;
	if (sonde_layer_attach)
		sonde_layer_add(sonde_layer_attach(layer));
	while (list && *list) {
		size_t length = strcspn(list, ":");

		if (length && length < sizeof(path)) {
			memcpy(path, list, length);
			path[length] = 0;
			sonde_layer_try_(path);
		}
		list += length + (list[length] == ':');
	}
}

void sonde_layer_start(struct sonde_layer *layer)
{
	static int state; /* 0: nobody was here, -1: done, else the process of the thread that searches */
	static __thread int searching;
	int known = __atomic_load_n(&state, __ATOMIC_ACQUIRE), self;

	if (__builtin_expect(known == -1, 1) || searching)
		return;
	self = (int)getpid();
	while (known != -1) {
		if (known == self) { /* in the child of a fork it would never end */
			sched_yield();
			known = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
		} else if (__atomic_compare_exchange_n(&state, &known, self, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			searching = 1;
			sonde_layer_search_(layer);
			searching = 0;
			known = -1;
			__atomic_store_n(&state, known, __ATOMIC_RELEASE);
		}
	}
}

#endif /* SONDE_LAYER_IMPLEMENT */

#ifdef __cplusplus
}
#if defined(SONDE_LAYER_PREFIX)
#define sonde_layer_scope SONDE_LAYER_JOIN(SONDE_LAYER_PREFIX, sonde_layer_scope)
/* An automatic variable behind the structure: ends the operation, as failed unless it was done(). */
class sonde_layer_scope
{
public:
	explicit sonde_layer_scope(uint32_t event) : event_(event), status_(-1), op_(0) { span.tools = 0; }
	~sonde_layer_scope() { if (span.tools) sonde_layer_end(event_, op_, &span, status_); }
	void begin(struct sonde_layer_op *op) { op_ = op, sonde_layer_begin(event_, op, &span); }
	void done(int64_t status = 0) { status_ = status; }

private:
	sonde_layer_scope(const sonde_layer_scope &);
	sonde_layer_scope &operator=(const sonde_layer_scope &);
	uint32_t event_;
	int64_t status_;
	struct sonde_layer_op *op_;

public:
	struct sonde_layer_span span; /* for sonde_layer_complete(); the last: all of it lies below its end */
};
#endif
#endif
#endif
