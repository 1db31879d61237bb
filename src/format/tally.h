/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On-disk form of a process's tally: RUN/<host>.<pid>.<start>/tally.
 *
 * record/ writes it through a shared mapping while the program runs, so the file is valid after
 * any end of the program; read/ opens it as untrusted input. It starts with a fmt_head whose
 * section table says where everything lies; a compacted copy differs only in those offsets.
 * All integers are little-endian words of the recording machine (byte_order tells), all
 * sections are zero where nothing was written. Times: "ticks" are units of fmt_process.clock,
 * "ns" are CLOCK_MONOTONIC_RAW nanoseconds of the node.
 */
#ifndef SONDE_FORMAT_TALLY_H
#define SONDE_FORMAT_TALLY_H

#include <stddef.h>
#include <stdint.h>

#define FMT_TALLY_MAGIC "SONDETLY"
#define FMT_LAUNCH_MAGIC "SONDELCH"
#define FMT_MAJOR 3 /* when which one changes: docs/FORMAT.md */
#define FMT_MINOR 3
#define FMT_BYTE_ORDER 0x01020304u

#define FMT_BUCKETS 165  /* histogram: 4 steps per octave, see fmt_bucket() */
#define FMT_FRAMES 64    /* deepest nesting of traced calls per thread */
#define FMT_RANGES 56    /* deepest nesting of ranges per thread */
#define FMT_INTERVALS 4096

enum fmt_section_kind {
	FMT_SECTION_PROCESS = 1, /* 1 x fmt_process */
	FMT_SECTION_BACKENDS,    /* fmt_backend */
	FMT_SECTION_FUNCTIONS,   /* fmt_function, index = slot - 1 */
	FMT_SECTION_STRINGS,     /* bytes; a name is its offset; offset 0 is the empty name */
	FMT_SECTION_THREADS,     /* stride bytes each: fmt_thread, then at +4096 fmt_stats[slot - 1] */
	FMT_SECTION_DEVICES,     /* fmt_device */
	FMT_SECTION_OPS,         /* fmt_op: device work by name */
	FMT_SECTION_TRANSFERS,   /* fmt_transfer */
	FMT_SECTION_MEMORY,      /* fmt_memory */
	FMT_SECTION_BUILDS,      /* fmt_build */
	FMT_SECTION_QUEUES,      /* fmt_queue */
	FMT_SECTION_ARGS,        /* fmt_arg, see format/stream.h */
	FMT_SECTION_GRAPHS,      /* fmt_graph */
	FMT_SECTION_NODES,       /* fmt_node */
	FMT_SECTION_NAMED,       /* fmt_named */
	FMT_SECTION_FAILURES,    /* fmt_failure */
	FMT_SECTION_COUNT
};

struct fmt_section {
	uint32_t kind;     /* enum fmt_section_kind; a reader skips kinds it does not know */
	uint32_t stride;   /* bytes from one item to the next */
	uint64_t offset;   /* of the first item, from the start of the file */
	uint64_t capacity; /* items that fit */
	uint64_t used;     /* items in use; published after their content (release) */
};

struct fmt_head {
	char magic[8];
	uint16_t major, minor; /* a reader takes its own major */
	uint32_t byte_order;
	uint32_t head_bytes; /* sizeof(struct fmt_head) of the writer */
	uint32_t section_count;
	struct fmt_section section[16];
};

/* The three clocks read together; error_ns is the width of the bracket around the reads. */
struct fmt_triple {
	uint64_t ticks;
	uint64_t raw_ns;  /* CLOCK_MONOTONIC_RAW */
	uint64_t real_ns; /* CLOCK_REALTIME */
	uint64_t error_ns;
};

enum fmt_clock {
	FMT_CLOCK_COUNTER = 0,  /* invariant TSC, cntvct */
	FMT_CLOCK_MONOTONIC = 1 /* ticks are CLOCK_MONOTONIC nanoseconds */
};

/* How a process ended, as far as it could say itself; the launcher's record knows better. */
enum fmt_end {
	FMT_END_NONE = 0, /* still running or killed */
	FMT_END_EXIT,     /* exit handlers ran */
	FMT_END_QUICK,    /* _exit, quick_exit */
	FMT_END_ABORT,    /* abort, or a runtime's own way to end a job */
	FMT_END_EXEC      /* replaced by another program */
};

