/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorder's interface to backends: what they tell it. rec_tools.h has what they need besides; generated wrappers
 * include rec_hot.h, which includes this. No other header of record/ is theirs. Everything here runs inside the traced
 * program. No function prints, exits, allocates per event or changes errno; all of them may be called from any thread,
 * also from a runtime's own.
 */
#ifndef SONDE_RECORD_REC_H
#define SONDE_RECORD_REC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/kinds.h"
#include "format/stream.h"

#define REC_EXPORT __attribute__((visibility("default")))
#define REC_COLD __attribute__((noinline, cold))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

typedef uintptr_t rec_word; /* one argument or result as the machine passes it */

/* The bits of a floating argument, for the words of a call. */
static inline rec_word rec_word_double(double value)
{
	rec_word word;

	_Static_assert(sizeof(word) == sizeof(value), "a double is a word");
	__builtin_memcpy(&word, &value, sizeof(word));
	return word;
}

static inline rec_word rec_word_float(float value)
{
	rec_word word = 0;

	__builtin_memcpy(&word, &value, sizeof(value));
	return word;
}

/* ---- what the generator emits for each API ------------------------------------------------ */

enum rec_function_flag {
	REC_DISCOVERY = 1u << 0, /* may be called by runtimes that look around: opens no record */
	REC_QUERY = 1u << 1,     /* kind query: counted, timed only with --queries */
	REC_POLLS = 1u << 2,     /* returns at once, called in loops */
	REC_OPENS = 1u << 3,     /* start-up call: its provider is looked up on every call */
	REC_ENTER = 1u << 4,     /* backend->enter is called before the real function */
	REC_LEAVE = 1u << 5      /* backend->leave is called after it */
};

/* A function of the API as the program knows it; index F. Constant, no pointers (no relocations). */
struct rec_function {
	uint32_t name;     /* offset into backend->pool */
	uint8_t kind;      /* enum sonde_kind */
	uint8_t flags;     /* enum rec_function_flag */
	uint8_t args;      /* number of arguments */
	uint8_t results;   /* 1: the last of its struct rec_argument is its result */
	uint32_t argument; /* the first of them; this many are recorded at its entry, then at its exit: */
	uint8_t in, out;
	uint16_t reserved;
};

#define REC_ARGUMENTS_MAX 32u    /* of one function */
#define REC_ARGUMENT_ABSENT 255u

enum rec_argument_how {
	REC_ARGUMENT_VALUE,    /* the word itself */
	REC_ARGUMENT_POINTED,  /* what it points to: one value, or a string */
	REC_ARGUMENT_OPTIONAL, /* one value where another argument is not 0 */
	REC_ARGUMENT_ARRAY     /* as many values as another argument says */
};

enum rec_argument_flag {
	REC_ARGUMENT_FLAGS = 1u << 0,          /* its names are bits that may be combined */
	REC_ARGUMENT_HANDLE = 1u << 1,         /* as wide as the library's handles */
	REC_ARGUMENT_BUFFER = 1u << 2,         /* a language may pass it by a descriptor */
	REC_ARGUMENT_ERROR = 1u << 3,          /* OUT: written also by calls that fail */
	REC_ARGUMENT_LENGTH_WIDE = 1u << 4,    /* the length has 64 bits, not 32 */
	REC_ARGUMENT_LENGTH_POINTED = 1u << 5, /* it is what an argument points to */
	REC_ARGUMENT_LENGTH_FIXED = 1u << 6,   /* `length` is the length */
	REC_ARGUMENT_OBJECT = 1u << 7          /* a pointer of a named type: a handle where it comes by reference */
};

/* What is recorded of a call's argument: of a function in order of `when`, then of place. Constant, likewise. */
struct rec_argument {
	uint32_t name;      /* offset into backend->pool */
	uint16_t names;     /* of its values: index into backend->names; 0: none */
	uint8_t index;      /* of its word, in C */
	uint8_t reference;  /* of its word in variants that pass by reference; or REC_ARGUMENT_ABSENT */
	uint8_t when;       /* enum fmt_arg_when */
	uint8_t type;       /* enum fmt_arg_type, of what is recorded */
	uint8_t how;        /* enum rec_argument_how */
	uint8_t flags;      /* enum rec_argument_flag */
	uint8_t length;     /* word of the length; of strings passed by reference: counted from the last word */
	uint8_t part;       /* which part of a structure, for backend->part; 0: none */
	uint16_t reserved;
};

