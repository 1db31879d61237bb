/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What sonde uses of CUPTI, NVIDIA's interface for tools, declared here because the build has no headers of
 * NVIDIA's. The same in CUDA 12 and 13; tests/layout.c compares with the real headers where they are.
 *
 *	cupti.c          finds and starts it, hands it over to another tool of the program
 *	cuda_calls.c     calls that it reports
 *	cuda_records.c   what devices did
 *	cuda_blocking.c  copies that the program waits for
 *	cuda_device.c    devices and streams
 *	cuda_build.c     code that is compiled while the program runs
 */
#ifndef SONDE_CUDA_CUPTI_H
#define SONDE_CUDA_CUPTI_H

#include "cuda_gen.h"
#include "record/rec_tools.h"

enum cupti_domain { CUPTI_DRIVER = 1, CUPTI_RUNTIME = 2, CUPTI_DOMAINS };
enum cupti_site { CUPTI_ENTER = 0, CUPTI_EXIT = 1 };

enum cupti_kind {
	CUPTI_MEMCPY = 1,
	CUPTI_MEMSET = 2,
	CUPTI_KERNEL = 10,      /* of several streams at the same time */
	CUPTI_MEMCPY_PEER = 22, /* from one device to another */
	CUPTI_MEMORY = 49,      /* allocated and freed */
	CUPTI_JIT = 52          /* code compiled from an intermediate form, or taken from the driver's cache */
};

enum cupti_copy { CUPTI_COPY_HTOD = 1, CUPTI_COPY_DTOH, CUPTI_COPY_HTOA, CUPTI_COPY_ATOH, CUPTI_COPY_ATOA,
		  CUPTI_COPY_ATOD, CUPTI_COPY_DTOA, CUPTI_COPY_DTOD, CUPTI_COPY_HTOH, CUPTI_COPY_PTOP };
enum cupti_memory_kind { CUPTI_PAGEABLE = 1, CUPTI_PINNED, CUPTI_DEVICE, CUPTI_ARRAY, CUPTI_MANAGED,
			 CUPTI_DEVICE_STATIC, CUPTI_MANAGED_STATIC };
enum cupti_jit { CUPTI_JIT_CACHE_LOAD = 1, CUPTI_JIT_CACHE_STORE, CUPTI_JIT_COMPILE };
enum { CUPTI_ASYNC = 1, CUPTI_ALLOCATED = 1, CUPTI_RELEASED = 2 };
enum { CUPTI_MULTIPLE_SUBSCRIBERS = 39 };

/* A call, at its beginning and at its end. */
struct cupti_call {
	uint32_t site; /* enum cupti_site */
	const char *function;
	const void *params;
	const int32_t *result; /* at its end */
	const char *kernel;
	void *context;
	uint32_t context_number;
	uint64_t *kept;       /* from the beginning to the end */
	uint32_t correlation; /* the same for a call of the runtime and for what it calls in the driver */
};

/* Records lie in buffers one after another; times are those of cuptiActivityRegisterTimestampCallback(). */
struct cupti_record {
	uint32_t kind;
};

struct cupti_kernel {
	uint32_t kind;
	uint16_t reserved;
	uint16_t registers;
	uint32_t caching[2];
	uint64_t begin, end, completed;
	uint32_t device, context, stream;
	int32_t grid[3], block[3];
	int32_t static_shared, dynamic_shared;
	uint32_t local_per_thread, local_total;
	uint32_t correlation;
	int64_t number;
	const char *name; /* mangled */
	void *reserved_too;
	uint64_t queued, submitted;
	uint32_t launch;
	uint32_t shared_total;
	uint64_t graph_node; /* 0: not of a graph */
	uint32_t shared_limit;
	uint32_t graph;
};

struct cupti_memcpy {
	uint32_t kind;
	uint8_t copy, from, to, flags;
	uint64_t bytes;
	uint64_t begin, end;
	uint32_t device, context, stream;
	uint32_t correlation, correlation_unused;
	uint32_t padding;
	void *reserved;
	uint64_t graph_node;
	uint32_t graph;
};

struct cupti_memcpy_peer {
	uint32_t kind;
	uint8_t copy, from, to, flags;
	uint64_t bytes;
	uint64_t begin, end;
	uint32_t device, context, stream;
	uint32_t from_device, from_context, to_device, to_context;
	uint32_t correlation;
	void *reserved;
	uint64_t graph_node;
	uint32_t graph;
};

struct cupti_memset {
	uint32_t kind;
	uint32_t value;
	uint64_t bytes;
	uint64_t begin, end;
	uint32_t device, context, stream;
	uint32_t correlation;
	uint16_t flags, memory;
	uint32_t padding;
	void *reserved;
	uint64_t graph_node;
	uint32_t graph;
};