/* Notes a process makes about its own recording: bits of fmt_process.notes */
enum fmt_note {
	FMT_NOTE_CHILDREN_UNTRACED = 1u << 0, /* a program was started without our preload */
	FMT_NOTE_NO_SPACE = 1u << 1,          /* growth failed: disk full, file size limit */
	FMT_NOTE_PRIVATE = 1u << 2,           /* nothing could be mapped: lost if killed */
	FMT_NOTE_SECOND_PROVIDER = 1u << 3,   /* two libraries implement one API */
	FMT_NOTE_APPROXIMATE = 1u << 4,       /* some device figure was folded approximately */
	FMT_NOTE_DYNAMIC_FULL = 1u << 5,      /* there were more names known at run time than there is room for */
	FMT_NOTE_CONTEXTS_FULL = 1u << 6,     /* things nest in more ways than there is room for: device_ns is less */
	FMT_NOTE_GRAPHS_FULL = 1u << 7,       /* there were more graphs or nodes than there is room for */
	FMT_NOTE_LAUNCHES = 1u << 8,          /* launches of graphs may be more than were counted */
	FMT_NOTE_ROWS_FULL = 1u << 9,         /* there were more rows of some sums than there is room for */
	FMT_NOTE_ALONE = 1u << 10             /* its launcher started several ranks, and its runtime knows of one */
};

/* What lies in ctf/ beside the tally: see format/stream.h. */
enum fmt_streams {
	FMT_STREAMS_NONE = 0,
	FMT_STREAMS_TIMELINE = 1, /* calls without arguments */
	FMT_STREAMS_TRACE = 2     /* with arguments */
};

/* Why events are missing in the streams, or streams altogether: the first reason. */
enum fmt_streams_end {
	FMT_STREAMS_WHOLE = 0,
	FMT_STREAMS_NO_SPACE = 1,   /* disk full */
	FMT_STREAMS_MAX_SIZE = 2,   /* the job's own limit */
	FMT_STREAMS_FILE_LIMIT = 3, /* RLIMIT_FSIZE */
	FMT_STREAMS_UNMAPPED = 4,   /* the file system cannot be mapped safely */
	FMT_STREAMS_NO_FILE = 5     /* files cannot be made or mapped: descriptors, memory, rights, another root */
};

/* Processes that made traced calls and could not make a record: told where they could still write. */
struct fmt_unrecorded {
	uint32_t processes;
	uint32_t error; /* errno of the last */
};

struct fmt_process {
	uint32_t pid, ppid;
	int32_t rank, size;   /* -1: unknown */
	uint32_t clock;       /* enum fmt_clock */
	uint32_t end;         /* enum fmt_end */
	uint32_t notes;       /* enum fmt_note */
	uint32_t generations; /* fork depth since the last exec */
	uint64_t birth_ticks; /* start of the program image, or fork */
	uint64_t end_ticks;   /* 0: did not say */
	struct fmt_triple open; /* at the first traced event */
	struct fmt_triple last; /* newest, refreshed at most once a second and at the end */
	uint64_t exe, command, cwd, host; /* names (offsets into strings); command is NUL-separated as spaces */
	uint64_t lost_threads;  /* threads that got no block, or late: such calls are in lost of the backends */
	uint64_t bad_ticks;     /* calls whose clock ran backwards: counted, time dropped */
	uint64_t start_time;    /* field 22 of /proc/PID/stat, clock ticks since boot */
	uint64_t call_cost;     /* ticks that one traced call pair costs, measured at open */
	uint32_t streams;       /* enum fmt_streams */
	uint32_t streams_end;   /* enum fmt_streams_end */
	uint64_t streams_lost;  /* events that are in the tally, but found no room in a stream */
	uint64_t pauses;        /* how often recording was paused */
	uint64_t paused;        /* ticks of the pauses that have ended */
	uint64_t paused_since;  /* ticks from which on it is paused; 0: it is not */
	struct fmt_unrecorded unrecorded; /* of its forked children */
};

#define FMT_BACKENDS_MAX 32u /* of one process */

struct fmt_backend {
	uint64_t name;        /* of its folder in backends/ */
	uint64_t attached_by; /* "preload", "dlsym", the runtime's variable, ... comma-separated */
	uint64_t library;     /* path of the object that provides the API */
	uint32_t hooked;      /* functions that this build can wrap */
	uint32_t layer;       /* depth in the stack of layers: greater is nearer to the program */
	uint64_t lost;        /* calls seen but not recorded */
	uint64_t device_seen; /* device operations launched */
	uint64_t device_recorded; /* of those, delivered with times */
	uint64_t untimed;     /* delivered without usable times */
	uint64_t late;        /* delivered before the fold line: approximate in the union */
	uint64_t second;      /* name: another provider whose calls passed unwrapped, or 0 */
	uint64_t device_lost; /* device operations delivered but not recorded */
	uint32_t perfetto_api; /* number of the API in Perfetto's InternedGraphicsContext, 0: it has none */
	uint32_t reserved32;
	uint64_t note;        /* what the backend has to tell, one sentence; 0: nothing */
	uint64_t serialised;  /* name: "VARIABLE=VALUE, ..." that make the runtime serialise; or 0 */
	/* unfinished = device_seen - device_recorded - untimed - device_lost */
};