/* A symbol that reaches a function: its C name, profiling name, Fortran names, ...; index S. */
struct rec_symbol {
	uint32_t name;     /* offset into backend->pool: as the real library exports it */
	uint16_t function; /* F */
	uint8_t variant;   /* backend-defined: language binding, layer entry */
	uint8_t args;      /* words that the wrapper forwards */
};

/* A name that dlsym can be asked for, sorted by name (byte order). */
struct rec_export {
	uint32_t name;     /* offset into backend->pool */
	uint32_t symbol;   /* S */
	int32_t wrapper;   /* address of the wrapper, relative to the table's first byte */
};

struct rec_call;

struct rec_backend {
	uint32_t size; /* sizeof(struct rec_backend) */
	uint32_t functions, symbols, exports;
	const char *name;
	const char *pool; /* NUL-terminated strings */
	const struct rec_function *function;
	const struct rec_symbol *symbol;
	const struct rec_export *export_table;
	const struct rec_argument *argument;
	const uint32_t *names;          /* by rec_argument.names: "NAME=value ..." in the pool; "": see names_found */
	uint32_t reference_variants;    /* bit v: variant v passes arguments by reference, as Fortran does */
	uint32_t descriptor_variants;   /* likewise: and buffers by descriptors */
	uint32_t handle_bytes;          /* of a handle, by the library that is loaded; 0: 8 */
	uint32_t part_bytes;            /* of the structure that `part` reads */
	const char *front;    /* '\0'-separated, ends with an empty one: name prefixes of the API's front library */
	const char *lookups;  /* likewise: functions of other libraries that the hand-written part stands before */
	const char *runtimes; /* likewise: objects whose calls are the runtime's own, not the program's */
	const char *serialising; /* likewise: variables that make the runtime serialise; may be NULL */
	uint32_t layer;       /* depth in the stack of layers: greater is nearer to the program */
	uint32_t perfetto_api;  /* see struct fmt_backend */
	uint32_t layer_variant; /* symbols of this variant are called by the API's own loader; 0: none */
	uint16_t *slot;       /* [symbols], page-aligned, wiped on fork: 0 = not assigned */
	void **real;          /* [symbols] */
	/* Answer of a function whose API is absent from the process; never NULL. */
	void *(*absent)(uint32_t symbol);
	/*
	 * Hooks; all may be NULL. args are the words of the call and may be changed by enter. enter and
	 * leave are called for functions with REC_ENTER/REC_LEAVE, recorded or not (call->slot tells).
	 */
	void (*enter)(struct rec_call *call, rec_word *args);
	void (*leave)(struct rec_call *call, rec_word *args, rec_word result);
	void (*opened)(void);  /* this process's record has just been opened (again after a fork) */
	void (*flush)(uint64_t deadline_raw_ns); /* collect outstanding device records; must not block on the runtime */
	uint64_t (*oldest_open)(void); /* raw ns: no undelivered operation began before; UINT64_MAX: none */
	const char *(*names_found)(uint32_t names); /* of values that depend on the library; NULL: none known */
	/* What an answer stands for that the library made up for one failure; NULL: each for itself. */
	int32_t (*plain_answer)(int32_t answer);
	uint64_t (*part)(uint32_t part, const void *at); /* a member of a structure */
	rec_word (*convert)(uint32_t names, rec_word value); /* handle or buffer that came by reference, as C has it */
	bool (*ignores)(rec_word pointer); /* is it a constant by which the program asks for nothing? */
	/* Filled by rec_backend_register(). */
	uint32_t index;        /* backend index in the record, UINT32_MAX before it is open */
	uint32_t state;        /* internal to record/ */
	uint32_t pending_lost; /* likewise */
	uint32_t layered;      /* rec_layer_live() was called */
	uintptr_t low, high;   /* address range of the object that holds the wrappers */
	const char *how, *library; /* rec_attached() */
	const char *second;        /* another library with the API */
	const char *note;          /* rec_backend_note() */
	struct rec_backend *next;
};

#define REC_POINTER_MIN 4096u /* what is below is a constant that stands for no address */

/* Address of a choice buffer: a variant may pass it by a descriptor, which begins with it. */
static inline rec_word rec_buffer_address(const struct rec_backend *backend, uint8_t variant, rec_word word)
{
	return backend->descriptor_variants >> variant & 1 && word >= REC_POINTER_MIN ? *(const rec_word *)word : word;
}

