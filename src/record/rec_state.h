/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of the recorder, private to record/. One struct for the process, one page that a fork
 * wipes, and the functions that the files of this folder offer each other.
 */
#ifndef SONDE_RECORD_REC_STATE_H
#define SONDE_RECORD_REC_STATE_H

#include <signal.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "format/stream.h"
#include "record/rec_tools.h"
#include "record/rec_hot.h"

#define REC_PAGE 4096u
#define REC_STEP 16384u              /* bytes by which mapped areas are populated */
#define REC_THREAD_SPAN (2u << 20)   /* bytes of the file per thread block */
#define REC_ROWS_MAX ((REC_THREAD_SPAN - FMT_THREAD_ROWS_OFFSET) / sizeof(struct fmt_stats))
#define REC_THREADS_MAX 4096u
#define REC_NAMED_MAX 4096u
#define REC_FAILURES_MAX 512u
#define REC_PATH_MAX 4096u
#define REC_DEPTH_MASK 0x7fffffffu
#define REC_SLOT_COUNTED (UINT32_MAX - 1) /* a query that is counted, not timed */
#define REC_SLOT_PENDING UINT32_MAX  /* a discovery call before the record is open */

enum rec_backend_state {
	REC_BACKEND_NEW = 0,
	REC_BACKEND_ON = 1u << 0,       /* registered and wanted */
	REC_BACKEND_MULTI = 1u << 1,    /* a second provider is in the process: look up on each call */
	REC_BACKEND_OPENED = 1u << 2    /* listed in the current record */
};

/* On its own page with MADV_WIPEONFORK: all zero in the child of any kind of fork. */
struct rec_wiped {
	uint32_t pid;    /* of this process, cached; 0 = ask */
	uint32_t open;   /* 1: the record in rec_state belongs to this process */
	uint32_t failed; /* 1: this process could make none; its children try for themselves */
};

struct rec_area {         /* a section while it is being written */
	struct fmt_section *section;
	char *base;
	uint64_t populated; /* bytes backed by pages of the file */
};

struct rec_state {
	bool constructed;
	bool off; /* nothing is recorded of this program, and of no child that it forks */
	bool private, debug, time_queries, counter_clock, streams_stopped, told_as_well;
	bool paused; /* see rec_control.c */
	bool arguments; /* of calls are recorded */
	void (*looked_up)(const void *return_address); /* see rec_watch_lookups() */
	enum fmt_loss on_loss;
	uint32_t streamed; /* slots up to this one may appear in streams: other readers know them */
	uint32_t lock;
	uint32_t generation;       /* counts records of this process image: a forked child gets the next */
	uint32_t forks;            /* generations since exec */
	uint32_t image_pid;        /* pid that ran the constructor */
	struct fmt_triple image;   /* clocks when it ran */
	char dir[REC_PATH_MAX];    /* run directory, absolute; empty: inert */
	char path[REC_PATH_MAX];   /* of the tally */
	const char *backends_wanted; /* comma list or NULL */
	struct rec_backend *backends;
	/* the open record */
	char *map;
	uint64_t map_bytes;
	struct fmt_head *head;
	struct fmt_process *process;
	struct rec_area area[FMT_SECTION_COUNT];
	uint32_t threads_max;
	struct rec_backend *backend_of[FMT_BACKENDS_MAX];
	uint64_t last_refresh; /* raw ns of process->last */
};

extern struct rec_state rec_state __attribute__((visibility("hidden")));
extern struct rec_wiped *const rec_wiped __attribute__((visibility("hidden")));

static inline void *rec_area_item(enum fmt_section_kind kind, uint64_t index)
{
	const struct rec_area *area = &rec_state.area[kind];

	return area->base + index * area->section->stride;
}

/* Nothing is recorded of this process, and that is known. */
static inline bool rec_is_off(void)
{
	return rec_state.off || rec_wiped->failed;
}

/* rec_open.c */
void rec_construct(void);
bool rec_ready(void); /* a record is open in this process */
bool rec_open(void);  /* opens one; false: off or impossible. Locked. */
bool rec_populate(char *base, uint64_t bytes);
bool rec_area_reserve(enum fmt_section_kind kind, uint64_t items); /* room for that many items */
void *rec_area_add(enum fmt_section_kind kind, uint64_t *index_out); /* next item, not yet published */
/* The same, of a row of sums: where there is no room, a note says so. */
void *rec_area_add_sums(enum fmt_section_kind kind, uint64_t *index_out);
void rec_area_publish(enum fmt_section_kind kind);
bool rec_backend_open(struct rec_backend *backend);