enum fmt_function_flag {
	FMT_FUNCTION_COUNTED = 1u << 0, /* only counted, not timed: hist[0] holds the calls */
	FMT_FUNCTION_DYNAMIC = 1u << 1  /* its name was known at run time only: a range, a mark */
};

struct fmt_function {
	uint64_t name;    /* as the program knows it: one for all language bindings */
	uint32_t backend; /* index into backends */
	uint32_t kind;    /* enum sonde_kind */
	uint32_t flags;   /* enum fmt_function_flag */
	uint32_t layer;   /* of the backend, unless the function says otherwise */
	uint64_t device_ns; /* plain sum of the device operations that were started inside, by other backends */
	uint32_t members_least, members_most; /* of the communicators, or teams of threads; 0: not known */
	uint64_t team, team_waited; /* ticks of all its threads together, and of those waiting for each other */
};

/*
 * What is known of one function in one thread (ticks), or of one device operation (ns).
 * calls = sum of hist. self = total - child. Of a counter hist[0] is how often it was set, and total, nmin and max are
 * the bits of doubles: sum, least and greatest of its values, as far as it was set.
 */
struct fmt_stats {
	uint64_t total;      /* outermost calls only */
	uint64_t child;      /* traced time beneath; a recursive call's own time is subtracted (two's complement) */
	uint64_t nmin;       /* ~min, so that zero means none */
	uint64_t max;
	uint64_t failed;
	uint64_t unfinished; /* entered, left by longjmp, exception or thread exit */
	uint64_t bytes_out, bytes_in;
	uint64_t posted;     /* of bytes_in: calls for which only the posted size is known */
	uint64_t device_ns;  /* device time spanned by blocking copies of this row */
	uint64_t blocked;    /* ticks of the calls of this row that waited for a device copy */
	uint64_t hist[FMT_BUCKETS];
};

struct fmt_frame {
	uint64_t begin;  /* ticks */
	uint64_t child;  /* ticks spent in finished traced calls beneath */
	uint64_t stack;  /* address of the wrapper's frame */
	uint32_t slot;   /* 1-based function */
	uint32_t symbol; /* 1 + index of the name by which it was called */
};

/*
 * An open range. Ranges have a stack of their own, apart from that of calls: they are the program's own words for what
 * it does, calls inside of them are counted as if they were not there, and take the same paths.
 */
struct fmt_range {
	uint64_t begin;   /* ticks */
	uint64_t since;   /* ticks from which on it counts for the range around it */
	uint64_t child;   /* ticks of finished ranges inside */
	uint16_t slot;    /* 1-based function; 0: not recorded, for the sake of the nesting */
	uint16_t context; /* of operations started in it, in the recorder's own numbers; 0: not asked for yet */
	uint32_t stack;   /* pairs a pop with its push: ranges of several domains need not nest */
};

struct fmt_thread {
	uint32_t tid;
	uint32_t depth;      /* open calls: frame[1] .. frame[depth] */
	uint32_t rows;       /* fmt_stats usable in this block */
	uint32_t served;     /* threads that used this block one after another */
	uint64_t first;      /* ticks of its first traced call */
	uint64_t lost;       /* calls seen without room to record them */
	uint64_t last;       /* ticks of the end of its last traced call: a sign of life */
	uint32_t ranges;     /* open ranges: range[1] .. range[ranges] */
	uint32_t ranges_above; /* open ones beyond those, lost */
	uint64_t covered;    /* ticks of the process's pauses in which a recorded call of this thread was open */
	uint64_t arguments;  /* ticks that recording arguments took */
	struct fmt_frame frame[FMT_FRAMES + 1];
	struct fmt_range range[FMT_RANGES + 1];
};
#define FMT_THREAD_ROWS_OFFSET 4096

struct fmt_interval {
	uint64_t begin, end; /* ns, half open */
};

struct fmt_track {       /* disjoint, sorted intervals, then what was folded before them */
	uint32_t used;
	uint32_t busy;       /* odd while being changed: the reader sorts and merges again */
	uint64_t folded_ns;  /* union of what lies before the fold line */
	struct fmt_interval interval[FMT_INTERVALS];
};

