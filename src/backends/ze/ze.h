/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the Level Zero backend: what its C files share. Runs in the traced program; a question to the runtime is
 * asked inside a guard (so that it is not recorded), and nothing here ever waits for a command or adds one.
 *
 * No vendor header: the few structures and constants of the standard that are needed stand below (tests/layout.c holds
 * them against the real ones), a handle is a machine word.
 */
#ifndef SONDE_BACKENDS_ZE_H
#define SONDE_BACKENDS_ZE_H

#include "record/rec_tools.h"
#include "ze_gen.h"

typedef rec_word zed_handle;

/* ---- facts of the standard -------------------------------------------------------------------- */

#define ZED_SUCCESS 0u
#define ZED_NOT_READY 1u
#define ZED_UNINITIALIZED 0x78000001u
#define ZED_STYPE_EVENT_POOL 0x10u
#define ZED_STYPE_EVENT 0x11u
#define ZED_STYPE_ALLOCATION_PROPERTIES 0x17u
#define ZED_STYPE_DEVICE_PROPERTIES_1_2 0x20006u
#define ZED_POOL_HOST_VISIBLE 1u
#define ZED_POOL_IPC 2u
#define ZED_POOL_TIMESTAMP 4u
#define ZED_QUEUE_IN_ORDER 2u /* of immediate lists */
/* of events that count, without a pool */
#define ZED_COUNTER_HOST_VISIBLE 4u
#define ZED_COUNTER_IPC 8u
#define ZED_COUNTER_DEVICE_TIMESTAMP 16u
#define ZED_COUNTER_HOST_TIMESTAMP 32u
#define ZED_MODE_SYNCHRONOUS 1u
#define ZED_MODULE_IL 0u
#define ZED_DEVICE_SUBDEVICE 2u
enum { ZED_MEMORY_UNKNOWN, ZED_MEMORY_HOST, ZED_MEMORY_DEVICE, ZED_MEMORY_SHARED };

struct zed_device_properties {
	uint32_t stype;
	void *next;
	uint32_t type, vendor, id, flags, subdevice, core_clock;
	uint64_t most_memory;
	uint32_t contexts, priorities, threads, simd, units, subslices, slices;
	uint64_t timer_resolution; /* with this stype: ticks in a second */
	uint32_t timestamp_bits, kernel_timestamp_bits;
	uint8_t uuid[16];
	char name[256];
};
struct zed_pool_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags, count;
};
struct zed_event_desc {
	uint32_t stype;
	const void *next;
	uint32_t index, signal, wait;
};
struct zed_counter_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags, signal, wait;
};
struct zed_queue_desc {
	uint32_t stype;
	const void *next;
	uint32_t ordinal, index, flags, mode, priority;
};
struct zed_list_desc {
	uint32_t stype;
	const void *next;
	uint32_t ordinal, flags;
};
struct zed_kernel_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags;
	const char *name;
};
struct zed_module_desc {
	uint32_t stype;
	const void *next;
	uint32_t format;
	size_t bytes;
};
struct zed_physical_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags;
	size_t bytes;
};
struct zed_image_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags, type;
	uint32_t layout, format, swizzle[4];
	uint64_t width;
	uint32_t height, depth, layers, levels;
};
struct zed_allocation {
	uint32_t stype;
	void *next;
	uint32_t type;
	uint64_t id, page_bytes;
};
struct zed_region {
	uint32_t x, y, z, width, height, depth;
};
struct zed_stamps {
	struct {
		uint64_t begin, end;
	} global, context;
};

/* Of the tracing layer. */
#define ZED_TRACER_VERSION 0x10000u
#define ZED_STYPE_TRACER 1u
enum { ZED_TRACER_PROLOGUE, ZED_TRACER_EPILOGUE };
struct zed_tracer_desc {
	uint32_t stype;
	const void *next;
	void *user;
};
struct zed_tracer_table {
	uint32_t (*create)(const struct zed_tracer_desc *desc, zed_handle *tracer_out);
	uint32_t (*destroy)(zed_handle tracer);
	uint32_t (*set_prologues)(zed_handle tracer, void *callbacks);
	uint32_t (*set_epilogues)(zed_handle tracer, void *callbacks);
	uint32_t (*set_enabled)(zed_handle tracer, uint8_t enable);
};
typedef uint32_t zed_get_tracer_table(uint32_t version, struct zed_tracer_table *table_out);
typedef uint32_t zed_set_callback(zed_handle tracer, uint32_t when, const void *callback);

/* ---- a call as the handlers of a family see it ------------------------------------------------- */

struct zed_call {
	struct rec_call *call;
	const struct ze_role *role;
	rec_word *args;
	uint32_t function;
};