/* Called by the constructor of each wrapper object; safe to call twice. */
REC_EXPORT void rec_backend_register(struct rec_backend *backend, const void *ehdr, const void *end);
/*
 * A backend that is known only at run time, such as a layer that reports itself: its calls are made through the object
 * of `within`, and it is asked for where that one is. False: another backend has its name.
 */
REC_EXPORT bool rec_backend_add(struct rec_backend *backend, const struct rec_backend *within);
/* Has a backend of this name recorded anything in this process? */
REC_EXPORT bool rec_backend_seen(const char *name);
/* Is there a backend of this name in this process, and is it wanted? */
REC_EXPORT bool rec_backend_there(const char *name);
/* Was it registered, is it asked for, and is there anything to record in? */
REC_EXPORT bool rec_backend_wanted(const struct rec_backend *backend);

/* ---- a call ------------------------------------------------------------------------------- */

/* Lives on the wrapper's stack. */
struct rec_call {
	struct rec_backend *backend;
	uint32_t symbol;   /* S */
	uint32_t slot;     /* 0: not recorded (off, nested inside the runtime, no room) */
	uint32_t depth;    /* of this call in the thread's stack */
	uint16_t failed;   /* set by the wrapper, before leave */
	uint8_t own;       /* the tool itself makes this call: the wrapper calls no hooks */
	uint8_t streamed;  /* it is in the thread's stream */
	rec_word result;   /* set by the wrapper, before leave; narrowed to its declared width */
	uint64_t begin;    /* ticks */
	uint64_t duration; /* ticks; set by rec_leave */
	struct fmt_thread *thread;
	void *real;        /* the function to call: set by rec_enter in any case */
	const rec_word *args; /* its words; NULL: not known */
	uint64_t given;    /* bit i: argument i is where the program wants a result */
	uint64_t user[6];  /* for the backend, from enter to leave */
};

/*
 * Entry of the general path: resolves the real function, opens records, decides whether the call
 * counts, pushes the frame. call->real is what the wrapper must call (a second provider of the API
 * in the process has its own). Functions with REC_QUERY are counted here, unless queries are to be timed:
 * they have no row to add to and are slot 0 in the leave hook. args lives until rec_leave.
 */
REC_EXPORT void rec_enter(struct rec_call *call, struct rec_backend *backend, uint32_t symbol,
			  const void *return_address, uintptr_t frame_address, const rec_word *args);
/* Exit of the general path; only when call->slot is not 0. Runs before the leave hook. */
REC_EXPORT void rec_leave(struct rec_call *call);
/* Row of a recorded call; valid between enter and leave hooks. For the backend's own figures. */
static inline struct fmt_stats *rec_call_row(const struct rec_call *call)
{
	char *rows = (char *)call->thread + FMT_THREAD_ROWS_OFFSET;

	return (struct fmt_stats *)rows + (call->slot - 1);
}
/* How many processes or devices the communicator of this call has. call->slot is not 0. */
REC_EXPORT void rec_call_members(const struct rec_call *call, uint32_t members);
REC_EXPORT REC_COLD void rec_stream_bytes(uint64_t out, uint64_t in);
REC_EXPORT REC_COLD void rec_stream_link(uint64_t correlation);
static inline void rec_call_bytes(const struct rec_call *call, uint64_t out, uint64_t in, bool posted)
{
	struct fmt_stats *row = rec_call_row(call);

	row->bytes_out += out;
	row->bytes_in += in;
	row->posted += posted;
	if (unlikely(call->streamed))
		rec_stream_bytes(out, in);
}
/* The call started the device operation whose span will have this number (unique in the process). For leave hooks. */
static inline void rec_call_link(const struct rec_call *call, uint64_t correlation)
{
	if (call->streamed)
		rec_stream_link(correlation);
}

/*
 * While a thread is inside a guard, calls that it makes into traced APIs pass unrecorded: the
 * backend's own questions to the runtime. Guards nest; leave takes what enter gave.
 */
REC_EXPORT uint32_t rec_guard_enter(void);
REC_EXPORT void rec_guard_leave(uint32_t token);

/* The real function behind any symbol of the backend, for the backend's own use; NULL if absent. */
REC_EXPORT void *rec_real(struct rec_backend *backend, uint32_t symbol);
/*
 * For wrappers that do without rec_enter(): the real function of the caller at this address, looked up each time. Which
 * library is recorded, and that another one is in the process as well, is theirs to find out and to tell of.
 */