struct fmt_device {
	uint64_t name;       /* for people, as the runtime tells it */
	uint64_t key;        /* name that tells one device of the node from another: UUID, PCI address */
	uint32_t backend;
	uint32_t ordinal;    /* as the program counts devices */
	uint64_t fold_line;  /* ns: everything before it is in the folded sums; 0: nothing folded */
	uint64_t overlap_folded_ns;
	uint64_t clock_error_ns; /* bound of the device-to-host clock conversion */
	uint64_t kernels_sum_ns, copies_sum_ns;
	struct fmt_track kernels, copies;
};

struct fmt_queue {
	uint64_t name;       /* as the runtime or the program calls it, or what it is: "queue 1, out of order" */
	uint32_t backend;
	uint32_t device;     /* index, UINT32_MAX: not known */
	uint64_t handle;     /* the runtime's own word for it */
	uint64_t reserved;
};

/* What is known of how a kernel was launched: bits of fmt_shape.known. */
enum fmt_shape_part {
	FMT_SHAPE_GRID = 1u << 0,
	FMT_SHAPE_BLOCK = 1u << 1,
	FMT_SHAPE_REGISTERS = 1u << 2,
	FMT_SHAPE_STATIC = 1u << 3, /* static_shared */
	FMT_SHAPE_DYNAMIC = 1u << 4 /* dynamic_shared */
};

struct fmt_shape {
	uint32_t known;     /* enum fmt_shape_part; of several launches: what is known of all and the same for all */
	uint32_t grid[3];   /* groups of work items */
	uint32_t block[3];  /* work items of a group */
	uint32_t registers; /* of a work item */
	uint32_t static_shared, dynamic_shared; /* bytes of a group's own memory: of the code, of the launch */
};

struct fmt_op {
	uint64_t name;
	uint32_t backend, device, kind; /* kind: enum sonde_kind: launch, copy, fill, ... */
	uint32_t reserved;
	uint64_t bytes;
	struct fmt_stats stats; /* ns */
	struct fmt_shape shape; /* of kernels */
};

/* Operations that the program put together and launches by one call. */
struct fmt_graph {
	uint32_t backend;
	uint32_t number;        /* as the runtime counts graphs of this process */
	uint64_t launches;      /* of which an operation has run */
	uint64_t counted_below; /* numbers of launches up to this one are not told apart any more */
};

/* What an operation of a graph did, over all launches. */
struct fmt_node {
	uint64_t name;
	uint32_t backend, graph; /* graph: its number */
	uint32_t device, kind;   /* enum sonde_kind */
	uint32_t next;           /* 1 + index of another one with the same number, or 0 */
	uint32_t reserved;
	uint64_t number;         /* as the runtime counts nodes */
	uint64_t calls, total_ns, max_ns;
};

/* What has a number of its own, and a name that the program gave it at any time. */
enum fmt_named_what {
	FMT_NAMED_THREAD = 1, /* key: its tid; scope 0 */
	FMT_NAMED_CATEGORY    /* of ranges and marks, in a scope of the backend's, such as a domain */
};

struct fmt_named {
	uint64_t name;
	uint32_t what;     /* enum fmt_named_what */
	uint32_t backend;
	uint32_t scope, key;
};

struct fmt_transfer {
	uint32_t backend, device;
	uint32_t direction, memory; /* enum sonde_direction, enum sonde_memory_kind */
	uint64_t calls, bytes, total_ns;
	uint64_t reserved[2];
};

struct fmt_memory {
	uint32_t backend, device;  /* device UINT32_MAX: host memory */
	uint32_t memory, reserved; /* enum sonde_memory_kind */
	uint64_t allocs, frees, alloc_bytes, live_bytes, peak_bytes;
};

/* Calls that failed, by what they answered. */
struct fmt_failure {
	uint64_t name;   /* of the answer; 0: none known */
	uint32_t slot;   /* of the function */
	int32_t answer;  /* 0: it gave none */
	uint64_t calls;
};

struct fmt_build {
	uint64_t name;
	uint32_t backend, source;  /* enum sonde_build_source */
	uint64_t calls, failed, total; /* ticks */
	uint64_t processes;        /* child processes that builds were seen to run */
};

/* What is known of a program's end. */
enum fmt_ended {
	FMT_ENDED_NOT = 0,   /* it runs, or nobody was left to see its end */
	FMT_ENDED_SEEN = 1,  /* wait_status and end are valid */
	FMT_ENDED_LATER = 2  /* end is valid: its launcher was killed before, and with it the status lost */
};