struct cupti_memory {
	uint32_t kind;
	uint32_t operation;
	uint32_t memory; /* enum cupti_memory_kind */
	uint32_t correlation;
	uint64_t address, bytes;
	uint64_t time;
	uint64_t code;
	uint32_t process, device, context, stream;
};

struct cupti_jit_record {
	uint32_t kind;
	uint32_t entry;
	uint32_t operation; /* enum cupti_jit */
	uint32_t device;
	uint64_t begin, end;
	uint32_t correlation;
	uint32_t padding;
	uint64_t unit; /* the same for a compilation and what the cache does with it */
	uint64_t cache_bytes;
	const char *cache_path;
};

typedef void (*cupti_callback)(void *data, int domain, uint32_t id, const struct cupti_call *call);
typedef void (*cupti_buffer_wanted)(uint8_t **buffer, size_t *bytes, size_t *records_most);
typedef void (*cupti_buffer_done)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t filled);

/* X(name, arguments); all return 0 when they succeed */
#define CUPTI_FUNCTIONS(X)                                                             \
	X(GetVersion, (uint32_t *))                                                    \
	X(GetCallbackName, (int, uint32_t, const char **))                             \
	X(Subscribe, (void **, cupti_callback, void *))                                \
	X(Unsubscribe, (void *))                                                       \
	X(EnableCallback, (uint32_t, void *, int, uint32_t))                           \
	X(ActivityRegisterTimestampCallback, (uint64_t (*)(void)))                     \
	X(ActivityRegisterCallbacks, (cupti_buffer_wanted, cupti_buffer_done))         \
	X(ActivityEnable, (int))                                                       \
	X(ActivityDisable, (int))                                                      \
	X(ActivityGetNextRecord, (uint8_t *, size_t, struct cupti_record **))          \
	X(ActivityGetNumDroppedRecords, (void *, uint32_t, size_t *))                  \
	X(ActivityFlushAll, (uint32_t))

#define CUPTI_MEMBER(name, arguments) int (*name) arguments;
struct cupti {
	CUPTI_FUNCTIONS(CUPTI_MEMBER)
	void *subscriber;
	uint32_t version;
	uint32_t owner; /* process that it works in; 0: not started, or handed over */
};
extern struct cupti cupti;

/* Does it work, in this process? */
bool cupti_live(void);
/* Hands on what it holds; at most until the deadline. */
void cupti_flush(uint64_t deadline_raw_ns);

struct reported;

/* Of each thread. */
struct cuda_thread {
	uint32_t correlation;     /* of the operation that its last call started; 0: none was told */
	uint32_t wrapped;         /* depth of wrapped calls that start work */
	struct reported *current; /* call that CUPTI has reported and that has not returned */
};
extern __thread struct cuda_thread cuda_thread __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* ---- cuda_calls.c ---- */

bool cuda_is_blocking(uint32_t symbol);
/* Asks for reports of the functions that matter. skipped_out: how many others there are. False: CUPTI refused all. */
bool cuda_calls_start(uint32_t *skipped_out);
void cuda_calls_report(void *data, int domain, uint32_t id, const struct cupti_call *call);

/* A call that starts work on a device. */
struct cuda_start {
	uint32_t context; /* rec_context() */
	bool seen;        /* its operation is in the ledger already */
	bool paused;      /* recording was: its operations are not recorded either */
};
struct cuda_start cuda_start_of(uint32_t correlation);
/* The call has failed: what it was to start will not run. */
void cuda_start_failed(uint32_t correlation);
/* Other threads may be starting work meanwhile. */
void cuda_starts_give_up(void);
void cuda_starts_forget(void);

/* ---- cuda.c ---- */

/* What a call of the program's own switch asks for; of any other one nothing. */
void cuda_switch(uint32_t symbol);

/* ---- cuda_blocking.c: calls of the family `blocking` ---- */

void cuda_blocking_begins(uint32_t correlation);
void cuda_blocking_ends(uint32_t correlation, const struct rec_call *recorded);
void cuda_blocking_ran(uint32_t correlation, bool waited, uint64_t device_ns);
void cuda_blocking_forget(void);

/* ---- cuda_records.c ---- */

void cuda_buffer_wanted(uint8_t **buffer, size_t *bytes, size_t *records_most);
void cuda_buffer_done(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t filled);

/* ---- cuda_build.c ---- */

void cuda_program_made(const struct rec_call *call, const rec_word *args);
void cuda_program_compiled(const struct rec_call *call, const rec_word *args);
void cuda_programs_forget(void);
void cuda_jit(const struct cupti_jit_record *jit);

/* ---- cuda_device.c ---- */

uint32_t cuda_device(uint32_t ordinal); /* as rec_device() */
uint32_t cuda_queue(uint32_t ordinal, uint32_t context, uint32_t stream); /* as rec_queue() */
void cuda_devices_forget(void);

#endif