static inline bool zed_has(const struct zed_call *view, enum ze_argument argument)
{
	return view->role->arg[argument] >= 0;
}
/* The argument's word, 0 where the function has none. */
static inline rec_word zed_arg(const struct zed_call *view, enum ze_argument argument)
{
	return view->role->arg[argument] < 0 ? 0 : view->args[view->role->arg[argument]];
}
/* What the call has made; 0: nothing. */
static inline rec_word zed_made(const struct zed_call *view)
{
	const rec_word *made = (const rec_word *)zed_arg(view, ZE_ARG_MADE);

	return view->call->failed || (uint32_t)view->call->result != ZED_SUCCESS || !made ? 0 : *made;
}
/* Does the loader's layer tell of it? Then arguments may be changed, but not which function is called. */
static inline bool zed_is_told(const struct zed_call *view)
{
	return ze_backend.symbol[view->call->symbol].variant == ZE_VARIANT_TRACED;
}
/* Is the object that this call makes followed? While recording is paused as well: it may be used later. */
static inline bool zed_is_followed(const struct rec_call *call)
{
	return call->slot || rec_is_paused();
}
/* The runtime's function, NULL where it has none: to be called inside a guard. */
#define ZED_REAL(name) rec_real(&ze_backend, ze_sym_##name)

/* ---- devices and their clocks (ze_device.c, ze_clock.c) ------------------------------------------ */

/* A reading of the device's clock. */
struct zed_anchor {
	uint64_t raw, half; /* ns: CLOCK_MONOTONIC_RAW in the middle of the reading, half of how long that took */
	uint64_t ticks;     /* without wraps */
};
struct zed_clock {
	double hz;                  /* as the device says */
	uint32_t bits, device_bits; /* of kernels' stamps, of the device's clock; 1 to 64 */
	uint32_t known;             /* readings */
	struct zed_anchor first, last;
};
/* What the host knows of a command when it reads its stamps; ns. */
struct zed_window {
	uint64_t begin;  /* it was handed over after this */
	uint64_t end;    /* it was known to be complete */
	uint64_t follows; /* it began after this, or 0 */
};
enum zed_stamp { ZED_STAMP_RIGHT, ZED_STAMP_WRONG, ZED_STAMP_OLD };

void zed_clock_read(struct zed_clock *clock, uint64_t device_ticks, uint64_t before, uint64_t after);
bool zed_clock_is_due(const struct zed_clock *clock, uint64_t now);
/*
 * Host times of a command. WRONG: zero, backwards, outside of what the host saw, or not to be told from those of a
 * whole wrap before. OLD: of before the command was handed over.
 */
enum zed_stamp zed_clock_convert(const struct zed_clock *clock, uint64_t begin, uint64_t end,
				 const struct zed_window *window, struct rec_span *span_out);

struct zed_device {
	zed_handle handle;
	uint32_t recorded; /* rec_device() */
	uint32_t lock;     /* of the clock */
	struct zed_clock clock;
};
/* NULL: unknown to the runtime or no room. */
struct zed_device *zed_device_of(zed_handle device);
void zed_devices_reset(void); /* in the child of a fork */
enum zed_stamp zed_device_span(struct zed_device *device, const struct zed_stamps *stamps,
			       const struct zed_window *window, struct rec_span *span_out);
static inline uint32_t zed_recorded(const struct zed_device *device)
{
	return device ? device->recorded : UINT32_MAX;
}

/* ---- events (ze_event.c) --------------------------------------------------------------------------- */

struct zed_owner;
/* An event of ours. */
struct zed_own {
	struct zed_own *next; /* of those that are free */
	struct zed_owner *owner;
	zed_handle event;     /* 0: its context is gone */
};
struct zed_own *zed_own_take(zed_handle context); /* NULL: none to be had */
void zed_own_give(struct zed_own *own); /* it is not signalled, and no command on its way will signal it */
/* Has an event of the program's kernel timestamps? */
bool zed_event_is_timed(zed_handle event);
void zed_events_reset(void);

/* ---- commands on their way (ze_pending.c) ------------------------------------------------------------ */

enum zed_command_flag {
	ZED_COMMAND_TIMED = 1u << 0, /* its event has times */
	ZED_COMMAND_ONCE = 1u << 1,  /* of an immediate list: gone when it is done */
	ZED_COMMAND_UNREAD = 1u << 2 /* its event may be signalled by a time before */
};

struct zed_stream;

/* A command of a list; pending from when it is handed over until its times are read. */
struct zed_command {
	struct zed_command *next;           /* of its list; or of those that are free */
	struct zed_command *before, *after; /* of those that are pending, in order */
	struct zed_stream *stream;          /* pending there; NULL: it is not */
	zed_handle event, context;
	struct zed_own *own;                /* the event, where it is ours */
	uint64_t name;                      /* rec_name() */
	uint64_t bytes, correlation, begin_raw;
	uint64_t read_begin, read_end;      /* stamps that were read last */
	struct fmt_shape shape;
	uint32_t thread_context;            /* rec_context() */
	uint16_t flags;
	uint8_t kind, direction, memory, waited;
};

/* What runs its commands: a queue or an immediate list. */
struct zed_stream {
	struct zed_stream *next; /* of all; never freed */
	uint32_t lock, free;
	struct zed_device *device;
	uint32_t recorded;       /* rec_queue() */
	uint32_t in_order;
	uint64_t ended;          /* the latest end that is known; ns */
	struct zed_command *first, *last;
};

