/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What sonde uses of rocprofiler-sdk, AMD's interface for tools, declared here because the build has no headers of
 * AMD's. tests/layout.c compares with the real headers where they are.
 *
 *	rocprofiler.c          finds the library, has it configured, hands on what it holds
 *	rocprofiler_start.c    operations when they are started: who did, on which stream
 *	rocprofiler_records.c  what devices did
 *	rocprofiler_names.c    kernels and devices
 *	rocprofiler_clock.c    the library's clock
 */
#ifndef SONDE_ROCPROFILER_H
#define SONDE_ROCPROFILER_H

#include "record/rec_tools.h"

#pragma GCC visibility push(hidden)
extern struct rec_backend rocprofiler_backend;

enum rocp_status { ROCP_SUCCESS = 0 };
enum rocp_phase { ROCP_ENTER = 1, ROCP_EXIT = 2, ROCP_LOAD = ROCP_ENTER };
enum rocp_callback_kind { ROCP_CALLBACK_CODE_OBJECT = 10, ROCP_CALLBACK_STREAM = 20 };
enum rocp_code_object { ROCP_CODE_OBJECT_LOAD = 1, ROCP_CODE_OBJECT_KERNEL = 2 };
enum rocp_stream { ROCP_STREAM_SET = 3 };
enum rocp_buffer_kind { ROCP_COPY = 10, ROCP_KERNEL = 11, ROCP_SCRATCH = 12, ROCP_ALLOCATION = 16 };
enum rocp_copy { ROCP_H2H = 1, ROCP_H2D, ROCP_D2H, ROCP_D2D };
enum rocp_allocation { ROCP_ALLOCATE = 1, ROCP_VMEM_ALLOCATE, ROCP_FREE, ROCP_VMEM_FREE };
enum rocp_scratch { ROCP_SCRATCH_ALLOC = 1, ROCP_SCRATCH_FREE, ROCP_SCRATCH_RECLAIM };
enum rocp_request { ROCP_REQUEST_COPY = 10, ROCP_REQUEST_KERNEL = 11 };
enum rocp_agent_type { ROCP_AGENT_CPU = 1, ROCP_AGENT_GPU = 2 };
enum { ROCP_CATEGORY_TRACING = 1, ROCP_POLICY_LOSSLESS = 2, ROCP_AGENTS_VERSION = 1 };
enum rocp_library { ROCP_LIBRARY_ALL = 127 };

/* Handles are structures of this one word in C, which are passed as the word is. */
typedef uint64_t rocp_handle;

struct rocp_async {
	uint64_t number;
	uint64_t external; /* what we gave when the operation was started */
};

struct rocp_dispatch {
	uint64_t size;
	rocp_handle agent, queue, kernel;
	uint64_t number;
	uint32_t scratch, shared;
	uint32_t group[3], grid[3]; /* the grid in work items */
	uint8_t reserved[56];
};

struct rocp_kernel {
	uint64_t size;
	uint32_t kind;
	int32_t operation;
	struct rocp_async correlation;
	uint64_t thread;
	uint64_t begin, end;
	struct rocp_dispatch dispatch;
};

struct rocp_memory_copy {
	uint64_t size;
	uint32_t kind;
	int32_t operation; /* enum rocp_copy */
	struct rocp_async correlation;
	uint64_t thread;
	uint64_t begin, end;
	rocp_handle to, from; /* agents */
	uint64_t bytes;
};

/* Version 1 and later have these two. */
struct rocp_memory {
	uint64_t size;
	uint32_t kind;
	int32_t operation; /* enum rocp_allocation */
	struct rocp_async correlation;
	uint64_t ancestor;
	uint64_t thread;
	uint64_t begin, end;
	rocp_handle agent;
	uint64_t address, bytes;
};

struct rocp_scratch_memory {
	uint64_t size;
	uint32_t kind;
	int32_t operation; /* enum rocp_scratch */
	struct rocp_async correlation;
	uint64_t ancestor;
	rocp_handle agent, queue;
	uint64_t thread;
	uint64_t begin, end;
	uint32_t flags;
	uint64_t bytes;
};

struct rocp_header {
	uint32_t category, kind;
	void *record;
};

/* A callback gets this by value; between versions 0 and 1 it has grown in the middle. */
struct rocp_call_0 {
	rocp_handle context;
	uint64_t thread;
	struct rocp_async correlation;
	uint32_t kind;
	int32_t operation;
	uint32_t phase;
	void *payload;
};

struct rocp_call_1 {
	rocp_handle context;
	uint64_t thread;
	struct rocp_async correlation;
	uint64_t ancestor;
	uint32_t kind;
	int32_t operation;
	uint32_t phase;
	void *payload;
};

struct rocp_kernel_symbol {
	uint64_t size;
	uint64_t kernel, code_object;
	const char *name;
};

struct rocp_code {
	uint64_t size;
	uint64_t code_object;
	rocp_handle agent, hsa_agent;
	const char *uri;
	uint64_t base, bytes;
};