REC_EXPORT void *rec_real_for(const struct rec_backend *backend, uint32_t symbol, const void *caller);
/* The library in which a real function lies, for the ledger. second: not the one that is recorded. */
REC_EXPORT void rec_provider_note(struct rec_backend *backend, const void *real, const char *how, bool second);
/* What a program that asks for this name is to get; NULL: no name of the backend's. And its wrapper. */
REC_EXPORT const struct rec_export *rec_export_find(const struct rec_backend *backend, const char *name);
REC_EXPORT void *rec_export_wrapper(const struct rec_backend *backend, const struct rec_export *export);
/* Path of a library that is in the process already, whose file's name begins so. */
REC_EXPORT bool rec_mapped(const char *prefix, char *path_out, size_t size);
/* Can this be read? A system call. For what a program gives before the runtime has looked at it. */
REC_EXPORT bool rec_readable(const void *from, size_t bytes);
/* A data or function symbol of the library that provides the backend's API (global scope first). */
REC_EXPORT void *rec_provider_symbol(struct rec_backend *backend, const char *name);

/* ---- things, interned once ------------------------------------------------------------------ */

/* Offset in the record's strings of a text of any length, as rec_name() gives it. */
REC_EXPORT uint64_t rec_text(const char *bytes, size_t length);
/* Offset in the strings of the record; equal bytes give equal offsets; beyond 4096 they end in a hash. 0: no room. */
REC_EXPORT uint64_t rec_name(const char *bytes, size_t length);

/* Queue index in this process's record, or UINT32_MAX. name: as the program or the runtime calls it, or what it is. */
REC_EXPORT uint32_t rec_queue(struct rec_backend *backend, uint32_t device, rec_word handle, const char *name);

/* Device index in this process's record, or UINT32_MAX. key tells devices of the node apart. */
REC_EXPORT uint32_t rec_device(struct rec_backend *backend, const char *key, const char *name, uint32_t ordinal);

/* Ledger of the device side. */
REC_EXPORT void rec_device_seen(struct rec_backend *backend); /* an operation was launched */
REC_EXPORT void rec_device_unseen(struct rec_backend *backend); /* that launch has failed: it will never run */
REC_EXPORT void rec_device_untimed(struct rec_backend *backend);
REC_EXPORT uint64_t rec_device_left(const struct rec_backend *backend); /* seen, and not told of yet */
REC_EXPORT void rec_device_lost(struct rec_backend *backend); /* seen before, or else seen by this */
REC_EXPORT void rec_lost(struct rec_backend *backend); /* a call that could not be recorded */

struct rec_span {
	uint64_t begin_ns, end_ns; /* host CLOCK_MONOTONIC_RAW; begin <= end */
	uint64_t error_ns;         /* bound of the clock conversion */
	uint64_t name;             /* rec_name() */
	uint64_t bytes;            /* of copies and fills */
	uint64_t correlation;      /* as given to rec_call_link() by the call that started it; 0: not known */
	uint32_t device;           /* rec_device() */
	uint32_t queue;            /* rec_queue(), or UINT32_MAX */
	uint32_t kind;             /* enum sonde_kind: launch = kernel; copy, fill, map = copies; others neither */
	uint32_t direction;        /* enum sonde_direction, for copies and fills */
	uint32_t memory;           /* enum sonde_memory_kind of the host side, for copies */
	uint32_t context;          /* rec_context() of the thread that started it, when it did */
	bool waited;               /* the call that started it returned when it had ended: a blocking copy */
	struct fmt_details details; /* of kernels, and of what is part of a graph; zero: not known */
};
/* Folds one finished device operation into unions, sums and rows. Counts it as recorded. */
REC_EXPORT void rec_device_span(struct rec_backend *backend, const struct rec_span *span);

/* ---- calls, ranges and marks whose name is known only at run time ------------------------------- */

#define REC_LABEL_SEED 0xcbf29ce484222325u

/* A name with its hash, made once per text or once per call: rec_label(). */
struct rec_label {
	const char *group, *name; /* the name is group followed by name; any bytes but NUL */
	uint32_t group_length, length;
	uint64_t hash;
};

