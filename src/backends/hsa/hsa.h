/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the HSA backend. Runs in the traced program; a question to the runtime is asked inside a guard. No vendor
 * header: what is needed of the API stands below, held against the real headers by tests/layout.c. A handle is a
 * machine word.
 *
 *	hsa.c          hooks of the wrappers
 *	hsa_tools.c    the tables that the runtime hands to tools
 *	hsa_place.c    which device or host memory a pool, region or agent is
 *	hsa_name.c     kernels by what packets call them
 *	hsa_queue.c    the program's queues, and the packets in them
 *	hsa_copy.c     copies that devices make
 *	hsa_pending.c  operations on their way, by the signal that tells their end
 */
#ifndef SONDE_BACKENDS_HSA_H
#define SONDE_BACKENDS_HSA_H

#include "hsa_gen.h"
#include "record/rec_tools.h"

enum {
	HSA_SUCCESS = 0,
	HSA_AGENT_INFO_NAME = 0,
	HSA_AGENT_INFO_DEVICE = 17,
	HSA_DEVICE_CPU = 0,
	HSA_AGENT_INFO_BDFID = 0xa006,
	HSA_AGENT_INFO_PRODUCT_NAME = 0xa009,
	HSA_AGENT_INFO_DOMAIN = 0xa00f,
	HSA_SYSTEM_INFO_TIMESTAMP = 2,
	HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY = 3,
	HSA_SYMBOL_INFO_NAME_LENGTH = 1,
	HSA_SYMBOL_INFO_NAME = 2,
	HSA_SYMBOL_INFO_KERNEL_OBJECT = 22,
	HSA_PACKET_INVALID = 1,
	HSA_PACKET_KERNEL = 2
};

/* A queue, as the program sees it. */
struct hsa_queue {
	uint32_t type, features;
	void *packets;
	rec_word doorbell; /* signal */
	uint32_t size;     /* packets, a power of 2 */
	uint32_t reserved;
	uint64_t id;
};

/* A packet that starts a kernel. All kinds have the header and the signal at the same place. */
struct hsa_packet {
	uint16_t header; /* low byte: kind; the device makes it HSA_PACKET_INVALID when it takes the packet */
	uint16_t dimensions;
	uint16_t group[3], reserved0;
	uint32_t grid[3]; /* work items */
	uint32_t private_bytes, group_bytes;
	uint64_t kernel; /* object */
	uint64_t arguments, reserved1;
	rec_word signal;
};
_Static_assert(sizeof(struct hsa_packet) == 64, "packets are 64 bytes");

/* The program's side of the runtime; NULL: it has no such function. */
#define HSA_REAL(name, ...) ((uint32_t (*)(__VA_ARGS__))rec_real(&hsa_backend, hsa_sym_##name))

/* Of the object that has rocprofiler-sdk: has it there before the runtime is. NULL: that object is not loaded. */
extern bool sonde_rocprofiler(void) __attribute__((weak));

/* ---- hsa_tools.c ---- */

bool hsa_tables_live(void); /* the runtime calls through wrappers in its tables */
bool hsa_is_below(void);    /* a runtime of an API above, which calls HSA for itself, is in the process */

/* ---- hsa_place.c ---- */

struct hsa_place {
	uint32_t device; /* rec_device(); UINT32_MAX: the host */
	uint32_t memory; /* enum sonde_memory_kind */
	uint32_t epoch;  /* when it was asked for */
	uint32_t reserved;
};
/* Of a pool, region or agent. Asks the runtime the first time. */
struct hsa_place hsa_place_of(rec_word place);
void hsa_places_forget(void); /* the handles are worth nothing any more */

/* ---- hsa_name.c ---- */

void hsa_symbol_asked(rec_word symbol, uint64_t kernel); /* the program was told this object of a kernel's symbol */
uint64_t hsa_kernel_name(uint64_t kernel);               /* rec_name() */

/* ---- hsa_pending.c ---- */

struct hsa_pending {
	struct hsa_pending *next, *previous; /* in the order in which they were handed over */
	rec_word signal;
	rec_word agent; /* of the queue; 0: a copy */
	int64_t value;  /* of the signal, before */
	uint64_t handed_ns; /* raw */
	uint64_t id;    /* is nobody else's */
	bool handing;   /* it is being handed over */
	bool timed;     /* no other operation counts the signal down: else whose times it tells is not known */
	struct rec_span span;
};

/* How the program goes on with a signal. */
enum hsa_signal_use {
	HSA_SIGNAL_WAITED,   /* it has waited for it */
	HSA_SIGNAL_SET,      /* and is about to give it a value, */
	HSA_SIGNAL_CHANGED,  /* to change its value, */
	HSA_SIGNAL_DESTROYED /* or to destroy it */
};

bool hsa_clock_start(void); /* before there is anything to time; false: there is no runtime */
bool hsa_times(void); /* does this backend find out what devices did? Else rocprofiler-sdk tells it */
/*
 * An operation that will count the signal down at its end is about to be handed over: a ticket for one of the two
 * below, which say what became of that. In a guard. span NULL: it is not recorded, as a barrier, or has been counted.
 */
uint64_t hsa_pending_enter(rec_word signal);
void hsa_pending_leave(rec_word signal, uint64_t ticket, rec_word agent, const struct rec_span *span);
void hsa_pending_cancel(rec_word signal, uint64_t ticket);
/* One counts it down that was handed over, and may be over: the signal may be gone, and is not asked. */
void hsa_pending_unknown(rec_word signal);
bool hsa_signals_known(void); /* are there any that operations are to count down? */
void hsa_signal_used(rec_word signal, enum hsa_signal_use use);
/* What is pending on it, for the other one; 0: nothing. And: since then the program has replaced this value of it. */
uint64_t hsa_signal_pending(rec_word signal);
void hsa_signal_swapped(rec_word signal, uint64_t id, int64_t before);
void hsa_pending_collect(void); /* tells the record of all that are over */
void hsa_pending_stopping(void); /* the runtime is about to go, */
void hsa_pending_stopped(void);  /* and may be gone */
uint64_t hsa_pending_oldest(void);
void hsa_pending_flush(uint64_t deadline_raw_ns);
void hsa_pending_forget(void);

/* ---- hsa_queue.c ---- */

void hsa_queue_made(rec_word agent, const struct hsa_queue *queue);
void *hsa_queue_leaving(const struct hsa_queue *queue); /* it is about to be destroyed; for hsa_queue_left() */
void hsa_queue_left(void *place, bool failed);
void hsa_queue_profiled(const struct hsa_queue *queue, bool profiled); /* the program says so */
bool hsa_queue_rung(rec_word doorbell, uint64_t index);                /* false: it is no queue's doorbell */
void hsa_queues_read(void);                                            /* what was taken without having been seen */
bool hsa_queues_live(void);
void hsa_queues_stopping(void);                                        /* the runtime is about to go, */
void hsa_queues_stopped(bool are_gone);                                /* and has gone or not */
void hsa_queues_forget(void);

/* ---- hsa_copy.c ---- */

void hsa_copy_enter(struct rec_call *call, rec_word signal);
void hsa_copy_leave(const struct rec_call *call, rec_word signal, struct rec_span *copy);
void hsa_copies_profiled(bool profiled); /* the program says so */
void hsa_copies_forget(void);
/* Device and direction of a copy between two agents. */
void hsa_copy_between(rec_word to, rec_word from, struct rec_span *copy_out);
void hsa_copy_of_agent(rec_word agent, uint32_t direction, struct rec_span *copy_out);

#endif