struct rocp_stream_set {
	uint64_t size;
	rocp_handle stream;
	uint64_t value;
};

struct rocp_agent {
	uint64_t size;
	rocp_handle id;
	uint32_t type; /* enum rocp_agent_type */
	uint32_t counts[21];
	uint16_t vendor, device;
	uint32_t location, domain;
	uint32_t numbers[15];
	uint64_t memory, hive, gpu;
	uint32_t limits[6];
	const void *lists[3];
	const char *name, *vendor_name, *product, *model;
};

struct rocp_client; /* differs between versions */

struct rocp_configured {
	size_t size;
	int (*initialize)(void *finalize, void *data);
	void (*finalize)(void *data);
	void *data;
};

typedef struct rocp_configured *(*rocp_configure)(uint32_t version, const char *text, uint32_t priority,
						  struct rocp_client *client);
typedef void (*rocp_buffer_full)(rocp_handle context, rocp_handle buffer, struct rocp_header **headers, size_t count,
				 void *data, uint64_t dropped);
typedef int (*rocp_ask_external)(uint64_t thread, rocp_handle context, int kind, int32_t operation, uint64_t number,
				 uint64_t *external_out, void *data);
typedef int (*rocp_take_agents)(int version, const void **agents, size_t count, void *data);
typedef void (*rocp_thread_made)(int library, void *data);

/* X(name, arguments); all return enum rocp_status */
#define ROCP_FUNCTIONS(X)                                                                                      \
	X(get_version, (uint32_t *, uint32_t *, uint32_t *))                                                   \
	X(force_configure, (rocp_configure))                                                                   \
	X(get_timestamp, (uint64_t *))                                                                         \
	X(create_context, (rocp_handle *))                                                                     \
	X(start_context, (rocp_handle))                                                                        \
	X(stop_context, (rocp_handle))                                                                         \
	X(create_buffer, (rocp_handle, size_t, size_t, int, rocp_buffer_full, void *, rocp_handle *))          \
	X(flush_buffer, (rocp_handle))                                                                         \
	X(configure_buffer_tracing_service, (rocp_handle, int, const int32_t *, size_t, rocp_handle))          \
	X(configure_callback_tracing_service, (rocp_handle, int, const int32_t *, size_t, void *, void *))     \
	X(configure_external_correlation_id_request_service,                                                   \
	  (rocp_handle, const int *, size_t, rocp_ask_external, void *))                                       \
	X(query_available_agents, (int, rocp_take_agents, size_t, void *))                                     \
	X(at_internal_thread_create, (rocp_thread_made, rocp_thread_made, int, void *))                        \
	X(create_callback_thread, (rocp_handle *))                                                             \
	X(assign_callback_thread, (rocp_handle, rocp_handle))

#define ROCP_MEMBER(name, arguments) int (*name) arguments;
struct rocp {
	ROCP_FUNCTIONS(ROCP_MEMBER)
	uint32_t version[3];
	rocp_handle context, buffer;
	uint32_t owner; /* process that it works in; 0: none */
};
extern struct rocp rocp;

bool rocp_live(void); /* in this process */

/* ---- rocprofiler_start.c ---- */

/* Of calls nothing is recorded here: the first operation, or what comes of it, opens the record. */
void rocp_used(void);

/* What was known of an operation when it was started. */
struct rocp_start {
	uint64_t raw_ns;  /* when; 0: not known */
	uint64_t stream;  /* handle, if has_stream */
	uint32_t context; /* rec_context() */
	bool seen;        /* it is in the ledger already */
	bool paused;      /* recording was: it is not recorded */
	bool has_stream;
};
int rocp_started(uint64_t thread, rocp_handle context, int kind, int32_t operation, uint64_t number,
		 uint64_t *external_out, void *data);
struct rocp_start rocp_start_of(uint64_t external);
void rocp_stream_call(struct rocp_call_1 call, uint64_t *user, void *data);

/* ---- rocprofiler_records.c ---- */

void rocp_buffer_take(rocp_handle context, rocp_handle buffer, struct rocp_header **headers, size_t count, void *data,
		      uint64_t dropped);

/* ---- rocprofiler_names.c ---- */

void rocp_code_call_0(struct rocp_call_0 call, uint64_t *user, void *data);
void rocp_code_call_1(struct rocp_call_1 call, uint64_t *user, void *data);
uint64_t rocp_kernel_name(rocp_handle kernel); /* rec_name() */
int rocp_agents_take(int version, const void **agents, size_t count, void *data);
/* rec_device() of a GPU; UINT32_MAX: it is none. */
uint32_t rocp_device(rocp_handle agent);
uint32_t rocp_queue(uint32_t device, const struct rocp_start *start, rocp_handle queue);
void rocp_devices_forget(void);

/* ---- rocprofiler_clock.c ---- */

void rocp_clock_read(void);
/* The span's times, from those by the library's clock. False: the clock was never read, or they cannot be right. */
bool rocp_clock_convert(uint64_t begin, uint64_t end, const struct rocp_start *start, struct rec_span *span);

#pragma GCC visibility pop
#endif