/*
 * RUN/launch.<host>.<pid>.<start>: written by the launcher, one per started program, so that the
 * end of a program and the node's clock are known however it ended. Followed by `command_bytes`
 * of NUL-separated arguments.
 */
struct fmt_launch {
	char magic[8];
	uint16_t major, minor;
	uint32_t byte_order;
	uint32_t launch_bytes;   /* sizeof(struct fmt_launch) */
	uint32_t command_bytes;
	uint32_t pid, program_pid;
	int32_t rank, size, local_size; /* -1: unknown */
	int32_t wait_status;     /* as waitpid gave it */
	uint32_t clock;          /* enum fmt_clock */
	uint32_t ended;          /* enum fmt_ended */
	uint64_t program_start;  /* field 22 of /proc/PID/stat of the program */
	struct fmt_triple start; /* just before fork */
	struct fmt_triple end;   /* just after waitpid */
	char host[64];
	uint64_t untraceable;    /* 0, or 1 + index of the reason why the target cannot be traced */
	uint64_t reserved[3];
	struct fmt_unrecorded unrecorded; /* last, since not the launcher writes it */
};

/* Parts that are known of both and the same in both. */
static inline uint32_t fmt_shape_common(const struct fmt_shape *a, const struct fmt_shape *b)
{
	uint32_t known = a->known & b->known;

	if (__builtin_memcmp(a->grid, b->grid, sizeof(a->grid)) != 0)
		known &= ~(uint32_t)FMT_SHAPE_GRID;
	if (__builtin_memcmp(a->block, b->block, sizeof(a->block)) != 0)
		known &= ~(uint32_t)FMT_SHAPE_BLOCK;
	if (a->registers != b->registers)
		known &= ~(uint32_t)FMT_SHAPE_REGISTERS;
	if (a->static_shared != b->static_shared)
		known &= ~(uint32_t)FMT_SHAPE_STATIC;
	if (a->dynamic_shared != b->dynamic_shared)
		known &= ~(uint32_t)FMT_SHAPE_DYNAMIC;
	return known;
}

/* Bucket of a duration: 4 steps per octave of (ticks + 4); the last bucket holds the rest. */
static inline unsigned fmt_bucket(uint64_t ticks)
{
	uint64_t value = ticks + 4;
	unsigned octave = 63 - (unsigned)__builtin_clzll(value);
	unsigned bucket = (unsigned)(value >> (octave - 2)) + 4 * octave - 12;

	return bucket < FMT_BUCKETS - 1 ? bucket : FMT_BUCKETS - 1;
}

/* Smallest duration that falls into a bucket. */
static inline uint64_t fmt_bucket_floor(unsigned bucket)
{
	unsigned octave = bucket / 4 + 2;

	return ((uint64_t)(4 + bucket % 4) << (octave - 2)) - 4;
}

/*
 * How much of a pause the calls of a thread take that were open when it began: they count, all others do not. So what
 * ended in it is one of those, and what is still open is, too.
 */
static inline uint64_t fmt_covered(const struct fmt_thread *thread, uint64_t since, uint64_t until)
{
	if ((thread->depth & 0x7fffffffu) && thread->frame[1].begin < until)
		return until - (thread->frame[1].begin > since ? thread->frame[1].begin : since);
	return thread->last > since && thread->last <= until ? thread->last - since : 0;
}

_Static_assert(sizeof(struct fmt_stats) == 1408, "rows are 22 cache lines");
_Static_assert(sizeof(struct fmt_thread) <= FMT_THREAD_ROWS_OFFSET, "frames fit the thread's page");
_Static_assert(sizeof(struct fmt_head) <= 1024, "head is small");

/* What has another size lies otherwise in older files, and that is another major version. */
#define FMT_SIZE(name, bytes) _Static_assert(sizeof(struct name) == (bytes), "raise FMT_MAJOR, then put it right here")
FMT_SIZE(fmt_head, 536);
FMT_SIZE(fmt_process, 224);
FMT_SIZE(fmt_backend, 112);
FMT_SIZE(fmt_function, 56);
FMT_SIZE(fmt_thread, 3968);
FMT_SIZE(fmt_device, 131168);
FMT_SIZE(fmt_queue, 32);
FMT_SIZE(fmt_named, 24);
FMT_SIZE(fmt_op, 1480);
FMT_SIZE(fmt_graph, 24);
FMT_SIZE(fmt_node, 64);
FMT_SIZE(fmt_transfer, 56);
FMT_SIZE(fmt_memory, 56);
FMT_SIZE(fmt_build, 48);
FMT_SIZE(fmt_failure, 24);
FMT_SIZE(fmt_launch, 232);

#endif