/* rec_file.c */
bool rec_file_create(void); /* makes, sizes and maps the tally; fills head and areas */
void rec_file_forget(void); /* in a forked child: the parent's mapping must not be touched any more */
bool rec_file_may_grow(uint64_t bytes); /* may a file of this process have that size? */
void rec_file_write_private(void);
bool rec_back(void *pages, uint64_t bytes); /* on the disk; true also where the kernel cannot be asked */
bool rec_file_back(uintptr_t from, uint64_t bytes); /* kernels without MADV_POPULATE_WRITE */

/* rec_foreign.c: CLOCK_MONOTONIC_RAW of a time by it, and the bound of its error. False: it was never read. */
struct rec_foreign_clock;
bool rec_foreign_convert(struct rec_foreign_clock *clock, uint64_t theirs, uint64_t *raw_out, uint64_t *error_out);

/* rec_missing.c: that this process has no record. Locked. */
void rec_missing_keep(void); /* in a forked child, before its parent's record is forgotten */
bool rec_missing_add(int error); /* false: no place to say so */
void rec_missing_drop(void);

/* rec_thread.c */
bool rec_thread_open(struct rec_tls *tls);
bool rec_thread_grow(struct fmt_thread *thread, uint32_t rows);
void rec_thread_publish(struct rec_tls *tls); /* lets the thread take the inline paths */
struct fmt_thread *rec_thread_block(uint32_t index);
void rec_threads_sweep(void); /* what threads had open that are gone is left. Locked. */

/* rec_slot.c */
uint32_t rec_slot_assign(struct rec_backend *backend, uint32_t symbol); /* 0: no room */
void rec_slots_forget(void);
void rec_slots_clear(struct rec_backend *backend);

/* rec_dynamic.c: functions whose name is known only at run time */
#define REC_DYNAMIC_MAX 1024u /* of one process; each may have a row in each thread */
/* Room in this thread, the function's row in it. slot_out 0: the function finds no room. NULL: nothing is recorded. */
struct fmt_thread *rec_dynamic(struct rec_backend *backend, const struct rec_label *label, enum sonde_kind kind,
			       uint32_t *slot_out);
/* For what is nothing without a row: where there is none, it is lost, and the answer NULL. */
static inline struct fmt_thread *rec_dynamic_or_lost(struct rec_backend *backend, const struct rec_label *label,
						     enum sonde_kind kind, uint32_t *slot_out)
{
	struct fmt_thread *thread = rec_dynamic(backend, label, kind, slot_out);

	if (unlikely(thread && !*slot_out)) {
		rec_lost(backend);
		return NULL;
	}
	return thread;
}
struct fmt_thread *rec_dynamic_row(struct rec_backend *backend, uint32_t slot); /* of a function that is known */
void rec_dynamic_forget(void);
uint32_t rec_slot_dynamic(struct rec_backend *backend, const struct rec_label *label, enum sonde_kind kind);

/* rec_context.c */
void rec_context_add(uint32_t context, uint64_t device_ns); /* the device's lock is held */
void rec_context_forget(void);
void rec_range_forget(void);
/* Slots of the process's open ranges, `room` at most; changes with rec_range_version. */
uint32_t rec_range_started(uint16_t *slots, uint32_t room);
extern uint32_t rec_range_version __attribute__((visibility("hidden"))); /* 0: there never was one */

/* rec_stream.c */
#define REC_STREAM_DEVICE REC_THREADS_MAX
struct rec_writer;
void rec_stream_open(struct rec_writer *writer, uint32_t stream); /* stream: index of a thread block */
void rec_streams_forget(void);
/* What a thread had open that is gone: its last event is its last sign of life. */
void rec_stream_left(uint32_t stream, const struct fmt_thread *thread);
void rec_stream_lost(uint32_t events); /* that are in the tally and in no stream */
/* A whole call from before the record was open, into a stream that holds nothing later yet. */
void rec_stream_past(struct rec_writer *writer, uint32_t slot, bool failed, rec_word result, uint64_t begin,
		     uint64_t end);

/* rec_meta.c */
bool rec_meta_open(const struct fmt_plan *plan); /* makes ctf/metadata */
void rec_meta_function(uint32_t slot, const struct rec_backend *backend, uint32_t function, bool counted);
void rec_meta_dynamic(uint32_t slot, const struct rec_backend *backend, const char *name, enum sonde_kind kind);
void rec_meta_forget(void);