struct zed_stream *zed_stream_open(zed_handle handle, struct zed_device *device, bool in_order, const char *what);
bool zed_streams_opened(void); /* any, in this process */
void zed_stream_close(struct zed_stream *stream); /* what is pending there has no times */
void zed_streams_drop(zed_handle context);         /* likewise, of a context */

struct zed_command *zed_command_make(void); /* NULL: no memory */
void zed_command_free(struct zed_command *command); /* with its event; pending no more */
/* A command has been handed over. */
void zed_pending_add(struct zed_stream *stream, struct zed_command *command);
/* Reads the times of those that are done; all: also behind some that are not. */
void zed_pending_collect(struct zed_stream *stream, bool all);
void zed_pending_collect_device(const struct zed_device *device);
/* The command's times are read, or lost: its event is about to be used again. stream: where it was seen. */
void zed_pending_settle(struct zed_stream *stream, struct zed_command *command, zed_handle event);
/* Likewise, of the command that signals this event of the program's. */
void zed_pending_settle_event(zed_handle event);
/* Likewise, where another such command has been handed over: what the event holds may be of that one. */
void zed_pending_lose_event(zed_handle event);
/* The list gets this command, or NULL for another one, that uses the event: one before in it has no times. */
void zed_pending_listed(zed_handle list, struct zed_command *command, zed_handle event);
/* The host has seen the event: its stream is looked through. */
void zed_pending_seen(zed_handle event);
void zed_pending_forget_event(zed_handle event);
void zed_pending_reset(void);
void zed_pending_flush(uint64_t deadline_raw_ns);
uint64_t zed_pending_oldest(void);

/* ---- lists, kernels, memory -------------------------------------------------------------------------- */

struct zed_list {
	zed_handle context;
	struct zed_device *device;
	struct zed_stream *stream; /* of an immediate list */
	struct zed_command *first, *last;
	uint32_t synchronous;
	uint32_t captured; /* what is put on it becomes part of a graph */
};
bool zed_list_of(zed_handle list, struct zed_list *list_out);
void zed_list_add(zed_handle list, struct zed_command *command);
void zed_lists_reset(void);

uint64_t zed_kernel_of(zed_handle kernel, struct fmt_shape *shape); /* its name; adds to its shape */
void zed_kernels_reset(void);
/* enum sonde_direction, where it is not said yet, and enum sonde_memory_kind: of a copy that of its host side */
void zed_memory_transfer(zed_handle context, rec_word to, zed_handle from_context, rec_word from,
			 struct zed_command *command);
/* Bytes of an image's element, or of all of it; 0: not known. */
uint64_t zed_image_bytes(zed_handle image, bool element);
void zed_memory_reset(void);

extern uint64_t zed_correlations; /* calls of this process that were given a number */

/* ---- the loader's tracing layer (ze_layer.c) ----------------------------------------------------------- */

/* What a call that the layer tells of gives in place of the program's description, until it has ended. */
union zed_timed_desc {
	struct zed_pool_desc pool;
	struct zed_counter_desc counter;
};
union zed_timed_desc *zed_layer_desc(const struct zed_call *view);
bool zed_layer_is_live(void); /* it tells of calls */
bool zed_layer_has(uint32_t symbol); /* does it know the function of this exported name? */
const char *zed_attached_how(void);
void zed_layer_tell(void);    /* at the end: that it should, and does not */

/* ---- handlers by family ------------------------------------------------------------------------------- */

typedef void zed_enter_handler(const struct zed_call *view);
typedef void zed_leave_handler(const struct zed_call *view);

zed_enter_handler zed_command_enter, zed_signal_enter, zed_list_reset_enter, zed_list_destroy_enter, zed_execute_enter;
zed_enter_handler zed_queue_destroy_enter, zed_fence_destroy_enter, zed_pool_enter, zed_pool_destroy_enter;
zed_enter_handler zed_event_reset_enter, zed_event_destroy_enter, zed_context_destroy_enter, zed_address_free_enter;
zed_enter_handler zed_physical_free_enter, zed_pass_on_enter, zed_pool_flags_enter, zed_counter_enter;
zed_enter_handler zed_counter_flags_enter, zed_image_free_enter;
zed_leave_handler zed_command_leave, zed_list_leave, zed_immediate_leave, zed_execute_leave, zed_queue_leave;
zed_leave_handler zed_fence_leave, zed_queue_wait_leave, zed_fence_wait_leave, zed_list_wait_leave;
zed_leave_handler zed_event_wait_leave, zed_event_leave, zed_kernel_leave, zed_kernel_size_leave, zed_module_leave;
zed_leave_handler zed_address_leave, zed_address_free_leave, zed_physical_leave, zed_physical_free_leave;
zed_leave_handler zed_table_leave, zed_pass_on_leave, zed_capture_leave, zed_captured_leave, zed_device_wait_leave;
zed_leave_handler zed_extension_leave, zed_unseen_leave, zed_image_leave, zed_image_free_leave;
zed_leave_handler zed_start_leave, zed_pool_leave, zed_pool_flags_leave, zed_counter_leave, zed_counter_flags_leave;

#endif