static inline uint64_t rec_label_hash(uint64_t hash, const char *text, uint32_t *length_out)
{
	const char *at = text;

	for (; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
	*length_out = (uint32_t)(at - text);
	return hash;
}

/* in: NULL, or what names of this kind begin with, "domain:", as a label of its own. name may be NULL. */
static inline struct rec_label rec_label(const struct rec_label *in, const char *name)
{
	struct rec_label label = {"", name ? name : "", 0, 0, REC_LABEL_SEED};

	if (in) {
		label.group = in->name;
		label.group_length = in->length;
		label.hash = in->hash;
	}
	label.hash = rec_label_hash(label.hash, label.name, &label.length);
	return label;
}

/*
 * Name of a construct that begins at a place in the code: `what`, a constant of the backend, with the return address of
 * the call that stands there. Whoever reads the recording makes function and line of it. NULL, or an address in a
 * runtime: "unknown".
 */
REC_EXPORT struct rec_label rec_code_label(const struct rec_backend *backend, const char *what, const void *address);

/*
 * Entry of a call whose name is known at run time alone, as a kernel of a portability layer: rec_leave() ends it.
 * frame_address: of the function that stands before it; 0 where a callback that returns tells of the beginning.
 * Calls nest in it as in any other. call->slot 0: it is not recorded.
 */
REC_EXPORT void rec_enter_dynamic(struct rec_call *call, struct rec_backend *backend, const struct rec_label *label,
				  enum sonde_kind kind, uintptr_t frame_address);
/* The call in one word, for interfaces that keep one between beginning and end; 0: not recorded. Same thread. */
REC_EXPORT uint64_t rec_call_token(const struct rec_call *call);
/* The call again, to be left. False: there is no such call open in this thread. */
REC_EXPORT bool rec_call_resume(struct rec_call *call, struct rec_backend *backend, uint64_t token);
/* In place of rec_leave(): an exception has left the call, some time ago. It is unfinished, with what is open in it. */
REC_EXPORT REC_COLD void rec_call_left(const struct rec_call *call);

/*
 * A call of this thread that is told of when it is over: the thread has recorded nothing since it began, at the time
 * that rec_past_begin() gave. 0: recording is paused, so that it is none to be told of.
 */
REC_EXPORT uint64_t rec_past_begin(void);
REC_EXPORT void rec_call_past(struct rec_backend *backend, const struct rec_label *label, enum sonde_kind kind,
			      uint64_t begin, uint64_t end);
/* When the threads of a team came to the end of what they share; ticks. Zero but for the beginning. */
struct rec_team {
	uint64_t begin;
	uint64_t arrived_sum; /* from the beginning to when threads were done, of `arrived` threads; the latest */
	uint64_t arrived_last;
	uint64_t waited;      /* of all threads together, at barriers within */
	uint64_t helped;      /* likewise, in tasks that they ran when they were done */
	uint32_t arrived;
};
/* The calling thread has done its share. */
REC_EXPORT void rec_team_arrive(struct rec_team *team);
/* How long the threads waited for each other. With tasks at its end a team ends later than the last of them is done. */
REC_EXPORT uint64_t rec_team_waited(const struct rec_team *team, uint64_t end);
/* Threads worked together in this call: ticks of all of them, and what of that they waited for each other. */
REC_EXPORT void rec_call_team(const struct rec_call *call, uint64_t team, uint64_t waited);

/*
 * Ranges of a thread nest, those with another `stack` (a domain's) by themselves. They may be lost, one by one, when
 * there are too many names: a pop then still finds its push.
 */
REC_EXPORT void rec_range_push(struct rec_backend *backend, const struct rec_label *label, uint32_t stack);
REC_EXPORT void rec_range_pop(struct rec_backend *backend, uint32_t stack);
/*
 * As rec_range_push(), and streams show what is told of the range; NULL: nothing is. So with rec_range_start_told() and
 * rec_mark_told().
 */
REC_EXPORT void rec_range_push_told(struct rec_backend *backend, const struct rec_label *label, uint32_t stack,
				    const struct fmt_event_told *told);
/* Begins a range that streams show with its number, and ends the one before, if any: a stack that has one at most. */
REC_EXPORT void rec_range_step(struct rec_backend *backend, const struct rec_label *label, uint32_t stack,
			       uint64_t number);
REC_EXPORT void rec_range_step_end(struct rec_backend *backend, uint32_t stack);
/* A range of the process: any thread may end it. key: any word but 0 that no other open range of the backend has. */
REC_EXPORT void rec_range_start(struct rec_backend *backend, const struct rec_label *label, uint64_t key);
REC_EXPORT void rec_range_start_told(struct rec_backend *backend, const struct rec_label *label, uint64_t key,
				     const struct fmt_event_told *told);
REC_EXPORT void rec_range_end(struct rec_backend *backend, uint64_t key);
REC_EXPORT void rec_mark(struct rec_backend *backend, const struct rec_label *label);
REC_EXPORT void rec_mark_told(struct rec_backend *backend, const struct rec_label *label,
			      const struct fmt_event_told *told);

/* A counter of the program's has this value now; the type is of numbers, the value as in struct fmt_event_told. */
REC_EXPORT void rec_counter(struct rec_backend *backend, const struct rec_label *label, enum fmt_arg_type type,
			    uint64_t value);

/*
 * The program gives a name to what has a number: a category of `scope`, a thread by its tid (scope 0). At any time,
 * also before there is a record; a later name takes its place. NULL or "": not known any more. Slow path. 4,096 things
 * and a MiB of names are followed, further ones keep what they have.
 */
REC_EXPORT void rec_named(struct rec_backend *backend, enum fmt_named_what what, uint32_t scope, uint32_t key,
			  const char *name);

/*
 * Recording pauses while a pause was not taken back as often as it was asked for, or the switch is off: the switch is
 * for interfaces that do not count, and off from the start where the user says so. A resume without a pause turns it
 * on. While it is paused calls are not recorded (call->slot is 0), ranges neither; footprints are followed.
 */
REC_EXPORT void rec_pause(void);
REC_EXPORT void rec_resume(void);
REC_EXPORT void rec_switch(bool on);
REC_EXPORT bool rec_is_paused(void);
REC_EXPORT bool rec_control_wanted(void); /* is anything recorded that could be paused? */

/*
 * What the calling thread is in: ranges that it has pushed, ranges of the process that are open, calls of other
 * backends. 0: nothing. For struct rec_span of an operation that it starts now; valid in this process's record alone.
 */
REC_EXPORT uint32_t rec_context(const struct rec_backend *backend);

/* Memory in use: bytes > 0 allocates, bytes < 0 frees. device UINT32_MAX: host memory. */
REC_EXPORT void rec_memory(struct rec_backend *backend, uint32_t device, enum sonde_memory_kind kind, int64_t bytes);

/* One build of device code. ticks: its duration on the calling thread. */
REC_EXPORT void rec_build(struct rec_backend *backend, uint64_t name, enum sonde_build_source source,
			  uint64_t ticks, bool failed);
/* Child processes that a build, which rec_build() counts, was seen to run. */
REC_EXPORT void rec_build_processes(struct rec_backend *backend, uint64_t name, enum sonde_build_source source,
				    uint32_t processes);

/* The backend's library and how it was reached, for the ledger: "preload", "dlsym", ... */
REC_EXPORT void rec_attached(struct rec_backend *backend, const char *how, const char *library);

/*
 * What the user should know of how this API was traced: one sentence, of the program's lifetime. Opens the record: call
 * it where the program is known to use the API.
 */
REC_EXPORT void rec_backend_note(struct rec_backend *backend, const char *sentence);
/* The API is in use: opens the record where there is none yet, for what is no call, as memory that is told of. */
REC_EXPORT void rec_backend_used(struct rec_backend *backend);

/*
 * The API's loader now calls through its table (real[] of the layer's symbols is filled): exported wrappers of
 * functions that stand in it pass unrecorded, so that each call is seen once and where the loader passes it on.
 */
REC_EXPORT void rec_layer_live(struct rec_backend *backend);
/* A runtime tells of what wrappers see, too: calls that are only counted are open ones as well. In a constructor. */
REC_EXPORT void rec_told_as_well(void);
/* Called before each dlsym() of the process, with its return address; NULL: no more. Keeps errno and dlerror(). */
REC_EXPORT void rec_watch_lookups(void (*looked_up)(const void *return_address));

/* Rank and size of this process, once the runtime knows them. */
REC_EXPORT void rec_rank(int rank, int size);

/* ---- small tools ---------------------------------------------------------------------------- */

REC_EXPORT uint64_t rec_raw_ns(void);   /* CLOCK_MONOTONIC_RAW */
REC_EXPORT uint64_t rec_now_ticks(void); /* the clock of the record, as in fmt_process.clock */
REC_EXPORT uint64_t rec_ticks_in(uint64_t ns); /* how many ticks so much time is; of an open record */
REC_EXPORT void rec_flush(enum fmt_end end); /* before the program ends by force: collect and note the end */
REC_EXPORT bool rec_times_queries(void); /* functions with REC_QUERY are to be timed, not only counted */
REC_EXPORT bool rec_on(void);           /* this process has an open record and recording is not off */
REC_EXPORT uint32_t rec_generation(void); /* which record: another one after a fork; 0: none is open */

#endif