/* rec_args.c: entry and exit of a call with its arguments, giving the time; what they are */
uint64_t rec_args_entry(struct rec_call *call);
uint64_t rec_args_exit(struct rec_call *call);
bool rec_args_describe(const struct rec_backend *backend, uint32_t function, uint32_t slot); /* false: no room */
/* What a call that failed says of it; 0: nothing. And what the answers of a function are called: "NAME=value ..." */
rec_word rec_args_answer(const struct rec_call *call);
const char *rec_args_answers(const struct rec_backend *backend, const struct rec_function *described);
/* Those that are recorded, *count_out of them. */
const struct rec_argument *rec_args_of(const struct rec_backend *backend, uint32_t function, enum fmt_arg_when when,
				       uint32_t *count_out);

/* rec_plan.c */
const struct fmt_plan *rec_plan(void); /* NULL: no streams */
bool rec_plan_use(int64_t bytes); /* false: the job's limit is reached, nothing was added */

/* rec_call.c */
void rec_row_add(struct fmt_stats *row, uint64_t duration, uint64_t child, bool failed);

/* rec_control.c */
static inline bool rec_paused(void)
{
	return __atomic_load_n(&rec_state.paused, __ATOMIC_RELAXED);
}
void rec_control_construct(bool paused);
void rec_control_opened(void); /* tells the new record what was paused before it */

/* rec_exit.c */
void rec_note_end(enum fmt_end end);
void rec_exit_construct(void); /* of a process that may be recorded */
void rec_exit_watch(void);     /* there is a record; without a lock: libc takes the loader's */

/* rec_pending.c */
void rec_pending_add(const struct rec_call *call, uint64_t end, bool timed);
void rec_pending_replay(struct fmt_thread *thread);

/* rec_resolve.c */
void *rec_resolve(struct rec_backend *backend, uint32_t symbol, const void *return_address);
bool rec_is_own(const void *address);
bool rec_is_first_copy(void);
bool rec_is_runtime(const void *address);
bool rec_is_front(const struct rec_backend *backend, const void *address);
void rec_keep_loaded(const void *address); /* the object that it lies in: it is not unloaded any more */
/* The object that an address lies in. */
struct rec_module {
	const char *name; /* as the loader calls it; "": the program */
	uint64_t offset;  /* the address as its file counts */
	const unsigned char *id; /* its build id; NULL: it has none */
	uint32_t id_bytes;
};
bool rec_module_of(const void *address, struct rec_module *module_out);

/* rec_dlsym.c */
extern void *(*rec_real_dlsym)(void *handle, const char *name) __attribute__((visibility("hidden")));
extern void *(*rec_real_dlvsym)(void *handle, const char *name, const char *version)
	__attribute__((visibility("hidden")));
void rec_dlsym_setup(void);
void *rec_dlsym_pick(void *handle, const char *name, const char *version, const void *return_address)
	__attribute__((visibility("hidden")));

/* rec_clock.c */
void rec_triple(struct fmt_triple *triple_out);
bool rec_refresh(bool force); /* false: it is not due */
uint64_t rec_call_cost(void);
uint64_t rec_birth(void);

/* rec_proc.c: facts about this process, from /proc */
uint64_t rec_proc_start_time(void);
size_t rec_proc_read(const char *path, char *buffer, size_t size);
bool rec_proc_excluded(void);
bool rec_proc_is_single(void); /* does some launcher say that it started one rank? */
bool rec_proc_rank(int *rank_out, int *size_out); /* by the launcher of several; false: not known, nothing is set */

/* rec_device.c: forget what belonged to the parent's record */
void rec_device_forget(void);

/* rec_graph.c: an operation of a graph, under the lock of rec_device.c */
void rec_graph_add(const struct rec_backend *backend, const struct rec_span *span);
void rec_graph_forget(void);

/* rec_fail.c */
void rec_fail_forget(void);

/* rec_things.c */
void rec_things_forget(void);
void rec_names_forget(void);

/* rec_named.c */
void rec_named_opened(const struct rec_backend *backend); /* it is listed in the record now */
void rec_named_forget(void);
void rec_map_clear(struct rec_map *map);

/* rec_log.c */
void rec_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * While a lock is held, no handler may leave by longjmp and no thread be cancelled. All signals, by a system call of
 * our own: libc's leaves the one open by which it cancels threads.
 */
static inline void rec_signals_block(uint64_t *before_out)
{
	uint64_t all = ~0ull;

	*before_out = 0;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, before_out, sizeof(all));
}

static inline void rec_signals_restore(const uint64_t *before)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof(*before));
}

/* unit: a power of two */
static inline uint64_t rec_round_up(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) & ~(unit - 1);
}

static inline uint32_t rec_pid(void)
{
	uint32_t pid = rec_wiped->pid;

	if (unlikely(!pid))
		pid = rec_wiped->pid = (uint32_t)getpid();
	return pid;
}

#endif
