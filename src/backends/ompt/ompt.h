/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OMPT, the tool interface of OpenMP 5.0 and later, as far as it is used here: facts of the standard, so that no vendor
 * header is needed to build (tests/layout.c holds them against one). Below that what the files of this folder share.
 */
#ifndef SONDE_BACKENDS_OMPT_OMPT_H
#define SONDE_BACKENDS_OMPT_OMPT_H

#include "record/rec_tools.h"

/* ---- facts of the standard ------------------------------------------------------------------------ */

typedef union {
	uint64_t value;
	void *ptr;
} ompt_word; /* ompt_data_t: a word that the runtime keeps for us */

typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *name);
typedef int (*ompt_set_callback)(int event, ompt_function callback); /* 0, 1: there is no such event */

struct ompt_start {
	int (*initialize)(ompt_lookup lookup, int device, ompt_word *tool);
	void (*finalize)(ompt_word *tool);
	ompt_word tool;
};

enum ompt_event {
	OMPT_THREAD_BEGIN = 1, OMPT_THREAD_END = 2, OMPT_PARALLEL_BEGIN = 3, OMPT_PARALLEL_END = 4,
	OMPT_TASK_CREATE = 5, OMPT_TASK_SCHEDULE = 6,
	OMPT_IMPLICIT_TASK = 7, OMPT_DEVICE_INITIALIZE = 12, OMPT_SYNC_REGION_WAIT = 16,
	OMPT_WORK = 20, OMPT_MUTEX_ACQUIRE = 26, OMPT_MUTEX_ACQUIRED = 27, OMPT_TARGET = 33, OMPT_TARGET_DATA_OP = 34,
	OMPT_TARGET_SUBMIT = 35 /* those of target: the forms with beginning and end (emi) */
};

enum ompt_endpoint { OMPT_BEGIN = 1, OMPT_END = 2 }; /* 3: both at once */

enum ompt_task_flag { OMPT_TASK_INITIAL = 1, OMPT_TASK_IMPLICIT = 2, OMPT_TASK_EXPLICIT = 4,
	OMPT_TASK_UNTIED = 0x10000000 };

enum ompt_task_status { OMPT_TASK_COMPLETE = 1, OMPT_TASK_CANCEL = 3, OMPT_TASK_DETACH = 4,
	OMPT_TASK_EARLY_FULFILL = 5, OMPT_TASK_LATE_FULFILL = 6, OMPT_TASK_TASKWAIT_COMPLETE = 8 };

enum ompt_sync { OMPT_BARRIER_OLD = 1, OMPT_BARRIER_IMPLICIT_OLD = 2, OMPT_BARRIER_EXPLICIT = 3,
	OMPT_BARRIER_RUNTIME = 4, OMPT_TASKWAIT = 5, OMPT_TASKGROUP = 6, OMPT_REDUCTION = 7, OMPT_BARRIER_WORK = 8,
	OMPT_BARRIER_PARALLEL = 9, OMPT_BARRIER_TEAMS = 10 };

enum ompt_mutex { OMPT_LOCK = 1, OMPT_TEST_LOCK = 2, OMPT_NEST_LOCK = 3, OMPT_TEST_NEST_LOCK = 4, OMPT_CRITICAL = 5,
	OMPT_ATOMIC = 6, OMPT_ORDERED = 7 };

enum ompt_work { OMPT_LOOP = 1, OMPT_SECTIONS = 2, OMPT_SINGLE_EXECUTOR = 3, OMPT_SINGLE_OTHER = 4, OMPT_WORKSHARE = 5,
	OMPT_DISTRIBUTE = 6, OMPT_TASKLOOP = 7, OMPT_SCOPE = 8 }; /* 10 and above: loops by their schedule */

enum ompt_target_kind { OMPT_TARGET_REGION = 1, OMPT_TARGET_ENTER = 2, OMPT_TARGET_EXIT = 3, OMPT_TARGET_UPDATE = 4,
	OMPT_TARGET_NOWAIT = 8 /* added to one of them */ };

enum ompt_data_op { OMPT_ALLOC = 1, OMPT_TO_DEVICE = 2, OMPT_FROM_DEVICE = 3, OMPT_DELETE = 4, OMPT_ASSOCIATE = 5,
	OMPT_DISASSOCIATE = 6, OMPT_DATA_ASYNC = 16 /* added to one of them */ };

/* ---- of this folder -------------------------------------------------------------------------------- */

extern struct rec_backend ompt_backend __attribute__((visibility("hidden")));

/* What a thread is in, innermost last. */
enum construct { IN_PARALLEL, IN_WORKER, IN_WORK, IN_WAIT, IN_TASK, IN_MUTEX, IN_TARGET, IN_DATA, IN_SUBMIT };

struct open {
	enum construct construct;
	const void *id; /* tells it from others of its kind */
	uint64_t token; /* rec_call_token(); 0: not recorded */
};

#define OPEN_MAX 48u

/* A parallel region. */
struct region {
	uint64_t serial;      /* 0: free; of whose region it is */
	uint64_t ended;       /* serial of the last one that has ended here, */
	uint64_t end;         /* and when, in ticks */
	struct rec_team team;
	uint32_t threads;
	const void *code;
	bool inner;           /* its own place is not known: code is that of the region around it */
};

/* A thread, as long as it lives. */
struct self {
	struct self *next; /* of those that wait for another thread */
	uint32_t depth;
	uint32_t mute;      /* in a kernel that runs on the host: its loops are the device's */
	struct open open[OPEN_MAX];
	struct region *joined; /* not NULL: done with a region, until it is told that all are */
	uint64_t joined_serial;
	uint64_t waits_since;  /* ticks; 0: it runs a task meanwhile */
	uint64_t *helps;       /* not NULL: it waits for its team; ticks of tasks that it runs meanwhile, */
	uint32_t helps_depth;  /* of those that begin with so much open */
	uint64_t helped;       /* at barriers within a region */
	const void *target;    /* place of the target construct that it is in */
	int32_t device;        /* of that */
	uint64_t submit_begin, data_begin; /* raw ns */
};

/* Of the calling thread; NULL: no memory. */
struct self *ompt_self(void);
void ompt_self_end(void); /* the thread ends */
void ompt_open(struct self *self, enum construct construct, const void *id, const struct rec_label *label,
	       enum sonde_kind kind, struct rec_call *call);
/* The construct ends, and with it what was left open inside. True: call is recorded, and to be left. */
bool ompt_close(struct self *self, enum construct construct, const void *id, struct rec_call *call);
/* The region that the thread is in; NULL: none that is recorded. */
struct region *ompt_region(const struct self *self);
bool ompt_is_open(const struct self *self, enum construct construct, const void *id);

/* ompt_host.c, ompt_target.c */
void ompt_host_start(ompt_set_callback set);
void ompt_target_start(ompt_set_callback set);
void ompt_target_opened(void);
void ompt_target_check(void); /* at the end: did events of devices come, where there should be some? */

#endif
