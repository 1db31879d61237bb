/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the HIP backend: what its C files share. Runs in the traced program; a question to the runtime is asked
 * inside a guard, so that it is not recorded. No vendor header: a handle is a machine word.
 */
#ifndef SONDE_BACKENDS_HIP_H
#define SONDE_BACKENDS_HIP_H

#include "hip_gen.h"
#include "record/rec_tools.h"

typedef rec_word hip_handle; /* hipStream_t, hipEvent_t, hipFunction_t, ... */

/* A call as the handlers of a family see it. */
struct hip_call {
	struct rec_call *call;
	const struct hip_role *role;
	rec_word *args;
	uint32_t function;
	bool thread; /* reached by its _spt name: no stream means that of the thread */
};

static inline bool hip_has(const struct hip_call *view, enum hip_argument argument)
{
	return view->role->arg[argument] >= 0;
}
/* The argument's word, 0 where the function has none. */
static inline rec_word hip_arg(const struct hip_call *view, enum hip_argument argument)
{
	return view->role->arg[argument] < 0 ? 0 : view->args[view->role->arg[argument]];
}
static inline uint8_t hip_kind(const struct hip_call *view)
{
	return hip_backend.function[view->function].kind;
}
/* Is the object that this call makes followed? While recording is paused as well: it may be used later. */
static inline bool hip_is_followed(const struct rec_call *call)
{
	return call->slot || rec_is_paused();
}

/* Of the object that has rocprofiler-sdk: has it there before the runtime is. NULL: that object is not loaded. */
extern bool sonde_rocprofiler(void) __attribute__((weak));
/* rec_span.correlation of what the calling thread has started last, once; 0: nothing. */
extern uint64_t sonde_rocprofiler_started(void) __attribute__((weak));

/*
 * Are devices watched by events of ours? Not where AMD's own interface for tools tells what they do, nor where HIP is
 * made of another API whose backend does.
 */
bool hip_injects(void);

/* Counts records of this process: figures of another count belong to the parent of a fork. */
extern uint32_t hip_generation;

/* ---- names (hip_name.c) -------------------------------------------------------------------------------------- */

/* rec_name() of a kernel. what: whether it is known by its function on the host or by a handle. */
uint64_t hip_kernel_name(enum hip_what what, rec_word function);

/* ---- asking the runtime (hip_stream.c) ----------------------------------------------------------------------- */

#define HIP_SUCCESS 0
#define HIP_NOT_READY 600
#define HIP_CAPTURE_SPOILT 901
#define HIP_STREAM_THREAD ((hip_handle)2) /* hipStreamPerThread */
#define HIP_NOT_YET INT64_MIN

/* Around calls of our own, which must leave alone what hipGetLastError() gives the program. False: not now. */
struct hip_ask {
	uint32_t token;
	int before; /* the last error */
};
bool hip_ask_begin(struct hip_ask *ask_out);
void hip_ask_end(const struct hip_ask *ask);

/* The runtime's function, for calls between hip_ask_begin() and hip_ask_end(); NULL where it has none. */
#define HIP_REAL(name, ...) ((int (*)(__VA_ARGS__))rec_real(&hip_backend, hip_sym_##name))

/* ---- devices, streams (hip_stream.c) ------------------------------------------------------------------------- */

/*
 * A clock that the host cannot read: events tell how long after another they were. They count from the first; later
 * ones take its place, because a float tells less the more there is to tell. The offset to CLOCK_MONOTONIC_RAW lies
 * in [low, high].
 */
struct hip_clock {
	hip_handle base; /* an event; 0: none yet */
	int64_t base_ns; /* when it was, after the first */
	int64_t low, high;
	uint64_t seen;   /* raw ns of the last narrowing */
	bool known;
	uint32_t outliers;
	uint32_t vain;   /* times that a moment was spent on making it narrow, and it was not enough */
};

struct hip_pair {
	hip_handle start, stop; /* events */
};

#define HIP_DEVICES 64
struct hip_device {
	uint32_t ordinal;
	uint32_t recorded; /* rec_device() */
	uint32_t generation;
	uint32_t lock;     /* of the clock and the pairs */
	struct hip_clock clock;
	struct hip_pair *pair; /* that are free, in pages of their own */
	uint32_t pairs, room;
};
/* NULL: there is no such device. */
struct hip_device *hip_device(int ordinal);
/* Between hip_ask_begin() and hip_ask_end(): the calling thread's current device; -1: not known. */
int hip_current_device(void);

struct hip_pending;
struct hip_stream {
	hip_handle handle; /* as events are recorded on it; 0: that of the device for all threads */
	struct hip_device *device;
	struct hip_stream *next; /* of all that there ever were */
	uint32_t recorded;       /* rec_queue() */
	uint32_t lock;
	uint32_t count;          /* of pending operations */
	uint32_t told;           /* those of them that have no more to tell, and wait for a narrow clock */
	uint32_t gone;           /* destroyed by the program: may be used for another one */
	uint64_t ended;          /* raw ns, of the last operation that is known to have ended */
	uint64_t ended_error;    /* of that time */
	int64_t stopped_ns;      /* the same operation's end by the device's clock; HIP_NOT_YET: there was none */
	uint64_t oldest;         /* raw ns, when the first that is pending was handed over; UINT64_MAX: none is */
	struct hip_pending *first, *last;
};
/* Between hip_ask_begin() and hip_ask_end(). NULL: not known to the runtime, or no memory. */
struct hip_stream *hip_stream(hip_handle handle, bool thread);
struct hip_stream *hip_streams(void); /* the first of all */
void hip_streams_forget(void);        /* in the child of a fork */

