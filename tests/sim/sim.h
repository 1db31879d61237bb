/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated devices under real loaders and behind real library names: queues that work, kernels that compute, a clock
 * of its own, and faults on demand. The faces (a driver, a runtime library) turn an API's calls into these.
 *
 * The environment, read once:
 *   SIM_DEVICES=N            how many devices (1)
 *   SIM_CLOCK_HZ=N           ticks of the device's clock in a second (1000000000)
 *   SIM_CLOCK_BITS=N         it wraps at 2^N (64)
 *   SIM_CLOCK_OFFSET=NS      it is so much ahead of the host's (12345678901)
 *   SIM_CLOCK_DRIFT=PPM      and gains so much (0); may be negative
 *   SIM_TIMES=WHAT           times of commands: zero, negative (begin after end), missing, late:MS (told later)
 *   SIM_FAIL=FUNCTION:N      the Nth call of that function of the face fails; 0: every one
 *   SIM_LOG=FILE             a line per finished command: kind name device begin_ns end_ns bytes, by MONOTONIC_RAW
 */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_FOREVER UINT64_MAX

enum sim_kind { SIM_KERNEL, SIM_COPY, SIM_FILL, SIM_MARKER };

/* Times of a command by the device's clock, as a driver tells them: cut to its bits, with the faults asked for. */
struct sim_times {
	uint64_t begin, end;
	bool known; /* false: the device has none, or not yet */
};

/* Signalled by a command at its end, or by the host. A command that waits for one takes it as it is when it begins. */
struct sim_event;
struct sim_event *sim_event_create(void);
void sim_event_destroy(struct sim_event *event); /* also while a command will still signal it */
void sim_event_reset(struct sim_event *event);
void sim_event_signal(struct sim_event *event);
bool sim_event_wait(struct sim_event *event, uint64_t timeout_ns); /* 0: only asks. False: not signalled yet */
struct sim_times sim_event_times(struct sim_event *event);         /* of the command that signalled it last */

#define SIM_ARGUMENTS 8

/* Kernels by name, as a module would hold them. An argument is what a pointer to its value gives. */
struct sim_kernel {
	const char *name;
	unsigned arguments;
	void (*run)(void *const *argument, uint64_t items);
};
/* add_one(int *data): one more in each item. scale(float *data, float by). spin(uint64_t ns). NULL: no such. */
const struct sim_kernel *sim_kernel_find(const char *name);

struct sim_work {
	enum sim_kind kind;
	const char *name; /* lives as long as the process */
	/* SIM_KERNEL */
	const struct sim_kernel *kernel;
	const void *argument[SIM_ARGUMENTS]; /* values are taken over by sim_submit() */
	size_t argument_bytes[SIM_ARGUMENTS];
	uint64_t items;
	/* SIM_COPY: bytes from `from` to `to`. SIM_FILL: a pattern of pattern_bytes <= 16 */
	void *to;
	const void *from;
	uint64_t bytes;
	unsigned char pattern[16];
	size_t pattern_bytes;
	/* before, and after */
	struct sim_event *const *waits;
	size_t wait_count;
	struct sim_event *signals; /* may be NULL */
	uint64_t least_ns;         /* it takes so long at least */
	void (*done)(void *user);  /* on the device's thread, after the event was signalled; may be NULL */
	void *user;
};

struct sim_queue;
struct sim_queue *sim_queue_create(unsigned device, bool in_order);
void sim_queue_destroy(struct sim_queue *queue);                   /* waits for what is in it */
void sim_submit(struct sim_queue *queue, const struct sim_work *work);
bool sim_queue_wait(struct sim_queue *queue, uint64_t timeout_ns); /* false: not empty yet */

unsigned sim_devices(void);
uint64_t sim_raw_ns(void);            /* CLOCK_MONOTONIC_RAW */
uint64_t sim_clock(uint64_t raw_ns);  /* what the devices' clock shows then; cut to its bits */
uint64_t sim_clock_hz(void);
unsigned sim_clock_bits(void);
bool sim_fails(const char *function); /* count this call: is it to fail? */

#endif