/* Is some stream being captured? Then events may be recorded on others, and nothing else may be done. */
bool hip_is_capturing(void);
void hip_captures_reset(const struct hip_device *device);
/* Around what may not be asked then; false: not now. */
bool hip_collect_begin(void);
void hip_collect_end(void);
/* Between hip_ask_begin() and hip_ask_end(): does what is put on it become part of a graph? */
enum hip_captured { HIP_RUNS, HIP_CAPTURED, HIP_CAPTURE_UNKNOWN };
enum hip_captured hip_stream_captured(hip_handle handle);

/* ---- clocks (hip_clock.c) ------------------------------------------------------------------------------------ */

/* What events tell of an operation, and what the host knows of it. */
struct hip_stamps {
	int64_t start_ns, duration_ns; /* after the first base */
	uint64_t host_begin;  /* before its first event was handed over */
	uint64_t host_call;   /* before the call that started it: it began later */
	uint64_t host_return; /* after a call that waited for it; 0: it may go on */
	uint64_t host_end;    /* when it was first known to be complete */
	uint64_t follows, follows_error; /* the end of what the stream did before, as it was recorded; 0: not known */
};
/* Once for each operation, when it is known to be complete. */
void hip_clock_narrow(struct hip_clock *clock, const struct hip_stamps *stamps);
/* Between what the offset lies. */
#define HIP_NARROW_NS 2000000u /* it is known as well as it need be */
uint64_t hip_clock_width(const struct hip_clock *clock);
/* Host times; false: the stamps cannot be right, nothing is written. */
bool hip_clock_convert(const struct hip_clock *clock, const struct hip_stamps *stamps, struct rec_span *span_out);

/* ---- work (hip_work.c, hip_pending.c, hip_transfer.c) -------------------------------------------------------- */

uint64_t hip_ns(uint64_t ticks);

struct hip_transfer {
	uint64_t bytes;
	uint32_t direction; /* enum sonde_direction */
	uint32_t memory;    /* enum sonde_memory_kind of the host side */
};
void hip_transfer_of(const struct hip_call *view, struct hip_transfer *transfer_out);

struct hip_pending {
	struct hip_pending *next;
	struct hip_stream *stream;
	struct hip_pair pair;
	uint64_t host_begin, host_call, host_return; /* as in struct hip_stamps */
	uint64_t host_end;     /* likewise; 0: it may go on */
	struct fmt_stats *row; /* of a call that waited; NULL: of none */
	uint64_t ticks;        /* that it took */
	int64_t start_ns, duration_ns; /* as in struct hip_stamps, where placed */
	bool placed;
	bool told;             /* over, and placed if it can be: it needs no events any more */
	struct rec_span span;  /* but for the times */
};
/* A place with two events for the stream's device, between hip_ask_begin() and hip_ask_end(). NULL: there is none. */
struct hip_pending *hip_pending_take(struct hip_stream *stream);
void hip_pending_give(struct hip_pending *work); /* it will not be waited for */
void hip_pending_add(struct hip_pending *work);  /* both events are recorded */
void hip_pending_collect(struct hip_stream *stream); /* what has ended of one stream, of all (NULL) */
void hip_pending_flush(uint64_t deadline_raw_ns);
void hip_pending_reset(struct hip_device *device);
void hip_pending_forget(void);
uint64_t hip_pending_oldest(void);

/* Name of what is launched again and again, and its number; 0: nothing is known of it. */
uint64_t hip_graph_name(hip_handle exec);

/* ---- memory (hip_memory.c) ----------------------------------------------------------------------------------- */

/* enum sonde_memory_kind of what an address lies in. */
uint32_t hip_address_kind(uint64_t address);
void hip_memory_forget(void);

/* ---- handlers by family -------------------------------------------------------------------------------------- */

typedef void hip_enter_handler(const struct hip_call *view);
typedef void hip_leave_handler(const struct hip_call *view, rec_word result);

hip_leave_handler hip_registered_leave, hip_looked_up_leave, hip_address_leave;
hip_leave_handler hip_program_leave, hip_compile_leave, hip_load_leave;
hip_leave_handler hip_stream_leave, hip_capture_begin_leave, hip_capture_end_leave, hip_graph_leave;
hip_leave_handler hip_work_leave, hip_many_leave, hip_waited_leave;
hip_leave_handler hip_alloc_leave, hip_free_leave, hip_register_leave, hip_reset_leave;
hip_enter_handler hip_reset_enter, hip_capture_begin_enter, hip_work_enter, hip_stream_gone_enter;
hip_enter_handler hip_free_enter, hip_unregister_enter;

#endif
